/*
 * node test/chaos/audit-search.ts [--engine sqlite|postgres] [--records 1000000] [--json]: how long "who saw patient X"
 * takes, and how it grows from 10,000 records on, all of them written as the gateway writes them. Ends with 1 where the
 * median at the end is not under half a second, or the audit is not sound.
 */
import { parseArgs } from 'node:util';
import {
  auditSet,
  makeCheckpoint,
  storeSource,
  verifyAudit,
  type AuditDraft,
  type Search,
} from '../../src/audit/index.ts';
import { systemClock, type Result } from '../../src/kernel/index.ts';
import { auditKey } from '../support/memory-audit.ts';
import { emptyPostgresPlace, sqlitePlace } from '../support/new-store.ts';
import { makePostgresServer } from '../support/postgres-server.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    records: { type: 'string', default: '1000000' },
    json: { type: 'boolean', default: false },
  },
});
const total = Number(values.records);
if (values.engine !== 'sqlite' && values.engine !== 'postgres') throw new Error('--engine is sqlite or postgres');
if (!Number.isInteger(total) || total < 10_000) throw new Error('--records is a whole number from 10000 on');

const PATIENTS = 5_000;
const AT_ONCE = 1_000;
const ASKED = 40;
const WANTED_MS = 500;
const START = Date.UTC(2026, 0, 1);

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
};
/** Spread over the patients without chance, so that two runs are the same. */
const patientOf = (n: number): number => (n * 7_919) % PATIENTS;
const draftOf = (n: number): AuditDraft => ({
  at: new Date(START + n * 50),
  type: n % 3 === 0 ? 'fhir.search' : n % 3 === 1 ? 'fhir.read' : 'ehr.write',
  tenant: 'default',
  requestId: `req_${String(n).padStart(26, '0')}`,
  action: 'R',
  outcome: n % 200 === 0 ? '8' : '0',
  client: `app-${n % 20}`,
  toSeal:
    n % 3 === 2
      ? { patient: { system: 'urn:mrn', mrn: `M${patientOf(n)}` }, chart: `p${patientOf(n)}` }
      : { chart: `p${patientOf(n)}` },
});
const search = (n: number, more: Partial<Search> = {}): Search => ({
  tenant: 'default',
  patient: { system: 'urn:mrn', mrn: `M${n}` },
  chart: null,
  actors: null,
  client: null,
  delivery: null,
  request: null,
  types: null,
  tellingOf: [],
  outcome: null,
  fromMs: null,
  toMs: null,
  before: null,
  limit: 500,
  sealed: 'leave',
  ...more,
});

const server = values.engine === 'postgres' ? await makePostgresServer() : null;
const place = server === null ? await sqlitePlace() : await emptyPostgresPlace(server.url('postgres'));
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
try {
  const store = await place.open({ sets: [auditSet] });
  const audit = store.use(auditSet);
  const key = auditKey(1);
  const percentile = (times: readonly number[], share: number): number =>
    Math.round(([...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? NaN) * 100) / 100;
  let written = 0;
  let last = NaN;
  const medians: { readonly records: number; readonly medianMs: number }[] = [];
  for (const step of [10_000, 100_000, 1_000_000, 10_000_000].filter((one) => one < total).concat(total)) {
    const from = performance.now();
    while (written < step) {
      const count = Math.min(AT_ONCE, step - written);
      const base = written;
      must(
        await audit.write(
          'audit.append-many',
          Array.from({ length: count }, (_, i) => draftOf(base + i)),
        ),
      );
      written += count;
    }
    const fillMs = performance.now() - from;
    const times: number[] = [];
    const narrow: number[] = [];
    let found = 0;
    for (let i = 0; i < ASKED; i += 1) {
      const n = (i * 131) % PATIENTS;
      const since = performance.now();
      found += must(await audit.read('audit.search', search(n))).length;
      times.push(performance.now() - since);
      const again = performance.now();
      must(await audit.read('audit.search', search(n, { fromMs: START + step * 20, toMs: START + step * 30 })));
      narrow.push(performance.now() - again);
    }
    const others: Record<string, number> = {};
    for (const [name, more] of Object.entries({
      refused: { outcome: 'refused' },
      client: { client: 'app-3' },
      request: { request: `req_${String(step - 5).padStart(26, '0')}` },
      newest: {},
    } satisfies Record<string, Partial<Search>>)) {
      const since = performance.now();
      must(await audit.read('audit.search', search(0, { patient: null, ...more })));
      others[`${name}Ms`] = Math.round((performance.now() - since) * 100) / 100;
    }
    last = percentile(times, 0.5);
    medians.push({ records: step, medianMs: last });
    say({
      engine: values.engine,
      records: step,
      foundEach: Math.round(found / ASKED),
      medianMs: last,
      p95Ms: percentile(times, 0.95),
      withinTimesMs: percentile(narrow, 0.5),
      ...others,
      writtenPerSecond: Math.round((AT_ONCE * Math.ceil(step / AT_ONCE) * 1_000) / fillMs),
    });
  }
  const [smallest] = medians;
  if (smallest !== undefined)
    say({
      engine: values.engine,
      growth: medians.map(({ records, medianMs }) => ({
        timesTheRecords: records / smallest.records,
        timesAsLong: Math.round((medianMs / smallest.medianMs) * 10) / 10,
      })),
    });
  let signed = 0;
  for (let made = must(await makeCheckpoint({ audit, key, clock: systemClock })); made !== null; signed += 1)
    made = must(await makeCheckpoint({ audit, key, clock: systemClock }));
  const from = performance.now();
  const { sound, records, proven } = await verifyAudit(storeSource(audit), key);
  say({
    engine: values.engine,
    sound,
    records,
    proven,
    checkpoints: signed,
    verifiedPerSecond: Math.round((records * 1_000) / (performance.now() - from)),
  });
  process.exitCode = sound && proven === total && last < WANTED_MS ? 0 : 1;
} finally {
  await place.remove();
  await server?.remove();
}
