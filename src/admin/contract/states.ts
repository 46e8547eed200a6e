import type { ParkReason, State } from '../../inbox/index.ts';

/** The states of a delivery. */
export const STATES = [
  'received',
  'queued',
  'sending',
  'unknown',
  'delivered',
  'superseded',
  'duplicate',
  'parked',
  'quarantined',
  'discarded',
] as const satisfies readonly State[];

/** What is parked so waits for a person who approves its plan. */
export const APPROVABLE = ['suspicious', 'ambiguous', 'identity'] as const satisfies readonly ParkReason[];
