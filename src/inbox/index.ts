export {
  inboxSet,
  type ActOutcome,
  type Counted,
  type DeliveryFilter,
  type DetailedDelivery,
  type EarlierVersion,
  type FlowCounts,
  type InboxReads,
  type InboxWrites,
  type LedgerCounts,
  type ListedDelivery,
  type ListPlace,
  type FreshDelivery,
  type Received,
  type SeenDelivery,
  type StoredDelivery,
} from './commands.ts';
export type { Destination, DocumentFacts, Facts, Settle, UnmappedWord, Verdict } from './verdict.ts';
export type { Move } from './move.ts';
export type { StuckGroup } from './stuck-group.ts';
export { actOnSeen } from './commands/act.ts';
export { ledgerCounts } from './commands/ledger.ts';
export { move } from './commands/move.ts';
export { documentIndex, inboxSealed, KEYS, openBody } from './rows.ts';
export { endSettling, settle, type Settling } from './commands/settle.ts';
export {
  LEFT_OUT,
  NOT_TAKEN,
  PARK_REASONS,
  QUARANTINE_REASONS,
  STATES,
  STUCK,
  type ParkReason,
  type QuarantineReason,
  type State,
  type StuckState,
} from './state.ts';
