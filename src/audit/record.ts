import { createHash, hash } from 'node:crypto';
import { canonicalJson } from '../kernel/index.ts';
import type { Vault } from '../store/index.ts';
import { chartPseudonym, mrnPseudonym, resourcePseudonym, subjectPseudonym } from './pseudonym.ts';

export const AUDIT_TYPES = [
  'hook.accept',
  'hook.reject',
  'delivery.change',
  'link.change',
  'ehr.read',
  'ehr.write',
  'fhir.read',
  'fhir.search',
  'fhir.validate',
  'fhir.subscribe',
  'fhir.notify',
  'fhir.export',
  'fhir.deny',
  'auth.sign-in',
  'auth.grant',
  'auth.reject',
  'operator.sign-in',
  'admin',
  'config',
  'process',
] as const;
export type AuditType = (typeof AUDIT_TYPES)[number];

export const OUTCOMES = ['0', '4', '8', '12'] as const;

/**
 * What leads to a person, in clear. It never leaves the writer so: it is stored as keyed hashes, and sealed as a whole.
 */
export interface ToSeal {
  readonly patient?: { readonly system: string; readonly mrn: string };
  /** The EHR's id of the Patient. */
  readonly chart?: string;
  /** The id of the resource that was asked for. */
  readonly resourceId?: string;
  /** Who used the app: the token's `sub`. */
  readonly subject?: string;
  /** The request as it came, path and query. */
  readonly query?: string;
}

/** Who acts; of a person also what they were allowed by, at that time. */
export interface Actor {
  readonly actor: string;
  readonly roles?: readonly string[] | undefined;
}
/** As a record tells it. */
export const actorOf = ({ actor, roles }: Actor): { readonly actor: string; readonly roles?: readonly string[] } =>
  roles === undefined ? { actor } : { actor, roles };

/** One change of a delivery's state. */
export interface RecordedStep {
  readonly from: string;
  readonly to: string;
  readonly why?: string;
}

