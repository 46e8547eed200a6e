import type { ParkReason, State, StuckState } from '../../inbox/index.ts';

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

/** What waits for a person. */
export const STUCK = ['parked', 'quarantined'] as const satisfies readonly StuckState[];

/** What is parked so waits for a person who approves its plan. */
export const APPROVABLE = ['suspicious', 'ambiguous', 'identity'] as const satisfies readonly ParkReason[];
