import { Worker } from 'node:worker_threads';
import { errorCode } from '../kernel/index.ts';

export interface ThreadLimits {
  /** For one question, from when the thread takes it. */
  readonly timeMs: number;
  readonly memoryMb: number;
}

export type Stopped = 'time' | 'memory';

interface Waiting<A> {
  readonly resolve: (message: A | Stopped) => void;
  readonly reject: (why: Error) => void;
}

interface Thread<A> {
  readonly worker: Worker;
  /** What the thread says next, or how it ended: first that it is ready, then one answer to each question. */
  readonly next: () => Promise<A | Stopped>;
  readonly isReady: Promise<unknown>;
}

function start<A>(file: URL, memoryMb: number, onEnd: () => void): Thread<A> {
  const worker = new Worker(file, {
    // What runs there needs none of it.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  let waiting: Waiting<A> | null = null;
  const end = (why: Error): void => {
    onEnd();
    if (errorCode(why) === 'ERR_WORKER_OUT_OF_MEMORY') waiting?.resolve('memory');
    else waiting?.reject(why);
  };
  worker.on('message', (message: A) => waiting?.resolve(message));
  worker.on('error', end);
  worker.on('exit', () => end(new Error('the thread ended')));
  const next = (): Promise<A | Stopped> => new Promise((resolve, reject) => (waiting = { resolve, reject }));
  return { worker, next, isReady: next() };
}

/**
 * As `makeAskThread`, for work that may not end: a question that takes too long or too much memory ends its thread, and
 * the next one gets a new one. One question at a time, so that none pays for another. Never keeps a process alive by
 * itself.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it ties the caller to the thread's file
export function makeLimitedThread<Q, A>(
  file: URL,
  { timeMs, memoryMb }: ThreadLimits,
): (question: Q) => Promise<A | Stopped> {
  let thread: Thread<A> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function ask(question: Q): Promise<A | Stopped> {
    const mine = (thread ??= start<A>(file, memoryMb, () => {
      if (thread === mine) thread = null;
    }));
    const { worker, next, isReady } = mine;
    worker.ref();
    let timer: NodeJS.Timeout | undefined;
    try {
      await isReady;
      const late = new Promise<Stopped>((resolve) => {
        // One turn more: where this thread was busy itself, the answer is already waiting.
        timer = setTimeout(() => setImmediate(() => resolve('time')), timeMs);
      });
      const answered = next();
      worker.postMessage(question);
      const answer = await Promise.race([answered, late]);
      if (answer === 'time') {
        answered.catch(() => undefined);
        await worker.terminate();
      }
      return answer;
    } finally {
      clearTimeout(timer);
      worker.unref();
    }
  }

  return (question) => {
    const answer = last.then(() => ask(question));
    last = answer.catch(() => undefined);
    return answer;
  };
}
