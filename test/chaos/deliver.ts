/* node test/chaos/deliver.ts [--seconds 90] [--users 20] [--stop 30] [--vanish 0.3] [--traits '{"noClientIds":true}'] [--seed N] [--json]:
   three replicas on one PostgreSQL, one killed, one stopped and continued, an EHR that fails one time in five, a sender that repeats and
   shuffles; then nothing is lost, doubled, stale or out of order. */
import { parseArgs } from 'node:util';
import type { Switches } from '../../sandbox/index.ts';
import { runDelivery } from './run-delivery.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '90' },
    users: { type: 'string', default: '20' },
    stop: { type: 'string', default: '30' },
    vanish: { type: 'string', default: '0.3' },
    traits: { type: 'string', default: '{}' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'boolean', default: false },
  },
});
const [seconds, users, stop, seed] = [values.seconds, values.users, values.stop, values.seed].map(Number) as [
  number,
  number,
  number,
  number,
];
if (![seconds, users, stop, seed].every(Number.isInteger))
  throw new Error('--seconds, --users, --stop and --seed are whole numbers');

const done = await runDelivery({
  seconds,
  users,
  stopSeconds: stop,
  traits: JSON.parse(values.traits) as Switches,
  vanish: Number(values.vanish),
  seed,
  onEvent: values.json ? () => undefined : (line) => process.stdout.write(`${line}\n`),
});
const shown = values.json ? done : { ...done, violations: done.violations.slice(0, 20) };
process.stdout.write(`${JSON.stringify(shown, null, values.json ? 0 : 1)}\n`);
process.exitCode = done.violations.length === 0 ? 0 : 1;
