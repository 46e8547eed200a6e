import { createHash } from 'node:crypto';
import type { PostgresContext, PostgresMany, PostgresOperations } from '../../../src/store/index.ts';
import type { ProbeReads, ProbeWrites } from './index.ts';

type Put = ProbeWrites['probe.put']['args'];

/** One statement for all three rows of every delivery: a batch costs one round trip. */
async function putMany({ db, vault, writer }: PostgresContext, all: readonly Put[]): Promise<{ seq: number }[]> {
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

async function put(context: PostgresContext, args: Put): Promise<{ seq: number }> {
  const [out] = await putMany(context, [args]);
  if (out === undefined) throw new Error('no row came back');
  return out;
}

export const writes: PostgresOperations<ProbeWrites> = {
  'probe.put': put,
  'probe.put-and-throw': async (context, args) => {
    await put(context, args);
    throw new RangeError('the connection was closed on purpose');
  },
  'probe.put-and-swallow': async (context, args) => {
    const out = await put(context, args);
    await context.db
      .run('INSERT INTO delivery_body (seq, sealed) VALUES ($1, $2)', out.seq, Buffer.alloc(1))
      .catch(() => undefined);
    return out;
  },
  'probe.replace-audit': async ({ db }, { id }) => {
    await db.run(
      `INSERT INTO audit_record (chain, seq, at, tenant, type, outcome, request_id, record, leaf, link) SELECT chain, seq, at, tenant, type, outcome, request_id, '{}', leaf, link FROM audit_record WHERE record LIKE $1
       ON CONFLICT (chain, seq) DO UPDATE SET record = excluded.record`,
      `%${id}%`,
    );
    return null;
  },
  'probe.rewrite-audit': async ({ db }, { id }) => {
    await db.run(`UPDATE audit_record SET record = '{}' WHERE record LIKE $1`, `%${id}%`);
    return null;
  },
  'probe.remove-audit': async ({ db }, { id }) => {
    await db.run('DELETE FROM audit_record WHERE record LIKE $1', `%${id}%`);
    return null;
  },
  'probe.touch-checkpoint': async ({ db }) => ({
    checkpoints: Number((await db.get('SELECT count(*) AS n FROM audit_checkpoint'))?.['n']),
  }),
  'probe.who': ({ writer }) => Promise.resolve({ writer }),
};

export const writesMany: PostgresMany<ProbeWrites> = { 'probe.put': putMany };

const sealedOf = async ({ db }: PostgresContext, id: string): Promise<Uint8Array | undefined> =>
  (await db.get('SELECT b.sealed FROM delivery d JOIN delivery_body b USING (seq) WHERE d.id = $1', id))?.['sealed'] as
    Uint8Array | undefined;

export const reads: PostgresOperations<ProbeReads> = {
  'probe.body': async (context, { id }) => {
    const sealed = await sealedOf(context, id);
    return sealed === undefined ? null : { body: context.vault.open(sealed, `delivery_body.sealed/${id}`) };
  },
  'probe.sealed': async (context, { id }) => {
    const sealed = await sealedOf(context, id);
    return sealed === undefined ? null : { sealed };
  },
  'probe.by-user': async ({ db, vault }, { user }) => ({
    ids: (
      await db.all(
        `SELECT id FROM delivery WHERE tenant = 'default' AND user_index = $1 ORDER BY seq`,
        vault.index('user_id', user),
      )
    ).map((row) => String(row['id'])),
  }),
  'probe.count': async ({ db }) => {
    const count = async (table: string): Promise<number> =>
      Number((await db.get(`SELECT count(*) AS n FROM ${table}`))?.['n']);
    return {
      deliveries: await count('delivery'),
      bodies: await count('delivery_body'),
      audits: await count('audit_record'),
    };
  },
  'probe.throw': () => Promise.reject(new RangeError('on purpose')),
};
