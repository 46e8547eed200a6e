import {
  all,
  among,
  fragment,
  FOR_UPDATE,
  get,
  insert,
  lockEach,
  rowsOf,
  run,
  send,
  typed,
  userIndex,
  userSealer,
  words,
  type CommandContext,
  type Fragment,
  type Program,
  type Sealer,
} from '../../store/index.ts';
import { decideSettlement } from '../decide-settlement.ts';
import type { KnownDocument } from '../decide-version.ts';
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
import type { Destination, DocumentFacts, Facts, Settle } from '../verdict.ts';

const KEY_COLUMNS = words(KEYS);

interface Owner {
  readonly index: Buffer;
  readonly sealer: Sealer;
}

const indexOf = ({ vault }: CommandContext, { facts: { client, user } }: Settle): Buffer | null =>
  client === null || user === null ? null : userIndex(vault, client, user);

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

/** What it turned out to be about. */
function columnsOf(
  context: CommandContext,
  row: Row,
  user: Owner | null,
  facts: Facts,
  document: Uint8Array | null,
): Fragment {
  const id = String(row['id']);
  const { sealer, sealed } = keyForUser(context, row, user?.sealer ?? null);
  return fragment`data_structure = ${facts.dataStructure}, user_index = ${user?.index ?? null},
    user_sealed = ${facts.user === null ? null : sealUser(sealer, facts.user, id)}, content_digest = ${facts.contentDigest},
    document_index = ${document}, document_version = ${facts.documentVersion},
    findings_sealed = ${sealFindings(sealer, facts.findings, id)}, body_key_sealed = ${sealed},`;
}

/**
 * The place of an earlier delivery with the same content, if there is one; else this one is remembered as the first.
 */
function* sameContentBefore(tenant: string, digest: Uint8Array, seq: number): Program<number | null> {
  const added = yield* run`
    INSERT INTO delivery_digest (tenant, kind, digest, seq) VALUES (${tenant}, 'content', ${digest}, ${seq})
      ON CONFLICT DO NOTHING`;
  if (added === 1) return null;
  const first =
    yield* get`SELECT seq FROM delivery_digest WHERE tenant = ${tenant} AND kind = 'content' AND digest = ${digest}`;
  return Number(first?.['seq']) === seq ? null : Number(first?.['seq']);
}

/**
 * The row of the document is what replicas queue up for. Whoever comes first makes it, with the version that it brings;
 * null then.
 */
function* lockDocument(s: Settle, document: DocumentFacts, index: Uint8Array): Program<KnownDocument | null> {
  const made = yield* run`
    INSERT INTO document (tenant, document_index, data_structure, version, clinical_digest, seq, changed_at)
    VALUES (${s.tenant}, ${index}, ${s.facts.dataStructure ?? ''}, ${document.version}, ${document.clinicalDigest},
      ${s.seq}, ${s.at.getTime()})
    ON CONFLICT DO NOTHING`;
  if (made === 1) return null;
  const row = yield* get`
    SELECT version, seq, clinical_digest FROM document WHERE tenant = ${s.tenant}
      AND document_index = ${index} ${FOR_UPDATE}`;
  if (row === undefined) throw new Error('the document is gone');
  return toKnown(row);
}

/** A document that is known already gets its newest version. */
function* renewDocument(s: Settle, document: DocumentFacts, index: Uint8Array): Program<void> {
  yield* run`
    UPDATE document SET version = ${document.version}, clinical_digest = ${document.clinicalDigest}, seq = ${s.seq},
      changed_at = ${s.at.getTime()}
    WHERE tenant = ${s.tenant} AND document_index = ${index}`;
}

/**
 * The version that counts from now on; older ones that still wait are out of date, and what was left out of them is.
 */
