import { paramsOf, type SearchParam } from './search-params.ts';
import {
  elementsOf,
  fold,
  literalOf,
  spanOf,
  spanOfElement,
  textsOf,
  tokensOf,
  typeOfLiteral,
  type Resource,
} from './values.ts';

/** One condition of a search: any of its values may hold. */
export interface Clause {
  readonly name: string;
  readonly param: SearchParam;
  readonly modifier: '' | 'exact' | 'contains' | 'not' | 'missing';
  readonly values: readonly string[];
}

export interface Include {
  readonly type: string;
  readonly name: string;
  readonly param: SearchParam;
  /** From the matches only, or also from what was included. */
  readonly walk: 'once' | 'iterate';
}

export interface Page {
  readonly count: number;
  readonly offset: number;
}

/**
 * What of each match is shown. A summary proper is not kept here, and R4 allows `true` to be answered with more: all
 * data.
 */
export type Summary = 'count' | 'data' | 'text' | 'none';
const SUMMARIES: Readonly<Record<string, Summary>> = {
  count: 'count',
  data: 'data',
  true: 'data',
  text: 'text',
  false: 'none',
};

export interface Query {
  readonly type: string;
  readonly clauses: readonly Clause[];
  readonly page: Page;
  readonly sort: readonly { readonly param: SearchParam; readonly descending: boolean }[];
  readonly include: readonly Include[];
  readonly revinclude: readonly Include[];
  readonly elements: readonly string[] | null;
  readonly summary: Summary;
  readonly total: 'told' | 'none';
  /** The parameters that were used, for the `self` link. */
  readonly used: readonly (readonly [string, string])[];
  readonly ignored: readonly string[];
}

export interface BadQuery {
  readonly bad: string;
}

const COUNT = { standard: 20, most: 200 } as const;
/** R4, 3.1.1.4.5: a modifier that a parameter does not support is refused, never ignored. */
const MODIFIERS: Readonly<Record<SearchParam['kind'], readonly string[]>> = {
  string: ['exact', 'contains', 'missing'],
  token: ['not', 'missing'],
  reference: ['missing'],
  date: ['missing'],
  uri: ['missing'],
};
const DATE_VALUE = /^(eq|ne|gt|ge|lt|le|sa|eb)?(\d.*)$/;

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

/** `Type:parameter`, `Type:parameter:target`, or `Type:*` for all of its references. */
function parseInclude(value: string, walk: Include['walk']): Include[] | null {
  const [type = '', name = '', target] = value.split(':');
  if (name === '*' && target === undefined) {
    const all = [...(paramsOf(type) ?? [])].filter(([, { kind }]) => kind === 'reference');
    return all.length === 0 ? null : all.map(([one, param]) => ({ type, name: one, param, walk }));
  }
  const param = paramsOf(type)?.get(name);
  if (param?.kind !== 'reference' || (target !== undefined && paramsOf(target) === undefined)) return null;
  return [{ type, name, param: target === undefined ? param : { ...param, target }, walk }];
}

function isGoodValue(param: SearchParam, modifier: string, value: string): boolean {
  if (modifier === 'missing') return value === 'true' || value === 'false';
  if (param.kind !== 'date') return true;
  const [, , text] = DATE_VALUE.exec(value) ?? [];
  return text !== undefined && spanOf(text) !== null;
}

