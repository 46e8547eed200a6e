import { testValue, type Modifier, type Test } from './match-value.ts';
import { mayLeadTo, onlyTo, paramsOf, type SearchParam } from './search-params.ts';
import { literalOf, splitEscaped, typeOfLiteral, type Resource } from './values.ts';

/** One condition of a search: any of its values may hold. */
export interface Clause {
  readonly name: string;
  readonly param: SearchParam;
  readonly modifier: Modifier;
  readonly values: readonly string[];
  readonly tests: readonly Test[];
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
  token: ['not', 'text', 'missing'],
  reference: ['identifier', 'missing'],
  date: ['missing'],
  uri: ['missing'],
  quantity: ['missing'],
  composite: [],
  special: ['missing'],
};

/** Null where a value cannot be read. */
export function makeClause(
  name: string,
  param: SearchParam,
  modifier: Modifier,
  values: readonly string[],
): Clause | null {
  const tests = values.flatMap((value) => testValue(param, modifier, value) ?? []);
  return tests.length === values.length ? { name, param, modifier, values, tests } : null;
}

/** `Type:parameter`, `Type:parameter:target`, or `Type:*` for all of its references. */
function parseInclude(value: string, walk: Include['walk']): Include[] | null {
  const [type = '', name = '', target] = value.split(':');
  if (name === '*' && target === undefined) {
    const all = [...(paramsOf(type) ?? [])].filter(([, { kind }]) => kind === 'reference');
    return all.length === 0 ? null : all.map(([one, param]) => ({ type, name: one, param, walk }));
  }
  const param = paramsOf(type)?.get(name);
  if (param?.kind !== 'reference' || (target !== undefined && paramsOf(target) === undefined)) return null;
  return [{ type, name, param: target === undefined ? param : { ...param, read: onlyTo(param.read, target) }, walk }];
}

/** The server that a search is read for. */
export interface SearchServer {
  readonly base: string;
  /** Names that this server pretends not to know. */
  readonly ignoreParams?: readonly string[] | undefined;
  readonly offset?: number;
  /** Answers the inner search of a chained one. */
  readonly find: (type: string, clauses: readonly Clause[]) => readonly Found[];
}

interface Found {
  readonly id: string;
  readonly resource: Resource | null;
}

const isIgnored = ({ ignoreParams }: SearchServer, name: string): boolean => ignoreParams?.includes(name) === true;

/** The resources of a type that meet one further condition; null where the type has no such parameter. */
function findInner(type: string, key: string, value: string, server: SearchServer): readonly Found[] | BadQuery | null {
  const inner = parseQuery(type, [[key, value]], server);
  if ('bad' in inner) return inner;
  return inner.clauses.length === 0 ? null : server.find(type, inner.clauses);
}

/** `patient.identifier=…`, `subject:Patient.name=…`: references to what an inner search finds. */
function parseChain(type: string, key: string, value: string, server: SearchServer): Clause | BadQuery | null {
  const dot = key.indexOf('.');
  const [name = '', target] = key.slice(0, dot).split(':');
  const param = paramsOf(type)?.get(name);
  if (param?.kind !== 'reference' || isIgnored(server, name)) return null;
  const types = target === undefined ? paramTypes(param) : [target];
  const ids: string[] = [];
  let known = 0;
  for (const one of types) {
    const found = findInner(one, key.slice(dot + 1), value, server);
    if (found === null) continue;
    if ('bad' in found) return { bad: key };
    known += 1;
    ids.push(...found.map(({ id }) => `${one}/${id}`));
  }
  return known === 0 ? null : makeClause(name, param, '', ids);
}

const paramTypes = ({ targets }: SearchParam): readonly string[] =>
  targets === 'any' ? [] : targets.filter((type) => paramsOf(type) !== undefined);

/** `_has:Observation:patient:code=…`: what is referred to by what an inner search finds. */
function parseHas(type: string, key: string, value: string, server: SearchServer): Clause | BadQuery | null {
  const [, from = '', name = '', ...rest] = key.split(':');
  const param = paramsOf(from)?.get(name);
  const byId = paramsOf(type)?.get('_id');
  if (param === undefined || byId === undefined || !mayLeadTo(param, type)) return { bad: '_has' };
  const found = findInner(from, rest.join(':'), value, server);
  if (found === null || 'bad' in found) return { bad: '_has' };
  const literals = found.flatMap(({ resource }) => param.read(resource)).map((element) => literalOf(element) ?? '');
  const ids = literals.filter((literal) => typeOfLiteral(literal) === type && !literal.includes(':'));
  return makeClause(
    '_id',
    byId,
    '',
    [...new Set(ids)].map((literal) => literal.slice(type.length + 1)),
  );
}

/** One parameter that is none of how to answer. Null where this server does not know it. */
function parseClause(type: string, key: string, value: string, server: SearchServer): Clause | BadQuery | null {
  if (key.startsWith('_has:')) return parseHas(type, key, value, server);
  if (key.includes('.')) return parseChain(type, key, value, server);
  const [name = '', modifier = ''] = key.split(':');
  const param = isIgnored(server, name) ? undefined : paramsOf(type)?.get(name);
  if (param === undefined) return null;
  // patient:Patient=1 is patient=Patient/1
  const isTyped = param.kind === 'reference' && paramsOf(modifier) !== undefined;
  if (modifier !== '' && !isTyped && !MODIFIERS[param.kind].includes(modifier)) return { bad: key };
  const given = splitEscaped(value, ',').filter((one) => one !== '');
  const values =
    param.kind === 'reference' ? given.map((one) => toReference(one, isTyped ? modifier : null, server.base)) : given;
  const clause = makeClause(name, param, isTyped ? '' : (modifier as Modifier), values);
  return clause === null || given.length === 0 ? { bad: key } : clause;
}

/** Reads a search. */
export function parseQuery(
  type: string,
  pairs: Iterable<readonly [string, string]>,
  server: SearchServer,
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
      const clause = parseClause(type, key, value, server);
      if (clause === null) {
        ignored.push(key);
        continue;
      }
      if ('bad' in clause) return clause;
      clauses.push(clause);
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

export function matches(resource: Resource, clauses: readonly Clause[]): boolean {
  return clauses.every(({ param, modifier, values, tests }) => {
    const elements = param.read(resource);
    if (modifier === 'missing') return (elements.length === 0) === (values[0] === 'true');
    const isFound = elements.some((element) => tests.some((test) => test(element)));
    return modifier === 'not' ? !isFound : isFound;
  });
}
