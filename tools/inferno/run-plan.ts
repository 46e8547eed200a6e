import type { Compared } from './compare.ts';
import { tally } from './compare.ts';
import { runGroup, STALLED } from './run-group.ts';
import type { Stand } from './stand.ts';
import type { Kit, Side, SuiteRun } from './suite-run.ts';
import type { Finished } from './test-result.ts';

export interface Watcher {
  /** A run goes on: so many of its tests are done. */
  onProgress(name: string, done: number, all: number): void;
  /** A run is over. */
  onEnd(line: string): void;
}

const words = (finished: Finished): string => {
  const { pass, fail, skip } = tally(finished.tests);
  return `${pass} pass, ${fail} fail, ${skip} skip${finished.stopped === null ? '' : `; stopped: ${finished.stopped}`}`;
};

/** What ended before it began. */
const notRun = (why: string): Finished => ({ session: '', tests: [], stopped: why, seconds: 0 });

/** One run after the other, each at the EHR first where that is asked for too. */
export async function runPlan(
  stand: Stand,
  runs: readonly SuiteRun[],
  asked: { readonly sides: 'gateway' | 'both'; readonly minutesMax: number; readonly signal: AbortSignal },
  watcher: Watcher,
): Promise<Compared[]> {
  const began = performance.now();
  const groups = new Map<string, ReadonlyMap<string, number> | null>();
  const goOne = async (run: SuiteRun, side: Side, n: number): Promise<Finished> => {
    if (!groups.has(run.suite)) groups.set(run.suite, await stand.inferno.groups(run.suite));
    const known = groups.get(run.suite) ?? null;
    const label = `${n + 1}/${runs.length} ${run.name}${side === 'ehr' ? ', at the EHR itself' : ''}`;
    const kit: Kit = {
      ...stand,
      async run(group) {
        const id = group.group === group.suite ? group.suite : `${group.suite}-${group.group}`;
        const all = known?.get(id) ?? null;
        if (group.group !== group.suite && all === null) throw new Error(`this Inferno has no group ${id}`);
        return runGroup(stand.inferno, {
          ...group,
          group: id,
          signal: asked.signal,
          onProgress: (done) => watcher.onProgress(label, done, all ?? done),
        });
      },
    };
    const go = (): Promise<Finished> =>
      known === null
        ? Promise.resolve(notRun(`this Inferno has no suite ${run.suite}`))
        : run.go(kit, side).catch((thrown: unknown) => notRun(thrown instanceof Error ? thrown.message : ''));
    const first = await go();
    // Its database does not always bear two users.
    const finished = first.stopped === STALLED ? await go() : first;
    watcher.onEnd(`${label}: ${words(finished)} (${finished.seconds} s)`);
    return finished;
  };
  const compared: Compared[] = [];
  for (const [n, run] of runs.entries()) {
    if (asked.signal.aborted || performance.now() - began > asked.minutesMax * 60_000) {
      for (const { name } of runs.slice(n)) watcher.onEnd(`NOT RUN: ${name}`);
      break;
    }
    const ehr = asked.sides === 'both' && run.sides === 'both' ? await goOne(run, 'ehr', n) : null;
    compared.push({ name: run.name, ehr, gateway: await goOne(run, 'gateway', n) });
  }
  return compared;
}
