import { createHash } from 'node:crypto';
import { appendPostgres } from '../audit/index.ts';
import type { PostgresContext, PostgresMany, PostgresOperations } from '../store/index.ts';
import type { Act, ActOutcome, InboxWrites, PutDelivery } from './commands.ts';
import { auditOfPut } from './move.ts';
import { count, move } from './move-postgres.ts';
import { ACKNOWLEDGED, bodyPlace, makeDeliveryKey } from './rows.ts';
import { DISCARDABLE, LEFT_OUT, REPLAYABLE, TERMINAL, type State } from './state.ts';

export { reads } from './read-postgres.ts';

/** A whole batch in a handful of statements; the digests decide which of them, also among themselves, were there before. */
async function putMany(context: PostgresContext, all: readonly PutDelivery[]): Promise<{ state: 'received' | 'duplicate' }[]> {
  const { db, vault } = context;
  const [first] = all;
  if (first === undefined) return [];
  const { tenant } = first;
  const digests = all.map(({ body }) => createHash('sha256').update(body).digest());
  const inserted = await db.all(
    `INSERT INTO delivery (tenant, id, hook, received_at, request_id, trace_id, receiver, sender, state, state_at, body_bytes, raw_digest)
     SELECT $1, id, hook, at, request, trace, receiver, sender, 'received', at, bytes, digest
     FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::int[], $9::bytea[], $10::text[])
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
     SELECT $1, kind, digest, seq FROM unnest($2::text[], $3::bytea[], $4::bigint[]) AS g(kind, digest, seq) ORDER BY kind, digest, seq
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
    const key = makeDeliveryKey(vault, d.id);
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
  await count(context, tenant, [[ACKNOWLEDGED, all.length], ...states.map((state) => [state, 1] as const)]);
  await appendPostgres(
    context,
    all.map((d, i) => auditOfPut(d, digests[i] ?? Buffer.alloc(0), states[i] ?? 'received')),
  );
  return states.map((state) => ({ state }));
}

async function act(
  context: PostgresContext,
  a: Act,
  allowed: readonly State[],
  to: State,
  reason: string | null,
): Promise<ActOutcome> {
  const row = await context.db.get(
    'SELECT seq, state, (EXISTS (SELECT 1 FROM delivery_body b WHERE b.seq = d.seq))::int AS has_body FROM delivery d WHERE tenant = $1 AND id = $2 FOR UPDATE',
    a.tenant,
    a.id,
  );
  if (row === undefined) return 'not-found';
  const from = row['state'] as State;
  if (!allowed.includes(from) || (to === 'received' && Number(row['has_body']) === 0)) return 'not-in-a-state-for-it';
  // What was given up no longer says what its version holds: another delivery of that version may.
  if (to === 'discarded')
    await context.db.run('UPDATE document SET clinical_digest = NULL WHERE tenant = $1 AND seq = $2', a.tenant, row['seq']);
  await move(context, [
    { tenant: a.tenant, seq: Number(row['seq']), id: a.id, from, to, reason, actor: a.actor, at: a.at, requestId: a.requestId },
  ]);
  return 'done';
}

export const writes: PostgresOperations<InboxWrites> = {
  'inbox.put': async (context, delivery) => {
    const [out] = await putMany(context, [delivery]);
    if (out === undefined) throw new Error('no outcome came back');
    return out;
  },
  'inbox.replay': (context, args) => act(context, args, REPLAYABLE, 'received', 'replay'),
  'inbox.replay-many': async (context, { tenant, state, reason, after, limit, ...who }) => {
    const rows = await context.db.all(
      'SELECT seq, id FROM delivery WHERE tenant = $1 AND state = $2 AND seq > $5 AND ($3::text IS NULL OR reason = $3::text) ORDER BY seq LIMIT $4 FOR UPDATE SKIP LOCKED',
      tenant,
      state,
      reason,
      limit,
      after,
    );
    for (const row of rows) await act(context, { tenant, id: String(row['id']), ...who }, REPLAYABLE, 'received', 'replay');
    return { count: rows.length, last: Number(rows.at(-1)?.['seq'] ?? after) };
  },
  'inbox.discard': (context, { why, ...args }) => act(context, args, DISCARDABLE, 'discarded', why),
  'inbox.shred': async (context, { tenant, before, at, limit }) => {
    const { changes } = await context.db.run(
      `DELETE FROM delivery_body WHERE seq IN (
         SELECT d.seq FROM delivery d JOIN delivery_body b USING (seq) WHERE d.tenant = $1 AND d.received_at < $2 AND d.reason IS DISTINCT FROM '${LEFT_OUT}' AND d.state = ANY($4::text[]) ORDER BY d.seq LIMIT $3 FOR UPDATE OF d SKIP LOCKED)`,
      tenant,
      before.getTime(),
      limit,
      TERMINAL,
    );
    if (changes > 0)
      await appendPostgres(context, [
        { at, type: 'admin', tenant, requestId: 'retention', action: 'D', outcome: '0', actor: 'retention', count: changes },
      ]);
    return { count: changes };
  },
};

export const writesMany: PostgresMany<InboxWrites> = { 'inbox.put': putMany };
