import { append } from '../../audit/index.ts';
import { all, among, get, insert, rowsOf, run, type CommandContext, type Program } from '../../store/index.ts';
import { RESOURCES_PER_FILE, type ExportWrites, type LeaseOutcome, type Segment } from '../commands.ts';
import { chartIndexOf, hexOf, mrnIndexOf, sealerOf, sealPatient, sealSegment, type Row } from '../rows.ts';
import { hold } from './claim.ts';

const PATIENTS = rowsOf('export_patient', {
  export_seq: 'bigint',
  n: 'bigint',
  tenant: 'text',
  mrn_index: 'bytea',
  mrn_sealed: 'bytea',
  state: 'text',
});
const SEGMENTS = rowsOf('export_segment', {
  export_seq: 'bigint',
  patient_n: 'bigint',
  n: 'bigint',
  type: 'text',
  part: 'bigint',
  resources: 'bigint',
  bytes: 'bigint',
  data_sealed: 'bytea',
});
const TYPES = rowsOf(
  'export_type',
  { export_seq: 'bigint', type: 'text', resources: 'bigint' },
  'ON CONFLICT (export_seq, type) DO UPDATE SET resources = export_type.resources + excluded.resources',
);
const SHARED = rowsOf('export_shared', { export_seq: 'bigint', name: 'text', state: 'text' }, 'ON CONFLICT DO NOTHING');

type Gather = ExportWrites['exports.gather'];

export function* gather(context: CommandContext, p: Gather['args']): Program<Gather['out']> {
  const { vault } = context;
  const { seq, tenant, next } = p;
  const job = yield* hold(p);
  if (job === null) return 'lost';
  const given = new Map(p.patients.map((patient) => [mrnIndexOf(vault, patient).toString('hex'), patient]));
  const there = yield* all`
    SELECT mrn_index FROM export_patient WHERE export_seq = ${seq} AND mrn_index ${among('bytea', [...given.keys()])}`;
  for (const row of there) given.delete(hexOf(row['mrn_index']));
  const last = yield* get`SELECT max(n) AS n FROM export_patient WHERE export_seq = ${seq}`;
  const from = Number(last?.['n'] ?? 0) + 1;
  const [sealer, id] = [sealerOf(vault, job), String(job['id'])];
  yield* insert(
    PATIENTS,
    [...given.values()].map((patient, i) => ({
      export_seq: seq,
      n: from + i,
      tenant,
      mrn_index: mrnIndexOf(vault, patient),
      mrn_sealed: sealPatient(sealer, id, from + i, patient),
      state: 'waiting',
    })),
  );
  yield* insertSegments(context, job, 0, p.segments);
  yield* run`
    UPDATE export_job SET total = total + ${given.size}, gathered_to = ${next},
      phase = ${next === null ? 'patients' : 'gather'}
    WHERE seq = ${seq}`;
  return 'held';
}

/** In the file of its type that is not full yet, however many of the same patient come before it. */
export function* insertSegments(
  { vault }: CommandContext,
  job: Row,
  patient: number,
  segments: readonly Segment[],
): Program<void> {
  if (segments.length === 0) return;
  const [seq, id, sealer] = [Number(job['seq']), String(job['id']), sealerOf(vault, job)];
  const rows = yield* all`SELECT type, resources FROM export_type WHERE export_seq = ${seq}`;
  const counted = new Map(rows.map(({ type, resources }) => [String(type), Number(resources)]));
  yield* insert(
    SEGMENTS,
    segments.map(({ n, type, resources, bytes, before, data }) => ({
      export_seq: seq,
      patient_n: patient,
      n,
      type,
      part: 1 + Math.floor(((counted.get(type) ?? 0) + before) / RESOURCES_PER_FILE),
      resources,
      bytes,
      data_sealed: sealSegment(sealer, id, patient, n, data),
    })),
  );
}

type PutSegments = ExportWrites['exports.put-segments'];

export function* putSegments(context: CommandContext, p: PutSegments['args']): Program<LeaseOutcome> {
  const job = yield* hold(p);
  if (job === null) return 'lost';
  yield* insertSegments(context, job, p.patient, p.segments);
  return 'held';
}

