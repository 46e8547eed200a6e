import {
  all,
  among,
  FOR_UPDATE,
  get,
  insert,
  rowsOf,
  run,
  userIndex,
  userSealer,
  words,
  type CommandContext,
  type Program,
  type Sealer,
} from '../../store/index.ts';
import type { Destination, DocumentFacts, Facts, Settle, Settled } from '../commands.ts';
import { decideSettlement } from '../decide-settlement.ts';
import type { Move } from '../move.ts';
import {
  documentIndex,
  findingCodes,
  KEYS,
  keyForUser,
  queuedAmong,
  sealFindings,
  sealUser,
  toKnown,
  type Row,
} from '../rows.ts';
import { LEFT_OUT, REPLACEABLE, type State } from '../state.ts';
import { move } from './move.ts';

const KEY_COLUMNS = words(KEYS);

interface Owner {
  readonly index: Buffer;
  readonly sealer: Sealer;
}

/** Whose it is; null where it does not say. */
function* ownerOf(
  context: CommandContext,
  { tenant, at, facts: { client, user } }: Settle,
): Program<Owner | 'erased' | null> {
  if (client === null || user === null) return null;
  const index = userIndex(context.vault, client, user);
  const sealer = yield* userSealer(context, tenant, index, at);
  return sealer === 'erased' ? 'erased' : { index, sealer };
}

const FINDING = rowsOf('delivery_finding', { seq: 'bigint', tenant: 'text', code: 'text' });

/** By which codes it is found. What an earlier judgement found gives way. */
function* writeFindings(tenant: string, row: Row, findings: readonly string[]): Program<void> {
  const seq = Number(row['seq']);
  if (row['findings_sealed'] !== null) yield* run`DELETE FROM delivery_finding WHERE seq = ${seq}`;
  yield* insert(
    FINDING,
    findingCodes(findings).map((code) => ({ seq, tenant, code })),
  );
}

function* writeFacts(
  { vault }: CommandContext,
  row: Row,
  user: Owner | null,
  facts: Facts,
  document: Uint8Array | null,
): Program<void> {
  const id = String(row['id']);
  const { sealer, sealed } = keyForUser(vault, row, user?.sealer ?? null);
  yield* run`
    UPDATE delivery SET data_structure = ${facts.dataStructure}, user_index = ${user?.index ?? null},
      user_sealed = ${facts.user === null ? null : sealUser(sealer, facts.user, id)}, content_digest = ${facts.contentDigest},
      document_index = ${document}, document_version = ${facts.documentVersion},
      findings_sealed = ${sealFindings(sealer, facts.findings, id)}, body_key_sealed = ${sealed}
    WHERE seq = ${Number(row['seq'])}`;
}

/**
 * The place of an earlier delivery with the same content, if there is one; else this one is remembered as the first.
 */
function* sameContentBefore(tenant: string, digest: Uint8Array, seq: number): Program<number | null> {
  yield* run`
    INSERT INTO delivery_digest (tenant, kind, digest, seq) VALUES (${tenant}, 'content', ${digest}, ${seq})
      ON CONFLICT DO NOTHING`;
  const first =
    yield* get`SELECT seq FROM delivery_digest WHERE tenant = ${tenant} AND kind = 'content' AND digest = ${digest}`;
  return Number(first?.['seq']) === seq ? null : Number(first?.['seq']);
}

/**
 * The row of the document is what replicas queue up for; it is made, at a version below every version, by whoever comes
 * first.
 */
function* lockDocument(s: Settle, index: Uint8Array): Program<Row | undefined> {
  yield* run`
    INSERT INTO document (tenant, document_index, data_structure, version, clinical_digest, seq, changed_at)
    VALUES (${s.tenant}, ${index}, ${s.facts.dataStructure ?? ''}, -1, NULL, ${s.seq}, ${s.at.getTime()})
    ON CONFLICT DO NOTHING`;
  return yield* get`
    SELECT version, seq, clinical_digest FROM document WHERE tenant = ${s.tenant}
      AND document_index = ${index} ${FOR_UPDATE}`;
}

/**
 * The version that counts from now on; older ones that still wait are out of date, and what was left out of them is.
 */
