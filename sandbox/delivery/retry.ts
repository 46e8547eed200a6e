const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * How long to wait after the first, second, … try that was not acknowledged, in real time; after the last one it is
 * given up.
 */
export const RETRY_WAITS_MS: readonly number[] = [
  SECOND,
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  6 * HOUR,
];

/** Null: no more tries. */
export const retryWaitMs = (waits: readonly number[], tries: number): number | null => waits[tries - 1] ?? null;

/** Section 6. */
export const isAcknowledged = (status: number): boolean => [200, 201, 202].includes(status);
