import { expect, test } from '@jest/globals';
import { fileBeside, makeAskThread } from '../../../src/kernel/index.ts';

type Counted = { readonly question: number; readonly n: number };
const ask = makeAskThread<number, Counted>(fileBeside(import.meta.url, '../../support/count-thread'), null);

test('each question gets its own answer, in order, however many are asked at once', async () => {
  for (const count of [1, 3, 4, 5, 25]) {
    const questions = Array.from({ length: count }, (_, i) => i);
    const answers = await Promise.all(questions.map(ask));
    expect(answers.map(({ question }) => question)).toEqual(questions);
    const counts = answers.map(({ n }) => n);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
  }
});

test('an error is that of its question alone, and tells its kind and no more', async () => {
  const asked = [1, -2, 3, -4].map(ask);
  const ends = await Promise.allSettled(asked);
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value.question : (end.reason as Error).message))).toEqual([
    1,
    'RangeError',
    3,
    'RangeError',
  ]);
});
