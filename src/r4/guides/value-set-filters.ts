import type { SystemIndex } from './code-system-index.ts';
import { commonOf, restOf } from './members.ts';

export interface Filter {
  readonly property: string;
  readonly op: string;
  readonly value: string;
}

/** Why something cannot be expanded, in words. */
export interface NotExpanded {
  readonly notExpanded: string;
}

const cannot = (notExpanded: string): NotExpanded => ({ notExpanded });

const PATTERN_LENGTH_MAX = 200;
const CODE_LENGTH_MAX = 64;
/** A group that repeats, a back reference, or a group of another kind: matching may take forever. */
const COSTLY = /\)[*+?{]|\\[1-9k]|\(\?/;
/** What repeats a number of times that is not fixed. Each one multiplies the ways to match by the length of a code. */
const VARIABLE = /[*+?]|\{\d+,\d*\}/g;
const VARIABLES_MAX = 2;

/** Whether a whole code matches a pattern; undefined where the pattern is none, or may take too long. */
function readPattern(pattern: string, { isFolded }: SystemIndex): ((code: string) => boolean) | undefined {
  if (pattern.length > PATTERN_LENGTH_MAX || COSTLY.test(pattern)) return undefined;
  if ((pattern.match(VARIABLE)?.length ?? 0) > VARIABLES_MAX) return undefined;
  try {
    const whole = new RegExp(`^(?:${pattern})$`, isFolded ? 'iu' : 'u');
    return (code) => code.length <= CODE_LENGTH_MAX && whole.test(code);
  } catch {
    return undefined;
  }
}

/** What can be reached from codes along arrows, those codes not included unless an arrow leads back. */
function reachable(from: string, arrows: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>();
  const open = [...(arrows.get(from) ?? [])];
  for (let code = open.pop(); code !== undefined; code = open.pop()) {
    if (found.has(code)) continue;
    found.add(code);
    open.push(...(arrows.get(code) ?? []));
  }
  return found;
}

const listOf = (value: string): string[] => value.split(',').map((one) => one.trim());

/** Filters on the codes themselves and their place in the hierarchy. */
function byConcept({ op, value }: Filter, index: SystemIndex): ReadonlySet<string> | NotExpanded {
  const { codes, fold } = index;
  const code = fold(value);
  const isHierarchical = ['is-a', 'descendent-of', 'is-not-a', 'generalizes'].includes(op);
  if (isHierarchical && !codes.has(code)) return cannot(`the filter names ${value}, which the system does not have`);
  const below = (): Set<string> => reachable(code, index.children());
  const listed = (): Set<string> => new Set(listOf(value).map(fold));
  switch (op) {
    case '=':
      return new Set(codes.has(code) ? [code] : []);
    case 'is-a':
      return below().add(code);
    case 'descendent-of':
      return below();
    case 'is-not-a':
      return restOf(codes, below().add(code));
    case 'generalizes':
      return reachable(code, index.parents).add(code);
    case 'in':
      return commonOf(listed(), codes);
    case 'not-in':
      return restOf(codes, listed());
    case 'regex': {
      const pattern = readPattern(value, index);
      return pattern === undefined
        ? cannot(`the pattern ${value} cannot be used`)
        : new Set([...codes].filter(pattern));
    }
    default:
      return cannot(`the filter ${op} is not known`);
  }
}

/** Filters on the values of a property, `parent` and `child` among them. */
function byValues(
  { property, op, value }: Filter,
  index: SystemIndex,
  values: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> | NotExpanded {
  const wanted = new Set(property === 'parent' || property === 'child' ? listOf(value).map(index.fold) : listOf(value));
  const single = wanted.size === 1 ? [...wanted] : [value];
  const select = (test: (found: readonly string[]) => boolean): Set<string> =>
    new Set([...index.codes].filter((code) => test(values.get(code) ?? [])));
  switch (op) {
    case '=':
      return select((found) => found.some((one) => single.includes(one)));
    case 'in':
      return select((found) => found.some((one) => wanted.has(one)));
    case 'not-in':
      return select((found) => !found.some((one) => wanted.has(one)));
    case 'exists':
      return select((found) => found.length > 0 === (value === 'true'));
    case 'regex': {
      const pattern = readPattern(value, index);
      return pattern === undefined
        ? cannot(`the pattern ${value} cannot be used`)
        : select((found) => found.some(pattern));
    }
    default:
      return cannot(`the filter ${op} on ${property} is not known`);
  }
}

/** The codes of a complete system that one filter leaves, abstract ones included. */
export function applyFilter(filter: Filter, index: SystemIndex): ReadonlySet<string> | NotExpanded {
  const { property } = filter;
  if (property === 'concept' || property === 'code') return byConcept(filter, index);
  if (property === 'parent') return byValues(filter, index, index.parents);
  if (property === 'child') return byValues(filter, index, index.children());
  const values = index.valuesOf(property);
  return values === undefined ? cannot(`the property ${property} is not known`) : byValues(filter, index, values);
}
