import { userIndex, userSealerSqlite, type SqliteContext, type Sealer } from '../store/index.ts';
import type { Destination, DocumentFacts, Facts, Settle, Settled } from './commands.ts';
import { decideSettlement } from './decide-settlement.ts';
import { move } from './move-sqlite.ts';
import { documentIndex, KEYS, keyForUser, queuedAmong, sealFindings, sealUser, toKnown, type Row } from './rows.ts';
import { LEFT_OUT, REPLACEABLE, type State } from './state.ts';

function writeFacts({ db, vault }: SqliteContext, row: Row, user: Owner | null, facts: Facts, document: Uint8Array | null): void {
  const id = String(row['id']);
  const { sealer, sealed } = keyForUser(vault, row, user?.sealer ?? null);
  db.run(
    `UPDATE delivery SET data_structure = ?, user_index = ?, user_sealed = ?, content_digest = ?, document_index = ?, document_version = ?, findings_sealed = ?, body_key_sealed = ? WHERE seq = ?`,
    facts.dataStructure,
    user?.index ?? null,
    facts.user === null ? null : sealUser(sealer, facts.user, id),
    facts.contentDigest,
    document,
    facts.documentVersion,
    sealFindings(sealer, facts.findings, id),
    sealed,
    Number(row['seq']),
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

/** The version that counts from now on; older ones that still wait are out of date, and what was left out of them is. */
function takePlace(context: SqliteContext, s: Settle, document: DocumentFacts, index: Uint8Array): number[] {
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
    `SELECT seq, id, state FROM delivery WHERE tenant = ? AND document_index = ? AND seq <> ? AND (state IN (${REPLACEABLE.map(() => '?').join(',')}) OR (state = 'delivered' AND reason = '${LEFT_OUT}'))`,
    s.tenant,
    index,
    s.seq,
    ...REPLACEABLE,
  );
  for (const old of replaced.filter(({ state }) => state === 'delivered'))
    db.run(`UPDATE delivery SET reason = 'newer-version' WHERE seq = ?`, Number(old['seq']));
  for (const old of replaced.filter(({ state }) => state !== 'delivered'))
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
  return queuedAmong(replaced);
}

interface Owner {
  readonly index: Buffer;
  readonly sealer: Sealer;
}

/** Whose it is; null where it does not say. */
function ownerOf(context: SqliteContext, { tenant, at, facts: { client, user } }: Settle): Owner | 'erased' | null {
  if (client === null || user === null) return null;
  const index = userIndex(context.vault, client, user);
  const sealer = userSealerSqlite(context, tenant, index, at);
  return sealer === 'erased' ? 'erased' : { index, sealer };
}

/** It came after its user was erased: that it came is remembered, and nothing of what it says. */
function drop(context: SqliteContext, s: Settle, id: string): Settled {
  const reason = 'erased';
  context.db.run('DELETE FROM delivery_body WHERE seq = ?', s.seq);
  context.db.run('DELETE FROM unclaimed_key WHERE seq = ?', s.seq);
  // Should it be sent again after the user was connected anew, it is no repetition.
  context.db.run(
    `DELETE FROM delivery_digest WHERE seq = ?1 AND (tenant, kind, digest) IN (SELECT tenant, hook, raw_digest FROM delivery WHERE seq = ?1)`,
    s.seq,
  );
  context.db.run('UPDATE delivery SET user_sealed = NULL, findings_sealed = NULL, body_key_sealed = NULL WHERE seq = ?', s.seq);
  const self = { tenant: s.tenant, seq: s.seq, actor: 'gateway', at: s.at, requestId: s.requestId };
  move(context, { ...self, id, from: 'received', to: 'quarantined', reason });
  return { state: 'quarantined', reason, unqueued: [] };
}

/** Gives a received delivery its state. Null where somebody else has settled it meanwhile. */
export function settleSqlite(context: SqliteContext, s: Settle, destination: Destination): Settled | null {
  const { db, vault } = context;
  const row = db.get(`SELECT ${KEYS}, d.seq, d.id, d.state FROM delivery d WHERE d.seq = ? AND d.tenant = ?`, s.seq, s.tenant);
  if (row?.['state'] !== 'received') return null;
  const id = String(row['id']);
  const user = ownerOf(context, s);
  if (user === 'erased') return drop(context, s, id);
  const document = s.verdict.kind === 'sound' ? s.verdict.document : null;
  const index = document === null ? null : documentIndex(vault, document.key);
  writeFacts(context, row, user, s.facts, index);
  if (user !== null) db.run('DELETE FROM unclaimed_key WHERE seq = ?', s.seq);

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
    destination,
  );
  const self = { tenant: s.tenant, actor: 'gateway', at: s.at, requestId: s.requestId };
  if (duplicateOf !== null) db.run('UPDATE delivery SET duplicate_of = ? WHERE seq = ?', duplicateOf, s.seq);
  const unqueued = isCurrent && document !== null && index !== null ? takePlace(context, s, document, index) : [];
  move(context, { ...self, seq: s.seq, id, from: 'received', to, reason });
  return { state: to, reason, unqueued };
}
