import { hash } from 'node:crypto';
import { appendSqlite } from '../audit/index.ts';
import { dropBytes } from '../kernel/index.ts';
import type { SqliteContext, SqliteOperations } from '../store/index.ts';
import type { Act, ActOutcome, InboxWrites, PutDelivery } from './commands.ts';
import { auditOfPut } from './move.ts';
import { count, move } from './move-sqlite.ts';
import { ACKNOWLEDGED, bodyPlace, makeDeliveryKey } from './rows.ts';
import { DISCARDABLE, LEFT_OUT, REPLAYABLE, TERMINAL, type State } from './state.ts';

export { reads } from './read-sqlite.ts';

function put(context: SqliteContext, d: PutDelivery): { state: 'received' | 'duplicate' } {
  const { db, vault } = context;
  const atMs = d.at.getTime();
  const digest = hash('sha256', d.body, 'buffer');
  const before = db.get('SELECT seq FROM delivery_digest WHERE tenant = ? AND kind = ? AND digest = ?', d.tenant, d.hook, digest);
  const state = before === undefined ? 'received' : 'duplicate';
  const { lastId: seq } = db.run(
    `INSERT INTO delivery (tenant, id, hook, received_at, request_id, trace_id, receiver, sender, state, reason, state_at, body_bytes, raw_digest, duplicate_of)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    d.tenant,
    d.id,
    d.hook,
    atMs,
    d.requestId,
    d.traceId ?? null,
    d.receiver,
    d.sender,
    state,
    before === undefined ? null : 'same-bytes',
    atMs,
    d.body.byteLength,
    digest,
    before?.['seq'] ?? null,
  );
  if (before === undefined) {
    const key = makeDeliveryKey(vault, d.id);
    db.run('INSERT INTO unclaimed_key (seq, key_sealed) VALUES (?, ?)', seq, key.sealed);
    db.run('INSERT INTO delivery_digest (tenant, kind, digest, seq) VALUES (?, ?, ?, ?)', d.tenant, d.hook, digest, seq);
    const sealed = key.sealer.seal(d.body, bodyPlace(d.id));
    db.run('INSERT INTO delivery_body (seq, sealed) VALUES (?, ?)', seq, sealed);
    dropBytes(sealed);
  }
  count(context, d.tenant, [ACKNOWLEDGED, 1], [state, 1]);
  appendSqlite(context, auditOfPut(d, digest, state));
  dropBytes(d.body);
  return { state };
}

function act(context: SqliteContext, a: Act, allowed: readonly State[], to: State, reason: string | null): ActOutcome {
  const row = context.db.get(
    'SELECT seq, state, EXISTS (SELECT 1 FROM delivery_body b WHERE b.seq = d.seq) AS has_body FROM delivery d WHERE tenant = ? AND id = ?',
    a.tenant,
    a.id,
  );
  if (row === undefined) return 'not-found';
  const from = row['state'] as State;
  if (!allowed.includes(from) || (to === 'received' && Number(row['has_body']) === 0)) return 'not-in-a-state-for-it';
  // What was given up no longer says what its version holds: another delivery of that version may.
  if (to === 'discarded')
    context.db.run('UPDATE document SET clinical_digest = NULL WHERE tenant = ? AND seq = ?', a.tenant, Number(row['seq']));
  move(context, {
    tenant: a.tenant,
    seq: Number(row['seq']),
    id: a.id,
    from,
    to,
    reason,
    actor: a.actor,
    at: a.at,
    requestId: a.requestId,
  });
  return 'done';
}

export const writes: SqliteOperations<InboxWrites> = {
  'inbox.put': put,
  'inbox.replay': (context, args) => act(context, args, REPLAYABLE, 'received', 'replay'),
  'inbox.replay-many': (context, { tenant, state, reason, after, limit, ...who }) => {
    const rows = context.db.all(
      'SELECT seq, id FROM delivery WHERE tenant = ?1 AND state = ?2 AND seq > ?5 AND (?3 IS NULL OR reason = ?3) ORDER BY seq LIMIT ?4',
      tenant,
      state,
      reason,
      limit,
      after,
    );
    for (const row of rows) act(context, { tenant, id: String(row['id']), ...who }, REPLAYABLE, 'received', 'replay');
    return { count: rows.length, last: Number(rows.at(-1)?.['seq'] ?? after) };
  },
  'inbox.discard': (context, { why, ...args }) => act(context, args, DISCARDABLE, 'discarded', why),
  'inbox.shred': (context, { tenant, before, at, limit }) => {
    const rows = context.db.all(
      `SELECT d.seq, d.id FROM delivery d JOIN delivery_body b USING (seq) WHERE d.tenant = ? AND d.received_at < ? AND d.reason IS DISTINCT FROM '${LEFT_OUT}' AND d.state IN (${TERMINAL.map(() => '?').join(',')}) ORDER BY d.seq LIMIT ?`,
      tenant,
      before.getTime(),
      ...TERMINAL,
      limit,
    );
    for (const row of rows) context.db.run('DELETE FROM delivery_body WHERE seq = ?', Number(row['seq']));
    if (rows.length > 0)
      appendSqlite(context, {
        at,
        type: 'admin',
        tenant,
        requestId: 'retention',
        action: 'D',
        outcome: '0',
        actor: 'retention',
        count: rows.length,
      });
    return { count: rows.length };
  },
};
