import { confirmedLink } from '../../identity/index.ts';
import { move, type State } from '../../inbox/index.ts';
import { FOR_UPDATE, get, lock, run, type CommandContext, type Program } from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { Claimed, Fence } from '../commands.ts';
import { moveOf, stepsToSending, type Row } from '../rows.ts';
import { JOB_ROW, STILL_LASTS } from './parts.ts';

/**
 * The job with its delivery, both held; `lost` where the lease is no longer ours, `gone` where the job was taken away.
 */
export function* holdJob(fence: Fence, jobSeq: number): Program<Row | 'gone' | 'lost'> {
  yield* lock`
    SELECT 1 AS held FROM source_user
    WHERE tenant = ${fence.tenant} AND user_index = (
      SELECT d.user_index FROM job j JOIN delivery d ON d.seq = j.delivery_seq WHERE j.seq = ${jobSeq}) FOR UPDATE`;
  yield* lock`
    SELECT 1 AS held FROM delivery WHERE seq = (SELECT delivery_seq FROM job WHERE seq = ${jobSeq}) FOR UPDATE`;
  const lane = yield* get`
    SELECT 1 AS held FROM lane
    WHERE tenant = ${fence.tenant} AND target = ${TARGET} AND patient_index = ${fence.patient}
      AND lease_owner = ${fence.owner} AND lease_epoch = ${fence.epoch} ${STILL_LASTS} ${FOR_UPDATE}`;
  if (lane === undefined) return 'lost';
  return (yield* get`${JOB_ROW} WHERE j.seq = ${jobSeq} AND j.state = 'queued'`) ?? 'gone';
}

export function* isLinkedTo({ tenant, patient }: Pick<Fence, 'tenant' | 'patient'>, row: Row): Program<boolean> {
  const user = row['user_index'] as Uint8Array | null;
  const link = user === null ? null : yield* confirmedLink(tenant, user);
  return link !== null && Buffer.compare(link.mrnIndex, patient) === 0;
}

export function* stateOf(deliverySeq: number): Program<State> {
  return (yield* get`SELECT state FROM delivery WHERE seq = ${deliverySeq}`)?.['state'] as State;
}

/**
 * Into `sending`, from wherever the last attempt left it. Whoever was at it before is gone, and nobody knows how far it
 * came.
 */
export function* startSending(
  context: CommandContext,
  tenant: string,
  delivery: Claimed['delivery'],
  jobSeq: number,
  at: Date,
): Program<void> {
  yield* run`
    UPDATE attempt SET ended_at = ${at.getTime()}, outcome = 'lost' WHERE job_seq = ${jobSeq} AND ended_at IS NULL`;
  const steps = stepsToSending(yield* stateOf(delivery.seq));
  yield* move(
    context,
    steps.map((step) => ({ ...moveOf(delivery, tenant, at), ...step })),
  );
}
