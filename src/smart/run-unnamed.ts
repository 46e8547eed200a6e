import type { Capability, OwnAddress, Pairs } from '../ehr/index.ts';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { splitSearchValue } from '../r4/index.ts';
import { alongWith } from './along-with.ts';
import type { BundlePage, EhrReader } from './ask-ehr.ts';
import { buildQuery, ofPatients } from './build-query.ts';
import type { Caller } from './caller.ts';
import { checkPage, type PageRule } from './check-page.ts';
import { alongFilters, filtersFor, isByNumber, type Filter, type Plan, type Reach } from './decide.ts';
import type { Judge, Sighted } from './judge.ts';
import type { LinkedPatients } from './linked-patients.ts';
import type { ListLinked } from './list-linked.ts';
import { LIMITS } from './parse-search.ts';
import type { Search } from './read-request.ts';
import type { RecordLeftOut } from './record-left-out.ts';
import type { SearchPage } from './run-search.ts';
import type { Note } from './search-note.ts';
import { PAGE_ENTRIES } from './search-of.ts';
import type { Served } from './served-types.ts';
import { isResource, versionOf, whose, type Resource } from './whose.ts';

const LINKED: Reach = { isContext: false, isLinked: true };
const PAGES_MAX = 5;
const PATIENTS_AT_ONCE = 50;
/** Each costs a question of its own, found or not. */
const ASKED_MAX = 50;
/** As many ids as a cursor has room for. */
const LATER_MAX = 100;

const BOUND: Note = {
  code: 'incomplete',
  text: 'There is more than is looked at without a patient: add patient=ID, or further conditions.',
  at: 'patient',
};

/** A search for records that are some patient's, which does not say whose. */
export const isUnnamed = ({ request, patient }: Plan<Search>, served: Served): boolean =>
  patient === null && served.get(request.type)?.kind === 'subject';

/** The parameter that names the most ids or numbers, and how many different ones. */
const idsAsked = (pairs: Pairs): { readonly name: string; readonly count: number } =>
  pairs
    .filter(([name]) => name === '_id' || name === 'identifier')
    .map(([name, value]) => ({ name, count: new Set(splitSearchValue(value, ',')).size }))
    .reduce((most, one) => (one.count > most.count ? one : most), { name: '_id', count: 0 });

/**
 * Searches that name no patient reach the patients whom the token may see. By ids or numbers the EHR is asked as it is,
 * and whose each record is decides; a record that is hidden costs as many questions as one that is not there. All
 * others are asked for lists of the linked patients, so that no others are looked at. Either is fetched to its end and
 * paged here: the EHR's own pages would tell of what is not shown.
 */
