import type { Capability, OwnAddress, Pairs } from '../ehr/index.ts';
import { fail, fault, ok, type Answer, type Result } from '../kernel/index.ts';
import { splitSearchValue } from '../r4/index.ts';
import { bundleAnswer, toEntry } from './answer-search.ts';
import type { Caller } from './caller.ts';
import type { Checked } from './check-page.ts';
import { filtersFor, type Plan } from './decide.ts';
import { decideWatched } from './decide-watched.ts';
import { refuse, type Handle } from './front.ts';
import { groupByCode, lastOfEach, whenOf } from './last-of-each.ts';
import type { OperationDeps } from './operation-routes.ts';
import { parseSearch, type SearchRules } from './parse-search.ts';
import { readParameters } from './read-parameters.ts';
import type { Search } from './read-request.ts';
import type { RunSearch } from './run-search.ts';
import { notesEntry, type Note } from './search-note.ts';
import { PAGE_ENTRIES } from './search-of.ts';

const PAGES_MAX = 20;
const SHOWN_MAX = 1_000;
const MAX_MAX = 200;
/** R4: the question names a category, or what was observed. */
const SAYS_WHAT = new Set(['category', 'code', 'combo-code', 'component-code', 'code-value-concept']);
/** They would say something else than which observations are the last. */
const NOT_TAKEN = new Set(['_count', '_sort', '_include', '_revinclude', '_total', '_cursor']);
const ANYONE = { isContext: true, isLinked: true } as const;

const BOUND: Note = {
  code: 'incomplete',
  text: `Only the ${PAGES_MAX * PAGE_ENTRIES} latest observations were looked at: name a code, a category or a date.`,
};
const CUT: Note = { code: 'incomplete', text: `Only ${SHOWN_MAX} are shown: name a code or a smaller max.` };

interface Lastn {
  readonly search: Search;
  readonly max: number;
  readonly used: Pairs;
}

const wrong = (at: string, problem: string) => fail(fault('read.parameter', { at, problems: [problem] }));

/** All of them, whether the EHR knows them or not. */
const conditionsOf = ({ clauses, evaluated }: Search): Pairs => [...clauses, ...evaluated];

/** https://hl7.org/fhir/R4/operation-observation-lastn.html */
function parseLastn(pairs: Pairs, rules: SearchRules): Result<Lastn> {
  const maxes = pairs.filter(([name]) => name === 'max');
  const [[, text] = ['', '1']] = maxes;
  if (maxes.length > 1 || !/^[1-9]\d{0,2}$/.test(text) || Number(text) > MAX_MAX)
    return wrong('max', `max takes a number from 1 to ${MAX_MAX}`);
  const [refused] = pairs.find(([name]) => NOT_TAKEN.has(name.split(':')[0] ?? '')) ?? [];
  if (refused !== undefined) return wrong(refused.split(':')[0] ?? '', 'this is no parameter of $lastn');
  const others = pairs.filter(([name]) => name !== 'max');
  const search = parseSearch('Observation', others, 'strict', rules);
  if (!search.ok) return search;
  if (search.value.summary === 'count') return wrong('_summary', '$lastn shows observations and counts none');
  if (!conditionsOf(search.value).some(([name]) => SAYS_WHAT.has(name)))
    return wrong('code', '$lastn takes a category, or a code of what was observed');
  const used: Pairs = [...search.value.used, ...(maxes.length === 0 ? [] : [['max', text] as const])];
  return ok({ search: search.value, max: Number(text), used });
}

/** How many codes are asked for; null where that is not known from the question. */
function codesAsked(search: Search): number | null {
  const codes = conditionsOf(search)
    .filter(([name]) => name === 'code')
    .flatMap(([, value]) => splitSearchValue(value, ','));
  return codes.length > 0 && codes.every((code) => !code.endsWith('|')) ? codes.length : null;
}

/**
 * `Observation/$lastn`. The EHR's own operation is asked where it has one and the whole type is open to the token, and
 * checked as the answer to a search; else it is worked out here, from a search with the newest first.
 */
