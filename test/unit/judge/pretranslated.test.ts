import { expect, test } from '@jest/globals';
import { makePretranslations, type Pretranslated } from '../../../src/judge/index.ts';
import { makeBudget, MEMORY } from '../../../src/kernel/index.ts';

const KB = 1024;
const COST = MEMORY.cost.translation;
const translated = {} as Pretranslated;

test('a translation that is kept takes room, which whoever takes it gives back', () => {
  const budget = makeBudget(100 * KB * COST);
  const kept = makePretranslations(budget);
  kept.keep('a', translated, 10 * KB);
  kept.keep('a', translated, 20 * KB);
  expect(budget.inUse()).toBe(20 * KB * COST);
  const taken = kept.take('a');
  expect([budget.inUse(), kept.take('a')]).toEqual([20 * KB * COST, null]);
  taken?.room.release();
  expect(budget.inUse()).toBe(0);
});

test('where there is no room it is not kept, and the oldest are dropped for whoever must wait otherwise', async () => {
  const budget = makeBudget(100 * KB * COST);
  const kept = makePretranslations(budget);
  for (const id of ['a', 'b', 'c', 'd']) kept.keep(id, translated, 30 * KB);
  expect([kept.take('d'), budget.inUse()]).toEqual([null, 90 * KB * COST]);
  const room = await budget.take(40 * KB * COST, 0);
  expect([room === null, kept.take('a'), kept.take('b') === null]).toEqual([false, null, false]);
});
