import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  CONCURRENCY,
  enter,
  hasRoom,
  leave,
  startConcurrency,
  stateOf,
  type Concurrency,
  type Entered,
  type Load,
} from '../../../src/ehr/concurrency.ts';
import { startSearch } from '../../../src/ehr/limit-search.ts';

const full = (limit: number): Concurrency => ({
  ...startConcurrency,
  limit,
  inFlight: limit,
  search: startSearch(limit),
});
const end = (now: Concurrency, load: Load, atMs: number, nowMs: number): Concurrency =>
  leave(now, { entered: { atMs, inFlightMs: now.inFlightMs }, load, kind: 'write' }, nowMs);

test('begins with four at once', () => {
  let now = startConcurrency;
  for (let i = 0; i < 4; i += 1) {
    expect(hasRoom(now)).toBe(true);
    ({ now } = enter(now, i));
  }
  expect(hasRoom(now)).toBe(false);
});

test('a sign of overload halves it, never below one', () => {
  expect(end(full(32), 'overload', 5, 6).limit).toBe(16);
  expect(end(full(5), 'overload', 5, 6).limit).toBe(2);
  expect(end(full(1), 'overload', 5, 6).limit).toBe(1);
  expect(stateOf(end(full(32), 'overload', 5, 6))).toMatchObject({ limit: 16, because: 'overload' });
});

test('many requests of one overload halve it once', () => {
  let now = full(32);
  for (let i = 0; i < 32; i += 1) now = end(now, 'overload', i, 100 + i);
  expect(now.limit).toBe(16);
  expect(end(now, 'overload', 100, 200).limit).toBe(8);
});

test.each<[string, Load, string | null]>([
  ['says nothing about load', 'neutral', 'write'],
  ['refuses a request', 'good', null],
])('what %s changes nothing but the count', (_what, load, kind) => {
  const before = full(8);
  const after = leave(before, { entered: { atMs: 5, inFlightMs: 0 }, load, kind }, 6);
  expect(after).toEqual({ ...before, inFlight: 7, inFlightMs: 48, countedMs: 6 });
});

test('before anything was measured an operator is told so', () => {
  expect(stateOf(startConcurrency)).toEqual({
    limit: 4,
    trial: null,
    inFlight: 0,
    because: 'untried',
    latencyMs: null,
    lastTrial: null,
  });
});

const isSound = (limit: number): boolean =>
  Number.isInteger(limit) && limit >= CONCURRENCY.min && limit <= CONCURRENCY.max;

test('whatever happens, the limit stays between 1 and 32 and the count is of those under way', () => {
  const step = fc.record({
    what: fc.constantFrom<('enter' | Load)[]>('enter', 'enter', 'good', 'good', 'good', 'overload', 'neutral'),
    times: fc.integer({ min: 1, max: 60 }),
    passedMs: fc.nat(400),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      let now = startConcurrency;
      let nowMs = 0;
      const under: Entered[] = [];
      const one = (what: 'enter' | Load): void => {
        const entered = what === 'enter' ? undefined : under.shift();
        if (entered !== undefined && what !== 'enter') now = leave(now, { entered, load: what, kind: 'write' }, nowMs);
        // As in a queue: who has left makes room for the next.
        if (!hasRoom(now)) return;
        const next = enter(now, nowMs);
        now = next.now;
        under.push(next.entered);
      };
      for (const { what, times, passedMs } of steps)
        for (let i = 0; i < times; i += 1) {
          nowMs += passedMs;
          one(what);
          if (now.inFlight !== under.length || !isSound(now.limit) || !isSound(now.search.base)) return false;
        }
      return true;
    }),
  );
});

test('how long a request took of late is told by those that were done, and by those that were too much', () => {
  const left = (before: Concurrency, load: Load, kind: string | null, tookMs: number): Concurrency =>
    leave(before, { entered: { atMs: 0, inFlightMs: 0 }, load, kind }, tookMs);
  const first = left(full(8), 'good', 'PUT', 10);
  expect(first.exchangeMs).toBe(10);
  expect(left(first, 'good', null, 500).exchangeMs).toBe(10);
  expect(left(first, 'neutral', null, 1).exchangeMs).toBe(10);
  expect(left(first, 'good', 'PUT', 20).exchangeMs).toBe(11);
  expect(left(first, 'overload', null, 110).exchangeMs).toBe(20);
});
