export {
  inboxSet,
  type ActOutcome,
  type DeliveryFilter,
  type DetailedDelivery,
  type DocumentFacts,
  type Facts,
  type InboxReads,
  type InboxWrites,
  type LedgerCounts,
  type ListedDelivery,
  type Received,
  type Verdict,
} from './commands.ts';
export { PARK_REASONS, QUARANTINE_REASONS, STATES, type ParkReason, type QuarantineReason, type State } from './state.ts';
