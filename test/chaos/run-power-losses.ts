import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SqliteChaosPlace } from './chaos-place.ts';
import { checkAcknowledged, type Violation } from './check-acknowledged.ts';
import { makeBodies } from './make-bodies.ts';
import { makeRandom } from './random.ts';
import { startSender } from './sender.ts';
import { makeShadowDisk } from './shadow-disk.ts';
import { startServe } from './start-serve.ts';

export interface PowerLossRound {
  readonly round: number;
  readonly loadMs: number;
  readonly acknowledged: number;
  readonly stored: number;
  readonly lost: number;
  /** Bytes that were written and not flushed when the power went, by the sizes of the files. */
  readonly walBytes: number;
  readonly violations: readonly Violation[];
}

const LOAD_MS = { least: 50, most: 900 } as const;
const WEAK = { NODE_OPTIONS: `--import="${fileURLToPath(new URL('./weaken-synchronous.ts', import.meta.url))}"` };

/** Load, power loss at a random moment, start on what was flushed, check. */
export async function runPowerLosses(deps: {
  readonly place: SqliteChaosPlace;
  readonly rounds: number;
  readonly seed: number;
  /** `NORMAL` weakens the store: the run must then find losses. */
  readonly synchronous: 'FULL' | 'NORMAL';
  readonly onRound?: (round: PowerLossRound) => void;
  /** Ends the run early. */
  readonly isEnough?: (round: PowerLossRound) => boolean;
}): Promise<PowerLossRound[]> {
  const { settings, folder, work } = deps.place;
  const disk = makeShadowDisk(folder, work);
  const random = makeRandom(deps.seed);
  const nextBody = makeBodies(random);
  const acknowledged = new Map<string, string>();
  const rounds: PowerLossRound[] = [];
  for (let round = 1; round <= deps.rounds; round += 1) {
    const loadMs = Math.round(LOAD_MS.least + random() * (LOAD_MS.most - LOAD_MS.least));
    const before = acknowledged.size;
    disk.seed();
    const served = await startServe(settings, { ...disk.environment, ...(deps.synchronous === 'NORMAL' ? WEAK : {}) });
    const sender = startSender({ url: served.webhook, nextBody, acknowledged });
    await pause(loadMs);
    await served.end('SIGKILL');
    await sender.stop();
    const wal = readdirSync(folder).find((name) => name.endsWith('-wal'));
    const walBytes = wal === undefined ? 0 : statSync(join(folder, wal)).size;
    disk.restore();

    const after = await startServe(settings);
    const found = await deps.place.find();
    const violations = checkAcknowledged(acknowledged, found, await after.ledger());
    await after.end('SIGTERM');
    const lost = violations.filter(({ kind }) => kind === 'lost');
    const done: PowerLossRound = {
      round,
      loadMs,
      acknowledged: acknowledged.size - before,
      stored: found.deliveries.length,
      lost: lost.length,
      walBytes,
      violations,
    };
    // Told once.
    for (const { about } of lost) acknowledged.delete(about);
    rounds.push(done);
    deps.onRound?.(done);
    if (deps.isEnough?.(done) === true) break;
  }
  return rounds;
}
