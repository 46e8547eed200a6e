import type { Letter } from '../auth/index.ts';
import type { Capability, OwnAddress, Pairs } from '../ehr/index.ts';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { Persons } from '../persons/index.ts';
import { localReference, splitSearchValue } from '../r4/index.ts';
import type { BundlePage, EhrReader, PassedPage } from './ask-ehr.ts';
import { buildQuery, isEachApart } from './build-query.ts';
import type { Caller } from './caller.ts';
import { checkPage, type Checked, type PageRule } from './check-page.ts';
import { alongFilters, filtersFor, isByNumber, type Filter, type Plan, type Reach } from './decide.ts';
import type { Judge, Shown, Sighted } from './judge.ts';
import type { LinkedPatients } from './linked-patients.ts';
import type { ListLinked } from './list-linked.ts';
import { makeNumberedPatients } from './numbered-patients.ts';
import type { PassPage } from './pass-page.ts';
import { makeRunPersons, withoutIndex, type GatheredPersons } from './run-persons.ts';
import type { Search } from './read-request.ts';
import type { RecordLeftOut } from './record-left-out.ts';
import { isUnnamed, makeRunUnnamed } from './run-unnamed.ts';
import type { Note } from './search-note.ts';
import type { Served } from './served-types.ts';
import { watchCheck, watchPass } from './watch-check.ts';
import { versionOf, whose, type Resource } from './whose.ts';

export interface SearchPage {
  readonly entries: readonly Checked[];
  /** How many there are on all pages, where that is known. */
  readonly total?: number;
  readonly next: OwnAddress | null;
  /** What it does not hold. */
  readonly notes?: readonly Note[];
}

/** Of Provenance: of whom something that it is about must be, by which letters it may be seen, and what was checked already. */
export interface ProvenanceOf {
  readonly patient: string;
  readonly letters: readonly Letter[];
  readonly shown: Shown;
}

/** One page of a search, every entry of it checked. `from` is where the EHR said that it goes on. */
export type RunSearch = (
  plan: Plan<Search>,
  from: OwnAddress | null,
  caller: Caller,
  provenanceOf?: ProvenanceOf,
) => Promise<Result<SearchPage>>;

/** The same for who prints all of it: what was checked on its bytes is given as bytes. */
export type RunSearchToPrint = (
  plan: Plan<Search>,
  from: OwnAddress | null,
  caller: Caller,
) => Promise<Result<SearchPage | PassedPage>>;

const NOTHING: SearchPage = { entries: [], next: null };
const NO_TARGETS: Shown = new Map();
const ANYONE: Reach = { isContext: true, isLinked: true };

/** Whether the patient in context is among the ids that the caller asked for. */
const isAmong = (patient: string | null, { clauses }: Search): boolean =>
  patient === null || clauses.every(([name, value]) => name !== '_id' || value.split(',').includes(patient));

/** A search for what is about these; null where nothing is left of what was asked. */
function narrowTargets(search: Search, seen: Shown): Search | null {
  const isSeen = (text: string): boolean => {
    const found = localReference(text);
    return found !== null && seen.has(`${found.type}/${found.id}`);
  };
  const clauses = search.clauses.map(([name, value]): [string, string] => [
    name,
    name === 'target' ? splitSearchValue(value, ',').filter(isSeen).join(',') : value,
  ]);
  return clauses.some(([, value]) => value === '') ? null : { ...search, clauses };
}

interface Prepared {
  readonly rule: PageRule;
  readonly query: Pairs;
  /** What a search for Provenances is about. */
  readonly targets: Shown;
  /**
   * Whether each match is looked at for itself: `numbered` ones are gathered to the end, `indexed` ones were found by
   * the index, and where everybody may be seen the pages are the EHR's (`each`).
   */
  readonly apart: 'no' | 'numbered' | 'indexed' | 'each';
}

