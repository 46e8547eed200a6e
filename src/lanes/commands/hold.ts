import { move, type State } from '../../inbox/index.ts';
import { fragment, get, lockEach, run, type CommandContext, type Program } from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { Fence } from '../commands.ts';
import { deliveryOf, moveOf, stepsToSending, type Row } from '../rows.ts';
import { JOB_COLUMNS, STILL_LASTS } from './parts.ts';

/**
 * The job with its delivery, both held; `lost` where the lease is no longer ours, `gone` where the job was taken away.
 */
export function* holdJob(fence: Fence, jobSeq: number): Program<Row | 'gone' | 'lost'> {
  yield* lockEach([
    fragment`
      SELECT 1 AS held FROM source_user
      WHERE tenant = ${fence.tenant} AND user_index = (
        SELECT d.user_index FROM job j JOIN delivery d ON d.seq = j.delivery_seq WHERE j.seq = ${jobSeq}) FOR UPDATE`,
    fragment`
      SELECT 1 AS held FROM delivery WHERE seq = (SELECT delivery_seq FROM job WHERE seq = ${jobSeq}) FOR UPDATE`,
    fragment`
      SELECT 1 AS held FROM lane
      WHERE tenant = ${fence.tenant} AND target = ${TARGET} AND patient_index = ${fence.patient} FOR UPDATE`,
  ]);
  const row = yield* get`
    SELECT ${JOB_COLUMNS} FROM lane
    LEFT JOIN job j ON j.seq = ${jobSeq} AND j.state = 'queued' LEFT JOIN delivery d ON d.seq = j.delivery_seq
    WHERE lane.tenant = ${fence.tenant} AND lane.target = ${TARGET} AND lane.patient_index = ${fence.patient}
      AND lease_owner = ${fence.owner} AND lease_epoch = ${fence.epoch} ${STILL_LASTS}`;
  if (row === undefined) return 'lost';
  return row['seq'] === null ? 'gone' : row;
}

/** Whether the user of a job's delivery is linked to this patient. */
export const isLinkedTo = (patient: Uint8Array, row: Row): boolean =>
  row['linked_index'] instanceof Uint8Array && Buffer.compare(row['linked_index'], patient) === 0;

/**
 * Into `sending`, from wherever the last attempt left it. Whoever was at it before is gone, and nobody knows how far it
 * came.
 */
export function* startSending(
  context: CommandContext,
  tenant: string,
  row: Row,
  jobSeq: number,
  at: Date,
): Program<void> {
  if (Number(row['attempts']) > 0)
    yield* run`
      UPDATE attempt SET ended_at = ${at.getTime()}, outcome = 'lost' WHERE job_seq = ${jobSeq} AND ended_at IS NULL`;
  const [steps, delivery] = [stepsToSending(row['state'] as State), deliveryOf(row)];
  yield* move(
    context,
    steps.map((step) => ({ ...moveOf(delivery, tenant, at), ...step })),
  );
}
