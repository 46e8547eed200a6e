import { all, among, insert, insertOne, RETURNING_SEQ, rowsOf, send, type Program } from '../../../store/index.ts';
import type { LaneChanges } from '../adjust.ts';
import { TARGET, type RetractBecause } from '../commands.ts';

const JOB = rowsOf('job', {
  tenant: 'text',
  target: 'text',
  patient_index: 'bytea',
  kind: 'text',
  delivery_seq: 'bigint',
  state: 'text',
  because: 'text',
});

/** One delivery, with its first attempt where that is begun in the same commit; the place of the job. */
export function* putJob(
  tenant: string,
  patient: Uint8Array,
  deliverySeq: number,
  begunAt: Date | null,
): Program<number> {
  return yield* insertOne`
    INSERT INTO job (tenant, target, patient_index, kind, delivery_seq, state, attempts, first_attempt_at)
    VALUES (${tenant}, ${TARGET}, ${patient}, 'deliver', ${deliverySeq}, 'queued', ${begunAt === null ? 0 : 1},
      ${begunAt?.getTime() ?? null})
    ${RETURNING_SEQ}`;
}

/** In the order of arrival. */
export function* enqueue(
  lanes: LaneChanges,
  tenant: string,
  kind: 'deliver' | 'retract',
  patient: Uint8Array,
  seqs: readonly number[],
  because: RetractBecause | null = null,
): Program<void> {
  const job = { tenant, target: TARGET, patient_index: patient, kind, state: 'queued', because };
  yield* insert(
    JOB,
    seqs.toSorted((a, b) => a - b).map((seq) => ({ ...job, delivery_seq: seq })),
  );
  if (seqs.length > 0) lanes.add(patient, seqs.length);
}

/** Takes deliveries out of their lanes. Retractions stay: they are owed to another patient. */
export function* cancel(lanes: LaneChanges, seqs: readonly number[]): Program<void> {
  if (seqs.length === 0) return;
  const rows = yield* all`
    UPDATE job SET state = 'cancelled'
    WHERE delivery_seq ${among('bigint', seqs)} AND kind = 'deliver' AND state = 'queued'
    RETURNING patient_index`;
  for (const row of rows) lanes.add(row['patient_index'] as Uint8Array, -1);
}

/** Last of all locks, and in one order: two transactions over the same lanes cannot wait for each other in a circle. */
export function* changeLanes(tenant: string, lanes: LaneChanges): Program<void> {
  for (const { patient, by } of lanes.inOrder())
    if (by > 0)
      yield* send`
        INSERT INTO lane (tenant, target, patient_index, pending) VALUES (${tenant}, ${TARGET}, ${patient}, ${by})
        ON CONFLICT (tenant, target, patient_index) DO UPDATE SET pending = lane.pending + excluded.pending`;
    else
      yield* send`
        UPDATE lane SET pending = pending + ${by}
        WHERE tenant = ${tenant} AND target = ${TARGET} AND patient_index = ${patient}`;
}
