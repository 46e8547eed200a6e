import { expect, test } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import type { BlockPlace } from '../../../src/store/sqlite/journal/format.ts';
import { QUEUE_LIMITS, makeWriteQueue, type Ask, type Outcome } from '../../../src/store/write-queue.ts';

/** A queue beside a journal of blocks of one entry each, and a writer whose commits end when the test says so. */
function setUp() {
  let now = 0;
  let isBusy = false;
  const state = { appending: false, wanted: 0, durable: 0, taken: 0, carried: 0 };
  const batches: { readonly names: string[]; readonly places: number[]; readonly commit: (tookMs?: number) => void }[] =
    [];
  const run = (asks: readonly Ask[], blocks: readonly BlockPlace[]): Promise<readonly Outcome[]> => {
    isBusy = true;
    return new Promise((resolve) => {
      batches.push({
        names: asks.map(({ name }) => name),
        places: blocks.map(({ first }) => first),
        commit(tookMs = 1) {
          now += tookMs;
          isBusy = false;
          state.carried = Math.max(state.carried, ...blocks.map(({ first }) => first));
          resolve(asks.map(({ args }) => ({ done: true, out: args })));
        },
      });
    });
  };
  const queue = makeWriteQueue({
    take: () => (isBusy ? null : run),
    nowMs: () => now,
    whyWaiting: () => 'store.queue-full',
    limits: QUEUE_LIMITS,
    journaled: {
      count: () => state.durable - state.taken,
      take({ count, through }) {
        const last = Math.min(state.durable, state.taken + count, through);
        const blocks: BlockPlace[] = [];
        while (state.taken < last) {
          state.taken += 1;
          blocks.push({ file: 0, use: 1, at: 0, bytes: 10, first: state.taken, count: 1 });
        }
        return blocks;
      },
      carriedPlace: () => state.carried,
      wantedPlace: () => state.wanted,
      isAppending: () => state.appending,
    },
  });
  const durable = async (count: number): Promise<void> => {
    state.durable += count;
    queue.wake();
    await turn();
  };
  return { queue, batches, state, durable, advance: (ms: number) => void (now += ms) };
}

test('what was journaled is carried out with the commands that come, and alone where none comes', async () => {
  const { queue, batches, durable } = setUp();
  await durable(2);
  expect(batches[0]).toMatchObject({ names: [], places: [1, 2] });
  const asked = queue.push('a', 1);
  await durable(1);
  batches[0]?.commit();
  await turn();
  await turn();
  expect(batches[1]).toMatchObject({ names: ['a'], places: [3] });
  batches[1]?.commit();
  expect(await asked).toEqual({ ok: true, value: 1 });
});

test('a command is never carried out before what it is about', async () => {
  const { queue, batches, state, durable, advance } = setUp();
  void queue.push('about 5', 5, 'behind', 5);
  await turn();
  expect(batches).toEqual([]);
  await durable(4);
  expect(batches[0]).toMatchObject({ names: [], places: [1, 2, 3, 4] });
  batches[0]?.commit();
  await turn();
  advance(12);
  await durable(1);
  expect(batches[1]).toMatchObject({ names: ['about 5'], places: [5] });
  expect(state.taken).toBe(5);
});

test('it gives way while acknowledgements are waited for, but for what a command needs', async () => {
  const { queue, batches, state, durable, advance } = setUp();
  state.appending = true;
  await durable(1);
  batches[0]?.commit(5);
  await turn();
  await durable(50);
  // Twenty times as long as the last batch took.
  expect(batches).toHaveLength(1);
  void queue.push('about 3', 3, 'behind', 3);
  advance(12);
  queue.wake();
  await turn();
  expect(batches[1]).toMatchObject({ names: ['about 3'], places: [2, 3] });
  batches[1]?.commit();
  await turn();
  advance(100);
  queue.wake();
  await turn();
  expect(batches[2]?.places).toHaveLength(48);
});

test('somebody who wants to see it does not wait until it has given way', async () => {
  const { queue, batches, state, durable } = setUp();
  state.appending = true;
  await durable(1);
  batches[0]?.commit(5);
  await turn();
  await durable(9);
  expect(batches).toHaveLength(1);
  state.wanted = 4;
  queue.wake();
  await turn();
  expect(batches[1]?.places).toEqual([2, 3, 4]);
});

test('closed, it carries out all that there is first', async () => {
  const { queue, batches, state, durable } = setUp();
  state.appending = true;
  await durable(1);
  batches[0]?.commit(5);
  await turn();
  await durable(300);
  const drained = queue.close();
  for (let n = 1; n < 5; n += 1) {
    await turn();
    batches[n]?.commit();
    await turn();
  }
  await drained;
  expect(state.carried).toBe(301);
});
