/**
 * How many requests may be under way at once: one more after as many successes as the limit is, half after a sign of overload. Some
 * servers collapse at eight conditional writes.
 */
export interface Concurrency {
  /** Not whole: the share of the next step that is earned already. */
  readonly limit: number;
  readonly inFlight: number;
  /** Requests that began before this moment say nothing new about the lower limit. */
  readonly halvedAtMs: number;
}

export const CONCURRENCY = { start: 4, min: 1, max: 32 } as const;

export const startConcurrency: Concurrency = { limit: CONCURRENCY.start, inFlight: 0, halvedAtMs: -Infinity };

export const hasRoom = ({ limit, inFlight }: Concurrency): boolean => inFlight < Math.floor(limit);

export const enter = (now: Concurrency): Concurrency => ({ ...now, inFlight: now.inFlight + 1 });

/** `neutral`: an answer that says nothing about load, such as a connection that was refused. */
export type Load = 'good' | 'overload' | 'neutral';

export function leave(now: Concurrency, load: Load, startedMs: number, nowMs: number): Concurrency {
  const left = { ...now, inFlight: Math.max(0, now.inFlight - 1) };
  if (load === 'overload')
    return startedMs < now.halvedAtMs
      ? left
      : { ...left, limit: Math.max(CONCURRENCY.min, Math.floor(now.limit / 2)), halvedAtMs: nowMs };
  // Only a limit that is used is worth raising.
  const isUsed = now.inFlight >= Math.floor(now.limit) / 2;
  if (load === 'good' && isUsed) return { ...left, limit: Math.min(CONCURRENCY.max, now.limit + 1 / now.limit) };
  return left;
}
