import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { localReference, searchParamsOf, splitSearchValue, type SearchParam } from '../r4/index.ts';
import type { Pairs } from '../ehr/index.ts';
import { canonicalValue } from './canonical-value.ts';
import type { OtherParam } from './known-params.ts';
import { isId, type Include, type Reverse, type Search } from './read-request.ts';
import type { Served } from './served-types.ts';
import { isShape, isSummary } from './shape-resource.ts';

export interface SearchRules {
  readonly served: Served;
  /** Whether the type is served and the EHR, as far as is known, has it. */
  readonly isOffered: (type: string) => boolean;
  /** Our own base: a reference may be written with it. */
  readonly base: string;
  /** The parameters of a type that both R4 and the EHR know. */
  readonly paramsOf: (type: string) => ReadonlyMap<string, SearchParam>;
  /** Those by which both can bring something along; an EHR may have more of these than it searches by. */
  readonly includesOf: (type: string) => ReadonlyMap<string, SearchParam>;
  /** A parameter that they do not both know; undefined: nobody knows it. */
  readonly otherParam: (type: string, name: string) => OtherParam | undefined;
  /** Whether records of `source` may come along with `type` because they refer to it by `param`. */
  readonly mayReverse: (type: string, source: string, param: string) => boolean;
}

export type Handling = 'strict' | 'lenient';

export const LIMITS = { pairsMax: 64, valueMax: 2_000, countMax: 200, sortMax: 5 } as const;

/** R4 3.1.1.4.5: a modifier that is not supported is refused, never ignored. None here reaches another resource. */
const MODIFIERS: Readonly<Record<string, readonly string[]>> = {
  string: ['exact', 'contains', 'missing'],
  token: ['not', 'missing'],
  date: ['missing'],
  reference: ['missing'],
  uri: ['missing'],
  quantity: ['missing'],
  number: ['missing'],
};
/** Parameters that any FHIR request may carry and that select nothing. */
const OF_THE_ANSWER = new Set(['_format', '_pretty']);
/** Servers differ in which of two values they use. */
const ONCE = new Set(['_count', '_sort', '_elements', '_summary', '_total']);
const ELEMENT = /^[a-z][A-Za-z]{0,63}$/;

const isText = (value: string): boolean =>
  value !== '' && value.length <= LIMITS.valueMax && !/[\p{Cc}\ufffd]/u.test(value);

/** Errors repeat known parameter names. An unknown name may be anything and is not repeated. */
const bad = (at?: string, problem?: string) =>
  fail(
    fault('read.parameter', {
      ...(at === undefined ? {} : { at }),
      ...(problem === undefined ? {} : { problems: [at === undefined ? problem : `${at}: ${problem}`] }),
    }),
  );
/** A name that somebody might give to a parameter. */
const nameable = (name: string): string | null => (/^[a-z][A-Za-z-]{0,39}$/.test(name) ? name : null);
const WITHOUT_MODIFIER = new Set(['_include', '_revinclude']);

interface Draft {
  readonly patients: Set<string>;
  readonly clauses: [string, string][];
  readonly evaluated: [string, string][];
  readonly include: Include[];
  readonly reverse: Reverse[];
  readonly ignored: (string | null)[];
  readonly used: [string, string][];
  revinclude: Search['revinclude'];
  sort: string | null;
  count: number | null;
  elements: readonly string[] | null;
  summary: Search['summary'];
}

/** `1`, `Patient/1`, or that with our own base. Null for all else: another type, another server, a chain. */
function patientOf(value: string, base: string): string | null {
  if (isId(value)) return value;
  const found = localReference(value, base);
  return found?.type === 'Patient' && !value.includes('/_history/') ? found.id : null;
}

export function parseElements(value: string): readonly string[] | null {
  const names = value.split(',');
  return names.every((name) => ELEMENT.test(name)) && names.length <= 64 ? names : null;
}

