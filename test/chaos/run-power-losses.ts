import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.ts';
import type { SqliteChaosPlace } from './chaos-place.ts';
import { checkAcknowledged, type Violation } from './check-acknowledged.ts';
import { makeBodies } from './make-bodies.ts';
import { makeRandom } from './random.ts';
import { firstAnswer, sendDuring } from './sender.ts';
import { makeShadowDisk } from './shadow-disk.ts';
import { withServe } from './start-serve.ts';

export interface PowerLossRound {
  readonly round: number;
  /** The power went at a random moment of the load, or shortly after the first write of a checkpoint. */
  readonly moment: 'random' | 'checkpoint';
  readonly loadMs: number;
  readonly acknowledged: number;
  readonly stored: number;
  readonly lost: number;
  readonly violations: readonly Violation[];
}

const LOAD_MS = { least: 50, most: 900 } as const;
const CHECKPOINT_WITHIN_MS = 6_000;
const INTO_CHECKPOINT_MS = 30;
/** What a store may believe to be on the disk that is not; the run must then find it out. */
export const WEAKENED = ['nothing', 'commits', 'journal'] as const;
export type Weakened = (typeof WEAKENED)[number];

const preload = (file: string) => ({
  NODE_OPTIONS: `--import="${fileURLToPath(new URL(file, import.meta.url))}"`,
});
const WEAK: Readonly<Record<Weakened, Readonly<Record<string, string>>>> = {
  nothing: {},
  commits: preload('./weaken-synchronous.ts'),
  journal: preload('./weaken-journal.ts'),
};
/** By which a start tells that the journal and the database do not fit together. */
const REFUSED = /\bjournal\b/;

/** Load, power loss, start on what was flushed, check; on one database, round after round. */
export async function runPowerLosses(deps: {
  readonly place: SqliteChaosPlace;
  readonly rounds: number;
  readonly seed: number;
  readonly weakened: Weakened;
  readonly onRound?: (round: PowerLossRound) => void;
  /** Ends the run early. */
  readonly isEnough?: (round: PowerLossRound) => boolean;
}): Promise<PowerLossRound[]> {
  const { place } = deps;
  const disk = makeShadowDisk(place.folder, place.work);
  const environment = { ...disk.environment, ...WEAK[deps.weakened] };
  const random = makeRandom(deps.seed);
  const nextBody = makeBodies(random);
  const acknowledged = new Map<string, string>();
  const rounds: PowerLossRound[] = [];

  /** Only a checkpoint writes the file itself. */
  async function checkpointBegins(): Promise<boolean> {
    const changed = (): bigint => statSync(join(place.folder, 'chartgate.db'), { bigint: true }).mtimeNs;
    const before = changed();
    return (await eventually(changed, (now) => now !== before, CHECKPOINT_WITHIN_MS)) !== before;
  }

  for (let round = 1; round <= deps.rounds; round += 1) {
    const untilMs = LOAD_MS.least + random() * (LOAD_MS.most - LOAD_MS.least);
    const intoMs = random() * INTO_CHECKPOINT_MS;
    const before = acknowledged.size;
    let moment: PowerLossRound['moment'] = 'random';
    let loadMs = 0;
    disk.seed();
    await withServe(place.settings, environment, (served) =>
      sendDuring({ url: served.webhook, nextBody, acknowledged }, async () => {
        const from = performance.now();
        if (round % 2 === 1) await firstAnswer(acknowledged);
        if (round % 3 !== 0) await pause(untilMs);
        else if (await checkpointBegins()) {
          moment = 'checkpoint';
          await pause(intoMs);
        }
        await served.end('SIGKILL');
        loadMs = Math.round(performance.now() - from);
      }),
    );
    disk.restore();

    const end = (stored: number, violations: readonly Violation[]): void => {
      const lost = violations.filter(({ kind }) => kind === 'lost');
      const newly = acknowledged.size - before;
      rounds.push({ round, moment, loadMs, acknowledged: newly, stored, lost: lost.length, violations });
      // Told once.
      for (const { about } of lost) acknowledged.delete(about);
    };
    await withServe(place.settings, {}, async (served) => {
      const found = await place.find();
      const violations = checkAcknowledged(acknowledged, found, await served.ledger());
      await served.end('SIGTERM');
      end(found.deliveries.length, violations);
    }).catch((thrown: unknown) => {
      if (!(thrown instanceof Error && REFUSED.test(thrown.message))) throw thrown;
      end(0, [{ kind: 'refused', about: 'the start' }]);
    });
    const last = rounds.at(-1);
    if (last === undefined) continue;
    deps.onRound?.(last);
    const isRefused = last.violations.some(({ kind }) => kind === 'refused');
    if (isRefused || deps.isEnough?.(last) === true) break;
  }
  return rounds;
}
