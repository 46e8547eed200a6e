import { setTimeout as pause } from 'node:timers/promises';

/** A scrape must come to its end while the store does not answer: that is when somebody wants to see it. */
const PATIENCE_MS = 1_500;

/**
 * Asks once for all who come together, and again when the answer is older than `freshMs`. Null where there is no answer
 * in time; the question goes on, and is not asked a second time beside itself.
 */
export function askSeldom<T>(
  ask: () => Promise<T | null>,
  { freshMs, monotonicMs, patienceMs = PATIENCE_MS }: AskOften,
): () => Promise<T | null> {
  let answer: { readonly value: T; readonly atMs: number } | null = null;
  let asked: Promise<T | null> | null = null;

  async function askNow(): Promise<T | null> {
    try {
      const value = await ask();
      answer = value === null ? null : { value, atMs: monotonicMs() };
      return value;
    } finally {
      asked = null;
    }
  }

  return async () => {
    if (answer !== null && monotonicMs() - answer.atMs < freshMs) return answer.value;
    const late = new AbortController();
    try {
      asked ??= askNow();
      return await Promise.race([asked, pause(patienceMs, null, { ref: false, signal: late.signal })]);
    } catch {
      // A figure that cannot be had is left out; the others are shown.
      return null;
    } finally {
      late.abort();
    }
  };
}

export interface AskOften {
  readonly freshMs: number;
  readonly monotonicMs: () => number;
  readonly patienceMs?: number;
}
