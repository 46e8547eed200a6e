import { all, allOf, fragment, get, words, type CommandContext, type Program } from '../../store/index.ts';
import { EXPORT_STATES, type ExportReads } from '../commands.ts';
import { JOB, openAsked, openPatient, openSegment, sealerOf, toJob, type Row } from '../rows.ts';

const JOB_COLUMNS = words(JOB);

type Get = ExportReads['exports.get'];
export function* getJob(_: CommandContext, { tenant, id }: Get['args']): Program<Get['out']> {
  const row = yield* get`SELECT ${JOB_COLUMNS} FROM export_job WHERE tenant = ${tenant} AND id = ${id}`;
  return row === undefined ? null : toJob(row);
}

type Request = ExportReads['exports.request'];
export function* getRequest({ vault }: CommandContext, { tenant, id }: Request['args']): Program<Request['out']> {
  const row = yield* get`
    SELECT id, asked_sealed FROM export_job WHERE tenant = ${tenant} AND id = ${id} AND asked_sealed IS NOT NULL`;
  return row === undefined ? null : openAsked(vault, row).request;
}

type List = ExportReads['exports.list'];
export function* list(_: CommandContext, p: List['args']): Program<List['out']> {
  const conditions = [
    fragment`tenant = ${p.tenant}`,
    ...(p.client === null ? [] : [fragment`client = ${p.client}`]),
    ...(p.state === null ? [] : [fragment`state = ${p.state}`]),
    ...(p.before === null ? [] : [fragment`seq < ${p.before}`]),
  ];
  const rows = yield* all`
    SELECT ${JOB_COLUMNS} FROM export_job WHERE ${allOf(conditions)} ORDER BY seq DESC LIMIT ${p.limit}`;
  return rows.map(toJob);
}

type Count = ExportReads['exports.count'];
export function* count(_: CommandContext, { tenant }: Count['args']): Program<Count['out']> {
  const rows = yield* all`SELECT state, count(*) AS n FROM export_job WHERE tenant = ${tenant} GROUP BY state`;
  const found = new Map(rows.map((row) => [String(row['state']), Number(row['n'])]));
  return Object.fromEntries(EXPORT_STATES.map((state) => [state, found.get(state) ?? 0])) as Count['out'];
}

/** Null: its key is destroyed. */
const withKey = (tenant: string, seq: number): Program<Row | undefined> => get`
  SELECT seq, id, key_sealed FROM export_job WHERE tenant = ${tenant} AND seq = ${seq} AND key_sealed IS NOT NULL`;

type Waiting = ExportReads['exports.waiting'];
export function* waiting({ vault }: CommandContext, p: Waiting['args']): Program<Waiting['out']> {
  const job = yield* withKey(p.tenant, p.seq);
  if (job === undefined) return [];
  const rows = yield* all`
    SELECT n, mrn_sealed, attempts FROM export_patient
    WHERE export_seq = ${p.seq} AND state = 'waiting' AND n > ${p.after} ORDER BY n LIMIT ${p.limit}`;
  const [sealer, id] = [sealerOf(vault, job), String(job['id'])];
  return rows.map((row) => ({
    n: Number(row['n']),
    attempts: Number(row['attempts']),
    ...openPatient(sealer, id, row),
  }));
}

type WaitingShared = ExportReads['exports.waiting-shared'];
export function* waitingShared(_: CommandContext, p: WaitingShared['args']): Program<WaitingShared['out']> {
  const rows = yield* all`
    SELECT name FROM export_shared WHERE export_seq = ${p.seq} AND state = 'waiting' ORDER BY name LIMIT ${p.limit}`;
  return rows.map(({ name }) => String(name));
}

/** Whose segments can be fetched: a link that ended meanwhile ends that. */
const IS_FETCHED = words(`p.state IN ('done','failed') AND (p.n = 0 OR EXISTS (
  SELECT 1 FROM link l WHERE l.tenant = p.tenant AND l.mrn_index = p.mrn_index AND l.status = 'confirmed'))`);

type Files = ExportReads['exports.files'];
export function* files(_: CommandContext, { tenant, seq }: Files['args']): Program<Files['out']> {
  const rows = yield* all`
    SELECT s.type, s.part, sum(s.resources) AS resources, sum(s.bytes) AS bytes
    FROM export_segment s JOIN export_patient p ON p.export_seq = s.export_seq AND p.n = s.patient_n
    WHERE s.export_seq = ${seq} AND p.tenant = ${tenant} AND ${IS_FETCHED}
    GROUP BY s.type, s.part ORDER BY s.type, s.part`;
  return rows.map(({ type, part, resources, bytes }) => ({
    type: String(type),
    part: Number(part),
    resources: Number(resources),
    bytes: Number(bytes),
  }));
}

type Segments = ExportReads['exports.segments'];
export function* segments({ vault }: CommandContext, p: Segments['args']): Program<Segments['out']> {
  const job = yield* withKey(p.tenant, p.seq);
  if (job === undefined) return [];
  const after = p.after === null ? fragment`` : fragment`AND (s.patient_n, s.n) > (${p.after.patient}, ${p.after.n})`;
  const rows = yield* all`
    SELECT s.patient_n, s.n, s.data_sealed
    FROM export_segment s JOIN export_patient p ON p.export_seq = s.export_seq AND p.n = s.patient_n
    WHERE s.export_seq = ${p.seq} AND s.type = ${p.type} AND s.part = ${p.part} AND p.tenant = ${p.tenant} ${after}
      AND ${IS_FETCHED}
    ORDER BY s.patient_n, s.n LIMIT ${p.limit}`;
  const [sealer, id] = [sealerOf(vault, job), String(job['id'])];
  return rows.map((row) => ({
    patient: Number(row['patient_n']),
    n: Number(row['n']),
    data: openSegment(sealer, id, row),
  }));
}

type Unlinked = ExportReads['exports.unlinked'];
export function* unlinked(_: CommandContext, { tenant, limit }: Unlinked['args']): Program<Unlinked['out']> {
  const rows = yield* all`
    SELECT p.export_seq, p.n FROM export_patient p JOIN export_job j ON j.seq = p.export_seq
    WHERE j.tenant = ${tenant} AND j.is_cleared = 0 AND j.key_sealed IS NOT NULL AND p.n > 0
      AND p.state IN ('done','failed') AND NOT EXISTS (
        SELECT 1 FROM link l WHERE l.tenant = p.tenant AND l.mrn_index = p.mrn_index AND l.status = 'confirmed')
    LIMIT ${limit}`;
  return rows.map((row) => ({ seq: Number(row['export_seq']), n: Number(row['n']) }));
}
