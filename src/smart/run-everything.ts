import type { Capability, OwnAddress, Pairs } from '../ehr/index.ts';
import type { Grant } from '../auth/index.ts';
import { isObject, ok, type Result } from '../kernel/index.ts';
import { isInRange, rangeClauses } from './care-date.ts';
import type { Caller } from './caller.ts';
import type { Checked } from './check-page.ts';
import { joinTargets } from './cut-provenance.ts';
import { decide, filtersFor } from './decide.ts';
import type { FindProvenances } from './find-provenances.ts';
import type { FindShared } from './find-shared.ts';
import type { Everything } from './parse-everything.ts';
import type { RunSearch } from './run-search.ts';
import { PAGE_ENTRIES, searchOf } from './search-of.ts';
import type { Served } from './served-types.ts';
import { isSince } from './since.ts';
import { whose, type Resource } from './whose.ts';

/** Where it goes on: with the first of these types, on the EHR's own page, which has so many entries. */
export interface EverythingPlace {
  readonly types: readonly string[];
  readonly next: OwnAddress | null;
  readonly size: number;
}

export interface EverythingPage {
  readonly entries: readonly Checked[];
  readonly rest: EverythingPlace | null;
}

export interface RunEverything {
  /** Whether a token may have this type in it at all. */
  mayHave(grant: Grant, type: string): boolean;
  /** One page, after the Patient; `from` null is the first. */
  page(
    asked: Everything,
    patient: Resource,
    from: EverythingPlace | null,
    caller: Caller,
  ): Promise<Result<EverythingPage>>;
}

/**
 * How often the EHR is asked for records for one page of ours. Where nothing of so many is to be shown, the page is
 * empty and leads on.
 */
const EHR_PAGES_MAX = 30;
const ANYONE = { isContext: true, isLinked: true } as const;

const nameOf = ({ resource: { resourceType, id } }: Checked): string => `${resourceType}/${id}`;
const lastUpdatedOf = ({ meta }: Resource): unknown => (isObject(meta) ? meta['lastUpdated'] : undefined);

/**
 * What came of one page of the EHR's. `passed` is of the patient and in the range, whether or not it is to be shown.
 */
interface Gathered {
  readonly passed: readonly Checked[];
  readonly provenances: readonly Checked[];
  readonly next: OwnAddress | null;
}
const NOTHING: Gathered = { passed: [], provenances: [], next: null };

/**
 * One search for each type that the token may search: never the EHR's own operation, which follows whatever it thinks
 * belongs to a patient and would read all types by the permission for one. Beside the records stands what tells of them
 * (Provenance) and what they refer to and is nobody's, as R4 has it.
 */