/** How many resources and bytes a patient has in the export; the files of each type grow by them. */
export function* countSegments(
  seq: number,
  patient: number,
  from: number,
): Program<{ resources: number; bytes: number }> {
  const rows = yield* all`
    SELECT type, sum(resources) AS resources, sum(bytes) AS bytes FROM export_segment
    WHERE export_seq = ${seq} AND patient_n = ${patient} AND n >= ${from} GROUP BY type ORDER BY type`;
  const types = rows.map(({ type, resources, bytes }) => ({
    type: String(type),
    resources: Number(resources),
    bytes: Number(bytes),
  }));
  yield* insert(
    TYPES,
    types.map(({ type, resources }) => ({ export_seq: seq, type, resources })),
  );
  const own = types.filter(({ type }) => type !== 'OperationOutcome');
  return {
    resources: own.reduce((sum, one) => sum + one.resources, 0),
    bytes: types.reduce((sum, one) => sum + one.bytes, 0),
  };
}

export function* addShared(seq: number, names: readonly string[]): Program<void> {
  yield* insert(
    SHARED,
    names.map((name) => ({ export_seq: seq, name, state: 'waiting' })),
  );
}

const dropSegments = (seq: number, patient: number): Program<number> =>
  run`DELETE FROM export_segment WHERE export_seq = ${seq} AND patient_n = ${patient}`;

type Finish = ExportWrites['exports.finish-patient'];

/** Whether the Patient is in the export by another MRN; the row of the export is held, so that two do not both find none. */
function* isThereAlready(seq: number, chart: Buffer | null): Program<boolean> {
  if (chart === null) return false;
  const row = yield* get`
    SELECT 1 AS there FROM export_patient WHERE export_seq = ${seq} AND chart_index = ${chart}`;
  return row !== undefined;
}

/** What was read of a patient whose link is gone by now is not kept; that it was read is recorded. */
export function* finishPatient(context: CommandContext, p: Finish['args']): Program<Finish['out']> {
  const { seq, tenant, patient } = p;
  const job = yield* hold(p);
  if (job === null) return 'lost';
  const waiting = yield* get`
    SELECT p.state, (SELECT 1 FROM link l WHERE l.tenant = p.tenant AND l.mrn_index = p.mrn_index
      AND l.status = 'confirmed' LIMIT 1) AS is_linked
    FROM export_patient p WHERE p.export_seq = ${seq} AND p.n = ${patient} AND p.tenant = ${tenant}`;
  if (waiting?.['state'] !== 'waiting') return 'held';
  const isLinked = waiting['is_linked'] !== null;
  const chart = p.chart === null ? null : chartIndexOf(context.vault, p.chart);
  const isAgain = yield* isThereAlready(seq, chart);
  const outcome = isLinked && !isAgain ? p.outcome : 'left';
  if (outcome !== 'done') yield* dropSegments(seq, patient);
  if (outcome !== 'left') yield* insertSegments(context, job, patient, p.segments);
  const counted = yield* countSegments(seq, patient, 0);
  if (outcome === 'done') yield* addShared(seq, p.refers);
  yield* run`
    UPDATE export_patient SET state = ${outcome}, chart_index = ${outcome === 'done' ? chart : null}
    WHERE export_seq = ${seq} AND n = ${patient}`;
  yield* run`
    UPDATE export_job SET done = done + 1, failed = failed + ${outcome === 'failed' ? 1 : 0},
      resources = resources + ${counted.resources}, bytes = bytes + ${counted.bytes}, fault = ${p.fault}
    WHERE seq = ${seq}`;
  const left = { ...p.audit, outcome: '4' as const, why: isLinked ? 'again' : 'unlinked', count: 0 };
  const audit = isLinked && !isAgain ? p.audit : left;
  yield* append(context, [audit]);
  return 'held';
}

type PutOff = ExportWrites['exports.put-off'];

export function* putOff(_: CommandContext, p: PutOff['args']): Program<PutOff['out']> {
  const { seq, patient } = p;
  const job = yield* hold(p);
  if (job === null) return { held: 'lost', attempts: 0 };
  yield* dropSegments(seq, patient);
  const [row] = yield* all`
    UPDATE export_patient SET attempts = attempts + 1
    WHERE export_seq = ${seq} AND n = ${patient} RETURNING attempts`;
  yield* run`UPDATE export_job SET fault = ${p.fault} WHERE seq = ${seq}`;
  return { held: 'held', attempts: Number(row?.['attempts'] ?? 0) };
}
