import { setTimeout as pause } from 'node:timers/promises';
import type { ChaosPlace } from './chaos-place.ts';
import { checkAcknowledged, type Violation } from './check-acknowledged.ts';
import { makeBodies } from './make-bodies.ts';
import { makeRandom } from './random.ts';
import { firstAnswer, sendDuring } from './sender.ts';
import { killStart, startServe } from './start-serve.ts';

export interface KillRound {
  readonly round: number;
  readonly loadMs: number;
  /** The database server was crashed as well, before or after the gateway. */
  readonly crash: 'none' | 'before' | 'after';
  /** Starts after the kill that were killed too, each so many milliseconds into it. */
  readonly killedStartsMs: readonly number[];
  readonly acknowledged: number;
  readonly stored: number;
  readonly startMs: number;
  readonly violations: readonly Violation[];
}

const LOAD_MS = { least: 30, most: 450 } as const;
const BETWEEN_CRASHES_MS = 120;
const KILLED_START_MS = 1_200;

/**
 * Load, SIGKILL at a random moment, start, check; on one database, so that what was once acknowledged is looked for to
 * the end.
 */
export async function runKills(deps: {
  readonly place: ChaosPlace;
  readonly kills: number;
  readonly seed: number;
  /**
   * After every kill so many starts are killed in a row, as by a supervisor that is too quick; otherwise one now and
   * then.
   */
  readonly crashLoop?: number;
  readonly onRound?: (round: KillRound) => void;
}): Promise<KillRound[]> {
  const { settings, server } = deps.place;
  const random = makeRandom(deps.seed);
  const nextBody = makeBodies(random);
  const acknowledged = new Map<string, string>();
  const rounds: KillRound[] = [];
  let served = await startServe(settings);
  try {
    for (let round = 1; round <= deps.kills; round += 1) {
      const loadMs = Math.round(LOAD_MS.least + random() * (LOAD_MS.most - LOAD_MS.least));
      const crash = server === null || round % 3 !== 2 ? 'none' : random() < 0.5 ? 'before' : 'after';
      const killedStarts = deps.crashLoop ?? (round % 5 === 3 ? 1 : 0);
      const killedStartsMs = Array.from({ length: killedStarts }, () => Math.round(random() * KILLED_START_MS));
      const gap = random() * BETWEEN_CRASHES_MS;
      const before = acknowledged.size;

      const dying = served;
      await sendDuring({ url: dying.webhook, nextBody, acknowledged }, async () => {
        if (round % 2 === 1) await firstAnswer(acknowledged);
        await pause(loadMs);
        if (crash === 'before') {
          await server?.crash();
          await pause(gap);
        }
        await dying.end('SIGKILL');
      });
      if (crash === 'after') await server?.crash();
      if (crash !== 'none') await server?.start();
      for (const afterMs of killedStartsMs) await killStart(settings, afterMs);

      served = await startServe(settings);
      const found = await deps.place.find();
      const violations = checkAcknowledged(acknowledged, found, await served.ledger());
      const done: KillRound = {
        round,
        loadMs,
        crash,
        killedStartsMs,
        acknowledged: acknowledged.size - before,
        stored: found.deliveries.length,
        startMs: served.startMs,
        violations,
      };
      // Told once.
      for (const { kind, about } of violations) if (kind === 'lost') acknowledged.delete(about);
      rounds.push(done);
      deps.onRound?.(done);
    }
  } finally {
    await served.end('SIGKILL');
  }
  return rounds;
}
