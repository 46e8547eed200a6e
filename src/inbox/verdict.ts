import type { ParkReason, QuarantineReason } from './state.ts';

/** What a delivery turned out to be about; sealed and indexed inside the command. */
export interface Facts {
  readonly dataStructure: string | null;
  readonly client: string | null;
  readonly user: string | null;
  /** As the source wrote it; what orders the document may be another number. */
  readonly documentVersion: number | null;
  readonly contentDigest: Uint8Array | null;
  /** Codes and paths, never values. */
  readonly findings: readonly string[];
  /** Words of the source that nobody has mapped. */
  readonly unmapped: readonly UnmappedWord[];
}

export interface UnmappedWord {
  readonly kind: 'code' | 'context' | 'unit' | 'structure';
  readonly what: string;
}

/** The document that a delivery is a version of. */
export interface DocumentFacts {
  readonly key: string;
  readonly version: number;
  /** Null where the source has not finished this version: another delivery of it takes its place, whatever it says. */
  readonly clinicalDigest: Uint8Array | null;
  /** `version`: equal versions must be equal. `ascending`: what is not higher is out of date. */
  readonly order: 'version' | 'ascending';
}

export type Verdict =
  | { readonly kind: 'quarantine'; readonly reason: QuarantineReason }
  /** Believed. `trouble`: why it cannot go on whoever the patient is. */
  | { readonly kind: 'sound'; readonly trouble: ParkReason | null; readonly document: DocumentFacts | null }
  | { readonly kind: 'handled' };

export interface Settle {
  readonly tenant: string;
  readonly seq: number;
  readonly at: Date;
  readonly requestId: string;
  readonly facts: Facts;
  readonly verdict: Verdict;
}

/** Where a sound document without trouble goes: to its patient's lane, or it waits for the patient. */
export type Destination = 'queued' | 'unlinked';
