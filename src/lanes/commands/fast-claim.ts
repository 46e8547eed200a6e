import type { Settle } from '../../inbox/index.ts';
import {
  fragment,
  get,
  MILLISECONDS,
  now,
  patientIndex,
  runEach,
  tryLock,
  typed,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import { putJob } from '../enqueue/commands/jobs.ts';
import type { Claimed, ClaimWish, FastClaimed, Fence } from '../commands.ts';
import { chartIndex } from '../rows.ts';
import { attemptRow, nobodyAt } from './begin.ts';
import { writtenByOthers } from './ledger.ts';
import { ofUser } from './parts.ts';

/** A delivery that goes into its lane. */
interface Queued {
  readonly delivery: Claimed['delivery'];
  /** Its user, and the patient whom the user is linked to. */
  readonly user: Uint8Array;
  readonly patient: Uint8Array;
  /** Which it is the first delivery of. */
  readonly document: Uint8Array;
}

const FIRST_WAY = { kind: 'deliver', attempts: 0, fewInARow: 0, firstAttemptAt: null, because: 'relinked' } as const;

/**
 * Leases a lane that is free and due and has this one delivery, of a target that takes it, and enters its chart where
 * one is given. The epoch of the lease; null where the lane is not to be had, or the chart is busy.
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
    WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient} AND pending = 1
      AND lease_until <= ${now(at)} AND next_at <= ${now(at)} ${alone}
      AND NOT EXISTS (SELECT 1 FROM target t
        WHERE t.tenant = ${tenant} AND t.target = ${TARGET} AND (t.paused_at IS NOT NULL OR t.shadow_since IS NOT NULL))
    RETURNING lease_epoch`;
  return leased === undefined ? null : Number(leased['lease_epoch']);
}

/** The same with its chart. Two that enter one chart at once do not see each other's rows: the second only claims. */
function* leaseWithChart(
  { vault }: CommandContext,
  lane: Pick<Fence, 'tenant' | 'patient'>,
  wish: ClaimWish,
  at: Date,
  chart: string,
): Program<number | null> {
  const index = chartIndex(vault, chart);
  return (yield* tryLock(index.readBigInt64BE(0))) ? yield* lease(lane, wish, at, index) : null;
}

/**
 * Claims a delivery in the commit that puts it into its lane, and begins its attempt; the change of its own row to
 * `sending` is left to the caller, who changes that row anyway. Only what needs no second look: the first delivery of
 * its document, on its first way, alone in a lane that is free and due. So nothing of it is in doubt, owed to another
 * chart, approved or decided on by a person; whatever else is claimed in the usual way. Its user, its delivery and its
 * lane are held already, in the order in which `lane.begin` takes them.
 */
export function* fastClaim(
  context: CommandContext,
  { tenant, at }: Settle,
  wish: ClaimWish,
  one: Queued,
): Program<FastClaimed | null> {
  const { delivery, patient, document } = one;
  const wished = patientIndex(context.vault, wish.patient.mrnSystem, wish.patient.mrn);
  if (Buffer.compare(wished, patient) !== 0) return null;
  const asked = { names: JSON.parse(wish.names) as string[], shelves: wish.shelves, alertsOf: wish.alertsOf ?? null };
  const ledger = yield* writtenByOthers(context, { tenant, patient, document }, asked, ofUser(one.user));
  const attempt = ledger.length > 0 ? null : wish.attempt;
  const lane = { tenant, patient };
  const entered = attempt === null ? null : yield* leaseWithChart(context, lane, wish, at, attempt.chart);
  const epoch = entered ?? (yield* lease(lane, wish, at, null));
  if (epoch === null) return null;
  const begun = entered === null ? null : attempt;
  const jobSeq = yield* putJob(tenant, patient, delivery.seq, begun === null ? null : at);
  if (begun !== null) yield* runEach([attemptRow({ tenant, epoch }, jobSeq, begun, at)]);
  const claimed = {
    patient,
    epoch,
    job: { ...FIRST_WAY, seq: jobSeq },
    delivery,
    doubtAt: null,
    body: 'held',
    mrn: wish.patient,
    isLinked: true,
    approvedPlans: [],
    isDecided: false,
  } as const;
  return { claimed, ledger, attemptId: begun?.id ?? null };
}
