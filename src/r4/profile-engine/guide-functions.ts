import { isObject } from '../../kernel/index.ts';
import { makeCollections, type Choices } from '../runtime/collections.ts';
import { makeListFunctions, onText, textOf } from './list-functions.ts';
import type { Visit } from './plan.ts';
import { typeOf } from './read-items.ts';
import { compilePattern } from './safe-pattern.ts';

type Items = readonly unknown[];

const NONE: Items = [];
/** What the invariants of one resource may look at before they are given up. */
const STEPS_MAX = 2_000_000;
const REPEAT_MAX = 100_000;

/** An invariant asks for more than it may take. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly';
}

/** How much the invariants of the resource in hand have looked at. */
export interface StepCount {
  steps: number;
}

/** The primitives that derive from another, and the quantities. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  string: ['code', 'id', 'markdown'],
  uri: ['url', 'canonical', 'oid', 'uuid'],
  integer: ['positiveInt', 'unsignedInt'],
  Quantity: ['Age', 'Count', 'Distance', 'Duration', 'SimpleQuantity', 'MoneyQuantity'],
};

/** Whether a value of the type `actual` is a `wanted`. */
const isKind = (actual: string, wanted: string): boolean =>
  actual === wanted || wanted === 'Element' || (KINDS[wanted]?.includes(actual) ?? false);

/**
 * What the invariants of guides call. All that walks counts its steps, so that no expression and no resource can hold
 * the gateway.
 */
export function makeGuideFunctions(choices: Choices, stepCount: StepCount): Readonly<Record<string, unknown>> {
  const base = makeCollections(choices);
  const patterns = new Map<string, RegExp>();
  /** Only what stands in an invariant comes here, so there are few. */
  function patternOf(text = '', flags = ''): RegExp {
    const pattern = patterns.get(flags + text) ?? compilePattern(text, flags);
    patterns.set(flags + text, pattern);
    return pattern;
  }
  function step(count: number): void {
    stepCount.steps += count;
    if (stepCount.steps > STEPS_MAX) throw new TooCostly('the invariants of this resource look at too much');
  }
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

  /** Of a primitive they stand beside it. */
  const extensionsOf = (parents: Items, name: string, other: string): Items =>
    parents.flatMap((parent) => {
      if (!isObject(parent)) return NONE;
      const elements = parent[other];
      const holders = elements === undefined ? kid(parent, name, other) : [elements].flat();
      return kids(holders, 'extension', '_extension');
    });

  return {
    ...base,
    ...makeListFunctions(base),
    step,
    kid,
    kids,
    descendants,
    repeat,
    extensionsOf,
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
      onText(items, (text) => [text.replaceAll(patternOf(textOf(pattern), 'g'), textOf(by) ?? '')]),
  };
}
