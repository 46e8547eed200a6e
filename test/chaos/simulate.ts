/* npm run simulate -- [--users 100] [--days 30] [--seed 1] [--no-steps] [--no-past] [--json]: a simulated population through gateway and demo EHR,
   or the EHR that EHR_TEST_URL names (with the settings of `serve` for its credentials); then the charts are compared with what the sandbox
   says, fact by fact. 1,000 users want --no-steps, and time. */
import { parseArgs } from 'node:util';
import { runTruth } from '../flow/simulation/run-truth.ts';
import { foreignEhr } from '../support/foreign-ehr.ts';

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '100' },
    days: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    'no-steps': { type: 'boolean', default: false },
    'no-past': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const [users, days, seed] = [values.users, values.days, values.seed].map(Number) as [number, number, number];
if (![users, days, seed].every(Number.isInteger)) throw new Error('--users, --days and --seed are whole numbers');

const found = await runTruth({
  ehr: foreignEhr(),
  users,
  days,
  seed,
  from: Date.parse('2026-03-10T09:00:00Z'),
  stepsEvents: values['no-steps'] ? 'off' : 'on',
  withPast: values['no-past'] ? 0 : users,
  restEveryDays: 1,
  restMs: 3_600_000,
  onDay: values.json
    ? () => undefined
    : (day) => process.stdout.write(`day ${day} of ${days}, ${Math.round(performance.now() / 1000)} s\n`),
});
const shown = values.json
  ? found
  : { ...found, differences: found.differences.slice(0, 20), odd: found.odd.slice(0, 20) };
process.stdout.write(`${JSON.stringify(shown, null, values.json ? 0 : 1)}\n`);
const isGood =
  found.differences.length + found.odd.length === 0 &&
  found.ledger.addsUp &&
  found.ledger.acknowledged === found.sent &&
  (found.ledger.byState['parked'] ?? 0) + (found.ledger.byState['quarantined'] ?? 0) === 0;
process.exitCode = isGood ? 0 : 1;
