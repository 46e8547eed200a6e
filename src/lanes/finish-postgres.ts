import { appendPostgres } from '../audit/index.ts';
import { confirmedLinkPostgres, markUserPostgres } from '../identity/index.ts';
import { movePostgres, type State } from '../inbox/index.ts';
import type { PostgresContext } from '../store/index.ts';
import { TARGET } from './enqueue/commands.ts';
import { keepForeign } from './act-postgres.ts';
import { forwardAlerts } from './reforward-postgres.ts';
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
  type Row,
} from './rows.ts';

/**
 * The job with its delivery, both held; `lost` where the lease is no longer ours, null where the job was taken away.
 */
export async function holdJob(context: PostgresContext, fence: Fence, jobSeq: number): Promise<Row | null | 'lost'> {
  const { db } = context;
  const job = await db.get(
    'SELECT d.seq, d.user_index FROM job j JOIN delivery d ON d.seq = j.delivery_seq WHERE j.seq = $1',
    jobSeq,
  );
  await db.get(
    'SELECT 1 AS held FROM source_user WHERE tenant = $1 AND user_index = $2 FOR UPDATE',
    fence.tenant,
    job?.['user_index'] ?? null,
  );
  await db.get('SELECT 1 AS held FROM delivery WHERE seq = $1 FOR UPDATE', job?.['seq'] ?? null);
  const lane = await db.get(
    'SELECT 1 AS held FROM lane WHERE tenant = $1 AND target = $2 AND patient_index = $3 AND lease_owner = $4 AND lease_epoch = $5 AND lease_until > now() FOR UPDATE',
    fence.tenant,
    TARGET,
    fence.patient,
    fence.owner,
    fence.epoch,
  );
  if (lane === undefined) return 'lost';
  return (await db.get(`${JOB_ROW} WHERE j.seq = $1 AND j.state = 'queued'`, jobSeq)) ?? null;
}

const stateOf = async ({ db }: PostgresContext, seq: number): Promise<State> =>
  (await db.get('SELECT state FROM delivery WHERE seq = $1', seq))?.['state'] as State;

/**
 * Into `sending`, from wherever the last attempt left it. Whoever was at it before is gone, and nobody knows how far it
 * came.
 */
export async function startSending(
  context: PostgresContext,
  tenant: string,
  delivery: Claimed['delivery'],
  jobSeq: number,
  at: Date,
): Promise<void> {
  await context.db.run(
    `UPDATE attempt SET ended_at = $1, outcome = 'lost' WHERE job_seq = $2 AND ended_at IS NULL`,
    at.getTime(),
    jobSeq,
  );
  const state = await stateOf(context, delivery.seq);
  for (const step of stepsToSending(state)) await movePostgres(context, [{ ...moveOf(delivery, tenant, at), ...step }]);
}

async function putWritten(
  { db, vault }: PostgresContext,
  { fence, at }: Finish,
  row: WrittenRow,
  deliverySeq: number,
): Promise<void> {
  await db.run(
    `INSERT INTO written_resource (tenant, target, name, patient_index, document_index, chart_day, summary_group, resource_type, resource_id_sealed, version_id, content_digest, delivery_seq, written_at, said_at, fingerprint, kept_at, said_status, said_meaning)
     SELECT $1, $2, $3::bytea, $4::bytea, d.document_index, $5, $6, $7, $8::bytea, $9, $10::bytea, d.seq, $11::bigint, $13::bigint, $14::bytea, $15::bigint, $16, $17::bytea FROM delivery d WHERE d.seq = $12::bigint
     ON CONFLICT (tenant, target, patient_index, name) DO UPDATE SET document_index = excluded.document_index, summary_group = excluded.summary_group, chart_day = excluded.chart_day, resource_id_sealed = excluded.resource_id_sealed, version_id = excluded.version_id,
       content_digest = excluded.content_digest, fingerprint = excluded.fingerprint, kept_at = excluded.kept_at, delivery_seq = excluded.delivery_seq, written_at = excluded.written_at, said_at = excluded.said_at, said_status = excluded.said_status, said_meaning = excluded.said_meaning, retracted_at = NULL`,
    fence.tenant,
    TARGET,
    nameBytes(row.name),
    fence.patient,
    row.chartDay,
    row.group,
    row.resourceType,
    sealId(vault, 'written_resource', row),
    row.versionId,
    Buffer.from(row.contentDigest, 'hex'),
    at.getTime(),
    deliverySeq,
    row.saidAt,
    Buffer.from(row.fingerprint, 'hex'),
    row.effect === 'kept' ? at.getTime() : null,
    row.said?.status ?? null,
    fromHex(row.said?.meaning ?? null),
  );
}

