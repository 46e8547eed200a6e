import type { Capability, TypeCapability } from '../ehr/index.ts';
import { isComparable, knownParam, searchParamsOf, type SearchParam } from '../r4/index.ts';

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

/**
 * A parameter that R4 and the EHR do not both know. `sent`: the EHR has it of its own. `evaluated`: the EHR does not
 * know it, and its answer is looked at. `refused`: nobody could do it.
 */
export interface OtherParam {
  readonly way: 'sent' | 'evaluated' | 'refused';
  readonly param: SearchParam;
}

/** Kinds of which a value can be read without knowing more of the parameter. */
const OF_ITS_OWN = new Set(['token', 'string', 'date', 'quantity', 'number', 'uri', 'reference']);

/** Undefined: nobody knows it. */
export const makeOtherParam =
  (capability: () => Capability | null) =>
  (type: string, name: string): OtherParam | undefined => {
    const says = capability()?.types[type];
    const param = knownParam(type, name);
    const kind = says?.searchKinds[name];
    if (says?.searchParams.includes(name) === true && !name.startsWith('_')) {
      const own = param ?? { kind: kind ?? '', paths: [], isPlain: false, targets: 'any' as const };
      return { way: OF_ITS_OWN.has(own.kind) ? 'sent' : 'refused', param: own };
    }
    return param === undefined ? undefined : { way: isComparable(param) ? 'evaluated' : 'refused', param };
  };

/** Whether records of another type may come along because they refer to what is found, as far as the EHR says. */
export const makeMayReverse =
  (capability: () => Capability | null) =>
  (type: string, source: string, param: string): boolean => {
    const listed = capability()?.types[type]?.revIncludes ?? [];
    return listed.length === 0 || listed.includes('*') || listed.includes(`${source}:${param}`);
  };
