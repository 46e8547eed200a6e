import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer, ThreadQuestion } from './ask-thread.ts';

/** The other end of `makeAskThread`. An error tells its kind; its message may quote data and stays here. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- they tie a thread's file to its questions
export function answerInThread<Q, A>(answer: (question: Q) => A | Promise<A>): void {
  async function reply({ n, question }: ThreadQuestion<Q>): Promise<void> {
    let message: ThreadAnswer<A>;
    try {
      message = { n, answer: await answer(question) };
    } catch (thrown) {
      message = { n, error: thrown instanceof Error ? thrown.name : typeof thrown };
    }
    parentPort?.postMessage(message);
  }
  parentPort?.on('message', (question: ThreadQuestion<Q>) => void reply(question));
}
