import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CONCURRENCY, enter, hasRoom, leave, startConcurrency, type Concurrency } from '../../../src/ehr/concurrency.ts';

const full = (limit: number): Concurrency => ({ limit, inFlight: limit, halvedAtMs: -Infinity });

test('begins with four at once', () => {
  let now = startConcurrency;
  for (let i = 0; i < 4; i += 1) {
    expect(hasRoom(now)).toBe(true);
    now = enter(now);
  }
  expect(hasRoom(now)).toBe(false);
});

test('as many successes as the limit is raise it by about one, up to 32', () => {
  let now = full(4);
  for (let i = 0; i < 5; i += 1) now = enter(leave(now, 'good', i, i));
  expect(Math.floor(now.limit)).toBe(5);
  for (let i = 0; i < 5_000; i += 1) now = { ...leave(now, 'good', i, i), inFlight: 32 };
  expect(now.limit).toBe(CONCURRENCY.max);
});

test('a sign of overload halves it, never below one', () => {
  expect(leave(full(32), 'overload', 5, 6).limit).toBe(16);
  expect(leave(full(5), 'overload', 5, 6).limit).toBe(2);
  expect(leave(full(1), 'overload', 5, 6).limit).toBe(1);
});

test('many requests of one overload halve it once', () => {
  let now = full(32);
  for (let i = 0; i < 32; i += 1) now = leave(now, 'overload', i, 100 + i);
  expect(now.limit).toBe(16);
  expect(leave(now, 'overload', 100, 200).limit).toBe(8);
});

test('a limit that nobody uses is not raised', () => {
  expect(leave({ limit: 10, inFlight: 1, halvedAtMs: 0 }, 'good', 5, 6).limit).toBe(10);
});

test('what says nothing about load changes nothing but the count', () => {
  expect(leave(full(8), 'neutral', 5, 6)).toEqual({ limit: 8, inFlight: 7, halvedAtMs: -Infinity });
});

test('whatever happens, the limit stays between 1 and 32 and the count is never negative', () => {
  const step = fc.constantFrom('enter', 'good', 'overload', 'neutral');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      let now = startConcurrency;
      steps.forEach((what, ms) => {
        if (what === 'enter') now = hasRoom(now) ? enter(now) : now;
        else now = leave(now, what, ms, ms);
        expect(now.limit >= CONCURRENCY.min && now.limit <= CONCURRENCY.max && now.inFlight >= 0).toBe(true);
      });
    }),
  );
});
