import type { Clock } from '../kernel/index.ts';

/** The time, which goes on even where the wall clock is set back: what has expired stays so. */
export function makeSteadyNow(clock: Clock): () => Date {
  const from = clock.now().getTime() - clock.monotonicMs();
  return () => new Date(Math.max(clock.now().getTime(), from + clock.monotonicMs()));
}
