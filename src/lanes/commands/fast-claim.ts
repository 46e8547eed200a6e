import { move, type Settle } from '../../inbox/index.ts';
import { get, MILLISECONDS, now, patientIndex, typed, type CommandContext, type Program } from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { FastClaimed, ClaimWish } from '../commands.ts';
import { deliveryOf, jobOf, moveOf } from '../rows.ts';
import { enterChart, putAttempt } from './begin.ts';
import { writtenByOthers } from './ledger.ts';
import { JOB_ROW } from './parts.ts';

/**
 * Claims a delivery in the commit that has just put it into its lane, and begins its attempt. Only what needs no second
 * look: the first delivery of its document, on its first way, alone in a lane that is free and due. So nothing of it is
 * in doubt, owed to another chart, approved or decided on by a person; whatever else is claimed in the usual way, and
 * so is everything on a database that others write to as well: `lane.begin` locks in an order that settling does not
 * have.
 */
export function* fastClaim(
  context: CommandContext,
  { tenant, seq, at }: Settle,
  wish: ClaimWish,
): Program<FastClaimed | null> {
  if (context.engine !== 'sqlite') return null;
  const patient = patientIndex(context.vault, wish.patient.mrnSystem, wish.patient.mrn);
  const waits = yield* get`
    SELECT 1 AS waits FROM target
    WHERE tenant = ${tenant} AND target = ${TARGET} AND (paused_at IS NOT NULL OR shadow_since IS NOT NULL)`;
  if (waits !== undefined) return null;
  const row = yield* get`
    ${JOB_ROW}
    WHERE j.delivery_seq = ${seq} AND j.state = 'queued' AND j.kind = 'deliver' AND j.target = ${TARGET}
      AND j.patient_index = ${patient}
      AND NOT EXISTS (SELECT 1 FROM delivery o
        WHERE o.tenant = d.tenant AND o.document_index = d.document_index AND o.seq <> d.seq)
      AND NOT EXISTS (SELECT 1 FROM delivery_step s WHERE s.seq = d.seq AND s.n > 1)`;
  const document = (row?.['document_index'] ?? null) as Uint8Array | null;
  if (row === undefined || document === null) return null;
  const leased = yield* get`
    UPDATE lane SET lease_owner = ${wish.owner}, lease_epoch = lease_epoch + 1,
      lease_until = ${now(at)} + ${typed('int', wish.leaseMs)}${MILLISECONDS}
    WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient} AND pending = 1
      AND lease_until <= ${now(at)} AND next_at <= ${now(at)}
    RETURNING lease_epoch`;
  if (leased === undefined) return null;
  const fence = { tenant, owner: wish.owner, patient, epoch: Number(leased['lease_epoch']) };
  const [job, delivery] = [jobOf(row), deliveryOf(row)];
  const claimed = {
    patient,
    epoch: fence.epoch,
    job,
    delivery,
    doubtAt: null,
    body: 'held',
    mrn: wish.patient,
    isLinked: true,
    approvedPlans: [],
    isDecided: false,
  } as const;
  const asked = { names: JSON.parse(wish.names) as string[], alertsOf: wish.alertsOf ?? null };
  const ledger = yield* writtenByOthers(context, { tenant, patient, document }, asked, delivery.id);
  if (wish.attempt === null || ledger.length > 0) return { claimed, ledger, attemptId: null };
  if ((yield* enterChart(context, fence, wish.attempt.chart, at, wish.leaseMs)) === 'busy')
    return { claimed, ledger, attemptId: null };
  yield* move(context, [{ ...moveOf(delivery, tenant, at), from: 'queued', to: 'sending', reason: null }]);
  yield* putAttempt(fence, job.seq, wish.attempt, at);
  return { claimed, ledger, attemptId: wish.attempt.id };
}
