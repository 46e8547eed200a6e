import type { Capability, OwnAddress } from '../ehr/index.ts';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import type { Caller } from './caller.ts';
import type { Checked } from './check-page.ts';
import { decide } from './decide.ts';
import type { Sighted } from './judge.ts';
import type { Search } from './read-request.ts';
import type { RunSearch, SearchPage } from './run-search.ts';
import { searchOf } from './search-of.ts';
import type { Served } from './served-types.ts';
import { versionOf } from './whose.ts';

const TARGETS_AT_ONCE = 50;
const PAGES_MAX = 20;

export interface FindProvenances {
  /**
   * `along`: the EHR says that they come by `_revinclude`. `by-target`: they are searched for. `none`: it offers
   * neither.
   */
  wayFor(type: string): 'along' | 'by-target' | 'none';
  /** A search for those about the Patient itself; null where the EHR offers none. */
  aboutPatient(id: string, count: number): Search | null;
  /** Those about these records of a patient's, and about nobody else's. */
  about(records: readonly Checked[], patient: string, caller: Caller): Promise<Result<readonly Checked[]>>;
}

/** R4's compartment has those about the Patient itself; what tells of a record is found by that record alone. */
export function makeFindProvenances(deps: {
  readonly served: Served;
  readonly capability: () => Capability | null;
  readonly runSearch: RunSearch;
}): FindProvenances {
  const { served, capability, runSearch } = deps;

  function isSearchedBy(name: string): boolean {
    const known = capability();
    const says = known?.types['Provenance'];
    return known === null || (says?.search === true && says.searchParams.includes(name));
  }

  async function aboutSome(
    targets: ReadonlyMap<string, Sighted>,
    patient: string,
    caller: Caller,
  ): Promise<Result<readonly Checked[]>> {
    const search = searchOf('Provenance', null, { clauses: [['target', [...targets.keys()].join(',')]] });
    const decision = decide(caller.grant, search, served);
    if (!decision.allow) return ok([]);
    const found: Checked[] = [];
    let from: OwnAddress | null = null;
    for (let n = 0; n < PAGES_MAX; n += 1) {
      const of = { patient, letters: ['s'], shown: targets } as const;
      const page: Result<SearchPage> = await runSearch(decision.plan, from, caller, of);
      if (!page.ok) return page;
      found.push(...page.value.entries);
      from = page.value.next;
      if (from === null) return ok(found);
    }
    // Otherwise a reader would take what was left out for absent.
    return fail(fault('ehr.answer-too-large'));
  }

  return {
    wayFor(type) {
      if (capability()?.types[type]?.revIncludesProvenance === true) return 'along';
      return isSearchedBy('target') ? 'by-target' : 'none';
    },
    aboutPatient(id, count) {
      if (isSearchedBy('target'))
        return searchOf('Provenance', null, { clauses: [['target', `Patient/${id}`]], count });
      return isSearchedBy('patient') ? searchOf('Provenance', id, { count }) : null;
    },
    async about(records, patient, caller) {
      const found: Checked[] = [];
      for (let i = 0; i < records.length; i += TARGETS_AT_ONCE) {
        const targets = new Map(
          records
            .slice(i, i + TARGETS_AT_ONCE)
            .map(({ resource }): [string, Sighted] => [
              `${resource.resourceType}/${resource.id}`,
              { patient, versionId: versionOf(resource) },
            ]),
        );
        const some = await aboutSome(targets, patient, caller);
        if (!some.ok) return some;
        found.push(...some.value);
      }
      return ok(found);
    },
  };
}
