import type { State } from '../../inbox/index.ts';

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
