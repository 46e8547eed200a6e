import type { SqliteContext } from '../store/index.ts';
import type { LaneChanges } from './adjust.ts';
import { TARGET } from './commands.ts';

/** What is written of a document waits for every retraction of it that is still to come; a retraction waits for nothing. */
const AFTER = `(SELECT max(r.seq) FROM delivery o JOIN job r ON r.delivery_seq = o.seq
  WHERE o.tenant = d.tenant AND o.document_index = d.document_index AND r.kind = 'retract' AND r.state = 'queued')`;

export function enqueueSqlite(
  { db }: SqliteContext,
  lanes: LaneChanges,
  tenant: string,
  kind: 'deliver' | 'retract',
  patient: Uint8Array,
  seqs: readonly number[],
): void {
  for (const seq of seqs)
    db.run(
      `INSERT INTO job (tenant, target, patient_index, kind, delivery_seq, state, after_job)
       SELECT ?1, ?2, ?3, ?4, d.seq, 'queued', CASE WHEN ?4 = 'deliver' THEN ${AFTER} END FROM delivery d WHERE d.seq = ?5`,
      tenant,
      TARGET,
      patient,
      kind,
      seq,
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