export function makeRunEverything(deps: {
  readonly served: Served;
  readonly isOffered: (type: string) => boolean;
  readonly isSearchable: (type: string) => boolean;
  readonly capability: () => Capability | null;
  readonly ehrBase: string;
  readonly runSearch: RunSearch;
  readonly provenances: FindProvenances;
  readonly findShared: FindShared;
}): RunEverything {
  const { served, ehrBase, runSearch, provenances, findShared } = deps;

  function mayHave(grant: Grant, type: string): boolean {
    const rule = served.get(type);
    if (rule === undefined || rule.kind === 'patient') return rule !== undefined;
    if (!(rule.kind === 'targets' ? deps.isOffered(type) : deps.isSearchable(type))) return false;
    return filtersFor(grant, type, [rule.kind === 'shared' ? 'r' : 's'], ANYONE).length > 0;
  }

  /**
   * What is to be looked at for what is to be shown: who asks for what comes along asks for what it comes along with.
   */
  function plan({ types }: Everything, grant: Grant) {
    const isWanted = (type: string): boolean => (types === null || types.has(type)) && mayHave(grant, type);
    const all = [...served].filter(([type]) => mayHave(grant, type));
    const own = all.filter(([, { kind }]) => kind === 'subject').map(([type]) => type);
    const isAlong = all.some(([type, { kind }]) => (kind === 'shared' || kind === 'targets') && isWanted(type));
    return {
      isWanted,
      /** Whether something may be shown for the sake of a record that is not. */
      isAlong,
      isOwnWanted: own.some(isWanted),
      passes: [...(isWanted('Provenance') ? ['Provenance'] : []), ...own.filter((type) => isAlong || isWanted(type))],
    };
  }

  /** As far as the EHR says that it knows them; each is checked again in the answer. */
  function clausesFor(type: string, { range, since }: Everything, isAlong: boolean): Pairs {
    const known = deps.capability()?.types[type]?.searchParams ?? [];
    const isChanged = since !== null && !isAlong && known.includes('_lastUpdated');
    return [
      ...rangeClauses(type, range, (param) => known.includes(param)),
      ...(isChanged ? [['_lastUpdated', `ge${since.toISOString()}`] as const] : []),
    ];
  }

  async function gatherAboutPatient(
    id: string,
    from: OwnAddress | null,
    size: number,
    caller: Caller,
  ): Promise<Result<Gathered>> {
    const search = provenances.aboutPatient(id, size);
    const decision = search === null ? null : decide(caller.grant, search, served);
    if (decision?.allow !== true) return ok(NOTHING);
    const page = await runSearch(decision.plan, from, caller, { patient: id, letters: ['s'], shown: new Map() });
    return page.ok ? ok({ passed: [], provenances: page.value.entries, next: page.value.next }) : page;
  }

  async function gather(
    type: string,
    asked: Everything,
    { isAlong, isWanted }: ReturnType<typeof plan>,
    from: OwnAddress | null,
    size: number,
    caller: Caller,
  ): Promise<Result<Gathered>> {
    const { id, range } = asked;
    const way = isWanted('Provenance') ? provenances.wayFor(type) : 'none';
    const clauses = clausesFor(type, asked, isAlong);
    const search = searchOf(type, id, { clauses, count: size, revinclude: way === 'along' ? 'provenance' : 'none' });
    const decision = decide(caller.grant, search, served);
    if (!decision.allow) return ok(NOTHING);
    const page = await runSearch(decision.plan, from, caller, { patient: id, letters: ['s'], shown: new Map() });
    if (!page.ok) return page;
    const { entries, next } = page.value;
    const passed = entries.filter(({ resource }) => resource.resourceType === type && isInRange(resource, range));
    const names = new Set(passed.map(nameOf));
    const isAboutThem = ({ resource }: Checked): boolean => {
      const of = whose(resource, served, ehrBase);
      return of.kind === 'targets' && of.targets.some((target) => names.has(`${target.type}/${target.id}`));
    };
    const found = way === 'by-target' ? await provenances.about(passed, id, caller) : ok(entries);
    if (!found.ok) return found;
    const about = found.value.filter((one) => one.resource.resourceType === 'Provenance' && isAboutThem(one));
    return ok({ passed, provenances: about, next });
  }

  return {
    mayHave,
    async page(asked, patient, from, caller) {
      const of = plan(asked, caller.grant);
      const most = asked.count ?? PAGE_ENTRIES;
      const isShown = ({ resource }: Checked): boolean =>
        of.isWanted(resource.resourceType) && isSince(asked.since, lastUpdatedOf(resource));
      const first: readonly Checked[] = from === null ? [{ resource: patient, mode: 'match' }] : [];
      const passed: Checked[] = [...first];
      const matches: Checked[] = first.filter(isShown);
      const along = new Map<string, Checked>();
      let at: EverythingPlace | null = from ?? { types: of.passes, next: null, size: 0 };
      if (at.types.length === 0) at = null;
      for (let n = 0; at !== null && n < EHR_PAGES_MAX; n += 1) {
        const counted: number = matches.length + (of.isOwnWanted ? 0 : along.size);
        const room = most - counted;
        // The EHR's next page is as large as its first. A page of ours never grows beyond what was asked for; it may be
        // smaller.
        if (room <= 0 || (counted > 0 && (at.next === null ? room * 2 < most : at.size > room))) break;
        const [type = '', ...rest]: readonly string[] = at.types;
        const size: number = at.next === null ? room : at.size;
        const gathered: Result<Gathered> =
          type === 'Provenance'
            ? await gatherAboutPatient(asked.id, at.next, size, caller)
            : await gather(type, asked, of, at.next, size, caller);
        if (!gathered.ok) return gathered;
        const { next } = gathered.value;
        passed.push(...gathered.value.passed);
        matches.push(...gathered.value.passed.filter(isShown));
        for (const one of gathered.value.provenances.filter(isShown)) {
          const known = along.get(nameOf(one));
          const resource = known === undefined ? one.resource : joinTargets(known.resource, one.resource);
          along.set(nameOf(one), { resource, mode: 'include' });
        }
        at =
          next !== null
            ? { types: at.types, next, size }
            : rest.length > 0
              ? { types: rest, next: null, size: 0 }
              : null;
      }
      const shared = await findShared([...passed, ...along.values()], of.isWanted, caller);
      if (!shared.ok) return shared;
      return ok({ entries: [...matches, ...along.values(), ...shared.value.filter(isShown)], rest: at });
    },
  };
}
