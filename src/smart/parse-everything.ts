import type { Pairs } from '../ehr/index.ts';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { daysOfDate, type DaySpan } from '../r4/index.ts';
import { LIMITS } from './parse-search.ts';
import { parseInstant } from './since.ts';

/** What is asked of `Patient/[id]/$everything`, read and canonical. */
export interface Everything {
  readonly id: string;
  /** Null: every type. */
  readonly types: ReadonlySet<string> | null;
  readonly since: Date | null;
  /** The days of care. */
  readonly range: DaySpan;
  readonly count: number | null;
  /** What was used of what was asked, for the self link and the next page. */
  readonly used: Pairs;
}

/** https://hl7.org/fhir/R4/operation-patient-everything.html */
export const EVERYTHING_PARAMS = ['_count', '_since', '_type', 'start', 'end'] as const;
type Name = (typeof EVERYTHING_PARAMS)[number];
const isParam = (name: string): name is Name => (EVERYTHING_PARAMS as readonly string[]).includes(name);
/** What any FHIR request may carry. */
const OF_THE_ANSWER = new Set(['_format', '_pretty']);

/** A name that R4 might give to a parameter is told again; what else a caller made up is not. */
const nameOf = (name: string): string | null => (/^_?[a-z][A-Za-z-]{0,39}$/.test(name) ? name : null);
const TYPE = /^[A-Z][A-Za-z]{1,63}$/;

const TAKES = {
  _count: `_count takes a number from 1 to ${LIMITS.countMax}`,
  _since: '_since takes an instant with its zone, such as 2026-01-31T00:00:00Z',
  _type: '_type takes names of types with commas between them',
  start: 'start takes a date: 2026, 2026-01 or 2026-01-31',
  end: 'end takes a date: 2026, 2026-01 or 2026-01-31',
} as const satisfies Record<Name, string>;

interface Problem {
  readonly at: string | null;
  readonly text: string;
}

interface Draft {
  types: Set<string> | null;
  since: Date | null;
  from: string | null;
  to: string | null;
  count: number | null;
}

/** A date without a time, as R4 has it: which instants a day is depends on where it is. */
const daysOf = (value: string): DaySpan | null => (value.includes('T') ? null : daysOfDate(value));

function takeTypes(value: string, draft: Draft, isServed: (type: string) => boolean): string | null {
  const names = value.split(',');
  if (names.some((name) => !TYPE.test(name))) return TAKES._type;
  const unserved = names.filter((name) => !isServed(name));
  draft.types = new Set([...(draft.types ?? []), ...names]);
  return unserved.length === 0 ? null : `_type: ${unserved.join(', ')}: no type that is served`;
}

/** Null where it is taken. */
function take(name: Name, value: string, draft: Draft, isServed: (type: string) => boolean): string | null {
  switch (name) {
    case '_count':
      draft.count = /^[1-9]\d{0,5}$/.test(value) ? Math.min(LIMITS.countMax, Number(value)) : null;
      return draft.count === null ? TAKES._count : null;
    case '_since':
      draft.since = parseInstant(value);
      return draft.since === null ? TAKES._since : null;
    case '_type':
      return takeTypes(value, draft, isServed);
    case 'start':
      draft.from = daysOf(value)?.from ?? null;
      return draft.from === null ? TAKES.start : null;
    case 'end':
      draft.to = daysOf(value)?.to ?? null;
      return draft.to === null ? TAKES.end : null;
  }
}

const canonical = (name: Name, value: string, { count }: Draft): string => {
  if (name === '_count') return String(count);
  return name === '_since' ? value.replace(' ', '+') : value;
};

/**
 * Every problem is told at once, each with the name of its parameter. Nothing is ignored: a filter that is dropped
 * would show more than was asked for.
 */
export function parseEverything(id: string, pairs: Pairs, isServed: (type: string) => boolean): Result<Everything> {
  const draft: Draft = { types: null, since: null, from: null, to: null, count: null };
  const used: [string, string][] = [];
  const problems: Problem[] = [];
  for (const [name, value] of pairs.slice(0, LIMITS.pairsMax)) {
    if (OF_THE_ANSWER.has(name)) continue;
    if (!isParam(name)) {
      const at = nameOf(name);
      problems.push({
        at,
        text: `${at ?? 'a name that is none'} is no parameter of it; it takes ${EVERYTHING_PARAMS.join(', ')}`,
      });
      continue;
    }
    // R4 lets `_type` stand several times; of the others, which one would count is each server's own matter.
    const isTwice = name !== '_type' && used.some(([one]) => one === name);
    const wrong = isTwice
      ? `${name} stands twice`
      : value.length > LIMITS.valueMax
        ? TAKES[name]
        : take(name, value, draft, isServed);
    if (wrong !== null) problems.push({ at: name, text: wrong });
    used.push([name, canonical(name, value, draft)]);
  }
  const { from, to, ...rest } = draft;
  if (from !== null && to !== null && to < from) problems.push({ at: 'end', text: 'end is before start' });
  if (pairs.length > LIMITS.pairsMax) problems.push({ at: null, text: `more than ${LIMITS.pairsMax} parameters` });
  const [first] = problems;
  if (first === undefined) return ok({ id, ...rest, range: { from, to }, used });
  return fail(
    fault('read.parameter', {
      ...(first.at === null ? {} : { at: first.at }),
      problems: [...new Set(problems.map(({ text }) => text))],
    }),
  );
}