/** `Type:param` or `Type:param:Target`, of the type that is searched. `*` and `:iterate` would lead anywhere. */
function parseInclude(type: string, value: string, { served, includesOf }: SearchRules): Include | null {
  const [source, name = '', target, ...rest] = value.split(':');
  const param = includesOf(type).get(name);
  if (source !== type || rest.length > 0 || param?.kind !== 'reference') return null;
  // A Patient whom a record merely mentions, such as a mother who measured, is not the one it is about.
  const isSubject = name === 'patient' || name === 'subject';
  const isOffered = (one: string): boolean =>
    served.has(one) && one !== 'Provenance' && (one !== 'Patient' || isSubject);
  const all = param.targets === 'any' ? [] : param.targets.filter(isOffered);
  const targets = target === undefined ? all : all.filter((one) => one === target);
  return targets.length === 0 ? null : { param: name, targets, isAll: targets.length === param.targets.length };
}

/** Records of one patient that refer to what is found. What they refer to by `*` or step by step is not followed. */
function parseReverse(type: string, value: string, { served, isOffered, mayReverse }: SearchRules): Reverse | null {
  const [source = '', name = '', target = type, ...rest] = value.split(':');
  const param = searchParamsOf(source).get(name);
  // One that may lead anywhere (`focus`) says whom else a record tells of.
  const leadsHere = param !== undefined && param.targets !== 'any' && param.targets.includes(type);
  const isPlain = rest.length === 0 && target === type && param?.kind === 'reference' && param.isPlain;
  const isOwned =
    served.get(source)?.kind === 'subject' && ['subject', 'patient'].includes(served.get(type)?.kind ?? '');
  return isPlain && leadsHere && isOwned && isOffered(source) && mayReverse(type, source, name)
    ? { type: source, param: name }
    : null;
}

function parseSort(type: string, value: string, { paramsOf }: SearchRules): string | null {
  const parts = value.split(',');
  const params = paramsOf(type);
  return parts.length <= LIMITS.sortMax && parts.every((part) => params.has(part.replace(/^-/, ''))) ? value : null;
}

/**
 * The parameters that begin with an underscore. `ignored`: a server may leave it undone and say so by its self link.
 */
function takeControl(
  type: string,
  name: string,
  value: string,
  rules: SearchRules,
  draft: Draft,
): 'used' | 'ignored' | 'bad' {
  switch (name) {
    case '_count': {
      if (!/^\d{1,6}$/.test(value)) return 'bad';
      draft.count = Math.min(LIMITS.countMax, Number(value));
      if (draft.count === 0) draft.summary = 'count';
      return 'used';
    }
    case '_sort': {
      draft.sort = parseSort(type, value, rules);
      return draft.sort === null ? 'bad' : 'used';
    }
    case '_elements': {
      draft.elements = parseElements(value);
      return draft.elements === null ? 'bad' : 'used';
    }
    case '_summary': {
      if (!isSummary(value)) return 'bad';
      // `_count=0` asks for a count and for nothing else.
      if (draft.count !== 0) draft.summary = value;
      return 'used';
    }
    case '_total':
      return ['none', 'estimate', 'accurate'].includes(value) ? 'used' : 'bad';
    case '_include': {
      const include = parseInclude(type, value, rules);
      if (include === null) return 'bad';
      draft.include.push(include);
      return 'used';
    }
    case '_revinclude': {
      if (value === 'Provenance:target' || value === `Provenance:target:${type}`) {
        draft.revinclude = 'provenance';
        return 'used';
      }
      const reverse = parseReverse(type, value, rules);
      if (reverse === null) return 'bad';
      draft.reverse.push(reverse);
      return 'used';
    }
    default:
      return 'bad';
  }
}

