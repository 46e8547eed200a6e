import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer, ThreadQuestion } from './ask-thread.ts';

/** So many answers go back in one message at most, so that whoever asked need not wait for all of them. */
export const ANSWERED_TOGETHER = 4;

/** The other end of `makeAskThread`. An error tells its kind; its message may quote data and stays here. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- they tie a thread's file to its questions
export function answerInThread<Q, A>(answer: (question: Q) => A | Promise<A>): void {
  let made: ThreadAnswer<A>[] = [];
  function send(): void {
    if (made.length > 0) parentPort?.postMessage(made);
    made = [];
  }
  // What waits already is answered first.
  function sendSoon(message: ThreadAnswer<A>): void {
    made.push(message);
    if (made.length === ANSWERED_TOGETHER) send();
    else if (made.length === 1) setImmediate(send);
  }
  async function reply({ n, question }: ThreadQuestion<Q>): Promise<void> {
    let message: ThreadAnswer<A>;
    try {
      message = { n, answer: await answer(question) };
    } catch (thrown) {
      message = { n, error: thrown instanceof Error ? thrown.name : typeof thrown };
    }
    sendSoon(message);
  }
  parentPort?.on('message', (question: ThreadQuestion<Q>) => void reply(question));
}
