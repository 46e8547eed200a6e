import { userIndex, userSealerPostgres, type PostgresContext, type Sealer } from '../store/index.ts';
import type { Destination, DocumentFacts, Facts, Settle, Settled } from './commands.ts';
import { decideSettlement } from './decide-settlement.ts';
import type { Move } from './move.ts';
import { move } from './move-postgres.ts';
import { documentIndex, KEYS, keyForUser, queuedAmong, sealFindings, sealUser, toKnown, type Row } from './rows.ts';
import { LEFT_OUT, REPLACEABLE, type State } from './state.ts';

async function writeFacts(
  { db, vault }: PostgresContext,
  row: Row,
  user: Owner | null,
  facts: Facts,
  document: Uint8Array | null,
): Promise<void> {
  const id = String(row['id']);
  const { sealer, sealed } = keyForUser(vault, row, user?.sealer ?? null);
  await db.run(
    `UPDATE delivery SET data_structure = $1, user_index = $2, user_sealed = $3, content_digest = $4, document_index = $5, document_version = $6, findings_sealed = $7, body_key_sealed = $8 WHERE seq = $9`,
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

async function sameContentBefore(
  { db }: PostgresContext,
  tenant: string,
  digest: Uint8Array,
  seq: number,
): Promise<number | null> {
  await db.run(
    `INSERT INTO delivery_digest (tenant, kind, digest, seq) VALUES ($1, 'content', $2, $3) ON CONFLICT DO NOTHING`,
    tenant,
    digest,
    seq,
  );
  const first = await db.get(
    `SELECT seq FROM delivery_digest WHERE tenant = $1 AND kind = 'content' AND digest = $2`,
    tenant,
    digest,
  );
  return Number(first?.['seq']) === seq ? null : Number(first?.['seq']);
}

async function lockDocument({ db }: PostgresContext, s: Settle, index: Uint8Array): Promise<Record<string, unknown> | undefined> {
  // The row of the document is what replicas queue up for; it is made, at a version below every version, by whoever comes first.
  await db.run(
    `INSERT INTO document (tenant, document_index, data_structure, version, clinical_digest, seq, changed_at) VALUES ($1, $2, $3, -1, NULL, $4, $5) ON CONFLICT DO NOTHING`,
    s.tenant,
    index,
    s.facts.dataStructure ?? '',
    s.seq,
    s.at.getTime(),
  );
  return db.get(
    'SELECT version, seq, clinical_digest FROM document WHERE tenant = $1 AND document_index = $2 FOR UPDATE',
    s.tenant,
    index,
  );
}

/** The version that counts from now on; older ones that still wait are out of date, and what was left out of them is. */
async function takePlace(context: PostgresContext, s: Settle, document: DocumentFacts, index: Uint8Array): Promise<number[]> {
  const { db } = context;
  await db.run(
    'UPDATE document SET version = $3, clinical_digest = $4, seq = $5, changed_at = $6 WHERE tenant = $1 AND document_index = $2',
    s.tenant,
    index,
    document.version,
    document.clinicalDigest,
    s.seq,
    s.at.getTime(),
  );
  const replaced = await db.all(
    `SELECT seq, id, state FROM delivery WHERE tenant = $1 AND document_index = $2 AND seq <> $3 AND (state = ANY($4::text[]) OR (state = 'delivered' AND reason = $5)) ORDER BY seq FOR UPDATE`,
    s.tenant,
    index,
    s.seq,
    REPLACEABLE,
    LEFT_OUT,
  );
  const [delivered, waiting] = [true, false].map((is) => replaced.filter(({ state }) => (state === 'delivered') === is));
  for (const old of delivered ?? []) await db.run(`UPDATE delivery SET reason = 'newer-version' WHERE seq = $1`, old['seq']);
  await move(
    context,
    (waiting ?? []).map((old): Move => ({
      tenant: s.tenant,
      seq: Number(old['seq']),
      id: String(old['id']),
      from: old['state'] as State,
      to: 'superseded',
      reason: 'newer-version',
      actor: 'gateway',
      at: s.at,
      requestId: s.requestId,
    })),
  );
  return queuedAmong(replaced);
}

interface Owner {
  readonly index: Buffer;
  readonly sealer: Sealer;
}

/** Whose it is; null where it does not say. */
async function ownerOf(
  context: PostgresContext,
  { tenant, at, facts: { client, user } }: Settle,
): Promise<Owner | 'erased' | null> {
  if (client === null || user === null) return null;
  const index = userIndex(context.vault, client, user);
  const sealer = await userSealerPostgres(context, tenant, index, at);
  return sealer === 'erased' ? 'erased' : { index, sealer };
}

/** It came after its user was erased: that it came is remembered, and nothing of what it says. */
async function drop(context: PostgresContext, s: Settle, id: string): Promise<Settled> {
  const reason = 'erased';
  await context.db.run('DELETE FROM delivery_body WHERE seq = $1', s.seq);
  await context.db.run('DELETE FROM unclaimed_key WHERE seq = $1', s.seq);
  // Should it be sent again after the user was connected anew, it is no repetition.
  await context.db.run(
    `DELETE FROM delivery_digest WHERE seq = $1 AND (tenant, kind, digest) IN (SELECT tenant, hook, raw_digest FROM delivery WHERE seq = $1)`,
    s.seq,
  );
  await context.db.run(
    'UPDATE delivery SET user_sealed = NULL, findings_sealed = NULL, body_key_sealed = NULL WHERE seq = $1',
    s.seq,
  );
  const self = { tenant: s.tenant, seq: s.seq, actor: 'gateway', at: s.at, requestId: s.requestId };
  await move(context, [{ ...self, id, from: 'received', to: 'quarantined', reason }]);
  return { state: 'quarantined', reason, unqueued: [] };
}

/** Gives a received delivery its state. Null where somebody else has settled it meanwhile. */
export async function settlePostgres(context: PostgresContext, s: Settle, destination: Destination): Promise<Settled | null> {
  const { db, vault } = context;
  const row = await db.get(
    `SELECT ${KEYS}, d.seq, d.id, d.state FROM delivery d WHERE d.seq = $1 AND d.tenant = $2 FOR UPDATE`,
    s.seq,
    s.tenant,
  );
  if (row?.['state'] !== 'received') return null;
  const id = String(row['id']);
  const user = await ownerOf(context, s);
  if (user === 'erased') return await drop(context, s, id);
  const document = s.verdict.kind === 'sound' ? s.verdict.document : null;
  const index = document === null ? null : documentIndex(vault, document.key);
  await writeFacts(context, row, user, s.facts, index);
  if (user !== null) await db.run('DELETE FROM unclaimed_key WHERE seq = $1', s.seq);

  const original =
    s.facts.contentDigest === null ? null : await sameContentBefore(context, s.tenant, s.facts.contentDigest, s.seq);
  const known = original !== null || index === null ? undefined : await lockDocument(context, s, index);
  const { to, reason, duplicateOf, isCurrent } = decideSettlement(
    s.seq,
    s.verdict,
    original,
    known === undefined ? null : toKnown(known),
    destination,
  );
  const self = { tenant: s.tenant, actor: 'gateway', at: s.at, requestId: s.requestId };
  if (duplicateOf !== null) await db.run('UPDATE delivery SET duplicate_of = $1 WHERE seq = $2', duplicateOf, s.seq);
  const unqueued = isCurrent && document !== null && index !== null ? await takePlace(context, s, document, index) : [];
  await move(context, [{ ...self, seq: s.seq, id, from: 'received', to, reason }]);
  return { state: to, reason, unqueued };
}
