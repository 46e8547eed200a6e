import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { setImmediate as turn } from 'node:timers/promises';
import { QUEUE_LIMITS, makeWriteQueue, type Ask, type Outcome } from '../../../src/store/write-queue.ts';

/** A writer whose commits end when the test says so. */
function slowWriter() {
  const batches: { asks: readonly Ask[]; commit: () => void }[] = [];
  let isBusy = false;
  const run = (asks: readonly Ask[]): Promise<readonly Outcome[]> => {
    isBusy = true;
    return new Promise((resolve) => {
      batches.push({
        asks,
        commit: () => {
          isBusy = false;
          resolve(asks.map(({ args }) => ({ done: true, out: args })));
        },
      });
    });
  };
  return { batches, take: () => (isBusy ? null : run) };
}

function setUp(limits = {}) {
  let now = 0;
  const writer = slowWriter();
  const queue = makeWriteQueue({
    take: writer.take,
    nowMs: () => now,
    whyWaiting: () => 'store.queue-full',
    limits: { ...QUEUE_LIMITS, ...limits },
  });
  return { queue, batches: writer.batches, advance: (ms: number) => void (now += ms) };
}

test('a batch is whatever arrived while the last commit ran', async () => {
  const { queue, batches } = setUp();
  const first = queue.push('a', 1);
  await turn();
  const rest = [2, 3, 4].map((n) => queue.push('a', n));
  await turn();
  expect(batches.map(({ asks }) => asks.map(({ args }) => args))).toEqual([[1]]);
  batches[0]?.commit();
  expect(await first).toEqual({ ok: true, value: 1 });
  await turn();
  expect(batches[1]?.asks.map(({ args }) => args)).toEqual([2, 3, 4]);
  batches[1]?.commit();
  expect(await Promise.all(rest)).toEqual([2, 3, 4].map((value) => ({ ok: true, value })));
});

test('only so many batches run together, however many writers are free', async () => {
  const writers = [slowWriter(), slowWriter(), slowWriter()];
  const queue = makeWriteQueue({
    take: () => writers.map(({ take }) => take()).find((run) => run !== null) ?? null,
    concurrency: 2,
    nowMs: () => 0,
    whyWaiting: () => 'store.queue-full',
    limits: { ...QUEUE_LIMITS, batchCount: 1 },
  });
  const all = [1, 2, 3].map((n) => queue.push('a', n));
  await turn();
  expect(writers.map(({ batches }) => batches.length)).toEqual([1, 1, 0]);
  writers[1]?.batches[0]?.commit();
  await all[1];
  await turn();
  expect(writers.map(({ batches }) => batches.length)).toEqual([1, 2, 0]);
  writers[0]?.batches[0]?.commit();
  writers[1]?.batches[1]?.commit();
  await Promise.all(all);
});

test('callers that are answered together ask together again', async () => {
  const { queue, batches } = setUp();
  const twice = async (n: number): Promise<void> => {
    await queue.push('a', n);
    await queue.push('b', n);
  };
  const all = Promise.all([1, 2, 3, 4].map(twice));
  await turn();
  batches[0]?.commit();
  await turn();
  await turn();
  expect(batches[1]?.asks.map(({ name }) => name)).toEqual(['b', 'b', 'b', 'b']);
  batches[1]?.commit();
  await all;
});

test('no batch is larger than its limits, in count or in bytes, and none is empty', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 60 }), async (sizes) => {
      const { queue, batches } = setUp({ batchCount: 8, batchBytes: 1_000 });
      const all = sizes.map((size, i) => queue.push('a', { i, text: 'x'.repeat(size) }));
      let isSettled = false;
      const settled = Promise.all(all).then(() => (isSettled = true));
      while (!isSettled) {
        await turn();
        batches.at(-1)?.commit();
      }
      await settled;
      const order = batches.flatMap(({ asks }) => asks.map(({ args }) => (args as { i: number }).i));
      expect(order).toEqual(sizes.map((_, i) => i));
      for (const { asks } of batches) {
        expect(asks.length).toBeGreaterThan(0);
        expect(asks.length).toBeLessThanOrEqual(8);
        const bytes = asks.reduce((sum, { args }) => sum + 128 + (args as { text: string }).text.length, 0);
        expect(asks.length === 1 || bytes <= 1_000).toBe(true);
      }
    }),
    { numRuns: 50 },
  );
});

