import { isObject, ok, type Result } from '../kernel/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import type { Caller } from './caller.ts';
import { matchesAny, referredBy, type Checked } from './check-page.ts';
import { alongFilters } from './decide.ts';
import type { Served } from './served-types.ts';
import { isResource, whose } from './whose.ts';

const NAMES_MAX = 200;
const NAMES_AT_ONCE = 50;

type Found = Promise<Result<readonly Checked[]>>;

/** Those of the named that are nobody's record and may come along; one that is not there is simply missing. */
export type FindNamed = (names: Iterable<string>, isWanted: (type: string) => boolean, caller: Caller) => Found;

/** What is nobody's record and one of the given refers to: who measured, which medicine. */
export type FindShared = (given: readonly Checked[], isWanted: (type: string) => boolean, caller: Caller) => Found;

/** Read by id, so that only what is named comes, also from an EHR without _include. */
export function makeFindNamed(deps: {
  readonly served: Served;
  readonly isSearchable: (type: string) => boolean;
  readonly ehrBase: string;
  readonly reader: EhrReader;
}): FindNamed {
  const { served, isSearchable, ehrBase, reader } = deps;

  return async (given, isWanted, caller) => {
    const filtersOf = (type: string) => alongFilters(caller.grant, type, served, { isContext: true, isLinked: true });
    const isShown = (type: string): boolean =>
      served.get(type)?.kind === 'shared' && isSearchable(type) && isWanted(type) && filtersOf(type).length > 0;
    const typeOf = (name: string): string => name.slice(0, name.indexOf('/'));
    const names = [...given].filter((name) => isShown(typeOf(name))).slice(0, NAMES_MAX);
    const found = new Map<string, Checked>();
    for (const [type, all] of Map.groupBy(names, typeOf))
      for (let i = 0; i < all.length; i += NAMES_AT_ONCE) {
        const some = all.slice(i, i + NAMES_AT_ONCE);
        const params = [
          ['_id', some.map((name) => name.slice(type.length + 1)).join(',')],
          ['_count', String(some.length)],
        ] as const;
        const page = await reader.search(type, params, caller);
        if (!page.ok) return page;
        const { entry } = page.value.bundle;
        for (const one of Array.isArray(entry) ? (entry as unknown[]) : []) {
          const resource = isObject(one) ? one['resource'] : null;
          if (!isResource(resource)) continue;
          const name = `${resource.resourceType}/${resource.id}`;
          const isNobodys = whose(resource, served, ehrBase).kind === 'nobody';
          if (some.includes(name) && isNobodys && matchesAny(resource, filtersOf(type), ehrBase))
            found.set(name, { resource, mode: 'include' });
        }
      }
    return ok([...found.values()]);
  };
}

export const makeFindShared =
  ({ findNamed, ehrBase }: { readonly findNamed: FindNamed; readonly ehrBase: string }): FindShared =>
  (given, isWanted, caller) =>
    findNamed(referredBy(given, ehrBase), isWanted, caller);