function* takePlace(context: CommandContext, s: Settle, index: Uint8Array): Program<number[]> {
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

/** A received delivery that has its verdict; all but its own row is written. */
export interface Settling {
  readonly move: Move;
  /** What changes in its row beside its state. */
  readonly columns: Fragment;
  /** Its row as it was. */
  readonly row: Row;
  /** The document that it is the first delivery of, where it was never settled before. */
  readonly freshDocument: Uint8Array | null;
  /** The places of older versions that were queued and whose jobs have become pointless. */
  readonly unqueued: readonly number[];
}

const moveOf = (s: Settle, row: Row, to: State, reason: string | null): Move => ({
  tenant: s.tenant,
  seq: s.seq,
  id: String(row['id']),
  from: 'received',
  to,
  reason,
  actor: 'gateway',
  at: s.at,
  requestId: s.requestId,
});

/** It came after its user was erased: that it came is remembered, and nothing of what it says. */
function* drop(s: Settle, row: Row): Program<Settling> {
  yield* run`DELETE FROM delivery_body WHERE seq = ${s.seq}`;
  yield* run`DELETE FROM unclaimed_key WHERE seq = ${s.seq}`;
  // Should it be sent again after the user was connected anew, it is no repetition.
  yield* run`
    DELETE FROM delivery_digest
    WHERE seq = ${s.seq} AND (tenant, kind, digest) IN (SELECT tenant, hook, raw_digest FROM delivery
    WHERE seq = ${s.seq})`;
  yield* run`DELETE FROM delivery_finding WHERE seq = ${s.seq}`;
  const columns = fragment`user_sealed = NULL, findings_sealed = NULL, body_key_sealed = NULL,`;
  return { move: moveOf(s, row, 'quarantined', 'erased'), columns, row, freshDocument: null, unqueued: [] };
}

/**
 * Decides what a received delivery becomes, and writes all of that but its own row, for `endSettling`. Null where
 * somebody else has settled it meanwhile.
 */
export function* settle(context: CommandContext, s: Settle, destination: Destination): Program<Settling | null> {
  const owner = indexOf(context, s);
  const document = s.verdict.kind === 'sound' ? s.verdict.document : null;
  const index = document === null ? null : documentIndex(context.vault, document.key);
  yield* lockEach([fragment`SELECT 1 AS held FROM delivery WHERE seq = ${s.seq} AND tenant = ${s.tenant} FOR UPDATE`]);
  const row = yield* get`
    SELECT ${KEY_COLUMNS}, d.seq, d.id, d.state, d.findings_sealed, d.request_id, d.trace_id, d.received_at,
      k.key_sealed, k.erased_at, k.made_at,
      CASE WHEN EXISTS (SELECT 1 FROM delivery o WHERE o.tenant = d.tenant
        AND o.document_index = ${typed('bytea', index)} AND o.seq <> d.seq) THEN 1 ELSE 0 END AS has_others,
      CASE WHEN EXISTS (SELECT 1 FROM delivery_step p WHERE p.seq = d.seq) THEN 1 ELSE 0 END AS was_moved
    FROM delivery d LEFT JOIN user_key k ON k.tenant = d.tenant AND k.user_index = ${typed('bytea', owner)}
    WHERE d.seq = ${s.seq} AND d.tenant = ${s.tenant}`;
  if (row?.['state'] !== 'received') return null;
  const sealer =
    owner === null
      ? null
      : yield* userSealer(context, s.tenant, owner, s.at, row['made_at'] === null ? undefined : row);
  if (sealer === 'erased') return yield* drop(s, row);
  const user = owner === null || sealer === null ? null : { index: owner, sealer };
  const columns = columnsOf(context, row, user, s.facts, index);
  yield* writeFindings(s.tenant, row, s.facts.findings);
  if (user !== null) yield* send`DELETE FROM unclaimed_key WHERE seq = ${s.seq}`;

  const original =
    s.facts.contentDigest === null ? null : yield* sameContentBefore(s.tenant, s.facts.contentDigest, s.seq);
  const known =
    original !== null || document === null || index === null ? null : yield* lockDocument(s, document, index);
  const { to, reason, duplicateOf, isCurrent } = decideSettlement(s.seq, s.verdict, original, known, destination);
  if (isCurrent && known !== null && document !== null && index !== null) yield* renewDocument(s, document, index);
  // Whoever has come meanwhile has made the row of the document, unless it is a repetition and takes nobody's place.
  const isFirst = known === null && Number(row['has_others']) === 0;
  const unqueued = isCurrent && index !== null && !isFirst ? yield* takePlace(context, s, index) : [];
  return {
    move: moveOf(s, row, to, reason),
    columns: duplicateOf === null ? columns : fragment`${columns} duplicate_of = ${duplicateOf},`,
    row,
    freshDocument: isCurrent && isFirst && Number(row['was_moved']) === 0 ? index : null,
    unqueued,
  };
}

/** Writes the row of a delivery that was settled, with whatever follows in the same commit. */
export const endSettling = (
  context: CommandContext,
  { move: first, columns }: Settling,
  following: readonly Move[],
): Program<void> => move(context, [first, ...following], { columns });