test('the limit in bytes is that of a batch, whichever lines it is taken from: one of each line goes beyond it', async () => {
  const { queue, batches } = setUp({ batchCount: 100, batchBytes: 1_000 });
  const first = queue.push('first', 0);
  await turn();
  const all = (['now', 'soon', 'behind'] as const).flatMap((urgency) =>
    Array.from({ length: 8 }, (_, n) => queue.push(urgency, { n, text: 'x'.repeat(100) }, urgency)),
  );
  batches[0]?.commit();
  await turn();
  await turn();
  expect(batches[1]?.asks.map(({ name }) => name)).toEqual(['now', 'now', 'now', 'now', 'soon', 'behind']);
  for (let n = 1; n < 20; n += 1) {
    batches[n]?.commit();
    await turn();
    await turn();
  }
  await Promise.all([first, ...all]);
});

test('a command that could not begin in time is refused, one that has begun is not', async () => {
  const { queue, batches, advance } = setUp({ waitMs: 5_000, batchCount: 1 });
  const begun = queue.push('a', 1);
  await turn();
  const waiting = queue.push('a', 2);
  advance(5_000);
  queue.wake();
  await turn();
  expect(await waiting).toMatchObject({ ok: false, fault: { code: 'store.queue-full' } });
  expect(queue.size()).toEqual({ count: 0, bytes: 0 });
  batches[0]?.commit();
  expect(await begun).toEqual({ ok: true, value: 1 });
});

test('what waits is bounded in bytes', async () => {
  const { queue, batches } = setUp({ queueBytes: 1_000 });
  const taken = queue.push('a', { text: 'x'.repeat(500) });
  expect(await queue.push('a', { text: 'x'.repeat(600) })).toMatchObject({
    ok: false,
    fault: { code: 'store.queue-full' },
  });
  await turn();
  batches[0]?.commit();
  expect((await taken).ok).toBe(true);
});

test('closing settles what was taken and refuses what comes', async () => {
  const { queue, batches } = setUp();
  const taken = queue.push('a', 1);
  const closed = queue.close();
  expect(await queue.push('a', 2)).toMatchObject({ ok: false, fault: { code: 'store.closed' } });
  await turn();
  batches[0]?.commit();
  expect((await taken).ok).toBe(true);
  await closed;
});

