import { answerInThread } from '../../src/kernel/index.ts';

let answered = 0;

/** Answers how many it has answered; throws at what is negative. */
answerInThread<number, { readonly question: number; readonly n: number }>(async (question) => {
  if (question < 0) throw new RangeError(`${question} is below zero`);
  await Promise.resolve();
  answered += 1;
  return { question, n: answered };
});
