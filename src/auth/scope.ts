const LETTERS = ['c', 'r', 'u', 'd', 's'] as const;
export type Letter = (typeof LETTERS)[number];

/** A scope over resources. Of another kind (`openid`, `launch/patient`) are words, which stay as they are. */
export interface ResourceScope {
  readonly level: 'patient' | 'user' | 'system';
  /** A resource type, or `*`. */
  readonly type: string;
  readonly letters: ReadonlySet<Letter>;
  /** What a resource must match, parameter by parameter; empty for all. */
  readonly filter: readonly (readonly [name: string, value: string])[];
  /** As it was asked for, so that whoever asked in the first form is answered in it. */
  readonly text: string;
}

const SCOPE = /^(patient|user|system)\/(\*|[A-Z][A-Za-z]{1,63})\.(read|write|\*|c?r?u?d?s?)(?:\?(.+))?$/;
const FIRST_FORM: Readonly<Record<string, string>> = { read: 'rs', write: 'cud', '*': 'cruds' };
const PARAMETER = /^([a-z][a-z0-9-]*)=([^&=]+)$/;

/** Modifiers, chains and `_` parameters are no part of what is granted: their meaning is the server's own. */
function parseFilter(text: string): ResourceScope['filter'] | null {
  const filter: [string, string][] = [];
  for (const part of text.split('&')) {
    const [, name = '', encoded = ''] = PARAMETER.exec(part) ?? [];
    const value = decode(encoded);
    if (name === '' || value === null) return null;
    filter.push([name, value]);
  }
  return filter;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * A resource scope of SMART, in either form; null for every other text. Letters out of order are not read letter by
 * letter, and a first-form scope has no filter.
 */
export function parseResourceScope(text: string): ResourceScope | null {
  const [, level, type = '', permissions = '', query] = SCOPE.exec(text) ?? [];
  if (permissions === '') return null;
  const isFirstForm = permissions in FIRST_FORM;
  if (query !== undefined && (isFirstForm || type === '*')) return null;
  const filter = query === undefined ? [] : parseFilter(query);
  if (filter === null) return null;
  const letters = new Set(LETTERS.filter((letter) => (FIRST_FORM[permissions] ?? permissions).includes(letter)));
  return { level: level as ResourceScope['level'], type, letters, filter, text };
}

/** The words of a scope string; repeated ones once. */
export const splitScopes = (scope: string): readonly string[] => [
  ...new Set(scope.split(' ').filter((word) => word !== '')),
];
