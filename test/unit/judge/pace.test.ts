import { expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { makePace, restMsOf } from '../../../src/judge/pace.ts';

test('what is full is left to those who wait for six times as long as it was taken', () => {
  expect(restMsOf(2, 1)).toBe(12);
  expect(restMsOf(0.7, 0.8)).toBe(5);
});

test('time to spare is not left idle', () => {
  expect(restMsOf(2, 0.5)).toBe(0);
});

test('one large judgement does not stop the next for long', () => {
  expect(restMsOf(10_000, 1)).toBe(50);
});

/** How many turns of the loop so many rests take. */
async function turnsOf(rests: number, how: { readonly isWaitedFor: boolean; readonly isElsewhere: boolean }) {
  const pace = makePace({ isBusy: () => how.isWaitedFor, isElsewhere: how.isElsewhere, clock: systemClock });
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  for (let n = 0; n < rests; n += 1) {
    pace.begin();
    await pace.rest();
  }
  isOver = true;
  return turns;
}

test('what is judged on the event loop leaves it a turn after each, for whoever else is there', async () => {
  expect(await turnsOf(16, { isWaitedFor: false, isElsewhere: false })).toBe(16);
});

test('threads are asked several things in a turn of the loop, while no sender waits', async () => {
  expect(await turnsOf(16, { isWaitedFor: false, isElsewhere: true })).toBe(2);
});

test('a sender who waits has the loop after each question', async () => {
  expect(await turnsOf(16, { isWaitedFor: true, isElsewhere: true })).toBeGreaterThanOrEqual(16);
});
