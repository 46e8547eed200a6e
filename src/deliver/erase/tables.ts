import type { AuditDraft } from '../../audit/index.ts';
import type { LinkAct, SourceUser } from '../../identity/index.ts';
import type { Move, State } from '../../inbox/index.ts';
import type { Vault } from '../../store/index.ts';
import { TARGET } from '../commands.ts';

/*
 * Every table that can hold data of a source user: what erasing destroys of it, what it leaves, and why. $1 is the tenant and $2 the
 * keyed hash of the user; SQLite reads the same texts with its own marks.
 */

export type Row = Readonly<Record<string, unknown>>;

interface Rule {
  readonly table: string;
  readonly what: string;
  /** Rows that hold something to be destroyed; null: nothing of the table is. */
  readonly held: string | null;
  /** Rows that stay; null: none do. */
  readonly left: string | null;
  readonly why: string | null;
}

/** How many rows of a table still hold something, and how many there are that stay. */
export interface Counted {
  readonly table: string;
  readonly what: string;
  readonly held: number;
  readonly left: number;
  readonly why: string | null;
}

const OF_USER = 'tenant = $1 AND user_index = $2';
const SEQS = `(SELECT seq FROM delivery WHERE ${OF_USER})`;
const JOBS = `(SELECT j.seq FROM job j JOIN delivery d ON d.seq = j.delivery_seq WHERE d.tenant = $1 AND d.user_index = $2)`;
/** A sealed empty text has 33 bytes: an id that nobody knows. */
const UNKNOWN_BYTES = 33;
const WRITTEN = `FROM written_resource w JOIN delivery d ON d.seq = w.delivery_seq WHERE w.tenant = $1 AND w.target = '${TARGET}' AND d.user_index = $2
  AND w.patient_index IN (SELECT j.patient_index FROM job j JOIN delivery o ON o.seq = j.delivery_seq WHERE o.tenant = $1 AND o.user_index = $2)`;
const SEALED = 'user_sealed IS NOT NULL OR findings_sealed IS NOT NULL OR body_key_sealed IS NOT NULL';

const RULES: readonly Rule[] = [
  {
    table: 'user_key',
    what: 'the key of the user',
    held: `FROM user_key WHERE ${OF_USER} AND key_sealed IS NOT NULL`,
    left: `FROM user_key WHERE ${OF_USER}`,
    why: 'that the user was erased, under a keyed hash, so that what comes later is dropped',
  },
  {
    table: 'delivery_body',
    what: 'bodies',
    held: `FROM delivery_body WHERE seq IN ${SEQS}`,
    left: null,
    why: null,
  },
  {
    table: 'delivery',
    what: 'user ids, findings and the keys of bodies',
    held: `FROM delivery WHERE ${OF_USER} AND (${SEALED})`,
    left: `FROM delivery WHERE ${OF_USER}`,
    why: 'that something came and what became of it, with a digest of its bytes, so that the ledger adds up',
  },
  {
    table: 'delivery_step',
    what: 'changes of state',
    held: null,
    left: `FROM delivery_step WHERE seq IN ${SEQS}`,
    why: 'states and times, without content',
  },
  {
    table: 'delivery_digest',
    what: 'digests by which a repetition is known',
    held: `FROM delivery_digest g JOIN delivery d ON d.tenant = g.tenant AND g.seq = d.seq AND (g.digest = d.raw_digest OR g.digest = d.content_digest)
      WHERE d.tenant = $1 AND d.user_index = $2`,
    left: null,
    why: null,
  },
  {
    table: 'document',
    what: 'versions and digests of documents',
    held: `FROM document WHERE tenant = $1 AND document_index IN (SELECT document_index FROM delivery WHERE ${OF_USER})`,
    left: null,
    why: null,
  },
  { table: 'source_user', what: 'the user id', held: `FROM source_user WHERE ${OF_USER}`, left: null, why: null },
  { table: 'link', what: 'user id, MRN and evidence of links', held: `FROM link WHERE ${OF_USER}`, left: null, why: null },
  {
    table: 'written_resource',
    what: 'ids of resources at the EHR',
    held: `${WRITTEN} AND length(w.resource_id_sealed) > ${UNKNOWN_BYTES}`,
    left: WRITTEN,
    why: 'names and digests of what was written, with type and day, so that nothing is written twice; no value can be read from them',
  },
  {
    table: 'foreign_change',
    what: 'what charts said',
    held: `FROM foreign_change WHERE delivery_seq IN ${SEQS}`,
    left: null,
    why: null,
  },
  {
    table: 'attempt',
    what: 'what attempts meant to write',
    held: `FROM attempt WHERE intents IS NOT NULL AND job_seq IN ${JOBS}`,
    left: `FROM attempt WHERE job_seq IN ${JOBS}`,
    why: 'when something was sent, and how that ended',
  },
  {
    table: 'shadow_item',
    what: 'what shadow mode found out',
    held: `FROM shadow_item WHERE job_seq IN ${JOBS}`,
    left: null,
    why: null,
  },
  {
    table: 'audit_record',
    what: 'the audit',
    held: null,
    left: `FROM audit_record WHERE tenant = $1 AND delivery_id IN (SELECT id FROM delivery WHERE ${OF_USER})`,
    why: 'who did what, under pseudonyms: it can only be verified whole',
  },
  {
    table: 'delivery_body (nobody’s)',
    what: 'bodies that could not be read',
    held: null,
    left: `FROM delivery_body b JOIN delivery d ON d.seq = b.seq WHERE d.tenant = $1 AND d.user_index IS NULL AND d.state = 'quarantined' AND coalesce(d.user_index, $2) IS NOT NULL`,
    why: 'nobody knows whose they are: discard them, or leave them to retention',
  },
];

