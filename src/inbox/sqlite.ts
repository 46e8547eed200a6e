import { createHash } from 'node:crypto';
import { appendSqlite } from '../audit/index.ts';
import type { SqliteContext, SqliteOperations } from '../store/index.ts';
import type { Act, ActOutcome, DocumentFacts, Facts, InboxWrites, PutDelivery, Settle } from './commands.ts';
import { decideSettlement } from './decide-settlement.ts';
import { auditOfPut } from './move.ts';
import { count, move } from './move-sqlite.ts';
import { ACKNOWLEDGED, bodyPlace, documentIndex, sealFindings, sealUser, toKnown, userIndex } from './rows.ts';
import { DISCARDABLE, REPLACEABLE, REPLAYABLE, TERMINAL, type State } from './state.ts';

export { reads } from './read-sqlite.ts';

function put(context: SqliteContext, d: PutDelivery): { state: 'received' | 'duplicate' } {
  const { db, vault } = context;
  const atMs = d.at.getTime();
  const digest = createHash('sha256').update(d.body).digest();
  const before = db.get('SELECT seq FROM delivery_digest WHERE tenant = ? AND kind = ? AND digest = ?', d.tenant, d.hook, digest);
  const state = before === undefined ? 'received' : 'duplicate';
  const { lastId: seq } = db.run(
    `INSERT INTO delivery (tenant, id, hook, received_at, request_id, receiver, sender, state, reason, state_at, body_bytes, raw_digest, duplicate_of)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    d.tenant,
    d.id,
    d.hook,
    atMs,
    d.requestId,
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
    db.run('INSERT INTO delivery_digest (tenant, kind, digest, seq) VALUES (?, ?, ?, ?)', d.tenant, d.hook, digest, seq);
    db.run('INSERT INTO delivery_body (seq, sealed) VALUES (?, ?)', seq, vault.seal(d.body, bodyPlace(d.id)));
  }
  count(context, d.tenant, [ACKNOWLEDGED, 1], [state, 1]);
  appendSqlite(context, auditOfPut(d, digest, state));
  return { state };
}

function writeFacts({ db, vault }: SqliteContext, seq: number, id: string, facts: Facts, document: Uint8Array | null): void {
  const { user, client } = facts;
  db.run(
    `UPDATE delivery SET data_structure = ?, user_index = ?, user_sealed = ?, content_digest = ?, document_index = ?, document_version = ?, findings_sealed = ? WHERE seq = ?`,
    facts.dataStructure,
    user === null || client === null ? null : userIndex(vault, client, user),
    user === null ? null : sealUser(vault, user, id),
    facts.contentDigest,
    document,
    facts.documentVersion,
    sealFindings(vault, facts.findings, id),
    seq,
  );
}

/** The place of an earlier delivery with the same content, if there is one; else this one is remembered as the first. */
function sameContentBefore({ db }: SqliteContext, tenant: string, digest: Uint8Array, seq: number): number | null {
  db.run(
    `INSERT INTO delivery_digest (tenant, kind, digest, seq) VALUES (?, 'content', ?, ?) ON CONFLICT DO NOTHING`,
    tenant,
    digest,
    seq,
  );
  const first = db.get(`SELECT seq FROM delivery_digest WHERE tenant = ? AND kind = 'content' AND digest = ?`, tenant, digest);
  return Number(first?.['seq']) === seq ? null : Number(first?.['seq']);
}

/** The version that counts from now on; older ones that still wait are out of date. */
function takePlace(context: SqliteContext, s: Settle, document: DocumentFacts, index: Uint8Array): void {
  const { db } = context;
  db.run(
    `INSERT INTO document (tenant, document_index, data_structure, version, clinical_digest, seq, changed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
     ON CONFLICT (tenant, document_index) DO UPDATE SET version = ?4, clinical_digest = ?5, seq = ?6, changed_at = ?7`,
    s.tenant,
    index,
    s.facts.dataStructure ?? '',
    document.version,
    document.clinicalDigest,
    s.seq,
    s.at.getTime(),
  );
  const replaced = db.all(
    `SELECT seq, id, state FROM delivery WHERE tenant = ? AND document_index = ? AND seq <> ? AND state IN (${REPLACEABLE.map(() => '?').join(',')})`,
    s.tenant,
    index,
    s.seq,
    ...REPLACEABLE,
  );
  for (const old of replaced)
    move(context, {
      tenant: s.tenant,
      seq: Number(old['seq']),
      id: String(old['id']),
      from: old['state'] as State,
      to: 'superseded',
      reason: 'newer-version',
      actor: 'gateway',
      at: s.at,
      requestId: s.requestId,
    });
}

function settle(context: SqliteContext, s: Settle): { state: State; reason: string | null } | null {
  const { db, vault } = context;
  const row = db.get('SELECT id, state FROM delivery WHERE seq = ? AND tenant = ?', s.seq, s.tenant);
  if (row?.['state'] !== 'received') return null;
  const id = String(row['id']);
  const document = s.verdict.kind === 'park' ? s.verdict.document : null;
  const index = document === null ? null : documentIndex(vault, document.key);
  writeFacts(context, s.seq, id, s.facts, index);

  const original = s.facts.contentDigest === null ? null : sameContentBefore(context, s.tenant, s.facts.contentDigest, s.seq);
  const known =
    original !== null || index === null
      ? undefined
      : db.get('SELECT version, seq, clinical_digest FROM document WHERE tenant = ? AND document_index = ?', s.tenant, index);
  const { to, reason, duplicateOf, isCurrent } = decideSettlement(
    s.seq,
    s.verdict,
    original,
    known === undefined ? null : toKnown(known),
  );
  const self = { tenant: s.tenant, actor: 'gateway', at: s.at, requestId: s.requestId };
  if (duplicateOf !== null) db.run('UPDATE delivery SET duplicate_of = ? WHERE seq = ?', duplicateOf, s.seq);
  if (isCurrent && document !== null && index !== null) takePlace(context, s, document, index);
  move(context, { ...self, seq: s.seq, id, from: 'received', to, reason });
  return { state: to, reason };
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
  'inbox.settle': settle,
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
      `SELECT d.seq, d.id FROM delivery d JOIN delivery_body b USING (seq) WHERE d.tenant = ? AND d.received_at < ? AND d.state IN (${TERMINAL.map(() => '?').join(',')}) ORDER BY d.seq LIMIT ?`,
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
