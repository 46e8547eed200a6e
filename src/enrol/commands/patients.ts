import { openPatient } from '../../identity/index.ts';
import { all, allOf, among, fragment, type CommandContext, type Program } from '../../store/index.ts';
import type { EnrolReads, RequestKind } from '../commands.ts';
import { mergeEvents, type ListedPatient, type PatientEvent } from '../patients.ts';
import { patientIndexOf, readTime } from '../rows.ts';

type Found = Readonly<Record<string, unknown>>;
const hexOf = (value: unknown): string => Buffer.from(value as Uint8Array).toString('hex');

type Patients = EnrolReads['enrol.patients'];

/** Of every patient the newest confirmed link, newest first. */
function* newestLinks(tenant: string, before: number | null, limit: number): Program<readonly Found[]> {
  const conditions = [
    fragment`l.tenant = ${tenant}`,
    fragment`l.status = 'confirmed'`,
    ...(before === null ? [] : [fragment`l.seq < ${before}`]),
  ];
  return yield* all`
    SELECT l.seq, l.id, l.mrn_index, l.mrn_sealed, l.changed_at FROM link l
    WHERE ${allOf(conditions)} AND NOT EXISTS (
      SELECT 1 FROM link n WHERE n.tenant = l.tenant AND n.mrn_index = l.mrn_index AND n.seq > l.seq
        AND n.status = 'confirmed')
    ORDER BY l.seq DESC LIMIT ${limit}`;
}

/** Of every user who is one of these patients: connections, and when the last delivery came. */
function* usersOf(tenant: string, patients: readonly string[]): Program<readonly Found[]> {
  return yield* all`
    SELECT l.mrn_index,
      (SELECT count(*) FROM source_connection c
        WHERE c.tenant = l.tenant AND c.user_index = l.user_index AND c.state = 'connected') AS connections,
      (SELECT d.received_at FROM delivery d
        WHERE d.tenant = l.tenant AND d.user_index = l.user_index ORDER BY d.seq DESC LIMIT 1) AS last_at
    FROM link l
    WHERE l.tenant = ${tenant} AND l.mrn_index ${among('bytea', patients)} AND l.status = 'confirmed'`;
}

function toListed(row: Found, mrn: string, users: readonly Found[]): ListedPatient {
  const times = users.map((user) => readTime(user['last_at'])).filter((time) => time !== null);
  return {
    seq: Number(row['seq']),
    mrn,
    users: users.length,
    connections: users.reduce((sum, user) => sum + Number(user['connections']), 0),
    linkedAt: Number(row['changed_at']),
    lastDeliveryAt: times.length === 0 ? null : Math.max(...times),
  };
}

export function* patients(
  { vault }: CommandContext,
  { tenant, before, limit }: Patients['args'],
): Program<Patients['out']> {
  const rows = yield* newestLinks(tenant, before, limit);
  const users = Map.groupBy(
    yield* usersOf(
      tenant,
      rows.map((row) => hexOf(row['mrn_index'])),
    ),
    (row) => hexOf(row['mrn_index']),
  );
  return rows.map((row) => toListed(row, openPatient(vault, row).mrn, users.get(hexOf(row['mrn_index'])) ?? []));
}

type Timeline = EnrolReads['enrol.timeline'];

/** More users than one patient has. */
const USERS_MAX = 20;

/**
 * The users whose last word is this patient: one who was linked to somebody else since is not, whatever was delivered
 * meanwhile.
 */
function* lastUsers(tenant: string, patient: Uint8Array): Program<Uint8Array[]> {
  const rows = yield* all`
    SELECT DISTINCT l.user_index FROM link l
    WHERE l.tenant = ${tenant} AND l.mrn_index = ${patient} AND l.status <> 'proposed' AND NOT EXISTS (
      SELECT 1 FROM link n WHERE n.tenant = l.tenant AND n.user_index = l.user_index AND n.seq > l.seq
        AND n.mrn_index <> l.mrn_index AND n.status <> 'proposed')
    LIMIT ${USERS_MAX}`;
  return rows.map((row) => row['user_index'] as Uint8Array);
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function* deliveriesOf(tenant: string, user: Uint8Array, before: number, limit: number): Program<PatientEvent[]> {
  const rows = yield* all`
    SELECT seq, id, received_at, data_structure, document_version, state, reason FROM delivery
    WHERE tenant = ${tenant} AND user_index = ${user} AND seq < ${before} ORDER BY seq DESC LIMIT ${limit}`;
  return rows.map((row) => ({
    kind: 'delivery',
    at: Number(row['received_at']),
    place: Number(row['seq']),
    deliveryId: String(row['id']),
    dataStructure: textOf(row['data_structure']),
    documentVersion: readTime(row['document_version']),
    state: String(row['state']),
    reason: textOf(row['reason']),
  }));
}

function* requestsOf(tenant: string, user: Uint8Array, before: number, limit: number): Program<PatientEvent[]> {
  const rows = yield* all`
    SELECT id, kind, asked_at, delivery_id, arrived_at FROM source_request
    WHERE tenant = ${tenant} AND user_index = ${user} AND asked_at < ${before}
    ORDER BY asked_at DESC, id LIMIT ${limit}`;
  return rows.map((row) => ({
    kind: 'request',
    at: Number(row['asked_at']),
    place: Number(row['asked_at']),
    id: String(row['id']),
    what: row['kind'] as RequestKind,
    deliveryId: textOf(row['delivery_id']),
    arrivedAt: readTime(row['arrived_at']),
  }));
}

const toLink = (row: Found): PatientEvent => ({
  kind: 'link',
  at: Number(row['made_at']),
  place: Number(row['seq']),
  linkId: String(row['id']),
  status: String(row['status']),
  actor: String(row['actor']),
  changedAt: Number(row['changed_at']),
});

function byPlace(lists: readonly PatientEvent[][]): PatientEvent[] {
  return lists.flat().sort((a, b) => b.place - a.place);
}

/** One more than the page of each kind is read, to know whether there is a next. */
export function* timeline(
  { vault }: CommandContext,
  { tenant, patient, from, limit }: Timeline['args'],
): Program<Timeline['out']> {
  const index = patientIndexOf(vault, patient);
  const links = yield* all`
    SELECT seq, id, status, actor, made_at, changed_at FROM link
    WHERE tenant = ${tenant} AND mrn_index = ${index} AND seq < ${from.link} ORDER BY seq DESC LIMIT ${limit + 1}`;
  const users = yield* lastUsers(tenant, index);
  const deliveries: PatientEvent[][] = [];
  const requests: PatientEvent[][] = [];
  for (const user of users) {
    deliveries.push(yield* deliveriesOf(tenant, user, from.delivery, limit + 1));
    requests.push(yield* requestsOf(tenant, user, from.request, limit + 1));
  }
  return mergeEvents([byPlace(deliveries), links.map(toLink), byPlace(requests)], from, limit);
}
