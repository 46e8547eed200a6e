import { safeError, type Log } from './log.ts';

/** A part that does not come to its end holds up the others no longer than this, unless it asks for another time. */
const WITHIN_MS = 5_000;

/** The parts that run, so that every one of them is stopped: the last one first, whatever becomes of the others. */
export interface Life {
  /** Said at the place where the part is started. */
  started(part: string, stop: () => unknown, withinMs?: number): void;
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
  const parts: { readonly part: string; readonly stop: () => unknown; readonly withinMs: number }[] = [];
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    for (let last = parts.pop(); last !== undefined; last = parts.pop()) {
      const { part, stop, withinMs } = last;
      try {
        if (!(await endsWithin(withinMs, Promise.resolve().then(stop))))
          log.warn('process.part-late', { reason: part, durationMs: withinMs });
      } catch (thrown) {
        log.error('process.part-failed', { reason: part, error: safeError(thrown) });
      }
    }
  }

  return {
    started: (part, stop, withinMs = WITHIN_MS) => void parts.push({ part, stop, withinMs }),
    stop: () => (stopping ??= stopAll()),
  };
}
