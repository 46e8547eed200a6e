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

/** A name, and the day by which the ledger finds what bears it; empty where it says nothing of a day. */
export interface Name {
  readonly text: string;
  readonly ledgerDay: string;
}

/** Where the parts of a name of this kind tell of its day. By the name alone: whoever gives it gives the same day. */
const DAY_AT: Readonly<Record<string, number>> = {
  measurement: 4,
  'steps-day': 0,
  alert: 1,
  'alert-event': 1,
  'alert-summary': 0,
  'alert-summary-zero': 0,
  profile: 0,
};

function ledgerDayOf(kind: string, parts: readonly (string | null)[]): string {
  const at = DAY_AT[kind];
  return at === undefined ? '' : (parts[at] ?? '').slice(0, 10);
}

/** SHA-256 over what was measured, in 64 characters that every EHR takes as an id. */
export const nameOf = (...parts: readonly (string | null)[]): string =>
  hash('sha256', JSON.stringify([SCHEME, ...parts]));

/** The same for many names that begin alike: what they share is written once. */
export function makeNameOf(
  ...first: readonly (string | null)[]
): (kind: string, ...parts: readonly (string | null)[]) => Name {
  const shared = JSON.stringify(first).slice(1, -1);
  const heads = new Map<string, string>();
  return (kind, ...parts) => {
    const known = heads.get(kind);
    const head = known ?? flatText('["', SCHEME, '",', JSON.stringify(kind), ',', shared);
    if (known === undefined) heads.set(kind, head);
    const text = hash('sha256', parts.length === 0 ? `${head}]` : `${head},${JSON.stringify(parts).slice(1)}`);
    return { text, ledgerDay: ledgerDayOf(kind, parts) };
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
