import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  admit,
  afterOutcome,
  BREAKER,
  closedBreaker,
  type Breaker,
  type BreakerOutcome,
} from '../../../src/ehr/breaker.ts';

const GOOD: BreakerOutcome = { kind: 'good' };
const BAD: BreakerOutcome = { kind: 'bad', serverAsksMs: null };
const DENIED: BreakerOutcome = { kind: 'denied' };
const NOTHING: BreakerOutcome = { kind: 'nothing' };

/** One outcome a millisecond, from `atMs` on. */
const after = (outcomes: readonly BreakerOutcome[], from: Breaker = closedBreaker, atMs = 0): Breaker =>
  outcomes.reduce((breaker, outcome, i) => afterOutcome(breaker, outcome, atMs + i, atMs + i), from);
const times = (n: number, ...outcomes: BreakerOutcome[]): BreakerOutcome[] =>
  Array.from({ length: n }, () => outcomes).flat();

describe('closed', () => {
  test('lets everybody in', () => {
    expect(admit(closedBreaker, 7)).toEqual({ breaker: closedBreaker, waitMs: 0 });
  });

  test('opens at the fifth failure in a row, not at the fourth', () => {
    expect(after(times(4, BAD)).state).toBe('closed');
    expect(after(times(5, BAD))).toEqual({ state: 'open', untilMs: 4 + 5_000, trips: 1 });
    expect(after([...times(4, BAD), GOOD, ...times(4, BAD)]).state).toBe('closed');
  });

  test('opens when half of twenty failed', () => {
    expect(after(times(9, GOOD, BAD)).state).toBe('closed');
    expect(after(times(10, GOOD, BAD)).state).toBe('open');
    expect(after(times(20, GOOD, GOOD, BAD)).state).toBe('closed');
  });

  test('forgets what is older than half a minute', () => {
    const four = after(times(4, BAD));
    expect(after([BAD], four, 29_999).state).toBe('open');
    expect(after([BAD], four, 30_000).state).toBe('closed');
  });

  test('judges by the last two hundred, however many there were', () => {
    expect(after([...times(200, GOOD), ...times(100, GOOD, BAD)]).state).toBe('open');
    expect(after([...times(200, GOOD), ...times(99, GOOD, BAD)]).state).toBe('closed');
  });

  test('opens at once, and for a minute, when we are denied', () => {
    expect(after([DENIED])).toEqual({ state: 'open', untilMs: 60_000, trips: 1 });
  });

  test('is not moved by what says nothing', () => {
    expect(after(times(50, NOTHING))).toBe(closedBreaker);
  });
});

describe('open', () => {
  const open: Breaker = { state: 'open', untilMs: 1_000, trips: 1 };

  test('lets nobody in before its time, and says how long', () => {
    expect(admit(open, 400)).toEqual({ breaker: open, waitMs: 600 });
  });

  test('lets one in then, and the next one not', () => {
    const first = admit(open, 1_000);
    expect(first).toEqual({ breaker: { state: 'half-open', sinceMs: 1_000, trips: 1 }, waitMs: 0 });
    expect(admit(first.breaker, 1_001).waitMs).toBeGreaterThan(0);
  });

  test('stays open as long as Retry-After says', () => {
    expect(after([...times(4, BAD), { kind: 'bad', serverAsksMs: 3_600_000 }])).toMatchObject({
      untilMs: 4 + 3_600_000,
    });
    expect(afterOutcome(open, { kind: 'bad', serverAsksMs: 9_000 }, 0, 500)).toMatchObject({ untilMs: 9_500 });
    expect(afterOutcome(open, { kind: 'bad', serverAsksMs: 10 }, 0, 500)).toEqual(open);
  });

  test('is not closed by a straggler', () => {
    expect(afterOutcome(open, GOOD, 0, 500)).toEqual(open);
  });
});

describe('half-open', () => {
  const half: Breaker = { state: 'half-open', sinceMs: 1_000, trips: 1 };

  test('closes when the probe is good', () => {
    expect(afterOutcome(half, GOOD, 1_000, 1_200)).toEqual(closedBreaker);
  });

  test('opens for twice as long when it is not, up to a minute', () => {
    const lengths = [1, 2, 3, 4, 5, 50].map((trips) => {
      const next = afterOutcome({ ...half, trips }, BAD, 1_000, 2_000);
      return next.state === 'open' ? next.untilMs - 2_000 : null;
    });
    expect(lengths).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  test('is not moved by what began before it', () => {
    expect(afterOutcome(half, GOOD, 999, 1_200)).toEqual(half);
    expect(afterOutcome(half, BAD, 999, 1_200)).toEqual(half);
    expect(afterOutcome(half, NOTHING, 999, 1_200)).toEqual(half);
  });

  test('lets the next one try at once when the probe was abandoned', () => {
    const next = afterOutcome(half, NOTHING, 1_000, 1_200);
    expect(admit(next, 1_200).waitMs).toBe(0);
  });

  test('lets another one try when the probe was not heard of for two minutes, and has the others ask every few seconds', () => {
    expect(admit(half, 1_001)).toEqual({ breaker: half, waitMs: 5_000 });
    expect(admit(half, 1_000 + 119_999)).toEqual({ breaker: half, waitMs: 1 });
    expect(admit(half, 1_000 + 120_000)).toEqual({ breaker: { ...half, sinceMs: 121_000 }, waitMs: 0 });
  });
});

test('whatever happens, it lets somebody in again within six hours, and never two at once into a half-open one', () => {
  const outcome = fc.oneof(
    fc.constant(GOOD),
    fc.constant(DENIED),
    fc.constant(NOTHING),
    fc.record({ kind: fc.constant('bad' as const), serverAsksMs: fc.option(fc.nat(6 * 3_600_000)) }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(outcome, fc.nat(100_000)), { maxLength: 80 }), (steps) => {
      let breaker = closedBreaker;
      let nowMs = 0;
      for (const [what, pauseMs] of steps) {
        nowMs += pauseMs;
        const admission = admit(breaker, nowMs);
        breaker = admission.breaker;
        if (breaker.state === 'half-open') expect(admit(breaker, nowMs).waitMs).toBeGreaterThan(0);
        if (admission.waitMs === 0) breaker = afterOutcome(breaker, what, nowMs, nowMs);
      }
      expect(admit(breaker, nowMs + 6 * 3_600_000 + BREAKER.openMsMax).waitMs).toBe(0);
    }),
  );
});
