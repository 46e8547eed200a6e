import type { LedgerCounts } from '../inbox/index.ts';

/** acknowledged = the sum of all ten states, at every instant. */
export const addsUp = ({ acknowledged, byState }: LedgerCounts): boolean =>
  Object.values(byState).reduce((sum, count) => sum + count, 0) === acknowledged &&
  Object.values(byState).every((count) => count >= 0);