export function makeAnswerLastn(deps: OperationDeps): Handle {
  const { rules, capability, runSearch, record, rewrite } = deps;
  /** Which capability named an operation that the EHR then refused, or did not do. */
  let refusedUnder: Capability | null = null;

  interface Gathered {
    readonly entries: readonly Checked[];
    readonly isWhole: boolean;
  }

  async function gather(
    plan: Plan<Search>,
    first: OwnAddress | null,
    isEnough: (entries: readonly Checked[]) => boolean,
    caller: Caller,
  ): Promise<Result<Gathered>> {
    const entries: Checked[] = [];
    let from = first;
    for (let n = 0; n < PAGES_MAX; n += 1) {
      const page: Awaited<ReturnType<RunSearch>> = await runSearch(plan, from, caller);
      if (!page.ok) return page;
      entries.push(...page.value.entries);
      from = page.value.next;
      if (from === null || isEnough(entries)) return ok({ entries, isWhole: true });
    }
    return ok({ entries, isWhole: false });
  }

  /** Null: the EHR has no such operation, or refused it, or answered with what is another patient's. */
  async function askOperation(plan: Plan<Search>, { max }: Lastn, caller: Caller): Promise<Result<Gathered> | null> {
    const known = capability();
    const isOffered = known?.types['Observation']?.operations.includes('lastn') === true && known !== refusedUnder;
    const isOpen = filtersFor(plan.grant, 'Observation', ['s'], ANYONE).every((filter) => filter.length === 0);
    // The EHR's operation would cut to `max` before our own conditions are looked at.
    const isWhole = plan.request.evaluated.length === 0;
    if (!isOffered || !isOpen || !isWhole || plan.patient === null) return null;
    const query: Pairs = [['patient', plan.patient], ...plan.request.clauses, ['max', String(max)]];
    const answer = await gather(plan, { path: 'Observation/$lastn', query }, () => false, caller);
    if (answer.ok || (answer.fault.kind !== 'ehr-rejected' && answer.fault.code !== 'read.cursor')) return answer;
    refusedUnder = known;
    return null;
  }

  function askNewest(plan: Plan<Search>, { search, max }: Lastn, caller: Caller): Promise<Result<Gathered>> {
    const asked = codesAsked(search);
    /** Whether the EHR sorted as it was asked, and each code that was asked for has as many as are wanted. */
    const isEnough = (entries: readonly Checked[]): boolean => {
      if (asked === null) return false;
      const times = entries.map(({ resource }) => whenOf(resource));
      const isSorted = times.every((at, i) => i === 0 || at <= (times[i - 1] ?? Infinity));
      const groups = groupByCode(entries);
      const oldest = times.at(-1) ?? Infinity;
      const isFull = (group: readonly Checked[]): boolean =>
        group.filter(({ resource }) => whenOf(resource) > oldest).length >= max;
      return isSorted && groups.length >= asked && groups.every(isFull);
    };
    return gather(plan, null, isEnough, caller);
  }

  async function answer(pairs: Pairs, caller: Caller): Promise<Result<Answer>> {
    if (!rules.isOffered('Observation')) return fail(fault('read.not-found'));
    const parsed = parseLastn(pairs, rules);
    if (!parsed.ok) return parsed;
    const { search, max, used } = parsed.value;
    const isDated = rules.paramsOf('Observation').has('date');
    const request: Search = { ...search, sort: isDated ? '-date' : null, count: PAGE_ENTRIES };
    const decision = decideWatched(caller, request, rules.served);
    if (!decision.allow)
      return refuse(decision.because, { interaction: 'operation', type: 'Observation' }, record, caller);
    const { plan } = decision;
    // What is the latest is said of one patient.
    if (plan.patient === null)
      return refuse('patient-needed', { interaction: 'operation', type: 'Observation' }, record, caller);
    const named = search.patient !== null ? used : [['patient', plan.patient] as const, ...used];
    const self = `Observation/$lastn?${new URLSearchParams(named.map(([name, value]): [string, string] => [name, value])).toString()}`;
    const act = {
      type: 'fhir.search',
      interaction: 'operation',
      resourceType: 'Observation',
      query: self,
      patients: [plan.patient],
    } as const;
    const gathered = (await askOperation(plan, parsed.value, caller)) ?? (await askNewest(plan, parsed.value, caller));
    if (!gathered.ok) {
      const kept = await record({ ...act, outcome: '8', why: gathered.fault.code }, caller);
      return kept.ok ? gathered : kept;
    }
    const isStatusAsked = conditionsOf(search).some(([name]) => name.split(':')[0] === 'status');
    const sound = gathered.value.entries.filter(
      ({ mode, resource }) => mode === 'match' && (isStatusAsked || resource['status'] !== 'entered-in-error'),
    );
    const last = lastOfEach(sound, max);
    const shown = last.slice(0, SHOWN_MAX);
    const kept = await record({ ...act, outcome: '0', count: shown.length }, caller);
    if (!kept.ok) return kept;
    const notes = [...(gathered.value.isWhole ? [] : [BOUND]), ...(shown.length < last.length ? [CUT] : [])];
    const entry = [...rewrite(shown).map((one) => toEntry(one, rules.base, request)), ...notesEntry(notes)];
    return ok(
      bundleAnswer({
        resourceType: 'Bundle',
        type: 'searchset',
        ...(notes.length === 0 ? { total: shown.length } : {}),
        link: [{ relation: 'self', url: `${rules.base}/${self}` }],
        ...(entry.length === 0 ? {} : { entry }),
      }),
    );
  }

  return async (ask, { query }, caller) => {
    const pairs = await readParameters(ask, query);
    return pairs.ok ? answer(pairs.value, caller) : pairs;
  };
}