export function makeRunUnnamed(deps: {
  readonly served: Served;
  readonly ehrBase: string;
  readonly reader: EhrReader;
  readonly links: LinkedPatients;
  readonly listLinked: ListLinked;
  /** Whether every patient of the EHR may be seen. */
  readonly patients: 'linked' | 'all';
  readonly judge: Judge;
  readonly recordLeftOut: RecordLeftOut;
  readonly noteUnmet: (type: string, param: string, times: number) => void;
  readonly capability: () => Capability | null;
}): (plan: Plan<Search>, from: OwnAddress | null, caller: Caller) => Promise<Result<SearchPage>> {
  const { served, ehrBase, reader, links, judge } = deps;

  interface Gathered {
    readonly entry: readonly unknown[];
    readonly isWhole: boolean;
  }

  async function gather(first: Result<BundlePage | null>, caller: Caller): Promise<Result<Gathered>> {
    const entry: unknown[] = [];
    let page = first;
    for (let n = 0; n < PAGES_MAX; n += 1) {
      if (!page.ok) return page;
      if (page.value === null) return fail(fault('read.cursor'));
      entry.push(...[page.value.bundle['entry'] ?? []].flat());
      if (page.value.next === null) return ok({ entry, isWhole: true });
      page = await reader.page(page.value.next, 'searchset', caller);
    }
    return ok({ entry, isWhole: false });
  }

  const ownerOf = (resource: Resource): string | null => {
    const of = whose(resource, served, ehrBase);
    return of.kind === 'patient' || of.kind === 'entangled' ? of.id : null;
  };

  /** Which of the patients of whom something was found may be seen. */
  async function seenOf(
    type: string,
    entry: readonly unknown[],
    asked: number,
    caller: Caller,
  ): Promise<Result<ReadonlySet<string>>> {
    const found = entry
      .map((one) => (typeof one === 'object' && one !== null && 'resource' in one ? one.resource : null))
      .filter(isResource)
      .filter(({ resourceType }) => resourceType === type);
    const owners = found.map(ownerOf);
    const seen = new Set<string>();
    for (const id of new Set(owners.filter((one) => one !== null))) {
      const isLinked = await links.isLinked(id, caller);
      if (!isLinked.ok) return isLinked;
      if (isLinked.value) seen.add(id);
    }
    const shown = owners.filter((id) => id !== null && seen.has(id)).length;
    const hidden = new Set(owners).size - seen.size;
    for (let n = shown + hidden; n < asked; n += 1) await judge.takeAsLong(type, `unseen-${n}`, ['s'], null, caller);
    return ok(seen);
  }

  interface Found {
    readonly entry: readonly unknown[];
    readonly isWhole: boolean;
    readonly patients: NonNullable<PageRule['patients']>;
  }

  async function findEach(
    plan: Plan<Search>,
    query: Pairs,
    from: OwnAddress | null,
    caller: Caller,
  ): Promise<Result<Found>> {
    const { type } = plan.request;
    const asked = idsAsked(from === null ? plan.request.clauses : from.query);
    // The ids of a cursor are the gateway's own, all of them shown.
    if (from === null && asked.count > ASKED_MAX)
      return fail(
        fault('read.parameter', {
          at: asked.name,
          problems: [`${asked.name}: at most ${ASKED_MAX} without a patient`],
        }),
      );
    const first =
      from === null ? await reader.search(type, query, caller) : await reader.page(from, 'searchset', caller);
    const gathered = await gather(first, caller);
    if (!gathered.ok) return gathered;
    const seen = await seenOf(type, gathered.value.entry, asked.count, caller);
    return seen.ok ? ok({ ...gathered.value, patients: { seen: seen.value, others: 'left-out' } }) : seen;
  }

  async function findByLists(
    plan: Plan<Search>,
    query: Pairs,
    ids: readonly string[],
    caller: Caller,
  ): Promise<Result<Found>> {
    const { type } = plan.request;
    const rule = served.get(type);
    const known = deps.capability()?.types[type]?.searchParams;
    const entry: unknown[] = [];
    let isWhole = true;
    for (let i = 0; i < ids.length; i += PATIENTS_AT_ONCE) {
      const some = ids.slice(i, i + PATIENTS_AT_ONCE);
      const list = ofPatients(some, rule, known);
      const gathered = await gather(await reader.search(type, [list, ...query], caller), caller);
      // Not every EHR takes a list of patients.
      if (!gathered.ok)
        return gathered.fault.code === 'ehr.rejected'
          ? fail(fault('read.patient-needed', { at: 'patient' }))
          : gathered;
      entry.push(...gathered.value.entry);
      isWhole &&= gathered.value.isWhole;
    }
    return ok({ entry, isWhole, patients: { seen: new Set(ids), others: 'foreign' } });
  }

  async function find(
    plan: Plan<Search>,
    query: Pairs,
    from: OwnAddress | null,
    caller: Caller,
  ): Promise<Result<Found>> {
    const { clauses } = plan.request;
    const isEach =
      from !== null || clauses.some(([name]) => name === '_id') || isByNumber(clauses) || deps.patients === 'all';
    if (isEach) return findEach(plan, query, from, caller);
    const ids = await deps.listLinked(caller);
    if (!ids.ok) return ids;
    return ids.value === null
      ? fail(fault('read.patient-needed', { at: 'patient' }))
      : findByLists(plan, query, ids.value, caller);
  }

  return async (plan, from, caller) => {
    const { request, grant } = plan;
    const { type } = request;
    const filters = filtersFor(grant, type, ['s'], LINKED);
    const includeFilters = (of: string): readonly Filter[] => alongFilters(grant, of, served, LINKED);
    const mayInclude = (of: string): boolean => includeFilters(of).length > 0;
    const whole: Plan<Search> = { ...plan, request: { ...request, count: PAGE_ENTRIES } };
    const query = buildQuery(whole, filters, mayInclude, served, deps.capability());
    const found = await find(plan, query, from, caller);
    if (!found.ok) return found;
    const { patients } = found.value;
    const rule: PageRule = { search: request, served, ehrBase, patient: null, patients, filters, includeFilters };
    const checked = checkPage({ entry: found.value.entry }, rule);
    if (checked.kind === 'foreign') {
      caller.log.error('read.refused', { faultCode: 'read.foreign', reason: checked.because });
      return fail(fault('read.foreign'));
    }
    for (const [name, times] of checked.unmet) deps.noteUnmet(type, name, times);
    const told = await deps.recordLeftOut(checked.leftOut, null, caller);
    if (!told.ok) return told;
    const all = checked.entries.filter(({ mode }) => mode === 'match');
    const most = request.summary === 'count' ? all.length : (request.count ?? LIMITS.countMax);
    const matches = all.slice(0, most).map((one) => ({ ...one, patient: ownerOf(one.resource) ?? '' }));
    const along = alongWith(matches, checked.entries, ehrBase);
    const shown = new Map(
      [...matches, ...along].map(({ resource }): [string, Sighted] => [
        nameOf({ resource }),
        { patient: ownerOf(resource), versionId: versionOf(resource) },
      ]),
    );
    const by = { letters: ['r', 's'], shown, beyond: 'nothing' } as const;
    const about =
      request.revinclude === 'provenance' ? await judge.provenances(checked.provenances, by, caller) : ok([]);
    if (!about.ok) return about;
    const later = all.slice(most, most + LATER_MAX).map(({ resource: { id } }) => id);
    const next =
      later.length === 0
        ? null
        : { path: type, query: [...query.filter(([name]) => name !== '_id'), ['_id', later.join(',')] as const] };
    const isWhole = found.value.isWhole && all.length <= most + LATER_MAX;
    return ok({ entries: [...matches, ...along, ...about.value], next, ...(isWhole ? {} : { notes: [BOUND] }) });
  };
}

const nameOf = ({ resource: { resourceType, id } }: { readonly resource: Resource }): string => `${resourceType}/${id}`;