describe('what gives way', () => {
  const names = (batch: { asks: readonly Ask[] } | undefined): string =>
    (batch?.asks ?? []).map(({ name }) => name).join('');

  test('goes along in small numbers while others wait, and always in some', async () => {
    const { queue, batches } = setUp({ batchCount: 12 });
    const all = [
      ...Array.from({ length: 40 }, () => queue.push('n', 1)),
      ...Array.from({ length: 30 }, () => queue.push('b', 1, 'behind')),
    ];
    let isSettled = false;
    const settled = Promise.all(all).then(() => (isSettled = true));
    while (!isSettled) {
      await turn();
      batches.at(-1)?.commit();
    }
    await settled;
    expect(names(batches[0])).toBe('nnnnnnnnbbbb');
    expect(batches.every(({ asks }) => asks.length <= 12)).toBe(true);
  });

  test.each([
    ['slow', 5, 4],
    ['fast', 0.25, 24],
    ['very fast', 0.01, 32],
  ])('goes along for about as long as a short commit takes: %s', async (_speed, commandMs, along) => {
    const { queue, batches, advance } = setUp();
    let isOver = false;
    const waits = async (name: string, urgency: 'now' | 'behind'): Promise<void> => {
      while (!isOver) await queue.push(name, 1, urgency);
    };
    const all = [
      ...Array.from({ length: 4 }, () => waits('n', 'now')),
      ...Array.from({ length: 40 }, () => waits('b', 'behind')),
    ];
    for (let i = 0; i < 40; i += 1) {
      await turn();
      advance((batches.at(-1)?.asks.length ?? 0) * commandMs);
      batches.at(-1)?.commit();
    }
    const last = names(batches.at(-1));
    expect([last.includes('n'), last.replaceAll('n', '').length]).toEqual([true, along]);
    isOver = true;
    const closed = queue.close();
    await turn();
    batches.at(-1)?.commit();
    await Promise.all([...all, closed]);
  });

  test('goes in small numbers where somebody asked now a moment ago, and all of it where nobody did', async () => {
    const { queue, batches, advance } = setUp();
    const first = queue.push('n', 1);
    await turn();
    batches[0]?.commit();
    await first;
    const push = () => [
      ...Array.from({ length: 30 }, () => queue.push('s', 1, 'soon')),
      ...Array.from({ length: 30 }, () => queue.push('b', 1, 'behind')),
    ];
    const all = push();
    await turn();
    expect(names(batches[1])).toMatch(/^s+b+$/);
    expect(batches[1]?.asks.length).toBeLessThan(40);
    advance(60_000);
    batches[1]?.commit();
    await turn();
    await turn();
    expect(names(batches[2])).toHaveLength(60 - (batches[1]?.asks.length ?? 0));
    batches[2]?.commit();
    await Promise.all(all);
  });

  test('gets done, each line of it, however many others come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 40 }),
        fc.array(fc.constantFrom('n', 's', 'b')),
        async (most, line) => {
          const { queue, batches } = setUp({ batchCount: most });
          const urgencies = { n: 'now', s: 'soon', b: 'behind' } as const;
          const left = new Map<string, number>();
          let open = 0;
          const push = (name: 'n' | 's' | 'b'): void => {
            left.set(name, (left.get(name) ?? 0) + 1);
            open += 1;
            void queue.push(name, 1, urgencies[name]).then(() => (open -= 1));
          };
          line.forEach(push);
          for (let i = 0; i < 200 && open > 0; i += 1) {
            await turn();
            const batch = batches.at(i);
            if (batch === undefined) continue;
            for (const name of ['s', 'b'])
              if ((left.get(name) ?? 0) > 0 && most > 2) expect(names(batch)).toContain(name);
            for (const { name } of batch.asks) left.set(name, (left.get(name) ?? 0) - 1);
            if (i < 20) push('n');
            batch.commit();
            await turn();
          }
          expect(open).toBe(0);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('does not keep a queue from closing', async () => {
    const { queue, batches } = setUp();
    const begun = queue.push('n', 1);
    await turn();
    const waiting = queue.push('b', 1, 'behind');
    const closed = queue.close();
    expect(await waiting).toMatchObject({ ok: false, fault: { code: 'store.closed' } });
    batches[0]?.commit();
    await begun;
    await closed;
  });
});

describe('what may rest', () => {
  /** A batch of one that took so long. */
  async function after(ms: number) {
    const { queue, batches, advance } = setUp();
    const first = queue.push('n', 1);
    await turn();
    advance(ms);
    batches[0]?.commit();
    await first;
    return { queue, batches };
  }
  const turns = async (): Promise<void> => {
    for (let i = 0; i < 4; i += 1) await turn();
  };
  const names = (batch: { asks: readonly Ask[] } | undefined): string[] => (batch?.asks ?? []).map(({ name }) => name);

  test('goes with the next that may not, without a pause', async () => {
    const { queue, batches } = await after(60_000);
    const all = [queue.push('s', 1, 'soon'), queue.push('b', 1, 'behind')];
    await turns();
    expect(batches).toHaveLength(1);
    all.push(queue.push('n', 1));
    await turns();
    expect(names(batches[1])).toEqual(['n', 's', 'b']);
    batches[1]?.commit();
    await Promise.all(all);
  });

  test('does not rest where there are enough, nor where the queue closes', async () => {
    const enough = await after(60_000);
    const all = Array.from({ length: 16 }, () => enough.queue.push('s', 1, 'soon'));
    await turns();
    expect(enough.batches[1]?.asks).toHaveLength(16);
    enough.batches[1]?.commit();
    await Promise.all(all);
    const closing = await after(60_000);
    const last = closing.queue.push('s', 1, 'soon');
    await turns();
    const closed = closing.queue.close();
    await turns();
    closing.batches[1]?.commit();
    expect(await last).toEqual({ ok: true, value: 1 });
    await closed;
  });

  test('begins by itself in the end, and at once where the writer has been idle', async () => {
    const rested = await after(1);
    const one = rested.queue.push('s', 1, 'soon');
    while (rested.batches.length === 1) await turn();
    rested.batches[1]?.commit();
    expect(await one).toEqual({ ok: true, value: 1 });
    const { queue, batches } = setUp();
    const first = queue.push('s', 1, 'soon');
    await turn();
    expect(batches).toHaveLength(1);
    batches[0]?.commit();
    await first;
  });
});
