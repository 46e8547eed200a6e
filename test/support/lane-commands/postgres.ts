import { movePostgres, type State } from '../../../src/inbox/index.ts';
import type { PostgresContext, PostgresOperations } from '../../../src/store/index.ts';
import { JOBS, PENDING, toJob, type LaneReads, type LaneWrites } from './index.ts';

async function step(context: PostgresContext, id: string, from: State, to: State): Promise<number> {
  const row = await context.db.get('SELECT seq, tenant FROM delivery WHERE id = $1', id);
  const seq = Number(row?.['seq']);
  const tenant = String(row?.['tenant']);
  await movePostgres(context, [
    { tenant, seq, id, from, to, reason: null, actor: 'sender', at: new Date(0), requestId: 'r' },
  ]);
  return seq;
}

async function finish(context: PostgresContext, id: string, names: readonly string[]): Promise<void> {
  const { db } = context;
  const seq = await step(context, id, 'sending', 'delivered');
  const job = await db.get(
    `UPDATE job SET state = 'done' WHERE delivery_seq = $1 AND kind = 'deliver' AND state = 'queued' RETURNING patient_index`,
    seq,
  );
  const patient = job?.['patient_index'];
  await db.run('UPDATE lane SET pending = pending - 1 WHERE patient_index = $1', patient);
  for (const name of names)
    await db.run(
      `INSERT INTO written_resource (tenant, target, name, patient_index, document_index, resource_type, resource_id_sealed, content_digest, delivery_seq, written_at)
       SELECT tenant, 'ehr', $1::bytea, $2::bytea, document_index, 'Observation', '\\x00'::bytea, '\\x00'::bytea, seq, 0 FROM delivery WHERE seq = $3::bigint`,
      Buffer.from(name),
      patient,
      seq,
    );
}

export const writes: PostgresOperations<LaneWrites> = {
  'lane-test.send': async (context, { id, names }) => {
    await step(context, id, 'queued', 'sending');
    await finish(context, id, names);
    return null;
  },
  'lane-test.claim': async (context, { id }) => {
    await step(context, id, 'queued', 'sending');
    return null;
  },
  'lane-test.finish': async (context, { id, names }) => {
    await finish(context, id, names);
    return null;
  },
  'lane-test.shred': async ({ db }, { id }) => {
    await db.run('DELETE FROM delivery_body WHERE seq = (SELECT seq FROM delivery WHERE id = $1)', id);
    return null;
  },
};

export const reads: PostgresOperations<LaneReads> = {
  'lane-test.jobs': async ({ db }) => (await db.all(JOBS)).map(toJob),
  'lane-test.pending': async ({ db }) =>
    (await db.all(PENDING)).map((row) => ({ said: Number(row['said']), counted: Number(row['counted']) })),
};