/** Conditions that were read, divided into those that the EHR knows and those that are looked at in its answer. */
export function divideConditions(
  type: string,
  conditions: Pairs,
  { paramsOf, otherParam }: Pick<SearchRules, 'paramsOf' | 'otherParam'>,
): Pick<Search, 'clauses' | 'evaluated'> {
  const isEvaluated = ([key]: Pairs[number]): boolean => {
    const [name = ''] = key.split(':');
    return !paramsOf(type).has(name) && otherParam(type, name)?.way === 'evaluated';
  };
  return {
    clauses: conditions.filter((one) => !isEvaluated(one)),
    evaluated: conditions.filter(isEvaluated),
  };
}

/**
 * Reads a search. A parameter that R4, US Core or the EHR knows is sent on, looked at in the answer, or refused by its
 * name. One without underscore that nobody knows is dropped and missing in the self link, as R4 has it (3.1.1.1), and
 * the answer says so; it is refused where the caller asks for `handling=strict`. Chains, `_has`, `_filter`,
 * `_list` and the other joins are refused always: they would ask about records that the answer does not show.
 */
export function parseSearch(type: string, pairs: Pairs, handling: Handling, rules: SearchRules): Result<Search> {
  const { base, paramsOf } = rules;
  if (pairs.length > LIMITS.pairsMax) return bad();
  const params = paramsOf(type);
  const draft: Draft = {
    patients: new Set(),
    clauses: [],
    evaluated: [],
    include: [],
    reverse: [],
    ignored: [],
    used: [],
    revinclude: 'none',
    sort: null,
    count: null,
    elements: null,
    summary: 'false',
  };
  for (const [key, value] of pairs) {
    const [name = '', modifier, ...rest] = key.split(':');
    if (OF_THE_ANSWER.has(key)) continue;
    if (!isText(value) || !/^_?[A-Za-z][A-Za-z-]{0,63}$/.test(name) || rest.length > 0) return bad();
    if ((name === 'patient' || name === 'subject') && type !== 'Patient') {
      if (modifier !== undefined && modifier !== 'Patient') return bad(name);
      for (const part of splitSearchValue(value, ',')) {
        const id = patientOf(part, base);
        if (id === null) return bad(name);
        draft.patients.add(id);
      }
      draft.used.push([name, value]);
      continue;
    }
    const both = params.get(name);
    const other = both === undefined ? rules.otherParam(type, name) : undefined;
    const param = both ?? other?.param;
    if (param !== undefined) {
      if (other?.way === 'refused') return bad(name, 'neither the EHR nor the gateway can search by it');
      if (modifier !== undefined && MODIFIERS[param.kind]?.includes(modifier) !== true) return bad(name);
      const canonical = canonicalValue(param, name, modifier, value, base);
      if (canonical === null) return bad(name);
      (other?.way === 'evaluated' ? draft.evaluated : draft.clauses).push([key, canonical]);
      draft.used.push([key, canonical]);
      continue;
    }
    // A modifier is refused even where the parameter is not known: it may be a chain or `_has`.
    if (modifier !== undefined) return bad(WITHOUT_MODIFIER.has(name) ? name : undefined);
    if (ONCE.has(name) && pairs.filter(([one]) => one === name).length > 1) return bad(name);
    const taken = name.startsWith('_') ? takeControl(type, name, value, rules, draft) : 'ignored';
    if (taken === 'bad') return bad(name);
    if (taken === 'ignored' && handling === 'strict')
      return bad(nameable(name) ?? undefined, 'nobody knows this parameter');
    if (taken === 'ignored') draft.ignored.push(nameable(name));
    else draft.used.push([name, name === '_count' ? String(draft.count) : value]);
  }
  const { patients, ...rest } = draft;
  // R4 3.1.1.5.5: the text of one resource says nothing of the others that would come along.
  const comesAlong = draft.include.length + draft.reverse.length > 0 || draft.revinclude !== 'none';
  if (!isShape(draft) || (draft.summary === 'text' && comesAlong)) return bad('_summary');
  if (patients.size > 1) return fail(fault('read.patient-needed', { at: 'patient' }));
  const [patient = null] = patients;
  return ok({ kind: 'search-type', type, patient, ...rest });
}
