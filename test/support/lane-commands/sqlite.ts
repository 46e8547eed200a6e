import { moveSqlite, type State } from '../../../src/inbox/index.ts';
import type { SqliteContext, SqliteOperations } from '../../../src/store/index.ts';
import { JOBS, PENDING, toJob, type LaneReads, type LaneWrites } from './index.ts';

function step(context: SqliteContext, id: string, from: State, to: State): number {
  const row = context.db.get('SELECT seq, tenant FROM delivery WHERE id = ?', id);
  const seq = Number(row?.['seq']);
  const tenant = String(row?.['tenant']);
  moveSqlite(context, { tenant, seq, id, from, to, reason: null, actor: 'sender', at: new Date(0), requestId: 'r' });
  return seq;
}

function finish(context: SqliteContext, id: string, names: readonly string[]): void {
  const { db } = context;
  const seq = step(context, id, 'sending', 'delivered');
  const job = db.get(
    `UPDATE job SET state = 'done' WHERE delivery_seq = ? AND kind = 'deliver' AND state = 'queued' RETURNING patient_index`,
    seq,
  );
  const patient = job?.['patient_index'] as Uint8Array;
  db.run('UPDATE lane SET pending = pending - 1 WHERE patient_index = ?', patient);
  for (const name of names)
    db.run(
      `INSERT INTO written_resource (tenant, target, name, patient_index, document_index, resource_type, resource_id_sealed, content_digest, delivery_seq, written_at)
       SELECT tenant, 'ehr', ?, ?, document_index, 'Observation', x'00', x'00', seq, 0 FROM delivery WHERE seq = ?`,
      Buffer.from(name),
      patient,
      seq,
    );
}

export const writes: SqliteOperations<LaneWrites> = {
  'lane-test.send': (context, { id, names }) => {
    step(context, id, 'queued', 'sending');
    finish(context, id, names);
    return null;
  },
  'lane-test.claim': (context, { id }) => {
    step(context, id, 'queued', 'sending');
    return null;
  },
  'lane-test.finish': (context, { id, names }) => {
    finish(context, id, names);
    return null;
  },
  'lane-test.shred': ({ db }, { id }) => {
    db.run('DELETE FROM delivery_body WHERE seq = (SELECT seq FROM delivery WHERE id = ?)', id);
    return null;
  },
};

export const reads: SqliteOperations<LaneReads> = {
  'lane-test.jobs': ({ db }) => db.all(JOBS).map(toJob),
  'lane-test.pending': ({ db }) =>
    db.all(PENDING).map((row) => ({ said: Number(row['said']), counted: Number(row['counted']) })),
};
