import { expect, test } from '@jest/globals';
import { judgeInOrder } from '../../../src/judge/judge-in-order.ts';

/** What is judged and settled when the test says so. */
function rig(settlingMax: number) {
  const waiting = new Map<string, () => void>();
  const heard: string[] = [];
  const until = (name: string): Promise<void> => new Promise((resolve) => waiting.set(name, resolve));
  const inOrder = judgeInOrder<string, string>({
    async judge(one) {
      heard.push(`judge ${one}`);
      await until(`judged ${one}`);
      if (one === 'unjudged') throw new Error('a bug');
      return `verdict on ${one}`;
    },
    async settle(one, verdict) {
      heard.push(`settle ${one}: ${verdict}`);
      await until(`settled ${one}`);
      if (one === 'bad') throw new Error('a bug');
    },
    onFailed: () => heard.push('failed'),
    settlingMax,
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  async function end(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      waiting.get(name)?.();
      waiting.delete(name);
      await turn();
    }
  }
  async function isOver(promise: Promise<unknown>): Promise<boolean> {
    let over = false;
    void promise.then(() => (over = true));
    await turn();
    return over;
  }
  return { inOrder, heard, end, isOver };
}

test('the next is judged while those before it are settled, in the order in which they came', async () => {
  const { inOrder, heard, end, isOver } = rig(8);
  await inOrder.judge('a', 2);
  const second = inOrder.judge('b', 2);
  expect(await isOver(second)).toBe(false);
  await end('judged b');
  expect(heard).toEqual(['judge a', 'judge b']);
  await end('judged a');
  expect(await isOver(second)).toBe(true);
  const third = inOrder.judge('c', 2);
  await end('judged c');
  expect(await isOver(third)).toBe(true);
  expect(heard.slice(2)).toEqual(['settle a: verdict on a', 'judge c', 'settle b: verdict on b']);
});

test('so many are settled at a time at most', async () => {
  const { inOrder, heard, end, isOver } = rig(1);
  const first = inOrder.judge('a', 1);
  await end('judged a');
  expect(await isOver(first)).toBe(true);
  const second = inOrder.judge('b', 1);
  await end('judged b');
  expect(await isOver(second)).toBe(false);
  await end('settled a');
  expect(await isOver(second)).toBe(true);
  expect(heard.filter((text) => text.startsWith('settle'))).toEqual([
    'settle a: verdict on a',
    'settle b: verdict on b',
  ]);
});

test('it is drained when all of it is settled, also what failed', async () => {
  const { inOrder, heard, end, isOver } = rig(8);
  await inOrder.judge('bad', 8);
  await inOrder.judge('b', 8);
  const drained = inOrder.drain();
  await end('judged bad', 'judged b', 'settled b');
  expect(await isOver(drained)).toBe(false);
  await end('settled bad');
  expect(await isOver(drained)).toBe(true);
  expect(heard.at(-1)).toBe('failed');
});

test('what cannot be judged stops nothing behind it, and nobody need be waiting for it yet', async () => {
  const { inOrder, heard, end, isOver } = rig(8);
  await inOrder.judge('a', 8);
  await inOrder.judge('unjudged', 8);
  await inOrder.judge('b', 8);
  await end('judged unjudged', 'judged b');
  expect(heard.at(-1)).toBe('failed');
  const drained = inOrder.drain();
  await end('judged a', 'settled a', 'settled b');
  expect(await isOver(drained)).toBe(true);
  expect(heard.slice(-2)).toEqual(['settle a: verdict on a', 'settle b: verdict on b']);
});

test('it is told that all is judged before all is settled', async () => {
  const { inOrder, end, isOver } = rig(8);
  await inOrder.judge('a', 8);
  const judged = inOrder.judged();
  expect(await isOver(judged)).toBe(false);
  await end('judged a');
  expect(await isOver(judged)).toBe(true);
});
