import { safeError, type Log } from './log.ts';

/** A part that does not come to its end holds up the others no longer than this, unless it asks for another time. */
const PATIENCE_MS = 5_000;

/**
 * Something that runs. Making one starts nothing: no timer, thread, socket or connection. `stop` may be called although
 * `start` failed or was never called.
 */
export interface Part<T = void> {
  start?(): T | Promise<T>;
  stop(): unknown;
}

/** A part for what is there only once it is open: its start answers it. */
export function opened<T>(open: () => Promise<T>, close: (it: T) => unknown): Part<T> {
  let it: { readonly open: T } | undefined;
  return {
    async start() {
      it = { open: await open() };
      return it.open;
    },
    stop: () => (it === undefined ? undefined : close(it.open)),
  };
}

/** The parts that run, so that every one of them is stopped: the last one first, whatever becomes of the others. */
export interface Life {
  /** Answers what the part's start does. A part whose start fails is stopped with the others: half of it may run. */
  start<T = void>(name: string, part: Part<T>, patienceMs?: number): Promise<T>;
  /** Never rejects. Twice is once. */
  stop(): Promise<void>;
}

/** Whether `work` came to its end within `ms`. */
async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}

export function makeLife(log: Log): Life {
  const running: { readonly name: string; readonly stop: () => unknown; readonly patienceMs: number }[] = [];
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    for (let last = running.pop(); last !== undefined; last = running.pop()) {
      const { name, stop, patienceMs } = last;
      try {
        if (!(await endsWithin(patienceMs, Promise.resolve().then(stop))))
          log.warn('process.part-late', { reason: name, durationMs: patienceMs });
      } catch (thrown) {
        log.error('process.part-failed', { reason: name, error: safeError(thrown) });
      }
    }
  }

  return {
    async start<T>(name: string, part: Part<T>, patienceMs = PATIENCE_MS): Promise<T> {
      if (stopping !== undefined) throw new Error('nothing is started after the end');
      running.push({ name, stop: () => part.stop(), patienceMs });
      // Without a start there is nothing that it could answer.
      return part.start?.() as T | Promise<T>;
    },
    stop: () => (stopping ??= stopAll()),
  };
}
