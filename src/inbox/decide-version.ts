import type { DocumentFacts } from './verdict.ts';

/** What is stored of a document: the highest version seen, and which delivery brought it. */
export interface KnownDocument {
  readonly version: number;
  readonly seq: number;
  readonly clinicalDigest: Uint8Array | null;
}

const areEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/**
 * Where a delivery stands among the versions of its document. `current` also for the delivery that brought the known
 * version, which is looked at again after a replay.
 */
export function decideVersion(
  seq: number,
  document: DocumentFacts,
  known: KnownDocument | null,
): 'current' | 'older' | 'same' | 'conflict' {
  if (known === null || known.seq === seq || document.version > known.version) return 'current';
  if (document.version < known.version) return 'older';
  if (known.clinicalDigest === null) return 'current';
  // The finished one of this version has come before.
  if (document.clinicalDigest === null) return 'older';
  if (areEqual(document.clinicalDigest, known.clinicalDigest)) return 'same';
  return document.order === 'ascending' ? 'older' : 'conflict';
}