/** What was left out of a version that is no longer the newest waits for nothing. */
async function deliveredBecause({ db }: PostgresContext, { reason }: Delivered, seq: number): Promise<string | null> {
  if (reason === undefined) return null;
  // The row of the document is where a newer version takes its place.
  const current = await db.get(
    'SELECT 1 AS current FROM delivery d JOIN document g ON g.tenant = d.tenant AND g.document_index = d.document_index AND g.seq = d.seq WHERE d.seq = $1 FOR SHARE OF g',
    seq,
  );
  return current === undefined ? 'newer-version' : reason;
}

/** What becomes of the delivery. A retraction is not its delivery's affair. */
async function moveBy(context: PostgresContext, f: Finish, delivery: Claimed['delivery']): Promise<void> {
  const { fence, at, outcome } = f;
  const move = { ...moveOf(delivery, fence.tenant, at), faultCode: faultOf(outcome) };
  if (f.attemptId === null && outcome.kind !== 'put-back' && outcome.kind !== 'retry')
    await startSending(context, fence.tenant, delivery, f.jobSeq, at);
  const from = await stateOf(context, delivery.seq);
  switch (outcome.kind) {
    case 'delivered':
      return movePostgres(context, [
        { ...move, from, to: 'delivered', reason: await deliveredBecause(context, outcome, delivery.seq) },
      ]);
    case 'park':
      return movePostgres(context, [{ ...move, from, to: 'parked', reason: outcome.reason }]);
    case 'unknown':
      return movePostgres(context, [{ ...move, from, to: 'unknown', reason: outcome.faultCode }]);
    case 'retry':
    case 'put-back': {
      const step = stepBack(from, f);
      if (step !== null) await movePostgres(context, [{ ...move, ...step }]);
    }
  }
}

/** The job was taken away while nothing of it was under way: its lane is free for the next. */
const release = async ({ db }: PostgresContext, { tenant, patient }: Fence): Promise<void> => {
  await db.run(
    `UPDATE lane SET lease_owner = NULL, lease_until = '-infinity', next_at = now() WHERE tenant = $1 AND target = $2 AND patient_index = $3`,
    tenant,
    TARGET,
    patient,
  );
};

/** What waited for a document to leave a chart need not wait any longer. */
async function wakeOthers({ db }: PostgresContext, tenant: string, seq: number): Promise<void> {
  await db.run(
    `UPDATE lane SET next_at = least(next_at, now()) WHERE tenant = $1 AND target = $2 AND patient_index IN (
       SELECT j.patient_index FROM delivery d JOIN delivery o ON o.tenant = d.tenant AND o.document_index = d.document_index JOIN job j ON j.delivery_seq = o.seq
       WHERE d.seq = $3 AND j.kind = 'deliver' AND j.state = 'queued')`,
    tenant,
    TARGET,
    seq,
  );
}

