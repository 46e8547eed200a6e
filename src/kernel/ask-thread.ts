import { Worker } from 'node:worker_threads';

interface Asked<A> {
  readonly resolve: (answer: A) => void;
  readonly reject: (why: Error) => void;
}

/**
 * What goes over to the thread and comes back: the question and its number, the answer or the error under the same
 * number.
 */
export interface ThreadQuestion<Q> {
  readonly n: number;
  readonly question: Q;
}
export type ThreadAnswer<A> =
  { readonly n: number; readonly answer: A } | { readonly n: number; readonly error: string };
/** One message of the thread. */
export type ThreadAnswers<A> = readonly ThreadAnswer<A>[];

/** The thread died under a question, not necessarily because of it. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

/** V8 would let the room for new objects grow to 128 MB in each thread, and keep it. */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 16 } as const;

/**
 * Pure work that would hold the event loop for too long, in one thread of its own. It is started with the first
 * question, never keeps a process alive, and is started anew after it died, also of needing more than `heapMb`; the
 * questions it had then are rejected.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it ties the caller to the thread's file
export function makeAskThread<Q, A>(
  file: URL,
  workerData: unknown,
  {
    heapMb,
    youngMb = THREAD_LIMITS.maxYoungGenerationSizeMb,
  }: { readonly heapMb?: number; readonly youngMb?: number } = {},
): (question: Q) => Promise<A> {
  let thread: { readonly worker: Worker; readonly asked: Map<number, Asked<A>> } | null = null;
  let n = 0;

  function start(): NonNullable<typeof thread> {
    const resourceLimits = {
      maxYoungGenerationSizeMb: youngMb,
      ...(heapMb === undefined ? {} : { maxOldGenerationSizeMb: heapMb }),
    };
    const worker = new Worker(file, { workerData, resourceLimits });
    // Of this thread alone: the late end of an earlier one is not its affair.
    const asked = new Map<number, Asked<A>>();
    const started = { worker, asked };
    const end = (why: Error): void => {
      if (thread === started) thread = null;
      for (const { reject } of asked.values()) reject(why);
      asked.clear();
    };
    worker.on('message', (messages: ThreadAnswers<A>) => {
      for (const message of messages) {
        const waiting = asked.get(message.n);
        asked.delete(message.n);
        if ('answer' in message) waiting?.resolve(message.answer);
        else waiting?.reject(new Error(message.error));
      }
      if (asked.size === 0) worker.unref();
    });
    worker.on('error', (thrown: Error) => end(new ThreadEnded('the thread failed', { cause: thrown })));
    worker.on('exit', () => end(new ThreadEnded('the thread ended')));
    return started;
  }

  return (question) => {
    thread ??= start();
    const { worker, asked } = thread;
    worker.ref();
    n += 1;
    const message: ThreadQuestion<Q> = { n, question };
    return new Promise((resolve, reject) => {
      asked.set(message.n, { resolve, reject });
      worker.postMessage(message);
    });
  };
}