const countOf = (from: string): string => `SELECT count(*) AS n ${from}`;
export const TABLES = RULES.map(({ held, left, ...rule }) => ({
  ...rule,
  held: held === null ? null : countOf(held),
  left: left === null ? null : countOf(left),
}));
export type Table = (typeof TABLES)[number];

export const toSqlite = (sql: string): string => sql.replaceAll(/\$(\d)/g, '?$1');

/** Deliveries of the user that still hold something, or wait for something. */
export const UNDONE = `SELECT seq, id, state, document_index FROM delivery d WHERE ${OF_USER} AND (${SEALED} OR state IN ('parked','quarantined')
  OR EXISTS (SELECT 1 FROM delivery_body b WHERE b.seq = d.seq)
  OR EXISTS (SELECT 1 FROM document g WHERE g.tenant = d.tenant AND g.document_index = d.document_index)) ORDER BY seq LIMIT $3`;
export const UNDONE_IDS = `SELECT w.name, w.patient_index ${WRITTEN} AND length(w.resource_id_sealed) > ${UNKNOWN_BYTES} LIMIT $3`;

export const LIVE_LINKS = `SELECT count(*) AS n FROM link WHERE ${OF_USER} AND status <> 'revoked'`;
export const MOVING = `SELECT (SELECT count(*) FROM delivery WHERE ${OF_USER} AND state IN ('received','queued','sending','unknown'))
  + (SELECT count(*) FROM job WHERE seq IN ${JOBS} AND kind = 'retract' AND state IN ('queued','parked')) AS n`;
export const ERASED_AT = `SELECT erased_at FROM user_key WHERE ${OF_USER}`;

/** What is done to one delivery, in this order. $1 is its place. */
export const DESTROY = [
  'DELETE FROM delivery_body WHERE seq = $1',
  'DELETE FROM unclaimed_key WHERE seq = $1',
  `DELETE FROM delivery_digest WHERE seq = $1 AND (tenant, kind, digest) IN (
     SELECT tenant, hook, raw_digest FROM delivery WHERE seq = $1 UNION ALL SELECT tenant, 'content', content_digest FROM delivery WHERE seq = $1)`,
  'DELETE FROM document WHERE (tenant, document_index) IN (SELECT tenant, document_index FROM delivery WHERE seq = $1)',
  'DELETE FROM foreign_change WHERE (tenant, delivery_seq) IN (SELECT tenant, seq FROM delivery WHERE seq = $1)',
  'UPDATE attempt SET intents = NULL WHERE intents IS NOT NULL AND job_seq IN (SELECT seq FROM job WHERE delivery_seq = $1)',
  'DELETE FROM shadow_item WHERE job_seq IN (SELECT seq FROM job WHERE delivery_seq = $1)',
  'DELETE FROM shadow_result WHERE job_seq IN (SELECT seq FROM job WHERE delivery_seq = $1)',
  // What was left out of it waits for nothing any more.
  `UPDATE delivery SET reason = NULL WHERE seq = $1 AND state = 'delivered' AND reason = 'left-out'`,
  'UPDATE delivery SET user_sealed = NULL, findings_sealed = NULL, body_key_sealed = NULL WHERE seq = $1',
] as const;

export const WAITING: readonly unknown[] = ['parked', 'quarantined'];
export const discardOf = (act: LinkAct, row: Row): Move => ({
  tenant: act.tenant,
  requestId: act.requestId,
  actor: act.actor,
  at: act.at,
  seq: Number(row['seq']),
  id: String(row['id']),
  from: row['state'] as State,
  to: 'discarded',
  reason: 'erased',
});

export const isKnownBy = (counts: readonly Counted[], erasedAt: number | null): boolean =>
  erasedAt !== null || counts.some(({ table, held, left }) => held > 0 || (table === 'delivery' && left > 0));

/** Under the pseudonym that the records of the user's links have. */
export const auditOfErasure = (
  vault: Vault,
  act: LinkAct,
  { client, user }: SourceUser,
  counts: Readonly<Record<string, number>>,
): AuditDraft => ({
  at: act.at,
  type: 'admin',
  tenant: act.tenant,
  requestId: act.requestId,
  action: 'D',
  outcome: '0',
  actor: act.actor,
  why: 'erase',
  userHash: vault.index('audit_user', JSON.stringify([client, user])).toString('hex'),
  counts,
});
