import { paramsOf, type SearchParam } from './search-params.ts';
import { elementsOf, fold, literalOf, spanOf, spanOfElement, textsOf, tokensOf, type Resource } from './values.ts';

/** One condition of a search: any of its values may hold. */
export interface Clause {
  readonly name: string;
  readonly param: SearchParam;
  readonly modifier: '' | 'exact' | 'contains' | 'not' | 'missing';
  readonly values: readonly string[];
}

export interface Page {
  readonly count: number;
  readonly offset: number;
}

export interface Query {
  readonly type: string;
  readonly clauses: readonly Clause[];
  readonly page: Page;
  readonly sort: readonly { readonly param: SearchParam; readonly descending: boolean }[];
  readonly include: readonly { readonly type: string; readonly param: SearchParam }[];
  readonly revinclude: readonly { readonly type: string; readonly param: SearchParam }[];
  readonly elements: readonly string[] | null;
  readonly summary: 'count' | 'none';
  /** The parameters that were used, for the `self` link. */
  readonly used: readonly (readonly [string, string])[];
  readonly ignored: readonly string[];
}

export interface BadQuery {
  readonly bad: string;
}

const COUNT = { standard: 20, most: 200 } as const;
const MODIFIERS = new Set(['exact', 'contains', 'not', 'missing']);

/** FHIR escapes `\ , | $` by a backslash; a plain split would cut inside an MRN. */
export function splitEscaped(text: string, separator: ',' | '|'): string[] {
  const out: string[] = [];
  let part = '';
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === '\\' && i + 1 < text.length) {
      i += 1;
      part += `\\${text.charAt(i)}`;
    } else if (char === separator) {
      out.push(part);
      part = '';
    } else part += char;
  }
  return [...out, part];
}
export const unescape = (text: string): string => text.replace(/\\([\\,|$])/g, '$1');

function parseInclude(value: string): { type: string; param: SearchParam } | null {
  const [type = '', name = ''] = value.split(':');
  const param = paramsOf(type)?.get(name);
  return param?.kind === 'reference' ? { type, param } : null;
}

/** Reads a search. `ignore` holds names that this server pretends not to know. */
export function parseQuery(
  type: string,
  pairs: Iterable<readonly [string, string]>,
  ignore: readonly string[] = [],
): Query | BadQuery {
  const params = paramsOf(type) ?? new Map<string, SearchParam>();
  const clauses: Clause[] = [];
  const sort: { param: SearchParam; descending: boolean }[] = [];
  const include: { type: string; param: SearchParam }[] = [];
  const revinclude: { type: string; param: SearchParam }[] = [];
  const used: [string, string][] = [];
  const ignored: string[] = [];
  let count: number = COUNT.standard;
  let offset = 0;
  let elements: string[] | null = null;
  let summary: 'count' | 'none' = 'none';

  for (const [key, value] of pairs) {
    const [name = '', modifier = ''] = key.split(':');
    const wholeNumber = /^\d{1,6}$/.test(value) ? Number(value) : null;
    if (name === '_count') {
      if (wholeNumber === null) return { bad: '_count' };
      count = Math.min(COUNT.most, wholeNumber);
      if (count === 0) summary = 'count';
    } else if (name === '_offset') {
      if (wholeNumber === null) return { bad: '_offset' };
      offset = wholeNumber;
    } else if (name === '_sort') {
      for (const part of value.split(',')) {
        const param = params.get(part.replace(/^-/, ''));
        if (param === undefined) return { bad: '_sort' };
        sort.push({ param, descending: part.startsWith('-') });
      }
    } else if (name === '_include' || name === '_revinclude') {
      const parsed = parseInclude(value);
      if (parsed === null) return { bad: name };
      (name === '_include' ? include : revinclude).push(parsed);
    } else if (name === '_elements') elements = value.split(',');
    else if (name === '_summary') summary = value === 'count' ? 'count' : summary;
    else if (name === '_total' || name === '_format' || name === '_pretty') {
      // Totals are always exact here, and there is one format.
    } else {
      const param = ignore.includes(name) ? undefined : params.get(name);
      if (param === undefined) {
        ignored.push(key);
        continue;
      }
      // patient:Patient=1 is patient=Patient/1
      const isTyped = param.kind === 'reference' && /^[A-Z]/.test(modifier);
      if (modifier !== '' && !MODIFIERS.has(modifier) && !isTyped) return { bad: key };
      const values = splitEscaped(value, ',').filter((one) => one !== '');
      if (values.length === 0) return { bad: key };
      if (param.kind === 'date' && modifier === '' && values.some((one) => spanOf(one.replace(/^[a-z]{2}/, '')) === null))
        return { bad: key };
      clauses.push({
        name,
        param,
        modifier: isTyped ? '' : (modifier as Clause['modifier']),
        values: isTyped ? values.map((one) => `${modifier}/${one}`) : values,
      });
    }
    used.push([key, value]);
  }
  return { type, clauses, page: { count, offset }, sort, include, revinclude, elements, summary, used, ignored };
}

