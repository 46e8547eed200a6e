import type { PostgresContext } from '../store/index.ts';
import type { LaneChanges } from './adjust.ts';
import { TARGET } from './commands.ts';

/** What is written of a document waits for every retraction of it that is still to come; a retraction waits for nothing. */
const AFTER = `(SELECT max(r.seq) FROM delivery o JOIN job r ON r.delivery_seq = o.seq
  WHERE o.tenant = d.tenant AND o.document_index = d.document_index AND r.kind = 'retract' AND r.state = 'queued')`;

export async function enqueuePostgres(
  { db }: PostgresContext,
  lanes: LaneChanges,
  tenant: string,
  kind: 'deliver' | 'retract',
  patient: Uint8Array,
  seqs: readonly number[],
): Promise<void> {
  if (seqs.length === 0) return;
  await db.run(
    `INSERT INTO job (tenant, target, patient_index, kind, delivery_seq, state, after_job)
     SELECT $1, $2, $3, $4::text, d.seq, 'queued', CASE WHEN $4::text = 'deliver' THEN ${AFTER} END FROM delivery d WHERE d.seq = ANY($5::bigint[]) ORDER BY d.seq`,
    tenant,
    TARGET,
    patient,
    kind,
    seqs,
  );
  lanes.add(patient, seqs.length);
}

/** Takes deliveries out of their lanes. Retractions stay: they are owed to another patient. */
export async function cancelPostgres({ db }: PostgresContext, lanes: LaneChanges, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return;
  const rows = await db.all(
    `UPDATE job SET state = 'cancelled' WHERE delivery_seq = ANY($1::bigint[]) AND kind = 'deliver' AND state = 'queued' RETURNING patient_index`,
    seqs,
  );
  for (const row of rows) lanes.add(row['patient_index'] as Uint8Array, -1);
}

/** Last of all locks, and in one order, so that two transactions over the same lanes cannot wait for each other in a circle. */
export async function changeLanesPostgres({ db }: PostgresContext, tenant: string, lanes: LaneChanges): Promise<void> {
  for (const { patient, by } of lanes.inOrder())
    await (by > 0
      ? db.run(
          `INSERT INTO lane (tenant, target, patient_index, pending) VALUES ($1, $2, $3, $4)
           ON CONFLICT (tenant, target, patient_index) DO UPDATE SET pending = lane.pending + excluded.pending`,
          tenant,
          TARGET,
          patient,
          by,
        )
      : db.run(
          'UPDATE lane SET pending = pending + $4 WHERE tenant = $1 AND target = $2 AND patient_index = $3',
          tenant,
          TARGET,
          patient,
          by,
        ));
}
