import { median } from './figure.ts';

export const ROUNDS = 5;
const ROUND_MS = 400;

/** Microseconds per call over one round. */
function timeUs(work: () => unknown): number {
  const since = performance.now();
  let calls = 0;
  do {
    work();
    calls++;
  } while (performance.now() - since < ROUND_MS);
  return ((performance.now() - since) * 1_000) / calls;
}

/** Interleaved rounds, so that whatever else the machine does falls on all alike. Medians, in microseconds. */
export function race(works: readonly (() => unknown)[]): number[] {
  for (const work of works) timeUs(work);
  const rounds = Array.from({ length: ROUNDS }, () => works.map(timeUs));
  return works.map((_, i) => median(rounds.map((round) => round[i] ?? NaN)));
}
