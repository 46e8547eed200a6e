import { expect, test } from '@jest/globals';
import { askSeldom } from '../../../src/ops/ask-seldom.ts';

function makeAsked(answers: (() => Promise<number | null>)[]) {
  let [nowMs, count] = [0, 0];
  const ask = (): Promise<number | null> => {
    count += 1;
    return (answers.shift() ?? (() => Promise.resolve(null)))();
  };
  return {
    ask: askSeldom(ask, { freshMs: 100, monotonicMs: () => nowMs, patienceMs: 10 }),
    pass: (ms: number) => (nowMs += ms),
    count: () => count,
  };
}
const of = (value: number | null) => (): Promise<number | null> => Promise.resolve(value);

test('those who ask together share one question, and a fresh answer is asked for once', async () => {
  const { ask, pass, count } = makeAsked([of(1), of(2)]);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
  pass(99);
  expect([await ask(), count()]).toEqual([1, 1]);
  pass(1);
  expect([await ask(), count()]).toEqual([2, 2]);
});

test('no answer, a failure and one that comes too late are null, and none of them is remembered', async () => {
  const { ask } = makeAsked([of(null), () => Promise.reject(new Error('planted')), of(3)]);
  expect(await ask()).toBeNull();
  expect(await ask()).toBeNull();
  expect(await ask()).toBe(3);
});

test('a question that hangs is not asked a second time beside itself, and its answer counts when it comes', async () => {
  let answer: (value: number) => void = () => undefined;
  const { ask, count } = makeAsked([() => new Promise((resolve) => (answer = resolve))]);
  expect([await ask(), await ask(), count()]).toEqual([null, null, 1]);
  answer(7);
  expect([await ask(), count()]).toEqual([7, 1]);
});
