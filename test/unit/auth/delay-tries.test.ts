import { expect, test } from '@jest/globals';
import { makeDelayTries, waitAfter } from '../../../src/auth/delay-tries.ts';
import { testClock } from '../../support/clock.ts';

const HERE = '192.0.2.1';
const THERE = '192.0.2.2';

function start() {
  const clock = testClock();
  const tries = makeDelayTries(clock);
  const times = (n: number, address = HERE, name = 'ann', wrongBefore = 0): boolean[] =>
    Array.from({ length: n }, () => tries.take(address, name, wrongBefore));
  return { clock, tries, times };
}

test('five tries are free, then each wait is twice the last, five minutes at most', () => {
  expect([1, 4, 5, 6, 7, 9, 10, 60].map((tries) => waitAfter(tries, 5))).toEqual([
    0, 0, 10_000, 20_000, 40_000, 160_000, 300_000, 300_000,
  ]);
  const { clock, times } = start();
  expect(times(7)).toEqual([true, true, true, true, true, false, false]);
  clock.advance(9_999);
  expect(times(1)).toEqual([false]);
  clock.advance(1);
  expect(times(2)).toEqual([true, false]);
  clock.advance(19_999);
  expect(times(1)).toEqual([false]);
  clock.advance(1);
  expect(times(1)).toEqual([true]);
});

test('tries that are not looked at make no wait longer', () => {
  const { clock, times } = start();
  times(5);
  times(100);
  clock.advance(10_000);
  expect(times(1)).toEqual([true]);
});

test('another address, and another account, do not wait', () => {
  const { times } = start();
  times(6);
  expect([times(1, THERE), times(1, HERE, 'ben'), times(1, HERE, 'ANN')]).toEqual([[true], [true], [false]]);
});

test('a whole /64 of IPv6 is one address', () => {
  const { times } = start();
  times(5, '2001:db8::1');
  expect([times(1, '2001:db8::2'), times(1, '2001:db8:0:1::2')]).toEqual([[false], [true]]);
});

test('an account that many addresses try gives each of them one', () => {
  const { times } = start();
  expect(times(6, HERE, 'ann', 49).filter((isTaken) => isTaken)).toHaveLength(5);
  expect(times(2, THERE, 'ann', 50)).toEqual([true, false]);
});

test('the right password begins anew, and one that nobody looked at does not count', () => {
  const { tries, times } = start();
  times(4);
  tries.forget(HERE, 'ann');
  expect(times(6)).toEqual([true, true, true, true, true, false]);
  const other = start();
  for (let n = 0; n < 50; n += 1) {
    expect(other.times(1)).toEqual([true]);
    other.tries.giveBack(HERE, 'ann');
  }
  other.times(5);
  expect(other.times(1)).toEqual([false]);
});

test('what is remembered does not grow with an attack', () => {
  const { tries, times } = start();
  times(5);
  for (let n = 0; n < 10_000; n += 1) tries.take(`198.51.${n >> 8}.${n & 255}`, 'ann', 0);
  expect(times(1)).toEqual([true]);
});
