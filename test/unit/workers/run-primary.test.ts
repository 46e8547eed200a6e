import { expect, test } from '@jest/globals';
import { silentLog, systemClock } from '../../../src/kernel/index.ts';
import { makeMetrics } from '../../../src/ops/index.ts';
import type { ForkWorker } from '../../../src/workers/fork-worker.ts';
import type { FromPrimary, FromWorker } from '../../../src/workers/message.ts';
import { runPrimary } from '../../../src/workers/run-primary.ts';
import { eventually } from '../../support/eventually.ts';

/** A worker whose part the test plays. */
interface Played {
  readonly heard: FromPrimary[];
  says(message: FromWorker): void;
  ends(code: number): void;
}

function begin(wanted: number) {
  const workers: Played[] = [];
  const fork: ForkWorker = ({ message, ended }) => {
    const heard: FromPrimary[] = [];
    workers.push({ heard, says: message, ends: (code) => ended({ code, signal: null }) });
    return { number: workers.length, pid: 0, tell: (told) => void heard.push(told), kill: () => undefined };
  };
  let stop = (): void => undefined;
  let reload = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const code = runPrimary({
    wanted,
    fork,
    stopped,
    onReload: (work) => (reload = work),
    killedCode: 70,
    clock: systemClock,
    log: silentLog,
  });
  const at = (n: number): Played => {
    const one = workers[n - 1];
    if (one === undefined) throw new Error(`no worker ${n}`);
    return one;
  };
  const serve = (n: number): void => at(n).says({ kind: 'serving', port: 1 });
  serve(1);
  for (let n = 2; n <= wanted; n += 1) serve(n);
  return { workers, at, serve, code, stop: () => stop(), reload: () => reload() };
}

const kindsOf = ({ heard }: Played): string[] => heard.map(({ kind }) => kind);

/** Answers what it was asked last. */
function answer(worker: Played, value: unknown): void {
  const look = worker.heard.findLast(({ kind }) => kind === 'look');
  if (look?.kind === 'look') worker.says({ kind: 'found', n: look.n, value });
}
const answered = (worker: Played): Promise<FromPrimary | undefined> =>
  eventually(
    () => worker.heard.findLast(({ kind }) => kind === 'answer'),
    (found) => found !== undefined,
  );

async function readingOf(settled: number): Promise<unknown> {
  const metrics = makeMetrics({
    storeHealth: () => ({ state: 'ready', queued: 0, queuedBytes: 0 }),
    storeFigures: () => ({ commits: 0, commands: 0, failures: 0, lastCommitMs: 0, lastBatch: 0 }),
  });
  for (let n = 0; n < settled; n += 1) metrics.observeSettled('queued', null);
  return metrics.read();
}

test('what one tells all others hear, and it does not', () => {
  const { at } = begin(3);
  at(2).says({ kind: 'tell', topic: 'x', value: 1 });
  expect([1, 2, 3].map((n) => kindsOf(at(n)))).toEqual([['told'], [], ['told']]);
});

test('a reload and a stop go to all, and to one that only comes to hear of it', async () => {
  const { at, reload, stop, code } = begin(2);
  reload();
  expect([kindsOf(at(1)), kindsOf(at(2))]).toEqual([['reload'], ['reload']]);
  stop();
  await eventually(
    () => kindsOf(at(2)),
    (kinds) => kinds.includes('stop'),
  );
  at(2).says({ kind: 'seated' });
  expect(kindsOf(at(2))).toEqual(['reload', 'stop', 'stop']);
  at(1).ends(0);
  at(2).ends(0);
  expect(await code).toBe(0);
});

test('one that says nothing is not ready, and one that ended is not waited for', async () => {
  const { at } = begin(3);
  at(1).says({ kind: 'ask', n: 7, what: 'readiness' });
  answer(at(1), true);
  answer(at(2), true);
  at(3).ends(70);
  expect(await answered(at(1))).toEqual({ kind: 'answer', n: 7, value: { wanted: 3, serving: 3, ready: 2 } });
  at(2).says({ kind: 'ask', n: 8, what: 'readiness' });
  answer(at(2), true);
  expect(await answered(at(2))).toEqual({ kind: 'answer', n: 8, value: { wanted: 3, serving: 2, ready: 1 } });
});

test('a sum never falls: not by one that is late, not by one that ends before all have answered', async () => {
  const { at } = begin(2);
  const ask = async (n: number, play: () => void | Promise<void>): Promise<string> => {
    at(1).heard.length = 0;
    at(1).says({ kind: 'ask', n, what: 'metrics' });
    await play();
    const found = await answered(at(1));
    const text = found?.kind === 'answer' ? String(found.value) : '';
    return /settled_total\{.*\} (\d+)/.exec(text)?.[1] ?? text;
  };
  const [one, two, more] = [await readingOf(3), await readingOf(4), await readingOf(6)];
  expect(
    await ask(1, () => {
      answer(at(1), one);
      answer(at(2), two);
    }),
  ).toBe('7');
  expect(await ask(2, () => answer(at(1), one))).toBe('7');
  expect(
    await ask(3, () => {
      answer(at(2), more);
      at(2).ends(70);
      answer(at(1), one);
    }),
  ).toBe('7');
});
