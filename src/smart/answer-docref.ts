import type { Capability, OwnAddress, Pairs } from '../ehr/index.ts';
import { fail, fault, isObject, ok, type Answer, type Result } from '../kernel/index.ts';
import { daysOfDate, type DaySpan } from '../r4/index.ts';
import { bundleAnswer, toEntry } from './answer-search.ts';
import { isInRange } from './care-date.ts';
import type { Caller } from './caller.ts';
import type { Checked } from './check-page.ts';
import { filtersFor, type Plan } from './decide.ts';
import { decideWatched } from './decide-watched.ts';
import { refuse, type Handle } from './front.ts';
import type { OperationDeps } from './operation-routes.ts';
import { parseSearch, type SearchRules } from './parse-search.ts';
import { readParameters } from './read-parameters.ts';
import type { Search } from './read-request.ts';
import type { RunSearch } from './run-search.ts';
import { notesEntry, type Note } from './search-note.ts';
import { PAGE_ENTRIES } from './search-of.ts';
import type { Resource } from './whose.ts';

const TYPE = 'DocumentReference';
/** https://hl7.org/fhir/us/core/OperationDefinition-docref.html */
export const DOCREF_PARAMS = ['patient', 'start', 'end', 'type', 'on-demand', 'profile'] as const;
type Name = (typeof DOCREF_PARAMS)[number];
const isParam = (name: string): name is Name => (DOCREF_PARAMS as readonly string[]).includes(name);
const PAGES_MAX = 10;
const SHOWN_MAX = 1_000;
const WHOLE = { elements: null, summary: 'false' } as const;
const ANYONE = { isContext: true, isLinked: true } as const;

const BOUND: Note = {
  code: 'incomplete',
  text: 'The patient has more documents than are looked at: name a type, a start or an end.',
};
const STORED_ALONE: Note = {
  code: 'not-supported',
  text: 'The EHR makes no documents on demand for us: these are the documents that are there.',
};

interface Docref {
  readonly search: Search;
  readonly range: DaySpan;
  readonly isOnDemandOnly: boolean;
  readonly hasProfile: boolean;
  readonly used: Pairs;
}

const wrong = (at: string, problem: string) => fail(fault('read.parameter', { at, problems: [problem] }));

function parseDocref(pairs: Pairs, rules: SearchRules): Result<Docref> {
  const used = pairs.filter(([name]) => name !== '_format' && name !== '_pretty');
  for (const [at, [name]] of used.entries()) {
    if (!isParam(name))
      return fail(fault('read.parameter', { problems: [`$docref takes ${DOCREF_PARAMS.join(', ')}`] }));
    const isTwice = name !== 'profile' && used.findIndex(([one]) => one === name) !== at;
    if (isTwice) return wrong(name, `${name} stands twice`);
  }
  const given = new Map(used);
  const range: { from: string | null; to: string | null } = { from: null, to: null };
  for (const [name, side] of [['start', 'from'] as const, ['end', 'to'] as const]) {
    const text = given.get(name);
    if (text === undefined) continue;
    range[side] = daysOfDate(text)?.[side] ?? null;
    if (range[side] === null) return wrong(name, `${name} takes a date: 2026, 2026-01 or 2026-01-31`);
  }
  if (range.from !== null && range.to !== null && range.to < range.from) return wrong('end', 'end is before start');
  const onDemand = given.get('on-demand');
  if (onDemand !== undefined && onDemand !== 'true' && onDemand !== 'false')
    return wrong('on-demand', 'on-demand takes true or false');
  const asked = used.filter(([name]) => name === 'patient' || name === 'type');
  const search = parseSearch(TYPE, asked, 'strict', rules);
  if (!search.ok) return search;
  return ok({
    search: { ...search.value, count: PAGE_ENTRIES },
    range,
    isOnDemandOnly: onDemand === 'true',
    hasProfile: given.has('profile'),
    used,
  });
}

const typeOf = ({ type, id }: Resource): string => {
  const coding: unknown = isObject(type) && Array.isArray(type['coding']) ? type['coding'][0] : null;
  return isObject(coding) ? JSON.stringify([coding['system'] ?? null, coding['code'] ?? null]) : `id ${id}`;
};

/** When the care ended that it tells of, else when it was made. */
function whenOf({ context, date }: Resource): number {
  const period = isObject(context) && isObject(context['period']) ? context['period'] : {};
  const said = [period['end'], period['start'], date].map((text) =>
    typeof text === 'string' ? Date.parse(text) : NaN,
  );
  return said.find((at) => !Number.isNaN(at)) ?? -Infinity;
}

/** Of each type of document the one that is current. */
const currentOfEach = (given: readonly Checked[]): readonly Checked[] =>
  [...Map.groupBy(given, ({ resource }) => typeOf(resource)).values()].map((group) =>
    group.reduce((best, one) => (whenOf(one.resource) > whenOf(best.resource) ? one : best)),
  );

