import { createHash } from 'node:crypto';
import type { PostgresContext } from '../../../src/store/index.ts';
import type { ProbeWrites } from './index.ts';

type Put = ProbeWrites['probe.put']['args'];

/** One statement for all three rows of every delivery: a batch costs one round trip. */
export async function putMany({ db, vault, writer }: PostgresContext, all: readonly Put[]): Promise<{ seq: number }[]> {
  const digests = all.map(({ body }) => createHash('sha256').update(body).digest());
  const rows = await db.all(
    `WITH given AS (
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[], $4::bytea[], $5::bytea[], $6::bytea[], $7::text[])
         WITH ORDINALITY AS g(id, at, bytes, digest, user_index, sealed, record, n)
     ), put AS (
       INSERT INTO delivery (tenant, id, hook, received_at, request_id, receiver, sender, state, state_at, body_bytes, raw_digest, user_index)
       SELECT 'default', id, 'data', at, 'req_probe', 'ins_probe', 'probe', 'received', at, bytes, digest, user_index FROM given ORDER BY n
       RETURNING seq, id
     ), bodies AS (
       INSERT INTO delivery_body (seq, sealed) SELECT put.seq, given.sealed FROM put JOIN given USING (id)
     ), audits AS (
       INSERT INTO audit_record (chain, seq, at, tenant, type, outcome, request_id, record, leaf, link)
       SELECT $8, put.seq, given.at, 'default', 'hook.accept', '0', 'req_probe', given.record, given.digest, given.digest FROM put JOIN given USING (id)
     )
     SELECT put.seq FROM put JOIN given USING (id) ORDER BY given.n`,
    all.map(({ id }) => id),
    all.map(({ atMs }) => atMs),
    all.map(({ body }) => body.byteLength),
    digests,
    all.map(({ user }) => (user === undefined ? null : vault.index('user_id', user))),
    all.map(({ id, body }) => vault.seal(body, `delivery_body.sealed/${id}`)),
    all.map(({ id }) => JSON.stringify({ v: 1, deliv: id })),
    writer,
  );
  return rows.map((row) => ({ seq: Number(row['seq']) }));
}
