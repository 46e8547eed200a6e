import { isObject } from '../kernel/index.ts';
import type { Resource } from './search-resources.ts';

/** What a person needs to see that it is the right one. */
export interface PatientPreview {
  readonly name: string | null;
  readonly birthDate: string | null;
  readonly gender: string | null;
  readonly isDeceased: boolean;
  /** The MRN leads there by a merge. */
  readonly isMerged: boolean;
}

type Json = Readonly<Record<string, unknown>>;
const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
/** Shown on a page: without what no name holds, and not longer than one. */
const plain = (value: unknown): string | null => {
  if (typeof value !== 'string') return null;
  const cut = value.replace(/\p{C}/gu, '').trim().slice(0, 200);
  return cut === '' ? null : cut;
};

function textOf(name: Json): string | null {
  const given: readonly unknown[] = Array.isArray(name['given']) ? name['given'] : [];
  const parts = [...given, name['family']].map(plain).filter((part) => part !== null);
  return plain(name['text']) ?? plain(parts.join(' '));
}

/** The name of today first: a maiden name is no help at the desk. */
const USES: readonly unknown[] = ['official', 'usual', undefined];

export function previewOf(patient: Resource, isMerged: boolean): PatientPreview {
  const names = objects(patient['name']);
  const chosen = USES.map((use) => names.find((name) => name['use'] === use)).find((name) => name !== undefined);
  const name = chosen ?? names[0];
  const { deceasedBoolean, deceasedDateTime } = patient as Json;
  return {
    name: name === undefined ? null : textOf(name),
    birthDate: plain(patient['birthDate']),
    gender: plain(patient['gender']),
    isDeceased: deceasedBoolean === true || typeof deceasedDateTime === 'string',
    isMerged,
  };
}
