import { isObject } from '../../kernel/index.ts';
import { makeCollections, type Choices } from '../runtime/collections.ts';
import { makeListFunctions, onText, textOf } from './list-functions.ts';
import type { Visit } from './plan.ts';
import { typeOf } from './read-items.ts';
import { compilePattern } from './safe-pattern.ts';

type Items = readonly unknown[];

const NONE: Items = [];
/** What may be looked at for one resource before it is given up. */
const STEPS_MAX = 3_000_000;
/** R4's limit for strings. */
const TEXT_MAX = 1_048_576;
const REPEAT_MAX = 100_000;

/** An invariant asks for more than it may take. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly';
}

/** How much was looked at for the resource in hand. */
export interface StepCount {
  steps: number;
}

/** Counts on; throws where it is too much. */
export function makeStep(stepCount: StepCount): (count: number) => void {
  return (count) => {
    stepCount.steps += count;
    if (stepCount.steps > STEPS_MAX) throw new TooCostly('this resource takes too many steps');
  };
}

/** How much there is to compare in a value, up to a bound. */
function weightOf(value: unknown, left = 5_000): number {
  if (typeof value !== 'object' || value === null) return 1;
  let weight = 1;
  for (const one of Object.values(value)) {
    if (weight >= left) return left;
    weight += weightOf(one, left - weight);
  }
  return weight;
}

/** The primitives that derive from another, and the quantities. */
const KINDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['string', ['code', 'id', 'markdown']],
  ['uri', ['url', 'canonical', 'oid', 'uuid']],
  ['integer', ['positiveInt', 'unsignedInt']],
  ['Quantity', ['Age', 'Count', 'Distance', 'Duration', 'SimpleQuantity', 'MoneyQuantity']],
]);

/** Whether a value of the type `actual` is a `wanted`. */
const isKind = (actual: string, wanted: string): boolean =>
  actual === wanted || wanted === 'Element' || (KINDS.get(wanted)?.includes(actual) ?? false);

/**
 * What the invariants of guides call. All that walks counts its steps, so that no expression and no resource can hold
 * the gateway.
 */
