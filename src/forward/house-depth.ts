/** What is begun and not yet sent is looked up after a crash: never very much of it. */
const DEPTH_MAX = 128;
/** So much is begun as has its turn at the EHR within this time. */
const WAIT_MS = 1_000;

/**
 * How many deliveries may be on their way through the house: those at the EHR, and those that are being committed
 * before and after it. The EHR's own limit holds at its door, where they wait for their turn; were it counted from the
 * claim on, a fast EHR would be idle while commits are waited for. At least two for each place, so that there is always
 * a next one. `exchangeMs`: how long the EHR takes for one, null where nobody knows.
 */
export function houseDepth(limit: number, exchangeMs: number | null): number {
  const takenInTime = exchangeMs === null ? 0 : (limit * WAIT_MS) / Math.max(1, exchangeMs);
  return Math.min(DEPTH_MAX, Math.max(limit * 2, Math.floor(takenInTime)));
}
