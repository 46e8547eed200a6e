import { expect, test } from '@jest/globals';
import type { FreshDelivery } from '../../../src/inbox/index.ts';
import { makeFreshBodies } from '../../../src/judge/index.ts';
import { makeBudget, MEMORY } from '../../../src/kernel/index.ts';

const BYTES = 100;
const ROOM = BYTES * MEMORY.cost.document;
const delivery = (seq: number): FreshDelivery => ({
  seq,
  id: `dlv_${seq}`,
  hook: 'data',
  requestId: 'r',
  receivedAt: 0,
  body: new Uint8Array(BYTES),
});

test('what is held weighs until it is judged', () => {
  const budget = makeBudget(10 * ROOM);
  const fresh = makeFreshBodies(budget);
  fresh.keep(delivery(1));
  fresh.keep(delivery(2));
  expect(budget.inUse()).toBe(2 * ROOM);
  const taken = fresh.take(32);
  expect(taken.map(({ one }) => one.seq)).toEqual([1, 2]);
  expect(fresh.oldestSeq()).toBeNull();
  expect(budget.inUse()).toBe(2 * ROOM);
  taken.forEach(({ onJudged }) => onJudged());
  expect(budget.inUse()).toBe(0);
});

test('whoever needs the room gets it, and the newest are asked for in the store', async () => {
  const budget = makeBudget(3 * ROOM);
  const fresh = makeFreshBodies(budget);
  for (const seq of [1, 2, 3]) fresh.keep(delivery(seq));
  expect(fresh.takeMissing()).toBe(false);
  const room = await budget.take(2 * ROOM, 0);
  expect(room).not.toBeNull();
  expect(fresh.oldestSeq()).toBe(1);
  expect(fresh.takeMissing()).toBe(true);
  const taken = fresh.take(32);
  expect(taken.map(({ one }) => one.seq)).toEqual([1]);
  taken.forEach(({ onJudged }) => onJudged());
  // Until all that is held was judged they may be behind it.
  expect([fresh.takeMissing(), fresh.takeMissing()]).toEqual([true, false]);
});

test('what finds no room is not held, and is missing until the store was asked for all of it', () => {
  const budget = makeBudget(ROOM);
  const fresh = makeFreshBodies(budget);
  fresh.keep(delivery(1));
  fresh.keep(delivery(2));
  expect(fresh.takeMissing()).toBe(true);
  expect(fresh.isMissing()).toBe(true);
  expect(fresh.take(32).map(({ one }) => one.seq)).toEqual([1]);
  expect(fresh.takeMissing()).toBe(true);
  expect(fresh.isMissing()).toBe(false);
});
