import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { makeBudget, MEMORY } from '../../../src/kernel/index.ts';
import { meterAnswer } from '../../../src/smart/meter-answer.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const MB = 1024 * 1024;

test('a small answer takes what was taken for it, a large one takes more as it comes, and all of it is given back', async () => {
  const budget = makeBudget(100 * MB);
  const meter = await meterAnswer(budget);
  const first = budget.inUse();
  expect(first).toBe(0.25 * MB * MEMORY.cost.answer);
  expect([meter?.admit(200_000), budget.inUse()]).toEqual([true, first]);
  expect(await meter?.admit(200_000)).toBe(true);
  expect(budget.inUse()).toBe(1.25 * MB * MEMORY.cost.answer);
  expect(await meter?.admit(5 * MB)).toBe(true);
  expect(budget.inUse()).toBeGreaterThanOrEqual((5 * MB + 400_000) * MEMORY.cost.answer);
  meter?.release();
  expect(budget.inUse()).toBe(0);
});

test('what finds no room in five seconds is refused, before it is asked for or in its midst', async () => {
  const budget = makeBudget(10 * MB);
  const meter = await meterAnswer(budget);
  const more = meter?.admit(2 * MB);
  const other = meterAnswer(budget);
  await jest.advanceTimersByTimeAsync(5_000);
  expect([await more, meter?.isRefused()]).toEqual([false, true]);
  // It stood behind that wish, for which there was never room.
  expect(await other).not.toBeNull();
  meter?.release();
  (await other)?.release();
  const all = await budget.take(10 * MB, 0);
  const refused = meterAnswer(budget);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(await refused).toBeNull();
  all?.release();
  expect([budget.inUse(), budget.waiting()]).toEqual([0, 0]);
});
