import { AUDIT_TYPES, CLIENT_SYSTEM, OUTCOMES, TYPE_SYSTEM, typesCoded, type Search } from '../audit/index.ts';
import type { Pairs } from '../ehr/index.ts';
import { fail, fault, ok, readInstant, type Result } from '../kernel/index.ts';
import { localReference, splitSearchValue } from '../r4/index.ts';
import { isId } from './read-request.ts';

/** What is searched by, with the types that R4 gives these parameters. */
export const AUDIT_PARAMS = {
  agent: 'reference',
  date: 'date',
  'entity-type': 'token',
  outcome: 'token',
  patient: 'reference',
  subtype: 'token',
  type: 'token',
} as const;

export interface AuditSearch {
  readonly search: Pick<Search, 'patient' | 'chart' | 'client' | 'types' | 'tellingOf' | 'outcome' | 'fromMs' | 'toMs'>;
  readonly count: number;
  /** One of these must be among the entities; null for all. */
  readonly entityTypes: readonly Token[] | null;
  readonly used: Pairs;
}

interface Token {
  readonly system: string | null;
  readonly code: string;
}

const COUNT = { standard: 50, most: 200 } as const;
const VALUE_MAX = 2_000;
const OUTCOME_SYSTEM = 'http://terminology.hl7.org/CodeSystem/audit-event-outcome';
const DATE =
  /^(?<prefix>eq|ge|gt|le|lt)?(?<day>\d{4}-\d\d-\d\d)(?:T(?<minute>\d\d:\d\d)(?<second>:\d\d)?(?<part>\.\d{1,3})?(?<zone>Z|[+-]\d\d:\d\d))?$/;

function tokenOf(text: string): Token {
  const parts = splitSearchValue(text, '|');
  return parts.length === 1 ? { system: null, code: text } : { system: parts[0] ?? '', code: parts.slice(1).join('|') };
}
const tokensOf = (value: string): readonly Token[] => splitSearchValue(value, ',').map(tokenOf);
export const isToken = (
  { system, code }: Token,
  coding: { readonly system?: unknown; readonly code?: unknown },
): boolean => code === coding.code && (system === null || system === coding.system);

/** Which instants are meant, to the precision that is written. A day is a day of UTC. */
function spanOf(value: string): { readonly fromMs: number | null; readonly toMs: number | null } | null {
  // A plus sign in a URL may have been decoded as a blank.
  const found = DATE.exec(value.replace(' ', '+'))?.groups;
  if (found === undefined) return null;
  const { prefix = 'eq', day = '', minute, second, part, zone = 'Z' } = found;
  const start = readInstant(`${day}T${minute ?? '00:00'}${second ?? ':00'}${part ?? ''}${zone}`);
  if (start === null) return null;
  const length = minute === undefined ? 86_400_000 : second === undefined ? 60_000 : part === undefined ? 1_000 : 1;
  const end = start + length;
  switch (prefix) {
    case 'ge':
      return { fromMs: start, toMs: null };
    case 'gt':
      return { fromMs: end, toMs: null };
    case 'le':
      return { fromMs: null, toMs: end };
    case 'lt':
      return { fromMs: null, toMs: start };
    default:
      return { fromMs: start, toMs: end };
  }
}

function patientOf(value: string, base: string): string | null {
  if (isId(value)) return value;
  const found = localReference(value, base);
  return found?.type === 'Patient' ? found.id : null;
}

const latest = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b);
const earliest = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);
const among = (before: readonly string[] | null, found: readonly string[]): readonly string[] =>
  before === null ? found : before.filter((one) => found.includes(one));

type Draft = { -readonly [K in keyof AuditSearch['search']]: AuditSearch['search'][K] } & {
  count: number;
  entityTypes: readonly Token[] | null;
};

/**
 * Each takes one parameter into the draft; false where its value is none. A name with a modifier is a parameter of its
 * own.
 */
const TAKE: Readonly<Record<string, (draft: Draft, value: string, base: string) => boolean>> = {
  patient(draft, value, base) {
    draft.chart = patientOf(value, base);
    return draft.chart !== null;
  },
  'patient:identifier'(draft, value) {
    const { system, code } = tokenOf(value);
    if (system === null || system === '' || code === '') return false;
    draft.patient = { system, mrn: code };
    return true;
  },
  agent(draft, value) {
    const { system, code } = tokenOf(value);
    draft.client = code;
    return code !== '' && (system === null || system === CLIENT_SYSTEM);
  },
  date(draft, value) {
    const span = spanOf(value);
    draft.fromMs = latest(draft.fromMs, span?.fromMs ?? null);
    draft.toMs = earliest(draft.toMs, span?.toMs ?? null);
    return span !== null;
  },
  type(draft, value) {
    draft.types = among(
      draft.types,
      AUDIT_TYPES.filter((type) => tokensOf(value).some((token) => typesCoded(token).includes(type))),
    );
    return true;
  },
  subtype(draft, value) {
    draft.tellingOf = [
      ...draft.tellingOf,
      AUDIT_TYPES.filter((code) => tokensOf(value).some((token) => isToken(token, { system: TYPE_SYSTEM, code }))),
    ];
    return true;
  },
  outcome(draft, value) {
    const { system, code } = tokenOf(value);
    draft.outcome = code;
    return (OUTCOMES as readonly string[]).includes(code) && (system === null || system === OUTCOME_SYSTEM);
  },
  'outcome:not'(draft, value) {
    draft.outcome = 'refused';
    return value === '0';
  },
  'entity-type'(draft, value) {
    draft.entityTypes = tokensOf(value);
    return true;
  },
  _count(draft, value) {
    draft.count = Math.min(COUNT.most, Number(value));
    return /^[1-9]\d{0,5}$/.test(value);
  },
  // The only order there is.
  _sort: (_draft, value) => value === '-date',
};
const SAME = new Map([
  ['patient:Patient', 'patient'],
  ['agent:identifier', 'agent'],
]);
/** Several of these narrow each other; of the others the second would take the place of the first. */
const SEVERAL = new Set(['date', 'type', 'subtype']);

/**
 * Reads a search of the audit. What is not known is refused: an answer that is wider than was asked would be taken for
 * the narrow one.
 */
export function parseAuditSearch(pairs: Pairs, base: string): Result<AuditSearch> {
  const draft: Draft = {
    patient: null,
    chart: null,
    client: null,
    types: null,
    tellingOf: [],
    outcome: null,
    fromMs: null,
    toMs: null,
    count: COUNT.standard,
    entityTypes: null,
  };
  const seen = new Set<string>();
  const used: [string, string][] = [];
  for (const [key, value] of pairs) {
    if (key === '_format' || key === '_pretty') continue;
    const name = SAME.get(key) ?? key;
    const take = Object.hasOwn(TAKE, name) ? TAKE[name] : undefined;
    if (take === undefined) return fail(fault('read.parameter'));
    const once = name.split(':')[0] ?? '';
    const isGood =
      value !== '' &&
      value.length <= VALUE_MAX &&
      !/\p{Cc}/u.test(value) &&
      (!seen.has(once) || SEVERAL.has(name)) &&
      take(draft, value, base);
    if (!isGood) return fail(fault('read.parameter', { at: once }));
    seen.add(once);
    used.push([key, value]);
  }
  const { count, entityTypes, ...search } = draft;
  return ok({ search, count, entityTypes, used });
}
