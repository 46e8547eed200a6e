import {
  fragment,
  MILLISECONDS,
  now,
  part,
  rightNow,
  run,
  runEach,
  tryLock,
  typed,
  type CommandContext,
  type Fragment,
  type Program,
} from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { ClaimWish, Fence, LaneWrites } from '../commands.ts';
import { chartIndex } from '../rows.ts';
import { holdJob, isLinkedTo, startSending } from './hold.ts';

/** SQLite would walk along all lanes. */
const BY_CHART = part('INDEXED BY lane_by_chart', '');

/** No other lane is at this chart just now. */
export const nobodyAt = ({ tenant, patient }: Pick<Fence, 'tenant' | 'patient'>, chart: Fragment, at: Date): Fragment =>
  fragment`NOT EXISTS (
    SELECT 1 FROM lane o ${BY_CHART}
    WHERE o.tenant = ${tenant} AND o.target = ${TARGET} AND o.chart_index = ${chart}
      AND o.patient_index <> ${patient} AND o.chart_epoch = o.lease_epoch AND o.lease_until > ${now(at)})`;

/**
 * Renews the lease for a write to this chart, unless another lane is at the same chart: after a merge two MRNs lead to
 * one.
 */
function* enterChart(
  { vault }: CommandContext,
  { tenant, patient }: Fence,
  chart: string | null,
  at: Date,
  leaseMs: number,
): Program<'entered' | 'busy'> {
  const index = chart === null ? null : chartIndex(vault, chart);
  // Two that enter at once do not see each other's rows. Whoever comes second does not wait for the lock: in a batch of
  // commands, two that wait for each other's charts would stand still.
  if (index !== null && !(yield* tryLock(index.readBigInt64BE(0)))) return 'busy';
  const changed = yield* run`
    UPDATE lane SET lease_until = ${rightNow(at)} + ${typed('int', leaseMs)}${MILLISECONDS},
      chart_index = coalesce(${typed('bytea', index)}, chart_index), chart_epoch = lease_epoch
    WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient}
      AND ${nobodyAt({ tenant, patient }, fragment`coalesce(${typed('bytea', index)}, lane.chart_index)`, at)}`;
  return changed === 1 ? 'entered' : 'busy';
}

/** The row that must be on stable storage before the first byte goes out. */
export const attemptRow = (
  fence: Pick<Fence, 'tenant' | 'epoch'>,
  jobSeq: number,
  attempt: Pick<NonNullable<ClaimWish['attempt']>, 'id' | 'requestDigest' | 'intents'>,
  at: Date,
): Fragment => fragment`
  INSERT INTO attempt (tenant, id, job_seq, lease_epoch, request_digest, intents, started_at)
  VALUES (${fence.tenant}, ${attempt.id}, ${jobSeq}, ${fence.epoch}, ${Buffer.from(attempt.requestDigest, 'hex')},
    ${attempt.intents}, ${at.getTime()})`;

type Begin = LaneWrites['lane.begin'];

export function* begin(
  context: CommandContext,
  { fence, jobSeq, attemptId, requestDigest, intents, chart, mode, leaseMs, at }: Begin['args'],
): Program<Begin['out']> {
  const row = yield* holdJob(fence, jobSeq);
  if (row === 'gone' || row === 'lost') return 'lost';
  // Since the claim the link may have gone to somebody else: then nothing of it may go out.
  if (row['kind'] === 'deliver' && mode === 'write' && !isLinkedTo(fence.patient, row)) return 'lost';
  if ((yield* enterChart(context, fence, chart, at, leaseMs)) === 'busy') return 'busy';
  if (row['kind'] === 'deliver') yield* startSending(context, fence.tenant, row, jobSeq, at);
  yield* runEach([
    attemptRow(fence, jobSeq, { id: attemptId, requestDigest, intents }, at),
    fragment`
      UPDATE job SET attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, ${at.getTime()})
      WHERE seq = ${jobSeq}`,
  ]);
  return 'begun';
}
