/** docs/connect-an-ehr.md shows it as a table; a test compares the two. */
export const BACKOFF = { firstMs: 1_000, capMs: 900_000, patienceMs: 7 * 86_400_000, fewAttempts: 10 } as const;

/**
 * Full jitter between one second and a bound that doubles from two seconds to 15 minutes. `attempt` counts from 0;
 * `spread` is in [0, 1). Never less than a second, so that no lane asks more often.
 */
export function backoffMs(attempt: number, spread: number): number {
  const bound = Math.min(BACKOFF.capMs, BACKOFF.firstMs * 2 ** (attempt + 1));
  return Math.round(BACKOFF.firstMs + spread * (bound - BACKOFF.firstMs));
}

/**
 * When to try again; `exhausted` when a person must look: after seven days, or after ten in a row where the verdict has
 * few in mind. What the server asks for is a floor.
 */
export function nextAttemptMs(given: {
  /** Attempts that failed before this one: 0 after the first. */
  readonly attempt: number;
  /** Of these, how many of the last in a row were such that few are worth making. */
  readonly fewInARow: number;
  readonly sinceFirstMs: number;
  readonly patience: 'few' | 'long';
  readonly serverAsksMs: number | null;
  readonly spread: number;
}): number | 'exhausted' {
  if (given.sinceFirstMs >= BACKOFF.patienceMs) return 'exhausted';
  if (given.patience === 'few' && given.fewInARow + 1 >= BACKOFF.fewAttempts) return 'exhausted';
  return Math.max(backoffMs(given.attempt, given.spread), given.serverAsksMs ?? 0);
}
