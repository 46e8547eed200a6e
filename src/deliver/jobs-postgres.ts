import type { PostgresContext } from '../store/index.ts';
import type { LaneChanges } from './adjust.ts';
import { TARGET, type RetractBecause } from './commands.ts';

export async function enqueuePostgres(
  { db }: PostgresContext,
  lanes: LaneChanges,
  tenant: string,
  kind: 'deliver' | 'retract',
  patient: Uint8Array,
  seqs: readonly number[],
  because: RetractBecause | null = null,
): Promise<void> {
  if (seqs.length === 0) return;
  await db.run(
    `INSERT INTO job (tenant, target, patient_index, kind, delivery_seq, state, because)
     SELECT $1, $2, $3, $4, seq, 'queued', $6 FROM unnest($5::bigint[]) AS given (seq) ORDER BY seq`,
    tenant,
    TARGET,
    patient,
    kind,
    seqs,
    because,
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