/** Reads a search. `ignoreParams` holds names that this server pretends not to know. */
export function parseQuery(
  type: string,
  pairs: Iterable<readonly [string, string]>,
  server: { readonly base: string; readonly ignoreParams?: readonly string[] | undefined; readonly offset?: number },
): Query | BadQuery {
  const params = paramsOf(type) ?? new Map<string, SearchParam>();
  const clauses: Clause[] = [];
  const sort: { param: SearchParam; descending: boolean }[] = [];
  const include: Include[] = [];
  const revinclude: Include[] = [];
  const used: [string, string][] = [];
  const ignored: string[] = [];
  let count: number = COUNT.standard;
  let elements: string[] | null = null;
  let summary: Summary = 'none';
  let total: Query['total'] = 'told';

  for (const [key, value] of pairs) {
    const [name = '', modifier = ''] = key.split(':');
    const wholeNumber = /^\d{1,6}$/.test(value) ? Number(value) : null;
    if (name === '_count') {
      if (wholeNumber === null) return { bad: '_count' };
      count = Math.min(COUNT.most, wholeNumber);
      if (count === 0) summary = 'count';
    } else if (name === '_sort') {
      for (const part of value.split(',')) {
        const param = params.get(part.replace(/^-/, ''));
        if (param === undefined) return { bad: '_sort' };
        sort.push({ param, descending: part.startsWith('-') });
      }
    } else if (name === '_include' || name === '_revinclude') {
      if (modifier !== '' && modifier !== 'iterate') return { bad: key };
      const parsed = parseInclude(value, modifier === '' ? 'once' : modifier);
      if (parsed === null) return { bad: name };
      (name === '_include' ? include : revinclude).push(...parsed);
    } else if (name === '_elements') elements = value.split(',');
    else if (name === '_summary') {
      const wanted = SUMMARIES[value];
      if (wanted === undefined) return { bad: name };
      if (summary !== 'count') summary = wanted;
    } else if (name === '_total') {
      if (!['none', 'estimate', 'accurate'].includes(value)) return { bad: name };
      total = value === 'none' ? 'none' : 'told';
    } else if (name === '_format' || name === '_pretty') {
      // There is one format.
    } else {
      const param = server.ignoreParams?.includes(name) === true ? undefined : params.get(name);
      if (param === undefined) {
        ignored.push(key);
        continue;
      }
      // patient:Patient=1 is patient=Patient/1
      const isTyped = param.kind === 'reference' && paramsOf(modifier) !== undefined;
      if (modifier !== '' && !isTyped && !MODIFIERS[param.kind].includes(modifier)) return { bad: key };
      const given = splitEscaped(value, ',').filter((one) => one !== '');
      if (given.length === 0 || !given.every((one) => isGoodValue(param, modifier, one))) return { bad: key };
      const values =
        param.kind === 'reference'
          ? given.map((one) => toReference(one, isTyped ? modifier : null, server.base))
          : given;
      clauses.push({ name, param, modifier: isTyped ? '' : (modifier as Clause['modifier']), values });
    }
    used.push([key, value]);
  }
  return {
    type,
    clauses,
    page: { count, offset: server.offset ?? 0 },
    sort,
    include,
    revinclude,
    elements,
    summary,
    total,
    used,
    ignored,
  };
}

/** As it would stand in a resource: relative where it means this server. */
function toReference(value: string, type: string | null, base: string): string {
  if (value.startsWith(`${base}/`)) return value.slice(base.length + 1);
  return type === null || value.includes('/') ? value : `${type}/${value}`;
}

export const isBad = (query: Query | BadQuery): query is BadQuery => 'bad' in query;

/** `|code` means no system at all, `code` any, `system|` any code of it. */
function tokenMatches(value: string, found: { system: string; code: string }): boolean {
  const [first = '', second] = splitEscaped(value, '|').map(unescape);
  if (second === undefined) return found.code === first;
  return found.system === first && (second === '' || found.code === second);
}

const pointsAt = (literal: string, target: string | undefined): boolean =>
  target === undefined || typeOfLiteral(literal) === target;

/** A bare id means that id at this server, of any type that the parameter may point at. */
function referenceMatches(value: string, element: unknown, target?: string): boolean {
  const literal = literalOf(element);
  if (literal === null || !pointsAt(literal, target)) return false;
  return value.includes('/') ? literal === value : !literal.includes(':') && literal.endsWith(`/${value}`);
}

function dateMatches(value: string, element: unknown): boolean {
  const [, prefix = 'eq', text = ''] = DATE_VALUE.exec(value) ?? [];
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
  const exact = unescape(value);
  if (modifier === 'exact') return textsOf(element).includes(exact);
  const wanted = fold(exact);
  return textsOf(element).some((text) =>
    modifier === 'contains' ? fold(text).includes(wanted) : fold(text).startsWith(wanted),
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
    const { target } = clause.param;
    const all = elementsOf(resource, clause.param);
    const elements = target === undefined ? all : all.filter((element) => pointsAt(literalOf(element) ?? '', target));
    if (clause.modifier === 'missing') return (elements.length === 0) === (clause.values[0] === 'true');
    const isFound = elements.some((element) => clause.values.some((value) => valueMatches(clause, value, element)));
    return clause.modifier === 'not' ? !isFound : isFound;
  });
}
