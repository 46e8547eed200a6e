import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer, ThreadQuestion } from './ask-thread.ts';

/** The other end of `makeAskThread`. An error tells its kind; its message may quote data and stays here. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- they tie a thread's file to its questions
export function answerInThread<Q, A>(answer: (question: Q) => A): void {
  parentPort?.on('message', ({ n, question }: ThreadQuestion<Q>) => {
    let message: ThreadAnswer<A>;
    try {
      message = { n, answer: answer(question) };
    } catch (thrown) {
      message = { n, error: thrown instanceof Error ? thrown.name : typeof thrown };
    }
    parentPort?.postMessage(message);
  });
}