export const isBad = (query: Query | BadQuery): query is BadQuery => 'bad' in query;

/** `|code` means no system at all, `code` any, `system|` any code of it. */
function tokenMatches(value: string, found: { system: string; code: string }): boolean {
  const [first = '', second] = splitEscaped(value, '|').map(unescape);
  if (second === undefined) return found.code === first;
  return found.system === first && (second === '' || found.code === second);
}

/** A bare id means any type that the parameter may point at. */
export function referenceKey(value: string, target?: string): string | null {
  if (value.includes('/')) return literalOf({ reference: value });
  return target === undefined ? null : `${target}/${value}`;
}

function referenceMatches(value: string, element: unknown, target?: string): boolean {
  const literal = literalOf(element);
  if (literal === null || (target !== undefined && !literal.startsWith(`${target}/`))) return false;
  return value.includes('/') ? literal === literalOf({ reference: value }) : literal.endsWith(`/${value}`);
}

function dateMatches(value: string, element: unknown): boolean {
  const [, prefix = 'eq', text = ''] = /^(eq|ne|gt|ge|lt|le|sa|eb)?(.*)$/.exec(value) ?? [];
  const wanted = spanOf(text);
  const found = spanOfElement(element);
  if (wanted === null || found === null) return false;
  switch (prefix) {
    case 'ne':
      return found.from < wanted.from || found.to > wanted.to;
    case 'gt':
      return found.to > wanted.to;
    case 'ge':
      return found.to > wanted.from;
    case 'lt':
      return found.from < wanted.from;
    case 'le':
      return found.from < wanted.to;
    case 'sa':
      return found.from >= wanted.to;
    case 'eb':
      return found.to <= wanted.from;
    default:
      return found.from >= wanted.from && found.to <= wanted.to;
  }
}

function textMatches(value: string, modifier: Clause['modifier'], element: unknown): boolean {
  const wanted = fold(unescape(value));
  return textsOf(element).some((text) =>
    modifier === 'exact' ? text === wanted : modifier === 'contains' ? text.includes(wanted) : text.startsWith(wanted),
  );
}

function valueMatches(clause: Clause, value: string, element: unknown): boolean {
  switch (clause.param.kind) {
    case 'token':
      return tokensOf(element).some((token) => tokenMatches(value, token));
    case 'reference':
      return referenceMatches(value, element, clause.param.target);
    case 'date':
      return dateMatches(value, element);
    case 'string':
      return textMatches(value, clause.modifier, element);
    case 'uri':
      return element === unescape(value);
  }
}

export function matches(resource: Resource, clauses: readonly Clause[]): boolean {
  return clauses.every((clause) => {
    const elements = elementsOf(resource, clause.param);
    if (clause.modifier === 'missing') return (elements.length === 0) === (clause.values[0] === 'true');
    const isFound = elements.some((element) => clause.values.some((value) => valueMatches(clause, value, element)));
    return clause.modifier === 'not' ? !isFound : isFound;
  });
}
