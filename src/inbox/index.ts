export {
  inboxSet,
  type ActOutcome,
  type DeliveryFilter,
  type Destination,
  type DetailedDelivery,
  type DocumentFacts,
  type Facts,
  type FlowCounts,
  type InboxReads,
  type InboxWrites,
  type LedgerCounts,
  type ListedDelivery,
  type Received,
  type Settle,
  type Settled,
  type UnmappedWord,
  type Verdict,
} from './commands.ts';
export type { Move } from './move.ts';
export { move } from './commands/move.ts';
export { documentIndex, inboxSealed, KEYS, openBody } from './rows.ts';
export { settle } from './commands/settle.ts';
export {
  LEFT_OUT,
  PARK_REASONS,
  QUARANTINE_REASONS,
  STATES,
  type ParkReason,
  type QuarantineReason,
  type State,
} from './state.ts';
