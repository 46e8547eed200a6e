import { moveSqlite, type Settle } from '../inbox/index.ts';
import { patientIndex, type SqliteContext } from '../store/index.ts';
import { TARGET } from './enqueue/commands.ts';
import { enterChart } from './act-sqlite.ts';
import type { FastClaimed, ClaimWish, Fence } from './commands.ts';
import { writtenByOthers } from './ledger-sqlite.ts';
import { deliveryOf, JOB_ROW, jobOf, moveOf } from './rows.ts';

/** The row that must be on stable storage before the first byte goes out. */
export function putAttempt(
  { db }: SqliteContext,
  fence: Fence,
  jobSeq: number,
  attempt: Pick<NonNullable<ClaimWish['attempt']>, 'id' | 'requestDigest' | 'intents'>,
  at: Date,
): void {
  db.run(
    'INSERT INTO attempt (tenant, id, job_seq, lease_epoch, request_digest, intents, started_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    fence.tenant,
    attempt.id,
    jobSeq,
    fence.epoch,
    Buffer.from(attempt.requestDigest, 'hex'),
    attempt.intents,
    at.getTime(),
  );
  db.run(
    'UPDATE job SET attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, ?) WHERE seq = ?',
    at.getTime(),
    jobSeq,
  );
}

/**
 * Claims a delivery in the commit that has just put it into its lane, and begins its attempt. Only what needs no second
 * look: the first delivery of its document, on its first way, alone in a lane that is free and due. So nothing of it is
 * in doubt, owed to another chart, approved or decided on by a person; whatever else is claimed in the usual way.
 */
export function fastClaim(context: SqliteContext, { tenant, seq, at }: Settle, wish: ClaimWish): FastClaimed | null {
  const { db, vault } = context;
  const patient = patientIndex(vault, wish.patient.mrnSystem, wish.patient.mrn);
  if (
    db.get(
      'SELECT 1 AS waits FROM target WHERE tenant = ? AND target = ? AND (paused_at IS NOT NULL OR shadow_since IS NOT NULL)',
      tenant,
      TARGET,
    ) !== undefined
  )
    return null;
  const row = db.get(
    `${JOB_ROW} WHERE j.delivery_seq = ? AND j.state = 'queued' AND j.kind = 'deliver' AND j.target = ? AND j.patient_index = ?
       AND NOT EXISTS (SELECT 1 FROM delivery o WHERE o.tenant = d.tenant AND o.document_index = d.document_index AND o.seq <> d.seq)
       AND NOT EXISTS (SELECT 1 FROM delivery_step s WHERE s.seq = d.seq AND s.n > 1)`,
    seq,
    TARGET,
    patient,
  );
  const document = (row?.['document_index'] ?? null) as Uint8Array | null;
  if (row === undefined || document === null) return null;
  const leased = db.get(
    `UPDATE lane SET lease_owner = ?1, lease_epoch = lease_epoch + 1, lease_until = ?2
     WHERE tenant = ?3 AND target = ?4 AND patient_index = ?5 AND pending = 1 AND lease_until <= ?6 AND next_at <= ?6 RETURNING lease_epoch`,
    wish.owner,
    at.getTime() + wish.leaseMs,
    tenant,
    TARGET,
    patient,
    at.getTime(),
  );
  if (leased === undefined) return null;
  const epoch = Number(leased['lease_epoch']);
  const job = jobOf(row);
  const delivery = deliveryOf(row);
  const claimed = {
    patient,
    epoch,
    job,
    delivery,
    doubtAt: null,
    body: 'held',
    mrn: wish.patient,
    isLinked: true,
    approvedPlans: [],
    isDecided: false,
  } as const;
  const ledger = writtenByOthers(context, tenant, patient, document, {
    names: wish.names,
    alertsOf: wish.alertsOf ?? null,
    deliveryId: delivery.id,
  });
  const fence = { tenant, owner: wish.owner, patient, epoch };
  if (wish.attempt === null || ledger.length > 0) return { claimed, ledger, attemptId: null };
  if (enterChart(context, fence, wish.attempt.chart, at, wish.leaseMs) === 'busy')
    return { claimed, ledger, attemptId: null };
  moveSqlite(context, { ...moveOf(delivery, tenant, at), from: 'queued', to: 'sending', reason: null });
  putAttempt(context, fence, job.seq, wish.attempt, at);
  return { claimed, ledger, attemptId: wish.attempt.id };
}
