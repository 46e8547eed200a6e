import { systemClock, type Clock } from '../../src/kernel/index.ts';

/** The time of the machine, and later by what it was moved. */
export function movedClock(): Clock & { advance(ms: number): void } {
  let ahead = 0;
  return {
    now: () => new Date(systemClock.now().getTime() + ahead),
    monotonicMs: systemClock.monotonicMs,
    advance: (ms) => void (ahead += ms),
  };
}

/** A clock that stands until it is moved. */
export function testClock(start = '2026-01-02T03:04:05.678Z'): Clock & { advance(ms: number): void } {
  let elapsed = 0;
  return {
    now: () => new Date(Date.parse(start) + elapsed),
    monotonicMs: () => elapsed,
    advance: (ms) => void (elapsed += ms),
  };
}