export async function finish(context: PostgresContext, f: Finish): Promise<'done' | 'more' | 'lost'> {
  const { db, vault } = context;
  const { fence, outcome, at } = f;
  const row = await holdJob(context, fence, f.jobSeq);
  if (row === 'lost') return 'lost';
  if (row === null) {
    await release(context, fence);
    return 'lost';
  }
  const delivery = deliveryOf(row);
  for (const one of f.written) await putWritten(context, f, one, delivery.seq);
  for (const { name, versionId, fingerprint } of f.retracted)
    await db.run(
      'UPDATE written_resource SET retracted_at = $1, version_id = $2, fingerprint = $7::bytea, kept_at = NULL WHERE tenant = $3 AND target = $4 AND patient_index = $5 AND name = $6',
      at.getTime(),
      versionId,
      fence.tenant,
      TARGET,
      fence.patient,
      nameBytes(name),
      fromHex(fingerprint),
    );
  for (const name of f.adopted?.names ?? [])
    await db.run(
      'UPDATE written_resource SET document_index = $1::bytea, said_at = greatest(said_at, $2::bigint) WHERE tenant = $3 AND target = $4 AND patient_index = $5 AND name = $6 AND retracted_at IS NULL',
      row['document_index'],
      f.adopted?.saidAt ?? 0,
      fence.tenant,
      TARGET,
      fence.patient,
      nameBytes(name),
    );
  if (f.isResolved)
    await db.run(
      `UPDATE attempt SET resolved_at = $1, intents = NULL WHERE ${IN_DOUBT} WHERE d.seq = $2 AND k.patient_index = $3) AND id <> $4`,
      at.getTime(),
      delivery.seq,
      fence.patient,
      f.attemptId ?? '',
    );
  if (f.attemptId !== null)
    await db.run(
      `UPDATE attempt SET ended_at = $1, outcome = $2::text, fault_code = $3, http_status = $4, intents = CASE WHEN $2::text IN (${OUTCOMES_IN_DOUBT}) THEN intents END WHERE id = $5 AND ended_at IS NULL`,
      at.getTime(),
      outcomeWord(outcome),
      faultOf(outcome),
      f.httpStatus,
      f.attemptId,
    );
  if (row['kind'] === 'deliver') await moveBy(context, f, delivery);
  const isOver = outcome.kind === 'delivered' || outcome.kind === 'park';
  const isRetraction = row['kind'] === 'retract';
  if (isOver)
    await db.run(
      'UPDATE job SET state = $1, plan_digest = $2::bytea WHERE seq = $3',
      endOf(outcome, isRetraction),
      f.planDigest === undefined ? null : Buffer.from(f.planDigest, 'hex'),
      f.jobSeq,
    );
  else if (outcome.kind !== 'put-back')
    await db.run(
      'UPDATE job SET attempts = attempts + $1::int, few_in_a_row = CASE WHEN $2::int = 1 THEN few_in_a_row + 1 ELSE 0 END, first_attempt_at = coalesce(first_attempt_at, $3) WHERE seq = $4',
      f.attemptId === null && outcome.kind === 'retry' ? 1 : 0,
      isFew(outcome) ? 1 : 0,
      at.getTime(),
      f.jobSeq,
    );
  const user = row['user_index'] as Uint8Array | null;
  if (row['kind'] === 'deliver' && user !== null) {
    const link = await confirmedLinkPostgres(context, fence.tenant, user);
    const isHere = link !== null && Buffer.compare(link.mrnIndex, fence.patient) === 0;
    // The link may have changed while it was under way: then what was written must follow it.
    if (!isHere) await markUserPostgres(context, fence.tenant, user, at);
    else if (f.alertDays !== undefined) await forwardAlerts(context, fence, f.alertDays, delivery, at);
  }
  if (f.foreign !== undefined) await keepForeign(context, fence.tenant, delivery.seq, at, f.foreign);
  if (isRetraction && outcome.kind === 'delivered') await wakeOthers(context, fence.tenant, delivery.seq);
  const lane = await db.get(
    `UPDATE lane SET lease_owner = NULL, lease_until = '-infinity', pending = pending - $1::int, next_at = now() + $2::int * interval '1 millisecond'
     WHERE tenant = $3 AND target = $4 AND patient_index = $5 RETURNING pending`,
    isOver ? 1 : 0,
    'afterMs' in outcome ? Math.round(outcome.afterMs) : 0,
    fence.tenant,
    TARGET,
    fence.patient,
  );
  if (f.attemptId !== null || f.written.length > 0) await appendPostgres(context, [auditOfFinish(vault, f, delivery)]);
  return Number(lane?.['pending']) > 0 ? 'more' : 'done';
}
