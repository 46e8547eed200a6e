import { hash } from 'node:crypto';
import { flatText } from '../kernel/index.ts';

/**
 * The scheme is part of every name: another way of naming would give other names, never the same for something else.
 */
const SCHEME = 'chartgate-1';

export const SYSTEMS = {
  measurement: 'urn:chartgate:measurement',
  delivery: 'urn:chartgate:delivery',
  labDocument: 'urn:chartgate:lab-document',
  profileRequest: 'urn:chartgate:profile-request',
  sourceCategory: 'urn:chartgate:source-category',
} as const;

/** A name, and the shelf on which the ledger keeps what bears it: by the name alone, so whoever gives it looks there. */
export interface Name {
  readonly text: string;
  readonly shelf: string;
}

/** Where the parts of a name of this kind tell of a day, which is its shelf. */
const DAY_AT: Readonly<Record<string, number>> = {
  measurement: 4,
  'steps-day': 0,
  alert: 1,
  'alert-event': 1,
  'alert-summary': 0,
  'alert-summary-zero': 0,
  profile: 0,
};

/** Kinds of names that begin with their document, which no other document shares. */
const BY_DOCUMENT: ReadonlySet<string> = new Set(['lab', 'custom']);
/** How the shelf of a document begins, which no day does. */
const DOCUMENT_SHELF = 'D';
const DOCUMENT_DIGITS = 12;

/** SHA-256 over what was measured, in 64 characters that every EHR takes as an id. */
export const nameOf = (...parts: readonly (string | null)[]): string =>
  hash('sha256', JSON.stringify([SCHEME, ...parts]));

/** The same for many names that begin alike: what they share is written once. */
export function makeNameOf(
  ...first: readonly (string | null)[]
): (kind: string, ...parts: readonly (string | null)[]) => Name {
  const shared = JSON.stringify(first).slice(1, -1);
  const heads = new Map<string, string>();
  const ofDocuments = new Map<string, string>();
  const shelfOf = (kind: string, head: string, parts: readonly (string | null)[]): string => {
    if (!BY_DOCUMENT.has(kind)) {
      const at = DAY_AT[kind];
      return at === undefined ? '' : (parts[at] ?? '').slice(0, 10);
    }
    const key = `${head},${JSON.stringify(parts[0] ?? null)}]`;
    const known = ofDocuments.get(key);
    if (known !== undefined) return known;
    const shelf = DOCUMENT_SHELF + hash('sha256', key).slice(0, DOCUMENT_DIGITS);
    ofDocuments.set(key, shelf);
    return shelf;
  };
  return (kind, ...parts) => {
    const known = heads.get(kind);
    const head = known ?? flatText('["', SCHEME, '",', JSON.stringify(kind), ',', shared);
    if (known === undefined) heads.set(kind, head);
    const text = hash('sha256', parts.length === 0 ? `${head}]` : `${head},${JSON.stringify(parts).slice(1)}`);
    return { text, shelf: shelfOf(kind, head, parts) };
  };
}

/** RFC 9562, version 8: a UUID of our own making, from the first half of the name. */
export function referenceTo(name: string): string {
  const variant = ((parseInt(name.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `urn:uuid:${name.slice(0, 8)}-${name.slice(8, 12)}-8${name.slice(13, 16)}-${variant}${name.slice(17, 20)}-${name.slice(20, 32)}`;
}

export const nameIdentifier = (name: string): { system: string; value: string } => ({
  system: SYSTEMS.measurement,
  value: name,
});
