import { expect, test } from '@jest/globals';
import { makeJobRoom } from '../../../src/forward/job-room.ts';
import { makeBudget, MEMORY } from '../../../src/kernel/index.ts';
import type { Claimed } from '../../../src/lanes/index.ts';

const KB = 1024;
const claimedWith = (body: Claimed['body']): Claimed => ({ body }) as Claimed;
const sized = (bytes: number): Claimed => claimedWith(new Uint8Array(bytes));

test('a large document takes room and gives it back; a small one, or one that is not there, takes none', async () => {
  const budget = makeBudget(100 * KB * MEMORY.cost.document);
  const rooms = makeJobRoom(budget);
  const large = await rooms.take(sized(100 * KB));
  expect(budget.inUse()).toBe(100 * KB * MEMORY.cost.document);
  for (const small of [sized(10 * KB), claimedWith('gone'), claimedWith('held')])
    expect(await rooms.take(small)).not.toBeNull();
  expect(budget.waiting()).toBe(0);
  large?.release();
  expect(budget.inUse()).toBe(0);
});

test('nothing more is claimed while a body that is here waits for room', async () => {
  const budget = makeBudget(100);
  const holder = await budget.take(100, 0);
  const rooms = makeJobRoom(budget);
  expect(rooms.claimable()).toBeGreaterThan(0);
  const waiting = rooms.take(sized(100 * KB));
  expect(rooms.claimable()).toBe(0);
  holder?.release();
  (await waiting)?.release();
  expect(rooms.claimable()).toBeGreaterThan(0);
});

test('after large bodies lanes are claimed one at a time, after small ones more and more', () => {
  const rooms = makeJobRoom(makeBudget(100));
  rooms.learn([sized(600 * KB), sized(600 * KB)]);
  expect(rooms.claimable()).toBe(1);
  const grown = Array.from({ length: 6 }, () => {
    rooms.learn([sized(KB)]);
    return rooms.claimable();
  });
  expect(grown).toEqual([2, 4, 8, 16, 16, 16]);
});
