import { isElement } from '../runtime/is-element.ts';
import type { SearchParam, SearchPath } from './search-params.ts';

/** FHIR escapes `\ , | $` by a backslash: a plain split would cut inside a value. */
export function splitSearchValue(text: string, separator: ',' | '|'): string[] {
  if (!text.includes('\\')) return text.split(separator);
  const parts: string[] = [];
  let part = '';
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '\\' && i + 1 < text.length) part += char + text.charAt(++i);
    else if (char === separator) {
      parts.push(part);
      part = '';
    } else part += char;
  }
  return [...parts, part];
}

export const unescapeSearchValue = (text: string): string => text.replace(/\\([\\,|$])/g, '$1');

const choiceName = (name: string, type: string): string => `${name}${type.charAt(0).toUpperCase()}${type.slice(1)}`;

function collect(value: unknown, { steps, choice }: SearchPath, at: number, into: unknown[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, { steps, choice, reference: null }, at, into);
    return;
  }
  const name = steps[at];
  if (name === undefined) {
    if (value !== undefined && value !== null) into.push(value);
    return;
  }
  if (!isElement(value)) return;
  const isLast = at === steps.length - 1;
  if (isLast && choice !== null) {
    collect(value[choiceName(name, choice)] ?? value[name], { steps, choice, reference: null }, at + 1, into);
    return;
  }
  collect(
    value[name] ?? value[`${name}Reference`] ?? value[`${name}CodeableConcept`],
    { steps, choice, reference: null },
    at + 1,
    into,
  );
}

/** What a parameter reads in a resource. */
export function valuesOfParam(resource: unknown, param: SearchParam): unknown[] {
  const found: unknown[] = [];
  for (const path of param.paths) collect(resource, path, 0, found);
  return found;
}

export interface Token {
  readonly system: string | undefined;
  readonly code: string | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export function tokensOf(value: unknown): Token[] {
  if (typeof value === 'string') return [{ system: undefined, code: value }];
  if (typeof value === 'boolean') return [{ system: undefined, code: String(value) }];
  if (!isElement(value)) return [];
  if (Array.isArray(value['coding'])) return value['coding'].flatMap(tokensOf);
  // A Coding has a code; an Identifier and a ContactPoint have a value.
  return [{ system: text(value['system']), code: text(value['code']) ?? text(value['value']) }];
}

/**
 * `code`, `system|code`, `|code` (no system) or `system|` (any code of it). A code that has no system of its own fits
 * any.
 */
export function matchesToken(value: unknown, wanted: string): boolean {
  const parts = splitSearchValue(wanted, '|').map(unescapeSearchValue);
  if (parts.length > 2) return false;
  const [first = '', code] = parts;
  const isBare = typeof value === 'string' || typeof value === 'boolean';
  return tokensOf(value).some((token) => {
    if (code === undefined) return first !== '' && token.code === first;
    if (first === '') return code !== '' && token.system === undefined && token.code === code;
    return (token.system === first || isBare) && (code === '' ? !isBare : token.code === code);
  });
}

/** An id of dots alone would lead elsewhere as a part of a path. */
const LITERAL =
  /^([A-Z][A-Za-z]{1,63})\/((?!\.+(?:\/|$))[A-Za-z0-9.-]{1,64})(?:\/_history\/(?!\.+$)[A-Za-z0-9.-]{1,64})?$/;

/** `Type/id` of a reference to a resource of this server; null for every other. `base` is the server's own address. */
export function localReference(
  reference: unknown,
  base?: string,
): { readonly type: string; readonly id: string } | null {
  const given = isElement(reference) ? text(reference['reference']) : text(reference);
  if (given === undefined) return null;
  const local = base !== undefined && given.startsWith(`${base}/`) ? given.slice(base.length + 1) : given;
  const [, type, id] = LITERAL.exec(local) ?? [];
  return type === undefined || id === undefined ? null : { type, id };
}

function matchesReference(value: unknown, wanted: string, base: string | undefined): boolean {
  const found = localReference(value, base);
  if (found === null) return false;
  return wanted === found.id || wanted === `${found.type}/${found.id}`;
}

/** Whether a resource has this token or reference, by the letter of R4: no other spelling, no other code. */
export function matchesByLetter(resource: unknown, param: SearchParam, value: string, base?: string): boolean {
  const alternatives = splitSearchValue(value, ',');
  return param.paths.some((path) => {
    const found: unknown[] = [];
    collect(resource, path, 0, found);
    return found.some((one) => {
      if (param.kind === 'token') return alternatives.some((wanted) => matchesToken(one, wanted));
      if (param.kind !== 'reference') return false;
      if (path.reference !== null && localReference(one, base)?.type !== path.reference) return false;
      return alternatives.some((wanted) => matchesReference(one, wanted, base));
    });
  });
}
