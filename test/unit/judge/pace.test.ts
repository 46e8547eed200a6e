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

test('nobody waits: it goes on after one turn of the loop', async () => {
  const pace = makePace({ isBusy: () => false, clock: systemClock });
  let turns = 0;
  setImmediate(() => (turns += 1));
  pace.begin();
  await pace.rest();
  expect(turns).toBe(1);
});
