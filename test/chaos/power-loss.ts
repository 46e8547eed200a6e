/*
 * node test/chaos/power-loss.ts --rounds 20 [--synchronous NORMAL] [--seed N] [--json]: nothing acknowledged is lost by
 * a power failure. With NORMAL the store is weakened and the run has to end with 1, for the losses that it found.
 */
import { parseArgs } from 'node:util';
import { makeSqlitePlace } from './chaos-place.ts';
import { finish, roundLine } from './report.ts';
import { runPowerLosses } from './run-power-losses.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    synchronous: { type: 'string', default: 'FULL' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'boolean', default: false },
  },
});
const { synchronous, json } = values;
const [count, seed] = [Number(values.rounds), Number(values.seed)];
if (synchronous !== 'FULL' && synchronous !== 'NORMAL') throw new Error('--synchronous is FULL or NORMAL');
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed))
  throw new Error('--rounds and --seed are whole numbers');

const from = performance.now();
const place = makeSqlitePlace();
try {
  const onRound = json
    ? () => undefined
    : (round: Parameters<typeof roundLine>[0]) => process.stdout.write(`${roundLine(round)}\n`);
  const rounds = await runPowerLosses({ place, rounds: count, seed, synchronous, onRound });
  process.exitCode = finish(rounds, { synchronous, seed }, from, json);
} finally {
  await place.remove();
}
