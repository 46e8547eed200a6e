/* node test/chaos/kill.ts --engine sqlite|postgres --kills 50 [--crash-loop N] [--weak-commits] [--seed N] [--json]: nothing acknowledged is lost by
   kill -9, nor, with --weak-commits, at a PostgreSQL whose own setting is to commit before it has flushed. */
import { parseArgs } from 'node:util';
import { makePostgresPlace, makeSqlitePlace } from './chaos-place.ts';
import { finish, roundLine } from './report.ts';
import { runKills } from './run-kills.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    kills: { type: 'string', default: '50' },
    'crash-loop': { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'weak-commits': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const { engine, json } = values;
const [kills, seed] = [Number(values.kills), Number(values.seed)];
const crashLoop = values['crash-loop'] === undefined ? {} : { crashLoop: Number(values['crash-loop']) };
if (engine !== 'sqlite' && engine !== 'postgres') throw new Error('--engine is sqlite or postgres');
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed))
  throw new Error('--kills and --seed are whole numbers');

const from = performance.now();
const place =
  engine === 'sqlite' ? makeSqlitePlace() : await makePostgresPlace(values['weak-commits'] ? 'weak' : 'sound');
try {
  const onRound = json
    ? () => undefined
    : (round: Parameters<typeof roundLine>[0]) => process.stdout.write(`${roundLine(round)}\n`);
  const rounds = await runKills({ place, kills, seed, ...crashLoop, onRound });
  process.exitCode = finish(rounds, { engine, seed }, from, json);
} finally {
  await place.remove();
}
