import type { Settle } from '../../inbox/index.ts';
import {
  fragment,
  get,
  MILLISECONDS,
  now,
  patientIndex,
  typed,
  type CommandContext,
  type Fragment,
  type Program,
} from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { ClaimWish, FastClaimed, Fence } from '../commands.ts';
import { chartIndex, deliveryOf, jobOf } from '../rows.ts';
import { nobodyAt, putAttempt } from './begin.ts';
import { writtenByOthers } from './ledger.ts';
import { JOB_ROW } from './parts.ts';

/** Of a lane: nobody is at it, it is due, and there is one delivery in it. */
const isFree = (at: Date): Fragment => fragment`pending = 1 AND lease_until <= ${now(at)} AND next_at <= ${now(at)}`;

/**
 * Leases a lane that is free and due and has this one delivery, and enters its chart where one is given. The epoch of
 * the lease; null where the lane is not to be had, or the chart is busy.
 */
function* lease(
  { tenant, patient }: Pick<Fence, 'tenant' | 'patient'>,
  { owner, leaseMs }: ClaimWish,
  at: Date,
  chart: Uint8Array | null,
): Program<number | null> {
  const [entering, alone] =
    chart === null
      ? [fragment``, fragment``]
      : [
          fragment`, chart_index = ${chart}, chart_epoch = lease_epoch + 1`,
          fragment`AND ${nobodyAt({ tenant, patient }, fragment`${chart}`, at)}`,
        ];
  const leased = yield* get`
    UPDATE lane SET lease_owner = ${owner}, lease_epoch = lease_epoch + 1,
      lease_until = ${now(at)} + ${typed('int', leaseMs)}${MILLISECONDS} ${entering}
    WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient}
      AND ${isFree(at)} ${alone}
    RETURNING lease_epoch`;
  return leased === undefined ? null : Number(leased['lease_epoch']);
}

/**
 * Claims a delivery in the commit that has just put it into its lane, and begins its attempt; the change of its own row
 * to `sending` is left to the caller, who changes that row anyway. Only what needs no second look: the first delivery of
 * its document, on its first way, alone in a lane that is free and due. So nothing of it is in doubt, owed to another
 * chart, approved or decided on by a person; whatever else is claimed in the usual way, and so is everything on a
 * database that others write to as well: `lane.begin` locks in an order that settling does not have.
 */
export function* fastClaim(
  context: CommandContext,
  { tenant, seq, at }: Settle,
  wish: ClaimWish,
  document: Uint8Array | null,
): Program<FastClaimed | null> {
  if (context.engine !== 'sqlite' || document === null) return null;
  const patient = patientIndex(context.vault, wish.patient.mrnSystem, wish.patient.mrn);
  const row = yield* get`
    ${JOB_ROW}
    WHERE j.delivery_seq = ${seq} AND j.state = 'queued' AND j.kind = 'deliver' AND j.target = ${TARGET}
      AND j.patient_index = ${patient}
      AND NOT EXISTS (SELECT 1 FROM delivery o
        WHERE o.tenant = d.tenant AND o.document_index = ${document} AND o.seq <> d.seq)
      AND NOT EXISTS (SELECT 1 FROM delivery_step s WHERE s.seq = d.seq)
      AND EXISTS (SELECT 1 FROM lane l
        WHERE l.tenant = j.tenant AND l.target = j.target AND l.patient_index = j.patient_index AND ${isFree(at)})
      AND NOT EXISTS (SELECT 1 FROM target t
        WHERE t.tenant = d.tenant AND t.target = j.target AND (t.paused_at IS NOT NULL OR t.shadow_since IS NOT NULL))`;
  if (row === undefined) return null;
  const [job, delivery] = [jobOf(row), deliveryOf(row)];
  const asked = { names: JSON.parse(wish.names) as string[], alertsOf: wish.alertsOf ?? null };
  const ledger = yield* writtenByOthers(context, { tenant, patient, document }, asked, delivery.id);
  const attempt = ledger.length > 0 ? null : wish.attempt;
  const lane = { tenant, patient };
  const entered = attempt === null ? null : yield* lease(lane, wish, at, chartIndex(context.vault, attempt.chart));
  const epoch = entered ?? (yield* lease(lane, wish, at, null));
  if (epoch === null) return null;
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
  if (attempt === null || entered === null) return { claimed, ledger, attemptId: null };
  yield* putAttempt({ tenant, epoch }, job.seq, attempt, at);
  return { claimed, ledger, attemptId: attempt.id };
}