/**
 * `DocumentReference/$docref` of US Core: the documents of a patient in a range of days, or of each type the current
 * one. The EHR's own operation is asked where it has one, which may make documents; else what is there is searched.
 */
export function makeAnswerDocref(deps: OperationDeps): Handle {
  const { rules, capability, runSearch, record, rewrite } = deps;
  let refusedUnder: Capability | null = null;

  interface Found {
    readonly entries: readonly Checked[];
    readonly notes: readonly Note[];
  }

  async function gather(plan: Plan<Search>, first: OwnAddress | null, caller: Caller): Promise<Result<Found>> {
    const entries: Checked[] = [];
    let from = first;
    for (let n = 0; n < PAGES_MAX; n += 1) {
      const page: Awaited<ReturnType<RunSearch>> = await runSearch(plan, from, caller);
      if (!page.ok) return page;
      entries.push(...page.value.entries.filter(({ mode }) => mode === 'match'));
      from = page.value.next;
      if (from === null) return ok({ entries, notes: [] });
    }
    return ok({ entries, notes: [BOUND] });
  }

  /** Null: the EHR has no such operation, or refused it, or answered with what is another patient's. */
  async function askOperation(plan: Plan<Search>, { used }: Docref, caller: Caller): Promise<Result<Found> | null> {
    const known = capability();
    const isOffered = known?.types[TYPE]?.operations.includes('docref') === true && known !== refusedUnder;
    const isOpen = filtersFor(plan.grant, TYPE, ['s'], ANYONE).every((filter) => filter.length === 0);
    if (!isOffered || !isOpen || plan.patient === null) return null;
    const query: Pairs = [['patient', plan.patient], ...used.filter(([name]) => name !== 'patient')];
    const answer = await gather(plan, { path: `${TYPE}/$docref`, query }, caller);
    if (answer.ok) return answer;
    if (answer.fault.kind !== 'ehr-rejected' && answer.fault.code !== 'read.cursor') return answer;
    refusedUnder = known;
    return null;
  }

  async function askStored(plan: Plan<Search>, asked: Docref, caller: Caller): Promise<Result<Found>> {
    const notes = asked.isOnDemandOnly || asked.hasProfile ? [STORED_ALONE] : [];
    if (asked.isOnDemandOnly) return ok({ entries: [], notes });
    const found = await gather(plan, null, caller);
    if (!found.ok) return found;
    const { from, to } = asked.range;
    const current = found.value.entries.filter(({ resource }) => resource['status'] === 'current');
    const isRanged = from !== null || to !== null;
    const entries = isRanged
      ? current.filter(({ resource }) => isInRange(resource, asked.range))
      : currentOfEach(current);
    return ok({ entries, notes: [...notes, ...found.value.notes] });
  }

  return async (ask, { query }, caller): Promise<Result<Answer>> => {
    if (!rules.isOffered(TYPE)) return fail(fault('read.not-found'));
    const pairs = await readParameters(ask, query);
    if (!pairs.ok) return pairs;
    const asked = parseDocref(pairs.value, rules);
    if (!asked.ok) return asked;
    const decision = decideWatched(caller, asked.value.search, rules.served);
    if (!decision.allow) return refuse(decision.because, { interaction: 'operation', type: TYPE }, record, caller);
    const { plan } = decision;
    if (plan.patient === null)
      return refuse('patient-needed', { interaction: 'operation', type: TYPE }, record, caller);
    const { used } = asked.value;
    const named = asked.value.search.patient !== null ? used : [['patient', plan.patient] as const, ...used];
    const self = `${TYPE}/$docref?${new URLSearchParams(named.map(([name, value]): [string, string] => [name, value])).toString()}`;
    const act = {
      type: 'fhir.search',
      interaction: 'operation',
      resourceType: TYPE,
      query: self,
      patients: [plan.patient],
    } as const;
    const found = (await askOperation(plan, asked.value, caller)) ?? (await askStored(plan, asked.value, caller));
    if (!found.ok) {
      const kept = await record({ ...act, outcome: '8', why: found.fault.code }, caller);
      return kept.ok ? found : kept;
    }
    const shown = found.value.entries.slice(0, SHOWN_MAX);
    const kept = await record({ ...act, outcome: '0', count: shown.length }, caller);
    if (!kept.ok) return kept;
    const notes = shown.length < found.value.entries.length ? [...found.value.notes, BOUND] : found.value.notes;
    const entry = [...rewrite(shown).map((one) => toEntry(one, rules.base, WHOLE)), ...notesEntry([...new Set(notes)])];
    return ok(
      bundleAnswer({
        resourceType: 'Bundle',
        type: 'searchset',
        ...(notes.includes(BOUND) ? {} : { total: shown.length }),
        link: [{ relation: 'self', url: `${rules.base}/${self}` }],
        ...(entry.length === 0 ? {} : { entry }),
      }),
    );
  };
}
