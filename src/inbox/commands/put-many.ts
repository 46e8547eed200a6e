import { createHash } from 'node:crypto';
import { append } from '../../audit/index.ts';
import { performPostgres, type PostgresContext } from '../../store/index.ts';
import type { PutDelivery } from '../commands.ts';
import { auditOfPut } from '../move.ts';
import { ACKNOWLEDGED, bodyPlace, makeDeliveryKey } from '../rows.ts';
import { count } from './move.ts';
import type { PutOutcome } from './put.ts';

/**
 * `put` for a whole batch of PostgreSQL in a handful of statements instead of six each; the digests decide which of
 * them, also among themselves, were there before.
 */
export async function putMany(context: PostgresContext, all: readonly PutDelivery[]): Promise<PutOutcome[]> {
  const { db } = context;
  const [first] = all;
  if (first === undefined) return [];
  const { tenant } = first;
  const digests = all.map(({ body }) => createHash('sha256').update(body).digest());
  const inserted = await db.all(
    `INSERT INTO delivery (tenant, id, hook, received_at, request_id, trace_id, receiver, sender, state, state_at,
      body_bytes, raw_digest)
     SELECT $1, id, hook, at, request, trace, receiver, sender, 'received', at, bytes, digest
     FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::int[], $9::bytea[],
     $10::text[])
       WITH ORDINALITY AS g(id, hook, at, request, receiver, sender, bytes, digest, trace, n) ORDER BY n RETURNING seq, id`,
    tenant,
    all.map((d) => d.id),
    all.map((d) => d.hook),
    all.map((d) => d.at.getTime()),
    all.map((d) => d.requestId),
    all.map((d) => d.receiver),
    all.map((d) => d.sender),
    all.map((d) => d.body.byteLength),
    digests,
    all.map((d) => d.traceId ?? null),
  );
  const seqOf = new Map(inserted.map((row) => [String(row['id']), Number(row['seq'])]));
  const seqs = all.map((d) => seqOf.get(d.id) ?? 0);
  // In the order of the digests, so that two writers with the same ones cannot wait for each other in a circle.
  const fresh = await db.all(
    `INSERT INTO delivery_digest (tenant, kind, digest, seq)
     SELECT $1, kind, digest, seq FROM unnest($2::text[], $3::bytea[], $4::bigint[]) AS g(kind, digest, seq)
       ORDER BY kind, digest, seq
     ON CONFLICT DO NOTHING RETURNING seq`,
    tenant,
    all.map((d) => d.hook),
    digests,
    seqs,
  );
  const isFresh = new Set(fresh.map((row) => Number(row['seq'])));
  const states = seqs.map((seq) => (isFresh.has(seq) ? ('received' as const) : ('duplicate' as const)));
  const kept = all.flatMap((d, i) => {
    if (states[i] !== 'received') return [];
    const key = makeDeliveryKey(context, d.id);
    return [{ seq: seqs[i], key: key.sealed, sealed: key.sealer.seal(d.body, bodyPlace(d.id)) }];
  });
  await db.run(
    'INSERT INTO unclaimed_key (seq, key_sealed) SELECT * FROM unnest($1::bigint[], $2::bytea[])',
    kept.map(({ seq }) => seq),
    kept.map(({ key }) => key),
  );
  await db.run(
    'INSERT INTO delivery_body (seq, sealed) SELECT * FROM unnest($1::bigint[], $2::bytea[])',
    kept.map(({ seq }) => seq),
    kept.map(({ sealed }) => sealed),
  );
  const repeated = seqs.filter((_, i) => states[i] === 'duplicate');
  if (repeated.length > 0)
    await db.run(
      `UPDATE delivery d SET state = 'duplicate', reason = 'same-bytes', duplicate_of = g.seq FROM delivery_digest g
       WHERE d.seq = ANY($1::bigint[]) AND g.tenant = d.tenant AND g.kind = d.hook AND g.digest = d.raw_digest`,
      repeated,
    );
  await performPostgres(
    context,
    count(context, tenant, [[ACKNOWLEDGED, all.length], ...states.map((state) => [state, 1] as const)]),
  );
  const drafts = all.map((d, i) => auditOfPut(d, digests[i] ?? Buffer.alloc(0), states[i] ?? 'received'));
  await performPostgres(context, append(context, drafts));
  return states.map((state, i) => ({ state, seq: seqs[i] ?? 0 }));
}
