import { actorOf, append, type AuditDraft } from '../../audit/index.ts';
import {
  all,
  among,
  FOR_UPDATE,
  fragment,
  get,
  insert,
  insertOne,
  RETURNING_SEQ,
  rowsOf,
  run,
  words,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import { MEMBERS_MAX, type ExportReads, type ExportWrites, type Mrn, type PatientGroup } from '../commands.ts';
import { mrnIndexOf, openMember, sealMember, type Row } from '../rows.ts';

const GROUP = words(`g.seq, g.id, g.name, g.actor, g.changed_at,
  (SELECT count(*) FROM patient_group_member m WHERE m.group_seq = g.seq) AS members,
  (SELECT count(*) FROM patient_group_member m WHERE m.group_seq = g.seq AND EXISTS (
    SELECT 1 FROM link l WHERE l.tenant = m.tenant AND l.mrn_index = m.mrn_index AND l.status = 'confirmed')) AS linked`);
const IS_LINKED = words(`EXISTS (
  SELECT 1 FROM link l WHERE l.tenant = m.tenant AND l.mrn_index = m.mrn_index AND l.status = 'confirmed')`);
const MEMBERS = rowsOf(
  'patient_group_member',
  { tenant: 'text', group_seq: 'bigint', mrn_index: 'bytea', mrn_sealed: 'bytea' },
  'ON CONFLICT DO NOTHING',
);

const toGroup = (row: Row): PatientGroup => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  name: String(row['name']),
  members: Number(row['members']),
  linked: Number(row['linked']),
  actor: String(row['actor']),
  changedAt: Number(row['changed_at']),
});

function* find(tenant: string, id: string): Program<PatientGroup | null> {
  const row = yield* get`SELECT ${GROUP} FROM patient_group g WHERE g.tenant = ${tenant} AND g.id = ${id}`;
  return row === undefined ? null : toGroup(row);
}

function* isTaken(tenant: string, name: string, but: string): Program<boolean> {
  const row =
    yield* get`SELECT 1 AS one FROM patient_group WHERE tenant = ${tenant} AND name = ${name} AND id <> ${but}`;
  return row !== undefined;
}

function* addMembers({ vault }: CommandContext, tenant: string, group: number, members: readonly Mrn[]): Program<void> {
  yield* insert(
    MEMBERS,
    members.map((member) => ({
      tenant,
      group_seq: group,
      mrn_index: mrnIndexOf(vault, member),
      mrn_sealed: sealMember(vault, group, member),
    })),
  );
}

type Add = ExportWrites['groups.add'];
type Change = ExportWrites['groups.change'];
type Remove = ExportWrites['groups.remove'];
type Act = Remove['args'];

const auditOf = (act: Act, action: AuditDraft['action'], count: number): AuditDraft => ({
  at: act.at,
  type: 'admin',
  tenant: act.tenant,
  requestId: act.requestId,
  action,
  outcome: '0',
  ...actorOf(act),
  why: 'group',
  to: act.id,
  count,
});

export function* addGroup(context: CommandContext, p: Add['args']): Program<Add['out']> {
  const { tenant, id, name, members } = p;
  if (yield* isTaken(tenant, name, id)) return 'name-taken';
  if (members.length > MEMBERS_MAX) return 'too-many';
  const atMs = p.at.getTime();
  const seq = yield* insertOne`
    INSERT INTO patient_group (tenant, id, name, actor, made_at, changed_at)
    VALUES (${tenant}, ${id}, ${name}, ${p.actor}, ${atMs}, ${atMs}) ${RETURNING_SEQ}`;
  yield* addMembers(context, tenant, seq, members);
  yield* append(context, [auditOf(p, 'C', members.length)]);
  return (yield* find(tenant, id)) ?? 'name-taken';
}

export function* changeGroup(context: CommandContext, p: Change['args']): Program<Change['out']> {
  const { tenant, id, name, add, remove } = p;
  const group = yield* get`SELECT seq FROM patient_group WHERE tenant = ${tenant} AND id = ${id} ${FOR_UPDATE}`;
  if (group === undefined) return 'not-found';
  if (name !== null && (yield* isTaken(tenant, name, id))) return 'name-taken';
  const seq = Number(group['seq']);
  const before = yield* get`SELECT count(*) AS members FROM patient_group_member WHERE group_seq = ${seq}`;
  if (Number(before?.['members']) + add.length > MEMBERS_MAX) return 'too-many';
  const out = remove.map((one) => mrnIndexOf(context.vault, one).toString('hex'));
  if (out.length > 0)
    yield* run`DELETE FROM patient_group_member WHERE group_seq = ${seq} AND mrn_index ${among('bytea', out)}`;
  yield* addMembers(context, tenant, seq, add);
  const named = name === null ? fragment`` : fragment`, name = ${name}`;
  yield* run`UPDATE patient_group SET actor = ${p.actor}, changed_at = ${p.at.getTime()} ${named} WHERE seq = ${seq}`;
  yield* append(context, [auditOf(p, 'U', add.length + remove.length)]);
  return (yield* find(tenant, id)) ?? 'not-found';
}

export function* removeGroup(context: CommandContext, p: Act): Program<Remove['out']> {
  const group = yield* get`SELECT seq FROM patient_group WHERE tenant = ${p.tenant} AND id = ${p.id} ${FOR_UPDATE}`;
  if (group === undefined) return 'not-found';
  const seq = Number(group['seq']);
  const members = yield* run`DELETE FROM patient_group_member WHERE group_seq = ${seq}`;
  yield* run`DELETE FROM patient_group WHERE seq = ${seq}`;
  yield* append(context, [auditOf(p, 'D', members)]);
  return 'removed';
}

type List = ExportReads['groups.list'];
export function* listGroups(_: CommandContext, { tenant, before, limit }: List['args']): Program<List['out']> {
  const below = before === null ? fragment`` : fragment`AND g.seq < ${before}`;
  const rows = yield* all`
    SELECT ${GROUP} FROM patient_group g WHERE g.tenant = ${tenant} ${below} ORDER BY g.seq DESC LIMIT ${limit}`;
  return rows.map(toGroup);
}

export const getGroup = (_: CommandContext, { tenant, id }: { readonly tenant: string; readonly id: string }) =>
  find(tenant, id);

type Members = ExportReads['groups.members'];
export function* listMembers({ vault }: CommandContext, p: Members['args']): Program<Members['out']> {
  const only = p.which === 'linked' ? fragment`AND ${IS_LINKED}` : fragment``;
  const rows = yield* all`
    SELECT m.seq, m.group_seq, m.mrn_index, m.mrn_sealed, CASE WHEN ${IS_LINKED} THEN 1 ELSE 0 END AS is_linked
    FROM patient_group_member m
    WHERE m.tenant = ${p.tenant} AND m.group_seq = ${p.group} AND m.seq > ${p.after} ${only}
    ORDER BY m.seq LIMIT ${p.limit}`;
  return rows.map((row) => ({
    seq: Number(row['seq']),
    isLinked: Number(row['is_linked']) === 1,
    ...openMember(vault, row),
  }));
}

type Count = ExportReads['groups.count-linked'];
export function* countLinked(_: CommandContext, { tenant }: Count['args']): Program<number> {
  const row = yield* get`
    SELECT count(DISTINCT mrn_index) AS linked FROM link WHERE tenant = ${tenant} AND status = 'confirmed'`;
  return Number(row?.['linked'] ?? 0);
}
