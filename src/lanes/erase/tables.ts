import { actorOf, type AuditDraft } from '../../audit/index.ts';
import type { LinkAct, SourceUser } from '../../identity/index.ts';
import type { Move, State } from '../../inbox/index.ts';
import { fragment, words, type Fragment, type Vault } from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';

/* Every table that can hold data of a source user: what erasing destroys of it, what it leaves, and why. */

export type Row = Readonly<Record<string, unknown>>;

/** `index`: the keyed hash of the user. */
export interface Owner {
  readonly tenant: string;
  readonly index: Uint8Array;
}

/** A piece of SQL about a user. */
type Of = (owner: Owner) => Fragment;

interface Rule {
  readonly table: string;
  readonly what: string;
  /** `FROM … WHERE …`: rows that hold something to be destroyed; null: nothing of the table is. */
  readonly held: Of | null;
  /** Rows that stay; null: none do. */
  readonly left: Of | null;
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

export const ofUser: Of = ({ tenant, index }) => fragment`tenant = ${tenant} AND user_index = ${index}`;
const seqsOf: Of = (owner) => fragment`(SELECT seq FROM delivery WHERE ${ofUser(owner)})`;
export const jobsOf: Of = ({ tenant, index }) => fragment`(
  SELECT j.seq FROM job j JOIN delivery d ON d.seq = j.delivery_seq
  WHERE d.tenant = ${tenant} AND d.user_index = ${index})`;
/** Of the charts that deliveries of the user went into: rows `w` of their documents. */
const writtenOf = ({ tenant, index }: Owner): Fragment => fragment`
  w.tenant = ${tenant} AND w.target = ${TARGET} AND w.patient_index IN (
    SELECT j.patient_index FROM job j JOIN delivery o ON o.seq = j.delivery_seq
    WHERE o.tenant = ${tenant} AND o.user_index = ${index})
  AND w.document_index IN (SELECT document_index FROM delivery WHERE ${ofUser({ tenant, index })})`;
const writtenBy: Of = (owner) => fragment`FROM written_document w WHERE ${writtenOf(owner)}`;
/** Of patients to whom somebody else is linked too, what is known stays. */
export const personsOf: Of = ({ tenant, index }) => fragment`
  FROM person WHERE tenant = ${tenant} AND facts_sealed IS NOT NULL
    AND mrn_index IN (SELECT mrn_index FROM link WHERE tenant = ${tenant} AND user_index = ${index})
    AND NOT EXISTS (SELECT 1 FROM link l
      WHERE l.tenant = person.tenant AND l.mrn_index = person.mrn_index AND l.status = 'confirmed')`;
export const writtenUnderIds: Of = (owner) => fragment`${writtenBy(owner)} AND w.ids_sealed IS NOT NULL`;
export const idsApartOf: Of = (owner) => fragment`FROM written_id w WHERE ${writtenOf(owner)}`;
/** Patients of the user's links, but for those whom another user is linked to. */
const patientsOf: Of = ({ tenant, index }) => fragment`(
  SELECT l.mrn_index FROM link l WHERE l.tenant = ${tenant} AND l.user_index = ${index} AND NOT EXISTS (
    SELECT 1 FROM link o WHERE o.tenant = l.tenant AND o.mrn_index = l.mrn_index AND o.status = 'confirmed'))`;
export const exportedOf: Of = (owner) =>
  fragment`FROM export_patient WHERE tenant = ${owner.tenant} AND mrn_index IN ${patientsOf(owner)}`;
export const exportedLinesOf: Of = (owner) => fragment`
  FROM export_segment WHERE (export_seq, patient_n) IN (SELECT export_seq, n ${exportedOf(owner)})`;
export const SEALED = words('user_sealed IS NOT NULL OR findings_sealed IS NOT NULL OR body_key_sealed IS NOT NULL');

export const TABLES: readonly Rule[] = [
  {
    table: 'user_key',
    what: 'the key of the user',
    held: (owner) => fragment`FROM user_key WHERE ${ofUser(owner)} AND key_sealed IS NOT NULL`,
    left: (owner) => fragment`FROM user_key WHERE ${ofUser(owner)}`,
    why: 'that the user was erased, under a keyed hash, so that what comes later is dropped',
  },
  {
    table: 'delivery_body',
    what: 'bodies',
    held: (owner) => fragment`FROM delivery_body WHERE seq IN ${seqsOf(owner)}`,
    left: null,
    why: null,
  },
  {
    table: 'delivery',
    what: 'user ids, findings and the keys of bodies',
    held: (owner) => fragment`FROM delivery WHERE ${ofUser(owner)} AND (${SEALED})`,
    left: (owner) => fragment`FROM delivery WHERE ${ofUser(owner)}`,
    why: 'that something came and what became of it, with a digest of its bytes, so that the ledger adds up',
  },
  {
    table: 'delivery_step',
    what: 'changes of state',
    held: null,
    left: (owner) => fragment`FROM delivery_step WHERE seq IN ${seqsOf(owner)}`,
    why: 'states and times, without content',
  },
  {
    table: 'delivery_finding',
    what: 'codes of findings',
    held: (owner) => fragment`FROM delivery_finding WHERE seq IN ${seqsOf(owner)}`,
    left: null,
    why: null,
  },
  {
    table: 'delivery_word',
    what: 'words that deliveries wait for',
    held: (owner) => fragment`FROM delivery_word WHERE seq IN ${seqsOf(owner)}`,
    left: null,
    why: null,
  },
  {
    table: 'delivery_note',
    what: 'notes of operators',
    held: (owner) => fragment`FROM delivery_note WHERE seq IN ${seqsOf(owner)}`,
    left: null,
    why: null,
  },
  {
    table: 'delivery_digest',
    what: 'digests by which a repetition is known',
    held: ({ tenant, index }) => fragment`
      FROM delivery_digest g JOIN delivery d
        ON d.tenant = g.tenant AND g.seq = d.seq AND (g.digest = d.raw_digest OR g.digest = d.content_digest)
      WHERE d.tenant = ${tenant} AND d.user_index = ${index}`,
    left: null,
    why: null,
  },
  {
    table: 'document',
    what: 'versions and digests of documents',
    held: (owner) => fragment`
      FROM document WHERE tenant = ${owner.tenant}
        AND document_index IN (SELECT document_index FROM delivery WHERE ${ofUser(owner)})`,
    left: null,
    why: null,
  },
  {
    table: 'source_user',
    what: 'the user id',
    held: (owner) => fragment`FROM source_user WHERE ${ofUser(owner)}`,
    left: null,
    why: null,
  },
  {
    table: 'link',
    what: 'user id, MRN and evidence of links',
    held: (owner) => fragment`FROM link WHERE ${ofUser(owner)}`,
    left: null,
    why: null,
  },
  {
    table: 'person',
    what: 'names, birth dates and identifiers of patients',
    held: personsOf,
    left: null,
    why: null,
  },
  {
    table: 'written_document',
    what: 'ids of resources at the EHR',
    held: writtenUnderIds,
    left: writtenBy,
    why: 'names and digests of what was written, with type and day, so that nothing is written twice; no value can be read from them',
  },
  {
    table: 'written_id',
    what: 'ids of resources at the EHR that were written by an earlier release',
    held: idsApartOf,
    left: null,
    why: null,
  },
  {
    table: 'foreign_change',
    what: 'what charts said',
    held: (owner) => fragment`FROM foreign_change WHERE delivery_seq IN ${seqsOf(owner)}`,
    left: null,
    why: null,
  },
  {
    table: 'attempt',
    what: 'what attempts meant to write, and what the EHR said to them',
    held: (owner) => fragment`
      FROM attempt WHERE (intents IS NOT NULL OR issues IS NOT NULL) AND job_seq IN ${jobsOf(owner)}`,
    left: (owner) => fragment`FROM attempt WHERE job_seq IN ${jobsOf(owner)}`,
    why: 'when something was sent, and how that ended',
  },
  {
    table: 'shadow_item',
    what: 'what shadow mode found out',
    held: (owner) => fragment`FROM shadow_item WHERE job_seq IN ${jobsOf(owner)}`,
    left: null,
    why: null,
  },
  {
    table: 'event',
    what: 'what apps are still to be told of',
    held: (owner) => fragment`FROM event WHERE ${ofUser(owner)}`,
    left: null,
    why: null,
  },
  {
    table: 'export_segment',
    what: 'records in bulk exports of apps',
    held: exportedLinesOf,
    left: null,
    why: null,
  },
  {
    table: 'subscription_event',
    what: 'ids of resources that apps were told of',
    held: (owner) => fragment`FROM subscription_event WHERE ${ofUser(owner)} AND items_sealed IS NOT NULL`,
    left: (owner) => fragment`FROM subscription_event WHERE ${ofUser(owner)}`,
    why: 'that something happened, under its number, so that the numbers have no hole',
  },
  {
    table: 'export_patient',
    what: 'the MRN in bulk exports of apps',
    held: exportedOf,
    left: null,
    why: null,
  },
  {
    table: 'patient_group_member',
    what: 'the MRN in lists of operators',
    held: null,
    left: (owner) =>
      fragment`FROM patient_group_member WHERE tenant = ${owner.tenant} AND mrn_index IN ${patientsOf(owner)}`,
    why: 'the hospital lists its patient, not the user: take the MRN out of the group',
  },
  {
    table: 'audit_record',
    what: 'the audit',
    held: null,
    left: (owner) => fragment`
      FROM audit_record WHERE tenant = ${owner.tenant}
        AND delivery_id IN (SELECT id FROM delivery WHERE ${ofUser(owner)})`,
    why: 'who did what, under pseudonyms: it can only be verified whole',
  },
  {
    table: 'delivery_body (nobody’s)',
    what: 'bodies that could not be read',
    held: null,
    left: ({ tenant }) => fragment`
      FROM delivery_body b JOIN delivery d ON d.seq = b.seq
      WHERE d.tenant = ${tenant} AND d.user_index IS NULL AND d.state = 'quarantined'`,
    why: 'nobody knows whose they are: discard them, or leave them to retention',
  },
];

export const WAITING: readonly unknown[] = ['parked', 'quarantined'];
export const discardOf = (act: LinkAct, row: Row): Move => ({
  tenant: act.tenant,
  requestId: act.requestId,
  ...actorOf(act),
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
  ...actorOf(act),
  why: 'erase',
  userHash: vault.index('audit_user', JSON.stringify([client, user])).toString('hex'),
  counts,
});
