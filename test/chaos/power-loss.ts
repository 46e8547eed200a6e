/*
 * node test/chaos/power-loss.ts --rounds 20 [--weakened commits|journal] [--seed N] [--json]: nothing acknowledged is
 * lost by a power failure. Weakened, the store does not flush its commits or its journal, and the run has to end with 1.
 */
import { parseArgs } from 'node:util';
import { makeSqlitePlace } from './chaos-place.ts';
import { finish, roundLine } from './report.ts';
import { runPowerLosses, WEAKENED } from './run-power-losses.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    weakened: { type: 'string', default: 'nothing' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'boolean', default: false },
  },
});
const { json } = values;
const weakened = WEAKENED.find((one) => one === values.weakened);
const [count, seed] = [Number(values.rounds), Number(values.seed)];
if (weakened === undefined) throw new Error(`--weakened is one of ${WEAKENED.join(', ')}`);
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed))
  throw new Error('--rounds and --seed are whole numbers');

const from = performance.now();
const place = makeSqlitePlace();
try {
  const onRound = json
    ? () => undefined
    : (round: Parameters<typeof roundLine>[0]) => process.stdout.write(`${roundLine(round)}\n`);
  const rounds = await runPowerLosses({ place, rounds: count, seed, weakened, onRound });
  process.exitCode = finish(rounds, { weakened, seed }, from, json);
} finally {
  await place.remove();
}
