import type { Capability, TypeCapability } from '../ehr/index.ts';
import { searchParamsOf, type SearchParam } from '../r4/index.ts';

/** Every server finds a resource by its id, though some do not say so. */
export const isSearched = ({ searchParams }: TypeCapability, name: string): boolean =>
  name === '_id' || searchParams.includes(name);
/** An EHR may follow a reference by which it does not search, and many do not say which. */
export const isIncluded = (says: TypeCapability, name: string, type: string): boolean =>
  says.searchIncludes.length === 0 ||
  isSearched(says, name) ||
  ['*', `${type}:*`, `${type}:${name}`].some((one) => says.searchIncludes.includes(one));

/** The parameters that both R4 and the EHR know; made anew only when what the EHR says has changed. */
export function makeParamsOf(
  capability: () => Capability | null,
  isSaid: (says: TypeCapability, name: string, type: string) => boolean,
): (type: string) => ReadonlyMap<string, SearchParam> {
  let of: Capability | null = null;
  let made = new Map<string, ReadonlyMap<string, SearchParam>>();
  return (type) => {
    const now = capability();
    if (now !== of) {
      of = now;
      made = new Map();
    }
    const known = made.get(type);
    if (known !== undefined) return known;
    const says = now?.types[type];
    const params = new Map(
      [...searchParamsOf(type)].filter(([name]) => says === undefined || isSaid(says, name, type)),
    );
    made.set(type, params);
    return params;
  };
}
