import { appendSqlite } from '../audit/index.ts';
import { confirmedLinkSqlite, markUserSqlite } from '../identity/index.ts';
import { moveSqlite, type State } from '../inbox/index.ts';
import type { SqliteContext } from '../store/index.ts';
import { TARGET } from './enqueue/commands.ts';
import { keepForeign } from './act-sqlite.ts';
import { forwardAlerts } from './reforward-sqlite.ts';
import type { Claimed, Delivered, Fence, Finish, WrittenRow } from './commands.ts';
import {
  auditOfFinish,
  deliveryOf,
  endOf,
  faultOf,
  fromHex,
  IN_DOUBT,
  isFew,
  JOB_ROW,
  moveOf,
  nameBytes,
  OUTCOMES_IN_DOUBT,
  outcomeWord,
  sealId,
  stepBack,
  stepsToSending,
} from './rows.ts';

export const isHeld = ({ db }: SqliteContext, { tenant, patient, owner, epoch }: Fence): boolean =>
  db.get(
    'SELECT 1 AS held FROM lane WHERE tenant = ? AND target = ? AND patient_index = ? AND lease_owner = ? AND lease_epoch = ?',
    tenant,
    TARGET,
    patient,
    owner,
    epoch,
  ) !== undefined;

function stateOf({ db }: SqliteContext, seq: number): State {
  return db.get('SELECT state FROM delivery WHERE seq = ?', seq)?.['state'] as State;
}

/**
 * Into `sending`, from wherever the last attempt left it. Whoever was at it before is gone, and nobody knows how far it
 * came.
 */
export function startSending(
  context: SqliteContext,
  tenant: string,
  delivery: Claimed['delivery'],
  jobSeq: number,
  at: Date,
): void {
  context.db.run(
    `UPDATE attempt SET ended_at = ?, outcome = 'lost' WHERE job_seq = ? AND ended_at IS NULL`,
    at.getTime(),
    jobSeq,
  );
  const state = stateOf(context, delivery.seq);
  for (const step of stepsToSending(state)) moveSqlite(context, { ...moveOf(delivery, tenant, at), ...step });
}

function putWritten(
  { db, vault }: SqliteContext,
  { fence, at }: Finish,
  row: WrittenRow,
  seq: number,
  document: Uint8Array,
): void {
  db.run(
    `INSERT INTO written_resource (tenant, target, name, patient_index, document_index, chart_day, summary_group, resource_type, resource_id_sealed, version_id, content_digest, fingerprint, delivery_seq, written_at, said_at, kept_at, said_status, said_meaning)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant, target, patient_index, name) DO UPDATE SET document_index = excluded.document_index, summary_group = excluded.summary_group, chart_day = excluded.chart_day, resource_id_sealed = excluded.resource_id_sealed, version_id = excluded.version_id,
       content_digest = excluded.content_digest, fingerprint = excluded.fingerprint, kept_at = excluded.kept_at, delivery_seq = excluded.delivery_seq, written_at = excluded.written_at, said_at = excluded.said_at, said_status = excluded.said_status, said_meaning = excluded.said_meaning, retracted_at = NULL`,
    fence.tenant,
    TARGET,
    nameBytes(row.name),
    fence.patient,
    document,
    row.chartDay,
    row.group,
    row.resourceType,
    sealId(vault, 'written_resource', row),
    row.versionId,
    Buffer.from(row.contentDigest, 'hex'),
    Buffer.from(row.fingerprint, 'hex'),
    seq,
    at.getTime(),
    row.saidAt,
    row.effect === 'kept' ? at.getTime() : null,
    row.said?.status ?? null,
    fromHex(row.said?.meaning ?? null),
  );
}

/** What was left out of a version that is no longer the newest waits for nothing. */
function deliveredBecause({ db }: SqliteContext, { reason }: Delivered, seq: number): string | null {
  if (reason === undefined) return null;
  const current = db.get(
    'SELECT 1 AS current FROM delivery d JOIN document g ON g.tenant = d.tenant AND g.document_index = d.document_index AND g.seq = d.seq WHERE d.seq = ?',
    seq,
  );
  return current === undefined ? 'newer-version' : reason;
}

/** What becomes of the delivery. A retraction is not its delivery's affair. */
function moveBy(context: SqliteContext, f: Finish, delivery: Claimed['delivery']): void {
  const { fence, at, outcome } = f;
  const move = { ...moveOf(delivery, fence.tenant, at), faultCode: faultOf(outcome) };
  if (f.attemptId === null && outcome.kind !== 'put-back' && outcome.kind !== 'retry')
    startSending(context, fence.tenant, delivery, f.jobSeq, at);
  const from = stateOf(context, delivery.seq);
  switch (outcome.kind) {
    case 'delivered':
      moveSqlite(context, { ...move, from, to: 'delivered', reason: deliveredBecause(context, outcome, delivery.seq) });
      return;
    case 'park':
      moveSqlite(context, { ...move, from, to: 'parked', reason: outcome.reason });
      return;
    case 'unknown':
      moveSqlite(context, { ...move, from, to: 'unknown', reason: outcome.faultCode });
      return;
    case 'retry':
    case 'put-back': {
      const step = stepBack(from, f);
      if (step !== null) moveSqlite(context, { ...move, ...step });
    }
  }
}

/** The job was taken away while nothing of it was under way: its lane is free for the next. */
function release({ db }: SqliteContext, { tenant, patient }: Fence, nextAt: number): void {
  db.run(
    'UPDATE lane SET lease_owner = NULL, lease_until = 0, next_at = ? WHERE tenant = ? AND target = ? AND patient_index = ?',
    nextAt,
    tenant,
    TARGET,
    patient,
  );
}

