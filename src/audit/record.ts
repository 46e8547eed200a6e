import { createHash } from 'node:crypto';
import { canonicalJson } from '../kernel/index.ts';

/** What is recorded of one act. Ids are ours or keyed hashes; nothing of a patient stands here in clear. */
export interface AuditDraft {
  readonly at: Date;
  readonly type: 'hook.accept' | 'hook.reject' | 'delivery.change' | 'link.change' | 'ehr.write' | 'admin';
  readonly tenant: string;
  readonly requestId: string;
  /** As FHIR's audit-event-action has them. */
  readonly action: 'C' | 'R' | 'U' | 'D' | 'E';
  /** As FHIR's audit-event-outcome: 0 success, 4 minor, 8 serious, 12 major failure. */
  readonly outcome: '0' | '4' | '8' | '12';
  readonly why?: string;
  readonly actor?: string;
  /** Keyed hash of the caller's address. */
  readonly addressHash?: string;
  readonly deliveryId?: string;
  readonly linkId?: string;
  readonly attemptId?: string;
  /** Keyed hashes, of a kind that no column of the store has. */
  readonly userHash?: string;
  readonly patientHash?: string;
  readonly bodyDigest?: string;
  readonly from?: string;
  readonly to?: string;
  readonly count?: number;
  readonly counts?: Readonly<Record<string, number>>;
}

export interface Link {
  readonly seq: number;
  readonly record: string;
  readonly leaf: Buffer;
  readonly link: Buffer;
}

const FORM = 1;

/** RFC 6962's leaf, so that a Merkle tree over the same leaves can be built later. */
const leafOf = (record: string): Buffer => createHash('sha256').update('\u0000').update(record).digest();
const linkOf = (previous: Uint8Array, leaf: Buffer): Buffer =>
  createHash('sha256').update('\u0002').update(previous).update(leaf).digest();

/** Where a chain begins: bound to its own name and to the end of the chain that this database was written by before. */
export const firstLink = (chain: string, previousLink: Uint8Array | null): Buffer =>
  createHash('sha256')
    .update(`chartgate-audit-v1\n${chain}\n`)
    .update(previousLink ?? new Uint8Array(32))
    .digest();

/** The next record of a chain. Each record holds its place, so that none can be moved. */
export function extendChain(chain: string, seq: number, previous: Uint8Array, { at, ...draft }: AuditDraft): Link {
  const record = canonicalJson({ v: FORM, chain, seq, at: at.toISOString(), ...draft });
  const leaf = leafOf(record);
  return { seq, record, leaf, link: linkOf(previous, leaf) };
}
