import { createHash } from 'node:crypto';
import type { PutDelivery } from '../../src/inbox/commands.ts';
import { count } from '../../src/inbox/move-sqlite.ts';
import type { SqliteContext } from '../../src/store/index.ts';

/*
 * Receives a delivery as `inbox.put` does, statement for statement, but for its audit record. The product has no such switch: this is the
 * other side of a figure.
 */
export const writes = {
  'bench.put-unaudited': (context: SqliteContext, d: PutDelivery): { state: 'received' | 'duplicate' } => {
    const { db, vault } = context;
    const atMs = d.at.getTime();
    const digest = createHash('sha256').update(d.body).digest();
    const before = db.get(
      'SELECT seq FROM delivery_digest WHERE tenant = ? AND kind = ? AND digest = ?',
      d.tenant,
      d.hook,
      digest,
    );
    if (before !== undefined) throw new Error('no two bodies of this bench are the same');
    const { lastId: seq } = db.run(
      `INSERT INTO delivery (tenant, id, hook, received_at, request_id, trace_id, receiver, sender, state, reason, state_at, body_bytes, raw_digest, duplicate_of)
       VALUES (?, ?, ?, ?, ?, NULL, ?, ?, 'received', NULL, ?, ?, ?, NULL)`,
      d.tenant,
      d.id,
      d.hook,
      atMs,
      d.requestId,
      d.receiver,
      d.sender,
      atMs,
      d.body.byteLength,
      digest,
    );
    db.run('INSERT INTO delivery_digest (tenant, kind, digest, seq) VALUES (?, ?, ?, ?)', d.tenant, d.hook, digest, seq);
    db.run('INSERT INTO delivery_body (seq, sealed) VALUES (?, ?)', seq, vault.seal(d.body, `delivery_body.sealed/${d.id}`));
    count(context, d.tenant, ['acknowledged', 1], ['received', 1]);
    return { state: 'received' };
  },
};
export const reads = {};
