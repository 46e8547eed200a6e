import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addAnswer,
  compareLimits,
  compareTimes,
  emptyWindow,
  type TimedWindow,
} from '../../../src/ehr/timed-window.ts';

type Answers = readonly (readonly [kind: string, count: number, tookMs: number])[];

const aWindow = (inFlight: number, ...answers: Answers): TimedWindow =>
  answers
    .flatMap(([kind, count, tookMs]) => Array.from({ length: count }, () => ({ kind, tookMs, inFlight })))
    .reduce(addAnswer, emptyWindow);

describe('how long answers take', () => {
  test('is compared within each kind, so that another mixture is not taken for another speed', () => {
    const many = aWindow(8, ['read', 30, 10], ['bundle 14', 20, 400]);
    const few = aWindow(8, ['read', 20, 10], ['bundle 14', 30, 400]);
    const compared = compareTimes(many, few);
    expect(compared?.afterMs).toBeCloseTo(compared?.beforeMs ?? NaN);
  });

  test('is not compared where the windows have little in common', () => {
    expect(compareTimes(aWindow(8, ['read', 40, 10]), aWindow(8, ['bundle 14', 40, 400]))).toBeNull();
    expect(
      compareTimes(
        aWindow(8, ['read', 40, 10], ['write 9', 9, 10]),
        aWindow(8, ['bundle 14', 40, 10], ['write 9', 9, 10]),
      ),
    ).toBeNull();
  });

  test('of an EHR that became slower by a factor differs by that factor, whatever the mixtures', () => {
    const kind = fc.record({
      tookMs: fc.integer({ min: 1, max: 5_000 }),
      before: fc.integer({ min: 1, max: 30 }),
      after: fc.integer({ min: 1, max: 30 }),
    });
    let told = 0;
    fc.assert(
      fc.property(
        fc.array(kind, { minLength: 1, maxLength: 5 }),
        fc.double({ min: 0.1, max: 10, noNaN: true }),
        (kinds, factor) => {
          const before = aWindow(
            8,
            ...kinds.map(({ tookMs, before: count }, i): Answers[number] => [String(i), count, tookMs]),
          );
          const after = aWindow(
            8,
            ...kinds.map(({ tookMs, after: count }, i): Answers[number] => [String(i), count, tookMs * factor]),
          );
          const compared = compareTimes(before, after);
          if (compared === null) return;
          told += 1;
          expect(compared.afterMs / compared.beforeMs).toBeCloseTo(factor, 6);
        },
      ),
    );
    expect(told).toBeGreaterThan(30);
  });
});

describe('what a limit gains', () => {
  const gainOf = (after: TimedWindow): number | undefined => compareLimits(aWindow(8, ['write', 50, 400]), after)?.gain;

  test('is 1 where everything takes as long as before', () => {
    expect(gainOf(aWindow(12, ['write', 50, 400]))).toBeCloseTo(1);
  });

  test('is 0 where everything takes longer by as much as there is more of it', () => {
    expect(gainOf(aWindow(12, ['write', 50, 600]))).toBeCloseTo(0);
    expect(gainOf(aWindow(6, ['write', 50, 300]))).toBeCloseTo(0);
  });

  test('is below 0 where less is done', () => {
    expect(gainOf(aWindow(12, ['write', 50, 900]))).toBeLessThan(0);
  });

  test('is unknown where no more was under way', () => {
    expect(gainOf(aWindow(8, ['write', 50, 400]))).toBeUndefined();
  });
});
