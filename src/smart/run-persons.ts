import type { Grant } from '../auth/index.ts';
import type { Capability, OwnAddress, Pairs } from '../ehr/index.ts';
import { ok, type Result } from '../kernel/index.ts';
import { factsOf, toPerson, type Condition, type PersonPlace, type Persons } from '../persons/index.ts';
import type { BundlePage, EhrReader } from './ask-ehr.ts';
import type { Caller } from './caller.ts';
import type { Checked } from './check-page.ts';
import { filtersFor } from './decide.ts';
import type { Judge } from './judge.ts';
import type { makeNumberedPatients } from './numbered-patients.ts';
import { isPersonParam, readConditions } from './person-conditions.ts';
import type { Search } from './read-request.ts';
import type { Json } from './whose.ts';

/** Of a search without `_count`. */
export const PERSONS_PAGE = 50;
/** As many ids as every EHR takes in one search. */
const IDS_AT_ONCE = 50;

/** Those whom the index found for one page, with what the EHR says of them. */
export interface GatheredPersons {
  readonly bundle: Json;
  readonly ids: readonly string[];
  readonly total: number;
  readonly next: OwnAddress | null;
}

const placeIn = (from: OwnAddress | null): PersonPlace | null => {
  const [, text] = from?.query.find(([name]) => name === '_after') ?? [];
  return text === undefined ? null : (JSON.parse(text) as PersonPlace);
};
const addressOf = (place: PersonPlace): OwnAddress => ({ path: 'Patient', query: [['_after', JSON.stringify(place)]] });

/**
 * Whom a token may see among the linked patients, as far as the index can tell: what is counted must be what is shown.
 * A granular scope by something that it does not know shows nobody here.
 */
export function visibleTo(grant: Grant): Condition {
  const of = (reach: 'context' | 'linked'): Condition[] =>
    filtersFor(grant, 'Patient', ['s'], { isContext: reach === 'context', isLinked: reach === 'linked' }).flatMap(
      (filter) => {
        const read = readConditions(filter);
        return read.ok ? [read.value] : [];
      },
    );
  const [linked, context] = [of('linked'), of('context')];
  return (person) =>
    linked.some((is) => is(person)) || (person.id === grant.patient && context.some((is) => is(person)));
}

/**
 * The same search with the conditions on a person by which this EHR does not search among those that are looked at in
 * its answer: for a search that does not use the index.
 */
export function withoutIndex(search: Search, capability: Capability | null): Search {
  const known = search.type === 'Patient' ? capability?.types['Patient']?.searchParams : undefined;
  const isLacked = ([key]: Pairs[number]): boolean => {
    const [name = ''] = key.split(':');
    return known?.includes(name) === false && name !== '_id' && isPersonParam(name);
  };
  const lacked = search.clauses.filter(isLacked);
  if (lacked.length === 0) return search;
  const clauses = search.clauses.filter((clause) => !isLacked(clause));
  return { ...search, clauses, evaluated: [...search.evaluated, ...lacked] };
}

/**
 * Patients by name, birth date and the like: the index says who they may be, the EHR what is true of them now. Only
 * linked patients are ever asked for, so that neither the number of questions nor a page tells of others.
 */
export function makeRunPersons(deps: {
  readonly persons: Persons;
  readonly reader: EhrReader;
  readonly judge: Judge;
  readonly numbered: ReturnType<typeof makeNumberedPatients>;
}) {
  const { persons, reader, judge, numbered } = deps;

  /** What the EHR has of these, with what comes along with them. */
  async function readThem(ids: readonly string[], along: Pairs, caller: Caller): Promise<Result<readonly unknown[]>> {
    const entry: unknown[] = [];
    for (let i = 0; i < ids.length; i += IDS_AT_ONCE) {
      const some = ids.slice(i, i + IDS_AT_ONCE);
      const query: Pairs = [['_id', some.join(',')], ...along, ['_count', String(IDS_AT_ONCE)]];
      const first = await reader.search('Patient', query, caller);
      if (!first.ok) return first;
      const page: Result<BundlePage | null> = await numbered.gather(first.value, caller);
      if (!page.ok) return page;
      entry.push(...[page.value?.bundle['entry'] ?? []].flat());
    }
    return ok(entry);
  }

  return {
    async gather(
      { clauses, evaluated, count, sort, summary }: Search,
      query: Pairs,
      from: OwnAddress | null,
      caller: Caller,
    ): Promise<Result<GatheredPersons>> {
      // A condition that neither the index nor the EHR looks at would make the total another than what is shown.
      const conditions = readConditions([...clauses, ...evaluated]);
      if (!conditions.ok) return conditions;
      const { value: meets } = conditions;
      const isVisible = visibleTo(caller.grant);
      const limit = summary === 'count' ? 0 : (count ?? PERSONS_PAGE);
      const found = await persons.find({
        is: (person) => meets(person) && isVisible(person),
        sort,
        after: placeIn(from),
        limit,
      });
      if (!found.ok) return found;
      const ids = found.value.persons.map(({ id }) => id);
      const along = query.filter(([name]) => name === '_include' || name === '_revinclude');
      const entry = await readThem(ids, along, caller);
      if (!entry.ok) return entry;
      const { total, next } = found.value;
      return ok({
        bundle: { resourceType: 'Bundle', type: 'searchset', entry: entry.value },
        ids,
        total,
        next: next === null || limit === 0 ? null : addressOf(next),
      });
    },

    /** Those who are as the index had them, in its order. The others were changed at the EHR, or are linked no more. */
    async keep(
      entries: readonly Checked[],
      { ids, total, next }: GatheredPersons,
      { clauses }: Search,
      caller: Caller,
    ): Promise<
      Result<{ readonly entries: readonly Checked[]; readonly next: OwnAddress | null; readonly total: number }>
    > {
      const conditions = readConditions(clauses);
      if (!conditions.ok) return conditions;
      const seen = new Map<string, Checked>();
      for (const entry of entries) {
        if (entry.mode !== 'match') continue;
        const facts = factsOf(entry.resource);
        if (facts === null || !conditions.value(toPerson(facts))) continue;
        const sight = await judge.sees(entry.resource, ['s'], caller);
        if (!sight.ok) return sight;
        if (sight.value.kind === 'seen') seen.set(entry.resource.id, entry);
      }
      const matches = ids.flatMap((id) => seen.get(id) ?? []);
      const stale = ids.filter((id) => !seen.has(id));
      if (stale.length > 0) persons.doubt(stale);
      const along = await numbered.alongSeen(matches, entries, caller);
      return along.ok ? ok({ entries: [...matches, ...along.value], next, total: total - stale.length }) : along;
    },
  };
}
