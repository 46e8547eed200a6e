import { append } from '../../../audit/index.ts';
import { forgetUser, lockUser } from '../../../identity/index.ts';
import { move } from '../../../inbox/index.ts';
import { all, forgetKeys, run, userIndex, type CommandContext, type Program } from '../../../store/index.ts';
import { TARGET } from '../../enqueue/commands.ts';
import type { EraseWrites } from '../commands.ts';
import {
  auditOfErasure,
  discardOf,
  exportedLinesOf,
  exportedOf,
  idsApartOf,
  ofUser,
  personsOf,
  WAITING,
  writtenUnderIds,
  type Owner,
} from '../tables.ts';
import { countLiveLinks, countMoving, findUndone } from './find.ts';

/** What one delivery holds, and what is known of it elsewhere. */
function* destroy(seq: number): Program<void> {
  yield* run`DELETE FROM delivery_body WHERE seq = ${seq}`;
  yield* run`DELETE FROM unclaimed_key WHERE seq = ${seq}`;
  yield* run`DELETE FROM delivery_finding WHERE seq = ${seq}`;
  yield* run`DELETE FROM delivery_note WHERE seq = ${seq}`;
  yield* run`DELETE FROM delivery_assignment WHERE seq = ${seq}`;
  yield* run`
    DELETE FROM delivery_digest WHERE seq = ${seq} AND (tenant, kind, digest) IN (
      SELECT tenant, hook, raw_digest FROM delivery WHERE seq = ${seq}
      UNION ALL SELECT tenant, 'content', content_digest FROM delivery WHERE seq = ${seq})`;
  yield* run`
    DELETE FROM document
    WHERE (tenant, document_index) IN (SELECT tenant, document_index FROM delivery WHERE seq = ${seq})`;
  yield* run`
    DELETE FROM foreign_change
    WHERE (tenant, delivery_seq) IN (SELECT tenant, seq FROM delivery WHERE seq = ${seq})`;
  yield* run`
    UPDATE attempt SET intents = NULL, issues = NULL
    WHERE (intents IS NOT NULL OR issues IS NOT NULL) AND job_seq IN (SELECT seq FROM job WHERE delivery_seq = ${seq})`;
  yield* run`DELETE FROM shadow_item WHERE job_seq IN (SELECT seq FROM job WHERE delivery_seq = ${seq})`;
  yield* run`DELETE FROM shadow_result WHERE job_seq IN (SELECT seq FROM job WHERE delivery_seq = ${seq})`;
  // What was left out of it waits for nothing any more.
  yield* run`UPDATE delivery SET reason = NULL WHERE seq = ${seq} AND state = 'delivered' AND reason = 'left-out'`;
  yield* run`UPDATE delivery SET user_sealed = NULL, findings_sealed = NULL, body_key_sealed = NULL WHERE seq = ${seq}`;
}

/** Who reads the ledger later finds the name, and that nobody knows the id. */
function* forgetIds(owner: Owner, limit: number): Program<number> {
  // In the order in which the end of an attempt locks them.
  const rows = yield* all`
    SELECT w.patient_index, w.document_index ${writtenUnderIds(owner)}
    ORDER BY w.patient_index, w.document_index LIMIT ${limit}`;
  for (const row of rows)
    yield* run`
      UPDATE written_document SET ids_sealed = NULL
      WHERE tenant = ${owner.tenant} AND target = ${TARGET} AND patient_index = ${row['patient_index'] as Uint8Array}
        AND document_index = ${row['document_index'] as Uint8Array}`;
  const apart = yield* all`SELECT w.patient_index, w.name ${idsApartOf(owner)} LIMIT ${limit}`;
  for (const row of apart)
    yield* run`
      DELETE FROM written_id
      WHERE tenant = ${owner.tenant} AND target = ${TARGET} AND patient_index = ${row['patient_index'] as Uint8Array}
        AND name = ${row['name'] as Uint8Array}`;
  return rows.length + apart.length;
}

/** What apps were told keeps its numbers, and says no more of what it was about. */
function* destroyNotifiedEvents(owner: Owner): Program<void> {
  yield* run`DELETE FROM event WHERE ${ofUser(owner)}`;
  yield* run`UPDATE subscription_event SET items_sealed = NULL WHERE ${ofUser(owner)} AND items_sealed IS NOT NULL`;
}

type Some = EraseWrites['erase.some'];

export function* eraseSome(
  context: CommandContext,
  { user: { client, user }, limit, ...act }: Some['args'],
): Program<Some['out']> {
  const owner = { tenant: act.tenant, index: userIndex(context.vault, client, user) };
  const rows = yield* findUndone(owner, limit);
  for (const row of rows) {
    if (WAITING.includes(row['state'])) yield* move(context, [discardOf(act, row)]);
    yield* destroy(Number(row['seq']));
  }
  return rows.length === 0 ? yield* forgetIds(owner, limit) : rows.length;
}

type Finish = EraseWrites['erase.finish'];

export function* finish(context: CommandContext, { user, counts, ...act }: Finish['args']): Program<Finish['out']> {
  const { tenant, at } = act;
  const { index } = yield* lockUser(context, tenant, user, at);
  const owner = { tenant, index };
  if ((yield* countLiveLinks(owner)) > 0) return 'linked';
  if ((yield* countMoving(owner)) > 0) return 'busy';
  if ((yield* findUndone(owner, 1)).length > 0) return 'more';
  // The end of the link has emptied it already; nothing is left to chance here.
  yield* run`
    UPDATE person SET facts_sealed = NULL WHERE (tenant, mrn_index) IN (SELECT tenant, mrn_index ${personsOf(owner)})`;
  // While the links still say who that is.
  yield* run`DELETE ${exportedLinesOf(owner)}`;
  yield* run`DELETE ${exportedOf(owner)}`;
  yield* forgetUser(tenant, index);
  yield* destroyNotifiedEvents(owner);
  yield* run`
    INSERT INTO user_key (tenant, user_index, key_sealed, made_at, erased_at)
    VALUES (${tenant}, ${index}, NULL, ${at.getTime()}, ${at.getTime()})
    ON CONFLICT (tenant, user_index) DO UPDATE SET key_sealed = NULL, erased_at = excluded.erased_at`;
  forgetKeys(context);
  yield* append(context, [auditOfErasure(context.vault, act, user, counts)]);
  return 'done';
}
