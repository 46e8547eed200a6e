import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { makeBudget, withRoom, type Budget, type Room } from '../../../src/kernel/index.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Asks, and tells what came of it so far. */
function ask(budget: Budget, bytes: number, waitMs = 5_000) {
  const asked = { got: undefined as Room | null | undefined };
  void budget.take(bytes, waitMs).then((room) => (asked.got = room));
  return asked;
}
const turn = () => jest.advanceTimersByTimeAsync(0);

describe('room', () => {
  test('is given at once while there is some, and waited for otherwise', async () => {
    const budget = makeBudget(10);
    const [first, second, third] = [ask(budget, 6), ask(budget, 4), ask(budget, 1)];
    await turn();
    expect([budget.inUse(), budget.waiting(), third.got]).toEqual([10, 1, undefined]);
    first.got?.release();
    await turn();
    expect([budget.inUse(), budget.waiting()]).toEqual([5, 0]);
    second.got?.release();
    third.got?.release();
    expect(budget.inUse()).toBe(0);
  });

  test('goes to whoever asked first, although another would need less', async () => {
    const budget = makeBudget(10);
    const holder = ask(budget, 8);
    await turn();
    const [large, small] = [ask(budget, 9), ask(budget, 1)];
    await turn();
    expect([large.got, small.got]).toEqual([undefined, undefined]);
    holder.got?.release();
    await turn();
    expect([large.got !== undefined, small.got !== undefined, budget.inUse()]).toEqual([true, true, 10]);
  });

  test('is not waited for any longer than was said, and whoever stood behind goes on', async () => {
    const budget = makeBudget(10);
    const holder = ask(budget, 8);
    await turn();
    const [large, small] = [ask(budget, 9, 5_000), ask(budget, 2, 60_000)];
    await jest.advanceTimersByTimeAsync(4_999);
    expect([large.got, small.got]).toEqual([undefined, undefined]);
    await jest.advanceTimersByTimeAsync(1);
    expect([large.got, small.got === undefined, budget.inUse()]).toEqual([null, false, 10]);
    holder.got?.release();
    expect([budget.inUse(), budget.waiting()]).toEqual([2, 0]);
  });

  test('is given alone to a wish that is larger than all of it', async () => {
    const budget = makeBudget(10);
    const holder = ask(budget, 1);
    await turn();
    const huge = ask(budget, 50);
    await turn();
    expect(huge.got).toBeUndefined();
    holder.got?.release();
    await turn();
    const next = ask(budget, 1);
    await turn();
    expect([budget.inUse(), next.got]).toEqual([50, undefined]);
    huge.got?.release();
    await turn();
    expect(budget.inUse()).toBe(1);
  });

  test('is given back once', async () => {
    const budget = makeBudget(10);
    const [first, second] = [ask(budget, 5), ask(budget, 5)];
    await turn();
    first.got?.release();
    first.got?.release();
    expect(budget.inUse()).toBe(5);
    second.got?.release();
    expect(budget.inUse()).toBe(0);
  });
});

describe('what can be done without', () => {
  test('is given at once or not at all, and not before those who wait', async () => {
    const budget = makeBudget(10);
    const kept = budget.takeNow(6);
    expect([budget.takeNow(5), budget.inUse()]).toEqual([null, 6]);
    const waiting = ask(budget, 8);
    expect([budget.takeNow(1), budget.waiting()]).toEqual([null, 1]);
    kept?.release();
    await turn();
    expect([waiting.got === undefined, budget.inUse()]).toEqual([false, 8]);
  });

  test('gives way before anybody waits, and no further than it must', async () => {
    const budget = makeBudget(10);
    const kept = [3, 3, 3].map((bytes) => budget.takeNow(bytes));
    budget.onShortage(() => {
      const oldest = kept.shift();
      oldest?.release();
      return oldest !== undefined;
    });
    const first = ask(budget, 4);
    await turn();
    expect([kept.length, first.got === undefined, budget.inUse()]).toEqual([2, false, 10]);
    const second = ask(budget, 7);
    await turn();
    expect([kept.length, second.got, budget.inUse()]).toEqual([0, undefined, 4]);
    first.got?.release();
    await turn();
    expect(budget.inUse()).toBe(7);
  });
});

test('work that fails gives its room back, and work without room is not done', async () => {
  const budget = makeBudget(10);
  await expect(withRoom(budget, 10, 0, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(budget.inUse()).toBe(0);
  await withRoom(budget, 10, 0, async () => {
    const work = jest.fn(() => Promise.resolve(1));
    const refused = withRoom(budget, 1, 100, work);
    await jest.advanceTimersByTimeAsync(100);
    expect([await refused, work.mock.calls.length]).toEqual([null, 0]);
  });
  expect([budget.inUse(), budget.waiting()]).toEqual([0, 0]);
});

test('whatever happens, no more is in use than there is, everybody is served in order, and all of it comes back', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), bytes: fc.nat(12), waitMs: fc.constantFrom(10, 50, Infinity) }),
    fc.record({ kind: fc.constant('release' as const), which: fc.nat(30) }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(30) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const budget = makeBudget(10);
      const all: (ReturnType<typeof ask> & { readonly bytes: number })[] = [];
      const served: number[] = [];
      const held = new Set<number>();
      const look = (): void => {
        for (const [n, one] of all.entries())
          if (one.got !== undefined && one.got !== null && !served.includes(n)) {
            served.push(n);
            held.add(n);
          }
        const sum = [...held].reduce((total, n) => total + (all[n]?.bytes ?? 0), 0);
        expect(budget.inUse()).toBe(sum);
        expect(sum <= 10 || [...held].filter((n) => all[n]?.bytes !== 0).length === 1).toBe(true);
      };
      for (const one of steps) {
        if (one.kind === 'ask') all.push(Object.assign(ask(budget, one.bytes, one.waitMs), { bytes: one.bytes }));
        else if (one.kind === 'wait') await jest.advanceTimersByTimeAsync(one.ms);
        else if (held.delete(one.which)) all[one.which]?.got?.release();
        await turn();
        look();
      }
      while (held.size > 0) {
        for (const n of held) {
          held.delete(n);
          all[n]?.got?.release();
        }
        await turn();
        look();
      }
      expect(served).toEqual([...served].sort((a, b) => a - b));
      expect(all.every(({ got }) => got !== undefined)).toBe(true);
      expect([budget.inUse(), budget.waiting()]).toEqual([0, 0]);
    }),
  );
});
