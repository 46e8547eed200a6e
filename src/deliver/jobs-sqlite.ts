import type { SqliteContext } from '../store/index.ts';
import type { LaneChanges } from './adjust.ts';
import { TARGET, type RetractBecause } from './commands.ts';

export function enqueueSqlite(
  { db }: SqliteContext,
  lanes: LaneChanges,
  tenant: string,
  kind: 'deliver' | 'retract',
  patient: Uint8Array,
  seqs: readonly number[],
  because: RetractBecause | null = null,
): void {
  for (const seq of seqs)
    db.run(
      `INSERT INTO job (tenant, target, patient_index, kind, delivery_seq, state, because) VALUES (?, ?, ?, ?, ?, 'queued', ?)`,
      tenant,
      TARGET,
      patient,
      kind,
      seq,
      because,
    );
  lanes.add(patient, seqs.length);
}

/** Takes deliveries out of their lanes. Retractions stay: they are owed to another patient. */
export function cancelSqlite({ db }: SqliteContext, lanes: LaneChanges, seqs: readonly number[]): void {
  for (const seq of seqs)
    for (const row of db.all(
      `UPDATE job SET state = 'cancelled' WHERE delivery_seq = ? AND kind = 'deliver' AND state = 'queued' RETURNING patient_index`,
      seq,
    ))
      lanes.add(row['patient_index'] as Uint8Array, -1);
}

export function changeLanesSqlite({ db }: SqliteContext, tenant: string, lanes: LaneChanges): void {
  for (const { patient, by } of lanes.inOrder())
    if (by > 0)
      db.run(
        `INSERT INTO lane (tenant, target, patient_index, pending) VALUES (?, ?, ?, ?)
         ON CONFLICT (tenant, target, patient_index) DO UPDATE SET pending = pending + excluded.pending`,
        tenant,
        TARGET,
        patient,
        by,
      );
    else
      db.run(
        'UPDATE lane SET pending = pending + ? WHERE tenant = ? AND target = ? AND patient_index = ?',
        by,
        tenant,
        TARGET,
        patient,
      );
}
