/** Time as an argument. `now` is the wall clock; `monotonicMs` only ever grows and is for measuring durations. */
export interface Clock {
  now(): Date;
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
