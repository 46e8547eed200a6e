import { openPatient } from '../../identity/index.ts';
import { openBody } from '../../inbox/index.ts';
import {
  all,
  FOR_UPDATE_OF_FREE,
  fragment,
  get,
  LONG_AGO,
  MILLISECONDS,
  now,
  run,
  EARLIER,
  typed,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { Claimed, LaneWrites } from '../commands.ts';
import { deliveryOf, doubtOf, jobOf, plansOf, withoutAhead, type Row } from '../rows.ts';
import { isLinkedTo } from './hold.ts';
import { HEAD, inDoubt, READY } from './parts.ts';

/** A lane whose head waits for a retraction elsewhere is woken by its end, and looked at again then at the latest. */
const BLOCKED_MS = 60_000;

/** Whatever is counted from when this job was begun, or came into doubt, is counted from now at the latest. */
function* setBack(head: Row, patient: Uint8Array, at: Date): Program<void> {
  const atMs = at.getTime();
  yield* run`
    UPDATE job SET first_attempt_at = ${atMs} WHERE seq = ${Number(head['seq'])} AND first_attempt_at > ${atMs}`;
  yield* run`
    UPDATE attempt SET started_at = ${EARLIER}(started_at, ${typed('bigint', atMs)}),
      ended_at = CASE WHEN ended_at > ${atMs} THEN ${typed('bigint', atMs)} ELSE ended_at END
    WHERE ${inDoubt(fragment`d.seq = ${Number(head['delivery_seq'])}`, patient)}`;
}

/** The patient of a lane, as a link of the user names it. */
function* findMrn({ vault }: CommandContext, tenant: string, row: Row, patient: Uint8Array): Program<Claimed['mrn']> {
  const user = row['user_index'] as Uint8Array | null;
  if (user === null) return null;
  const linked = yield* get`
    SELECT id, mrn_sealed FROM link
    WHERE tenant = ${tenant} AND user_index = ${user} AND mrn_index = ${patient} ORDER BY seq DESC LIMIT 1`;
  return linked === undefined ? null : openPatient(vault, linked);
}

/** The head of a lane that is leased; null, and the lane is free again, where none can go on yet. */
function* claimHead(context: CommandContext, tenant: string, lane: Row, at: Date): Program<Claimed | null> {
  const patient = new Uint8Array(lane['patient_index'] as Uint8Array);
  const head = yield* get`
    ${HEAD} WHERE j.tenant = ${tenant} AND j.target = ${TARGET} AND j.patient_index = ${patient} AND ${READY}
    ORDER BY j.delivery_seq, j.seq LIMIT 1`;
  if (head === undefined) {
    yield* run`
      UPDATE lane SET lease_owner = NULL, lease_until = ${LONG_AGO},
        next_at = ${now(at)} + ${typed('int', BLOCKED_MS)}${MILLISECONDS}
      WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient}`;
    return null;
  }
  const { row, wasAhead } = withoutAhead(head, at);
  if (wasAhead) yield* setBack(head, patient, at);
  const delivery = deliveryOf(row);
  const isApproved = Number(row['is_approved']) === 1;
  return {
    patient,
    epoch: Number(lane['lease_epoch']),
    job: jobOf(row),
    delivery,
    doubtAt: doubtOf(row),
    body: row['sealed'] === null ? 'gone' : openBody(context.vault, row),
    mrn: yield* findMrn(context, tenant, row, patient),
    isLinked: isLinkedTo(patient, row),
    approvedPlans: isApproved ? yield* approvedPlans(delivery.seq) : [],
    isDecided: Number(row['is_decided']) === 1,
  };
}

function* approvedPlans(deliverySeq: number): Program<string[]> {
  return plansOf(
    yield* all`
      SELECT plan_digest FROM job
      WHERE delivery_seq = ${deliverySeq} AND approved_at IS NOT NULL AND plan_digest IS NOT NULL`,
  );
}

const nextAt = (lane: Row): number => Number(lane['next_at']);

type Claim = LaneWrites['lane.claim'];

/** Touches lanes alone, all that are due in one statement. */
export function* claim(
  context: CommandContext,
  { tenant, owner, at, leaseMs, limit }: Claim['args'],
): Program<Claim['out']> {
  const lanes = yield* all`
    WITH due AS (
      SELECT tenant, target, patient_index FROM lane
      WHERE target = ${TARGET} AND pending > 0 AND next_at <= ${now(at)} AND lease_until <= ${now(at)}
        AND tenant = ${tenant} AND NOT EXISTS (
          SELECT 1 FROM target t WHERE t.tenant = ${tenant} AND t.target = ${TARGET} AND t.shadow_since IS NOT NULL)
      ORDER BY next_at LIMIT ${limit} ${FOR_UPDATE_OF_FREE})
    UPDATE lane SET lease_owner = ${owner}, lease_epoch = lease_epoch + 1,
      lease_until = ${now(at)} + ${typed('int', leaseMs)}${MILLISECONDS}
    FROM due
    WHERE lane.tenant = due.tenant AND lane.target = due.target AND lane.patient_index = due.patient_index
    RETURNING lane.patient_index, lane.lease_epoch, lane.next_at`;
  const claimed: Claimed[] = [];
  for (const lane of lanes.toSorted((a, b) => nextAt(a) - nextAt(b))) {
    const one = yield* claimHead(context, tenant, lane, at);
    if (one !== null) claimed.push(one);
  }
  return { claimed, examined: lanes.length };
}
