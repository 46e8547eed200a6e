export {
  type ClaimWish,
  type Claimed,
  type FastClaimed,
  type Decision,
  type Delivered,
  type Fence,
  type Finish,
  type ForeignChange,
  type LaneReads,
  type LaneWrites,
  type LedgerRow,
  type Outcome,
  type Patience,
  type RetractedRow,
  type SeenChange,
  type ShownAttempt,
  type WroteResource,
  type WaitingLane,
  type WrittenRow,
  laneSet,
} from './commands.ts';
export { enforceRetention } from './enforce-retention.ts';
export { type Links, makeLinkChanger } from './enqueue/change-links.ts';
export {
  ADJUST_LIMIT,
  type Adjusted,
  type DeliverReads,
  type DeliverWrites,
  type LinkOutcome,
  TARGET,
  deliverSet,
} from './enqueue/commands.ts';
export type { Unmapped } from './enqueue/unmapped.ts';
export { type EraseLook, type EraseReads, type EraseWrites, eraseSet } from './erase/commands.ts';
export {
  CONTENT_PARTS,
  type ChartContent,
  type ContentPart,
  FINGERPRINT_BYTES,
  type Fingerprint,
  NO_CONTENT,
  differingParts,
  openFingerprints,
  hasPart,
  makeContentKey,
} from './fingerprint.ts';
export type { LedgerName } from './ledger-document.ts';
export type { LedgerQuestion, Said } from './ledger-rows.ts';
export { packDone } from './pack-done.ts';
export { forwardAgain, forwardLeftOut } from './reforward.ts';
export { JUMP_MS, type Row, deliveryOf, doubtOf, jobOf, plansOf } from './rows.ts';
export { HEAD } from './commands/parts.ts';
export { deliverSealed } from './sealed.ts';