export function makeRunSearch(deps: {
  readonly served: Served;
  readonly ehrBase: string;
  readonly reader: EhrReader;
  readonly links: LinkedPatients;
  readonly listLinked: ListLinked;
  /** Whether every patient of the EHR may be seen. */
  readonly patients: 'linked' | 'all';
  readonly judge: Judge;
  readonly persons: Persons;
  readonly recordLeftOut: RecordLeftOut;
  readonly capability: () => Capability | null;
  /** Told how often the EHR found what does not meet a condition that it was sent. */
  readonly noteUnmet: (type: string, param: string, times: number) => void;
  readonly passPages: (rule: PageRule) => PassPage | null;
}): { readonly run: RunSearch; readonly runToPrint: RunSearchToPrint } {
  const { served, ehrBase, reader, links, judge } = deps;
  const numbered = makeNumberedPatients(deps);
  const indexed = makeRunPersons({ ...deps, numbered });
  const runUnnamed = makeRunUnnamed(deps);

  const ownerOf = (resource: Resource): string | null => {
    const of = whose(resource, served, ehrBase);
    return of.kind === 'patient' ? of.id : null;
  };

  function apartOf(plan: Plan<Search>): Prepared['apart'] {
    if (!isEachApart(plan, served)) return 'no';
    if (isByNumber(plan.request.clauses)) return 'numbered';
    return deps.patients === 'all' ? 'each' : 'indexed';
  }

  /** A promise only where the link decides. */
  function reachOf({ patient, link, grant }: Plan<Search>, caller: Caller): Result<Reach> | Promise<Result<Reach>> {
    if (patient === null) return ok(ANYONE);
    const isContext = patient === grant.patient;
    if (link === 'not-asked') return ok({ isContext, isLinked: false });
    return links
      .isLinked(patient, caller)
      .then((isLinked) => (isLinked.ok ? ok({ isContext, isLinked: isLinked.value }) : isLinked));
  }

  /** What the EHR has about a resource that may not be seen is not asked for: that there is a page of it would tell. */
  async function targetsOf({ request }: Plan<Search>, shown: Shown, caller: Caller): Promise<Result<Shown>> {
    const targets = request.clauses
      .filter(([name]) => name === 'target')
      .flatMap(([, value]) => splitSearchValue(value, ','))
      .map((text) => localReference(text));
    return judge.named(
      targets.flatMap((found) => (found === null ? [] : [`${found.type}/${found.id}`])),
      caller,
      shown,
    );
  }

  /** What the EHR is asked, and by what its answer is checked; null: nothing may be found. */
  async function prepare(
    asked: Plan<Search>,
    caller: Caller,
    provenanceOf?: ProvenanceOf,
  ): Promise<Result<Prepared | null>> {
    const { grant } = asked;
    const isByTarget = asked.request.type === 'Provenance' && asked.patient === null;
    const targets = isByTarget ? await targetsOf(asked, provenanceOf?.shown ?? new Map(), caller) : ok(NO_TARGETS);
    if (!targets.ok) return targets;
    const narrowed = isByTarget ? narrowTargets(asked.request, targets.value) : asked.request;
    if (narrowed === null) return ok(null);
    const apart = apartOf(asked);
    const request = apart === 'indexed' ? narrowed : withoutIndex(narrowed, deps.capability());
    const plan: Plan<Search> = { ...asked, request };
    const reached = reachOf(plan, caller);
    const reach = reached instanceof Promise ? await reached : reached;
    if (!reach.ok) return reach;
    const filters = filtersFor(grant, request.type, ['s'], reach.value);
    if (filters.length === 0 || (served.get(request.type)?.kind === 'patient' && !isAmong(plan.patient, request)))
      return ok(null);
    const includeFilters = (type: string): readonly Filter[] => alongFilters(grant, type, served, reach.value);
    const mayInclude = (type: string): boolean => includeFilters(type).length > 0;
    const query = buildQuery(plan, filters, mayInclude, served, deps.capability());
    const rule = { search: request, served, ehrBase, patient: plan.patient, patients: null, filters, includeFilters };
    return ok({ rule, query, targets: targets.value, apart });
  }

  async function check(
    { rule, query, targets, apart }: Prepared,
    first: BundlePage,
    caller: Caller,
    provenanceOf?: ProvenanceOf,
    gathered: GatheredPersons | null = null,
  ): Promise<Result<SearchPage>> {
    const { search: request, patient } = rule;
    const page = apart === 'numbered' ? await numbered.gather(first, caller) : ok(first);
    if (!page.ok) return page;
    if (page.value === null) return fail(fault('read.cursor'));
    const { bundle, next } = page.value;
    const asked = gathered === null ? request : { ...request, clauses: [['_id', gathered.ids.join(',')] as const] };
    const checked = checkPage(bundle, { ...rule, search: asked });
    if (checked.kind === 'foreign') {
      caller.log.error('read.refused', { faultCode: 'read.foreign', reason: checked.because });
      return fail(fault('read.foreign'));
    }
    for (const [name, times] of checked.unmet) deps.noteUnmet(request.type, name, times);
    const told = await deps.recordLeftOut(checked.leftOut, patient, caller);
    if (!told.ok) return told;
    const kept =
      gathered !== null
        ? await indexed.keep(checked.entries, gathered, request, caller)
        : apart === 'numbered'
          ? await numbered.keep(checked.entries, request.count, query, caller)
          : apart === 'each'
            ? await numbered.seen(checked.entries, next, caller)
            : ok({ entries: checked.entries, next });
    if (!kept.ok) return kept;
    const { entries, next: goesOn, ...more } = kept.value;
    const isWanted = request.type === 'Provenance' || request.revinclude === 'provenance';
    const shown = new Map([
      ...targets,
      ...entries.map(({ resource }): [string, Sighted] => [
        `${resource.resourceType}/${resource.id}`,
        {
          patient: served.get(resource.resourceType)?.kind === 'shared' ? null : (patient ?? ownerOf(resource)),
          versionId: versionOf(resource),
        },
      ]),
    ]);
    const letters = provenanceOf?.letters ?? (request.type === 'Provenance' ? (['s'] as const) : (['r', 's'] as const));
    // What comes along is about what is on the page; who searches for them has a few of the others looked up.
    const beyond = request.type === 'Provenance' && provenanceOf === undefined ? 'a-few' : 'nothing';
    const only = provenanceOf === undefined ? {} : { only: provenanceOf.patient };
    const about = isWanted
      ? await judge.provenances(checked.provenances, { letters, shown, beyond, ...only }, caller)
      : ok([]);
    return about.ok ? ok({ ...more, entries: [...entries, ...about.value], next: goesOn }) : about;
  }

  const checkPageOf: typeof check = (prepared, first, caller, provenanceOf, gathered) =>
    caller.span === undefined
      ? check(prepared, first, caller, provenanceOf, gathered)
      : watchCheck(caller.span, () => check(prepared, first, caller, provenanceOf, gathered));

  async function runIndexed(prepared: Prepared, from: OwnAddress | null, caller: Caller): Promise<Result<SearchPage>> {
    const gathered = await indexed.gather(prepared.rule.search, prepared.query, from, caller);
    if (!gathered.ok) return gathered;
    return checkPageOf(prepared, { bundle: gathered.value.bundle, next: null }, caller, undefined, gathered.value);
  }

  return {
    async run(asked, from, caller, provenanceOf) {
      if (isUnnamed(asked, served)) return runUnnamed(asked, from, caller);
      const prepared = await prepare(asked, caller, provenanceOf);
      if (!prepared.ok) return prepared;
      if (prepared.value === null) return ok(NOTHING);
      if (prepared.value.apart === 'indexed') return runIndexed(prepared.value, from, caller);
      const { rule, query } = prepared.value;
      const page =
        from === null
          ? await reader.search(rule.search.type, query, caller)
          : await reader.page(from, 'searchset', caller);
      if (!page.ok) return page;
      if (page.value === null) return fail(fault('read.cursor'));
      return checkPageOf(prepared.value, page.value, caller, provenanceOf);
    },
    async runToPrint(asked, from, caller) {
      if (isUnnamed(asked, served)) return runUnnamed(asked, from, caller);
      const prepared = await prepare(asked, caller);
      if (!prepared.ok) return prepared;
      if (prepared.value === null) return ok(NOTHING);
      if (prepared.value.apart === 'indexed') return runIndexed(prepared.value, from, caller);
      const { rule, query } = prepared.value;
      const pass = watchPass(deps.passPages(rule), caller);
      const page =
        from === null
          ? await reader.search(rule.search.type, query, caller, pass)
          : await reader.page(from, 'searchset', caller, pass);
      if (!page.ok) return page;
      if (page.value === null) return fail(fault('read.cursor'));
      return 'passed' in page.value ? ok(page.value) : checkPageOf(prepared.value, page.value, caller);
    },
  };
}
