import { actorOf, append, type AuditDraft } from '../../audit/index.ts';
import { all, FOR_UPDATE, get, run, words, type CommandContext, type Program } from '../../store/index.ts';
import { NOTES_MAX, type Act, type InboxReads, type InboxWrites } from '../commands.ts';
import { KEYS, openNote, sealNote, type Row } from '../rows.ts';

/* Who looks after a delivery, and what people wrote down of it. */

const KEY_COLUMNS = words(KEYS);

const auditOf = (
  { at, tenant, requestId, id, ...who }: Act,
  what: Pick<AuditDraft, 'why' | 'operatorId'>,
): AuditDraft => ({
  at,
  type: 'admin',
  tenant,
  requestId,
  action: 'U',
  outcome: '0',
  ...actorOf(who),
  deliveryId: id,
  ...what,
});

function* hold({ tenant, id }: Act): Program<Row | undefined> {
  return yield* get`
    SELECT ${KEY_COLUMNS}, d.seq, d.id, d.user_sealed FROM delivery d
    WHERE d.tenant = ${tenant} AND d.id = ${id} ${FOR_UPDATE}`;
}

type Assign = InboxWrites['inbox.assign'];

export function* assign(context: CommandContext, { operator, ...act }: Assign['args']): Program<Assign['out']> {
  const row = yield* hold(act);
  if (row === undefined) return 'not-found';
  const seq = Number(row['seq']);
  yield* run`DELETE FROM delivery_assignment WHERE seq = ${seq}`;
  if (operator !== null)
    yield* run`
      INSERT INTO delivery_assignment (seq, tenant, operator, assigned_at)
      VALUES (${seq}, ${act.tenant}, ${operator}, ${act.at.getTime()})`;
  yield* append(context, [auditOf(act, { why: 'assign', ...(operator === null ? {} : { operatorId: operator }) })]);
  return 'done';
}

type Note = InboxWrites['inbox.note'];

export function* note(context: CommandContext, { text, ...act }: Note['args']): Program<Note['out']> {
  const row = yield* hold(act);
  if (row === undefined) return 'not-found';
  // Its user was erased, or is being erased: nothing more is kept of it.
  if (row['user_index'] !== null && row['user_sealed'] === null) return 'not-in-a-state-for-it';
  const seq = Number(row['seq']);
  const last = yield* get`SELECT coalesce(max(n), 0) AS n FROM delivery_note WHERE seq = ${seq}`;
  const n = Number(last?.['n']) + 1;
  if (n > NOTES_MAX) return 'full';
  yield* run`
    INSERT INTO delivery_note (seq, n, at, actor, text_sealed)
    VALUES (${seq}, ${n}, ${act.at.getTime()}, ${act.actor}, ${sealNote(context.vault, row, n, text)})`;
  yield* append(context, [auditOf(act, { why: 'note' })]);
  return 'done';
}

type Work = InboxReads['inbox.work'];

export function* work({ vault }: CommandContext, { tenant, id }: Work['args']): Program<Work['out']> {
  const row = yield* get`
    SELECT ${KEY_COLUMNS}, d.seq, d.id, (SELECT a.operator FROM delivery_assignment a WHERE a.seq = d.seq) AS operator
    FROM delivery d WHERE d.tenant = ${tenant} AND d.id = ${id}`;
  if (row === undefined) return null;
  const notes = yield* all`
    SELECT n, at, actor, text_sealed FROM delivery_note WHERE seq = ${Number(row['seq'])} ORDER BY n`;
  return {
    operator: row['operator'] as string | null,
    notes: notes.map((one) => ({
      at: Number(one['at']),
      actor: String(one['actor']),
      text: openNote(vault, row, Number(one['n']), one['text_sealed'] as Uint8Array),
    })),
  };
}