/** What waited for a document to leave a chart need not wait any longer. */
function wakeOthers({ db }: SqliteContext, tenant: string, seq: number, at: Date): void {
  db.run(
    `UPDATE lane SET next_at = min(next_at, ?1) WHERE tenant = ?2 AND target = ?3 AND patient_index IN (
       SELECT j.patient_index FROM delivery d JOIN delivery o ON o.tenant = d.tenant AND o.document_index = d.document_index JOIN job j ON j.delivery_seq = o.seq
       WHERE d.seq = ?4 AND j.kind = 'deliver' AND j.state = 'queued')`,
    at.getTime(),
    tenant,
    TARGET,
    seq,
  );
}

export function finish(context: SqliteContext, f: Finish): 'done' | 'more' | 'lost' {
  const { db, vault } = context;
  const { fence, outcome, at } = f;
  if (!isHeld(context, fence)) return 'lost';
  const row = db.get(`${JOB_ROW} WHERE j.seq = ? AND j.state = 'queued'`, f.jobSeq);
  if (row === undefined) {
    release(context, fence, at.getTime());
    return 'lost';
  }
  const delivery = deliveryOf(row);
  const document = row['document_index'] as Uint8Array;
  for (const one of f.written) putWritten(context, f, one, delivery.seq, document);
  for (const { name, versionId, fingerprint } of f.retracted)
    db.run(
      'UPDATE written_resource SET retracted_at = ?, version_id = ?, fingerprint = ?, kept_at = NULL WHERE tenant = ? AND target = ? AND patient_index = ? AND name = ?',
      at.getTime(),
      versionId,
      fromHex(fingerprint),
      fence.tenant,
      TARGET,
      fence.patient,
      nameBytes(name),
    );
  for (const name of f.adopted?.names ?? [])
    db.run(
      'UPDATE written_resource SET document_index = ?, said_at = max(said_at, ?) WHERE tenant = ? AND target = ? AND patient_index = ? AND name = ? AND retracted_at IS NULL',
      document,
      f.adopted?.saidAt ?? 0,
      fence.tenant,
      TARGET,
      fence.patient,
      nameBytes(name),
    );
  if (f.isResolved)
    db.run(
      `UPDATE attempt SET resolved_at = ?, intents = NULL WHERE ${IN_DOUBT} WHERE d.seq = ? AND k.patient_index = ?) AND id <> ?`,
      at.getTime(),
      delivery.seq,
      fence.patient,
      f.attemptId ?? '',
    );
  if (f.attemptId !== null)
    db.run(
      `UPDATE attempt SET ended_at = ?, outcome = ?2, fault_code = ?, http_status = ?, intents = CASE WHEN ?2 IN (${OUTCOMES_IN_DOUBT}) THEN intents END WHERE id = ? AND ended_at IS NULL`,
      at.getTime(),
      outcomeWord(outcome),
      faultOf(outcome),
      f.httpStatus,
      f.attemptId,
    );
  if (row['kind'] === 'deliver') moveBy(context, f, delivery);
  const isOver = outcome.kind === 'delivered' || outcome.kind === 'park';
  const isRetraction = row['kind'] === 'retract';
  if (isOver)
    db.run(
      'UPDATE job SET state = ?, plan_digest = ? WHERE seq = ?',
      endOf(outcome, isRetraction),
      f.planDigest === undefined ? null : Buffer.from(f.planDigest, 'hex'),
      f.jobSeq,
    );
  else if (outcome.kind !== 'put-back')
    db.run(
      'UPDATE job SET attempts = attempts + ?, few_in_a_row = CASE WHEN ? = 1 THEN few_in_a_row + 1 ELSE 0 END, first_attempt_at = coalesce(first_attempt_at, ?) WHERE seq = ?',
      f.attemptId === null && outcome.kind === 'retry' ? 1 : 0,
      isFew(outcome) ? 1 : 0,
      at.getTime(),
      f.jobSeq,
    );
  const user = row['user_index'] as Uint8Array | null;
  if (row['kind'] === 'deliver' && user !== null) {
    const link = confirmedLinkSqlite(context, fence.tenant, user);
    const isHere = link !== null && Buffer.compare(link.mrnIndex, fence.patient) === 0;
    // The link may have changed while it was under way: then what was written must follow it.
    if (!isHere) markUserSqlite(context, fence.tenant, user, at);
    else if (f.alertDays !== undefined) forwardAlerts(context, fence, f.alertDays, delivery, at);
  }
  if (f.foreign !== undefined) keepForeign(context, fence.tenant, delivery.seq, at, f.foreign);
  if (isRetraction && outcome.kind === 'delivered') wakeOthers(context, fence.tenant, delivery.seq, at);
  const lane = db.get(
    `UPDATE lane SET lease_owner = NULL, lease_until = 0, pending = pending - ?, next_at = ? WHERE tenant = ? AND target = ? AND patient_index = ? RETURNING pending`,
    isOver ? 1 : 0,
    at.getTime() + ('afterMs' in outcome ? outcome.afterMs : 0),
    fence.tenant,
    TARGET,
    fence.patient,
  );
  if (f.attemptId !== null || f.written.length > 0) appendSqlite(context, auditOfFinish(vault, f, delivery));
  return Number(lane?.['pending']) > 0 ? 'more' : 'done';
}