/** What is told of an act in clear: ids are ours or keyed hashes; nothing of a patient stands here. */
interface RecordedFacts {
  readonly type: AuditType;
  readonly tenant: string;
  readonly requestId: string;
  /** As FHIR's audit-event-action has them. */
  readonly action: 'C' | 'R' | 'U' | 'D' | 'E';
  /** As FHIR's audit-event-outcome: 0 success, 4 minor, 8 serious, 12 major failure. */
  readonly outcome: (typeof OUTCOMES)[number];
  readonly why?: string;
  /** What a person said they wanted it for, in words of theirs with nothing of a patient. */
  readonly reason?: string;
  readonly actor?: string;
  /** What an operator was allowed by, at that time. */
  readonly roles?: readonly string[];
  /** The operator or API key that the act was about. */
  readonly operatorId?: string;
  /** Keyed hash of the caller's address. */
  readonly addressHash?: string;
  readonly deliveryId?: string;
  readonly linkId?: string;
  readonly attemptId?: string;
  /** Keyed hashes, of a kind that no column of the store has. */
  readonly userHash?: string;
  readonly patientHash?: string;
  readonly chartHash?: string;
  readonly subjectHash?: string;
  readonly resourceHash?: string;
  readonly bodyDigest?: string;
  readonly from?: string;
  readonly to?: string;
  /**
   * Every change of the delivery's state that was written with this record, in their order; a record of a single change
   * tells it by `from` and `to` alone.
   */
  readonly steps?: readonly RecordedStep[];
  readonly count?: number;
  readonly counts?: Readonly<Record<string, number>>;
  /** The `client_id` of the app, who issued its token and the token's `jti`. */
  readonly client?: string;
  readonly issuer?: string;
  readonly tokenId?: string;
  /** As FHIR names it: read, vread, search-type, create, update … */
  readonly interaction?: string;
  readonly resourceType?: string;
  /** Type and the beginning of the name that we gave to each resource. */
  readonly resources?: readonly string[];
  readonly traceId?: string;
  readonly version?: string;
  /** Digests of the settings by section, secrets apart, and which sections differ from the start before. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly changed?: readonly string[];
}

/** What is to be recorded of one act. */
export interface AuditDraft extends RecordedFacts {
  readonly at: Date;
  readonly toSeal?: ToSeal;
}

/** A record as it stands in its chain. */
export interface AuditRecord extends RecordedFacts {
  readonly v: number;
  readonly chain: string;
  readonly seq: number;
  readonly at: string;
  /** `ToSeal`, sealed; base64. */
  readonly sealed?: string;
}

/** What of a record is searched by, beside its text. */
export interface Columns {
  readonly atMs: number;
  readonly tenant: string;
  readonly type: string;
  readonly outcome: string;
  readonly requestId: string;
  readonly deliveryId: string | null;
  readonly client: string | null;
  readonly patient: string | null;
  readonly chart: string | null;
}

export interface Link {
  readonly seq: number;
  readonly record: string;
  readonly leaf: Buffer;
  readonly link: Buffer;
  readonly columns: Columns;
}

const FORM = 1;
const LINK = 2;
const HASH_BYTES = 32;

/** RFC 6962's leaf: the Merkle tree of the checkpoints stands on the same leaves as the chains. */
export const leafOf = (record: string): Buffer => hash('sha256', `\u0000${record}`, 'buffer');
/** One for all: it is filled and hashed without a pause. */
const linked = Buffer.alloc(1 + 2 * HASH_BYTES, LINK);
export function linkOf(previous: Uint8Array, leaf: Uint8Array): Buffer {
  // A damaged one fits nowhere, and is found out by that.
  if (previous.length !== HASH_BYTES || leaf.length !== HASH_BYTES)
    return hash('sha256', Buffer.concat([Buffer.from([LINK]), previous, leaf]), 'buffer');
  linked.set(previous, 1);
  linked.set(leaf, 1 + HASH_BYTES);
  return hash('sha256', linked, 'buffer');
}

/** Where a chain begins: bound to its own name and to the end of the chain that this database was written by before. */
export const firstLink = (chain: string, previousLink: Uint8Array | null): Buffer =>
  createHash('sha256')
    .update(`chartgate-audit-v1\n${chain}\n`)
    .update(previousLink ?? new Uint8Array(32))
    .digest();

export const columnsOf = (record: AuditRecord): Columns => ({
  atMs: Date.parse(record.at),
  tenant: record.tenant,
  type: record.type,
  outcome: record.outcome,
  requestId: record.requestId,
  deliveryId: record.deliveryId ?? null,
  client: record.client ?? null,
  patient: record.patientHash ?? null,
  chart: record.chartHash ?? null,
});

const sealPlace = (chain: string, seq: number): string => `audit_record.record/${chain}/${seq}`;

function hide(vault: Vault, chain: string, seq: number, toSeal: ToSeal) {
  const { patient, chart, resourceId, subject } = toSeal;
  return {
    ...(patient === undefined ? {} : { patientHash: mrnPseudonym(vault, patient.system, patient.mrn) }),
    ...(chart === undefined ? {} : { chartHash: chartPseudonym(vault, chart) }),
    ...(resourceId === undefined ? {} : { resourceHash: resourcePseudonym(vault, resourceId) }),
    ...(subject === undefined ? {} : { subjectHash: subjectPseudonym(vault, subject) }),
    sealed: vault
      .particulars(chain)
      .seal(Buffer.from(JSON.stringify(toSeal)), sealPlace(chain, seq))
      .toString('base64'),
  };
}

/** What was sealed with a record. Throws where the key is missing or the record was moved. */
export const openSealed = (vault: Vault, { chain, seq, sealed }: AuditRecord): ToSeal =>
  sealed === undefined
    ? {}
    : (JSON.parse(
        vault.particulars(chain).open(Buffer.from(sealed, 'base64'), sealPlace(chain, seq)).toString(),
      ) as ToSeal);

/** The next record of a chain. Each record holds its place, so that none can be moved. */
export function extendChain(
  vault: Vault,
  chain: string,
  seq: number,
  previous: Uint8Array,
  { at, toSeal, ...draft }: AuditDraft,
): Link {
  const hidden = toSeal === undefined ? {} : hide(vault, chain, seq, toSeal);
  const told: AuditRecord = { v: FORM, chain, seq, at: at.toISOString(), ...draft, ...hidden };
  const record = canonicalJson(told);
  const leaf = leafOf(record);
  return { seq, record, leaf, link: linkOf(previous, leaf), columns: columnsOf(told) };
}