function* takePlace(context: CommandContext, s: Settle, document: DocumentFacts, index: Uint8Array): Program<number[]> {
  yield* run`
    UPDATE document SET version = ${document.version}, clinical_digest = ${document.clinicalDigest}, seq = ${s.seq},
      changed_at = ${s.at.getTime()}
    WHERE tenant = ${s.tenant} AND document_index = ${index}`;
  const replaced = yield* all`
    SELECT seq, id, state FROM delivery
    WHERE tenant = ${s.tenant} AND document_index = ${index} AND seq <> ${s.seq}
      AND (state ${among('text', REPLACEABLE)} OR (state = 'delivered' AND reason = ${LEFT_OUT}))
    ORDER BY seq ${FOR_UPDATE}`;
  const delivered = replaced.filter(({ state }) => state === 'delivered');
  const waiting = replaced.filter(({ state }) => state !== 'delivered');
  for (const old of delivered)
    yield* run`UPDATE delivery SET reason = 'newer-version' WHERE seq = ${Number(old['seq'])}`;
  const { tenant, at, requestId } = s;
  yield* move(
    context,
    waiting.map((old): Move => ({
      tenant,
      seq: Number(old['seq']),
      id: String(old['id']),
      from: old['state'] as State,
      to: 'superseded',
      reason: 'newer-version',
      actor: 'gateway',
      at,
      requestId,
    })),
  );
  return queuedAmong(replaced);
}

/** It came after its user was erased: that it came is remembered, and nothing of what it says. */
function* drop(context: CommandContext, s: Settle, id: string): Program<Settled> {
  const reason = 'erased';
  yield* run`DELETE FROM delivery_body WHERE seq = ${s.seq}`;
  yield* run`DELETE FROM unclaimed_key WHERE seq = ${s.seq}`;
  // Should it be sent again after the user was connected anew, it is no repetition.
  yield* run`
    DELETE FROM delivery_digest
    WHERE seq = ${s.seq} AND (tenant, kind, digest) IN (SELECT tenant, hook, raw_digest FROM delivery
    WHERE seq = ${s.seq})`;
  yield* run`UPDATE delivery SET user_sealed = NULL, findings_sealed = NULL, body_key_sealed = NULL
    WHERE seq = ${s.seq}`;
  yield* run`DELETE FROM delivery_finding WHERE seq = ${s.seq}`;
  const self = { tenant: s.tenant, seq: s.seq, actor: 'gateway', at: s.at, requestId: s.requestId };
  yield* move(context, [{ ...self, id, from: 'received', to: 'quarantined', reason }]);
  return { state: 'quarantined', reason, unqueued: [] };
}

/** Gives a received delivery its state. Null where somebody else has settled it meanwhile. */
export function* settle(context: CommandContext, s: Settle, destination: Destination): Program<Settled | null> {
  const row = yield* get`
    SELECT ${KEY_COLUMNS}, d.seq, d.id, d.state, d.findings_sealed FROM delivery d WHERE d.seq = ${s.seq}
      AND d.tenant = ${s.tenant} ${FOR_UPDATE}`;
  if (row?.['state'] !== 'received') return null;
  const id = String(row['id']);
  const user = yield* ownerOf(context, s);
  if (user === 'erased') return yield* drop(context, s, id);
  const document = s.verdict.kind === 'sound' ? s.verdict.document : null;
  const index = document === null ? null : documentIndex(context.vault, document.key);
  yield* writeFacts(context, row, user, s.facts, index);
  yield* writeFindings(s.tenant, row, s.facts.findings);
  if (user !== null) yield* run`DELETE FROM unclaimed_key WHERE seq = ${s.seq}`;

  const original =
    s.facts.contentDigest === null ? null : yield* sameContentBefore(s.tenant, s.facts.contentDigest, s.seq);
  const known = original !== null || index === null ? undefined : yield* lockDocument(s, index);
  const { to, reason, duplicateOf, isCurrent } = decideSettlement(
    s.seq,
    s.verdict,
    original,
    known === undefined ? null : toKnown(known),
    destination,
  );
  const self = { tenant: s.tenant, actor: 'gateway', at: s.at, requestId: s.requestId };
  if (duplicateOf !== null) yield* run`UPDATE delivery SET duplicate_of = ${duplicateOf} WHERE seq = ${s.seq}`;
  const unqueued =
    isCurrent && document !== null && index !== null ? yield* takePlace(context, s, document, index) : [];
  yield* move(context, [{ ...self, seq: s.seq, id, from: 'received', to, reason }]);
  return { state: to, reason, unqueued };
}
