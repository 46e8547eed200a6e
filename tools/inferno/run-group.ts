import { setTimeout as pause } from 'node:timers/promises';
import type { Inferno, Waiting } from './inferno.ts';
import type { Finished } from './test-result.ts';

const EVERY_MS = 500;
const COUNT_EVERY_MS = 10_000;
/** Longer than any test takes: the worker of an Inferno that ran into trouble of its own says nothing. */
const STALLED_MS = 120_000;

/** Why a run was given up that Inferno itself got stuck in. */
export const STALLED = 'Inferno has not got on for two minutes: see its log';

export type Group = {
  readonly suite: string;
  /** The group's id, or the suite's for all of it. */
  readonly group: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string>>;
  /** A session that another group was run in; else a new one. */
  readonly session?: string;
  readonly minutesMax: number;
  /** Makes happen what the test waits for; throws where it cannot. `again` tells how it stands now. */
  onWait?(waiting: Waiting, again: () => Promise<Waiting | null>): Promise<void>;
  onProgress(done: number): void;
  readonly signal: AbortSignal;
};

/** Counts what is done now and then; throws where Inferno no longer gets on. */
function makeObserver(inferno: Inferno, run: string, onProgress: Group['onProgress']) {
  let [countedAt, grewAt, count] = [performance.now(), performance.now(), 0];
  return async (): Promise<void> => {
    const now = performance.now();
    if (now - countedAt < COUNT_EVERY_MS) return;
    countedAt = now;
    const done = await inferno.countDone(run);
    onProgress(done);
    if (done !== count) [grewAt, count] = [now, done];
    if (now - grewAt > STALLED_MS) throw new Error(STALLED);
  };
}

/** Runs one group to its end, and does what it waits for on the way. */
export async function runGroup(inferno: Inferno, asked: Group): Promise<Finished> {
  const began = performance.now();
  const session = asked.session ?? (await inferno.newSession(asked.suite, asked.options ?? {}));
  const run = await inferno.startRun(session, asked.group, asked.inputs);
  const handled = new Set<string>();
  const observe = makeObserver(inferno, run, asked.onProgress);
  let stopped: string | null = null;
  for (;;) {
    await pause(EVERY_MS);
    const status = await inferno.status(run);
    if (status === 'done' || status === 'cancelled') break;
    try {
      asked.signal.throwIfAborted();
      if (performance.now() - began > asked.minutesMax * 60_000)
        throw new Error(`not done after ${asked.minutesMax} minutes`);
      await observe();
      const waiting = status === 'waiting' ? await inferno.waiting(run) : null;
      if (waiting === null || handled.has(waiting.resultId)) continue;
      handled.add(waiting.resultId);
      if (asked.onWait === undefined) throw new Error(`${waiting.testId} waits, and nobody knows for what`);
      await asked.onWait(waiting, () => inferno.waiting(run));
    } catch (thrown) {
      stopped = thrown instanceof Error ? thrown.message : String(thrown);
      await inferno.cancel(run);
      break;
    }
  }
  return {
    session,
    tests: await inferno.results(run),
    stopped,
    seconds: Math.round((performance.now() - began) / 1_000),
  };
}