export function makeGuideFunctions(choices: Choices, step: (count: number) => void): Readonly<Record<string, unknown>> {
  const base = makeCollections(choices);
  const patterns = new Map<string, RegExp>();
  /** Only what stands in an invariant comes here, so there are few. */
  function patternOf(text = '', flags = ''): RegExp {
    const pattern = patterns.get(flags + text) ?? compilePattern(text, flags);
    patterns.set(flags + text, pattern);
    return pattern;
  }
  /** Comparing costs as much as there is to compare. */
  const weighed =
    <A extends readonly Items[], T>(use: (...lists: A) => T) =>
    (...lists: A): T => {
      for (const items of lists) for (const item of items) step(weightOf(item));
      return use(...lists);
    };
  const kid: typeof base.kid = (item, name, other) => {
    step(1);
    return base.kid(item, name, other);
  };
  const kids: typeof base.kids = (items, name, other) => {
    step(1 + items.length);
    return base.kids(items, name, other);
  };
  const descendants: typeof base.descendants = (items) => {
    const found = base.descendants(items);
    step(1 + found.length);
    return found;
  };

  function repeat(items: Items, next: (item: unknown) => Items): Items {
    const seen = new Set<unknown>();
    const out: unknown[] = [];
    for (let level = items.flatMap(next); level.length > 0; level = level.flatMap(next)) {
      level = level.filter((item) => !seen.has(item));
      for (const item of level) {
        seen.add(item);
        out.push(item);
      }
      step(level.length);
      if (out.length > REPEAT_MAX) throw new TooCostly('a repeat does not come to its end');
    }
    return out;
  }

  /** Of a primitive they stand beside it, under the name of its choice where it is one. */
  const extensionsOf = (parents: Items, name: string, other: string): Items =>
    parents.flatMap((parent) => {
      if (!isObject(parent)) return NONE;
      const beside = [other, ...(choices.get(name) ?? []).map((one) => `_${one}`)].find(
        (key) => parent[key] !== undefined,
      );
      const holders = beside === undefined ? kid(parent, name, other) : [parent[beside]].flat();
      return kids(holders, 'extension', '_extension');
    });
  const lists = makeListFunctions(base);

  return {
    ...base,
    ...lists,
    equals: weighed(lists.equals),
    differs: weighed(lists.differs),
    isEquivalent: weighed(lists.isEquivalent),
    isNotEquivalent: weighed(lists.isNotEquivalent),
    isIn: weighed(base.isIn),
    union: weighed(base.union),
    intersect: weighed(base.intersect),
    subsetOf: weighed(base.subsetOf),
    isDistinct: weighed(base.isDistinct),
    exclude: weighed(lists.exclude),
    distinct: weighed(lists.distinct),
    supersetOf: weighed(lists.supersetOf),
    step,
    kid,
    kids,
    descendants,
    repeat,
    extensionsOf,
    extensionsOfFocus: (value: unknown, element: unknown): Items =>
      kids([isObject(value) ? value : element], 'extension', '_extension'),
    isKind,
    kidsBelow: (items: Items, name: string): Items => kids(descendants(items), name, `_${name}`),
    has: (item: unknown, name: string): boolean => kid(item, name, `_${name}`).length > 0,
    isOfProperty: (found: Items, all: Items): Items => (all.length === 1 ? [found.length === 1] : NONE),
    withUrl: (extensions: Items, url: Items): Items =>
      extensions.filter((one) => isObject(one) && one['url'] === textOf(url)),
    resolve: (items: Items, visit: Visit): Items =>
      items.flatMap((item) => {
        const reference = isObject(item) ? item['reference'] : item;
        const found = typeof reference === 'string' ? visit.lookups.resolve(reference, visit) : undefined;
        return found === undefined ? NONE : [found];
      }),
    /** Where a reference leads elsewhere, its text tells the type. */
    isResolved: (items: Items, type: string, visit: Visit): Items =>
      items.length === 1 ? [visit.lookups.typeOfReference(items[0], visit) === type] : NONE,
    memberOf: (items: Items, valueSet: Items, visit: Visit): Items => {
      const url = textOf(valueSet);
      const found = items.length === 1 && url !== undefined ? visit.lookups.memberOf(items[0], url) : undefined;
      return found === undefined ? NONE : [found];
    },
    conformsTo: (items: Items, profile: Items, visit: Visit): Items => {
      const [item] = items;
      const type = typeOf({ value: item, type: '' });
      const url = textOf(profile);
      return items.length === 1 && url !== undefined ? [visit.lookups.conforms(item, type, url, visit)] : NONE;
    },
    matches: (items: Items, pattern: Items): Items => onText(items, (text) => [patternOf(textOf(pattern)).test(text)]),
    matchesFull: (items: Items, pattern: Items): Items =>
      onText(items, (text) => [patternOf(`^(?:${textOf(pattern) ?? ''})$`).test(text)]),
    replaceMatches: (items: Items, pattern: Items, by: Items): Items =>
      onText(items, (text) => replaced(text, patternOf(textOf(pattern), 'g'), textOf(by) ?? '')),
    replace: (items: Items, part: Items, by: Items): Items =>
      onText(items, (text) => replaced(text, textOf(part) ?? '', textOf(by) ?? '')),
  };

  function replaced(text: string, what: string | RegExp, by: string): Items {
    step(text.length + by.length);
    if (text.length * (by.length + 1) > TEXT_MAX * 10) throw new TooCostly('a replaced text is too long');
    const made = text.replaceAll(what, by);
    if (made.length > TEXT_MAX) throw new TooCostly('a replaced text is too long');
    return [made];
  }
}
