import type { Look } from './message.ts';
import type { WorkerProcess } from './fork-worker.ts';

/** A worker that says nothing for so long is busy with something that it should not be busy with. */
const LOOK_MS = 2_000;

interface Asked {
  readonly worker: number;
  readonly settle: (value: unknown) => void;
}

/** Asks workers, each of which answers in its own time or not at all. */
export function makeAskAll() {
  const asked = new Map<number, Asked>();
  let last = 0;

  const askOne = ({ number, tell }: WorkerProcess, what: Look): Promise<unknown> =>
    new Promise((resolve) => {
      last += 1;
      const n = last;
      const settle = (value: unknown): void => {
        clearTimeout(late);
        if (asked.delete(n)) resolve(value);
      };
      const late = setTimeout(settle, LOOK_MS, undefined);
      asked.set(n, { worker: number, settle });
      tell({ kind: 'look', n, what });
    });

  return {
    /** By the number of the worker; `undefined` for one that did not answer. */
    ask: async (workers: readonly WorkerProcess[], what: Look): Promise<ReadonlyMap<number, unknown>> =>
      new Map(await Promise.all(workers.map(async (worker) => [worker.number, await askOne(worker, what)] as const))),
    found: (n: number, value: unknown): void => asked.get(n)?.settle(value),
    /** One that has ended is not waited for. */
    gone(worker: number): void {
      for (const { settle } of [...asked.values()].filter((one) => one.worker === worker)) settle(undefined);
    },
  };
}
