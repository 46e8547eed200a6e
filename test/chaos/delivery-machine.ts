/* node test/chaos/delivery-machine.ts [--seed N] [--runs 40] [--only I] [--concurrency 4] [--shrink]:
   programs of test/flow/delivery/state-machine.test.ts, as many as one likes, on SQLite. `--only` plays one of a seed alone,
   `--shrink` leaves out what a violation does not need. */
import { parseArgs } from 'node:util';
import { runCases } from '../flow/delivery/rig.ts';
import { drawPrograms } from '../flow/delivery/machine/draw-program.ts';
import { playProgram } from '../flow/delivery/machine/play-program.ts';
import { reportOf } from '../flow/delivery/machine/report.ts';
import { shrinkProgram } from '../flow/delivery/machine/shrink-program.ts';
import { sqlitePlace } from '../support/new-store.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    runs: { type: 'string', default: '40' },
    only: { type: 'string' },
    concurrency: { type: 'string', default: '4' },
    shrink: { type: 'boolean', default: false },
  },
});
const [seed, runs, concurrency] = [values.seed, values.runs, values['concurrency']].map(Number) as [
  number,
  number,
  number,
];
const only = values.only?.split(',').map(Number);
if (![seed, runs, concurrency, ...(only ?? [])].every(Number.isInteger))
  throw new Error('--seed, --runs, --only and --concurrency are whole numbers');

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const programs = drawPrograms(seed, Math.max(runs, ...(only ?? []).map((at) => at + 1)));
const chosen = [...programs.entries()].filter(([at]) => only === undefined || only.includes(at));
let failed = 0;
await runCases(chosen, concurrency, async ([at, program]) => {
  const played = await playProgram(program, sqlitePlace).catch((thrown: unknown) => thrown as Error);
  if (!(played instanceof Error) && played.violations.length === 0) return;
  failed += 1;
  say(`seed ${seed}, program ${at}\n${reportOf(program, played)}`);
  if (values.shrink && !(played instanceof Error)) {
    const least = await shrinkProgram(program, played.violations, sqlitePlace);
    say(`at least\n${reportOf(least.program, least.played)}`);
  }
});
say(`seed ${seed}: ${chosen.length} played, ${failed} with violations`);
process.exitCode = failed === 0 ? 0 : 1;
