import { isElement } from './is-element.ts';
import { isObject } from '../../kernel/index.ts';
import { isAfter, isDateTime } from './dates.ts';
import { isRawNumber, numberValue } from './raw-number.ts';

/**
 * FHIRPath at run time: what the compiled invariants call. Everything is an array, and nothing throws whatever the
 * resource holds, because invariants also run on resources whose structure is broken.
 */
type Items = readonly unknown[];

const NONE: Items = [];
const DEPTH_MAX = 200;
/** R4's limit for strings, and a bound on what a regular expression may have to read. */
const TEXT_MAX = 1_048_576;

const isPrimitive = (v: unknown): boolean => typeof v !== 'object' || isRawNumber(v);
const plain = (v: unknown): unknown => (isRawNumber(v) ? Number(v.rawJSON) : v);

/** Stems of choice elements with the names their values may have. Given by the code that reads the definitions. */
export type Choices = ReadonlyMap<string, readonly string[]>;

/** A primitive that has no value but an extension is still an item, hence the element object in its place. */
function primitives(value: unknown, element: unknown): Items {
  const values = Array.isArray(value) ? (value as unknown[]) : value === undefined ? NONE : [value];
  if (element === undefined) return values.filter((v) => v !== null);
  const elements = Array.isArray(element) ? (element as unknown[]) : [element];
  const out: unknown[] = [];
  for (let i = 0; i < Math.max(values.length, elements.length); i++) {
    const item = values[i] ?? elements[i];
    if (item !== undefined && item !== null) out.push(item);
  }
  return out;
}

export function makeCollections(choices: Choices) {
  /** `other` is `_name`, given so that it need not be made for every call. */
  function kid(item: unknown, name: string, other: string): Items {
    if (!isObject(item)) return NONE;
    const value = item[name];
    const element = item[other];
    if (value !== undefined || element !== undefined) return primitives(value, element);
    for (const choice of choices.get(name) ?? []) {
      if (item[choice] !== undefined || item[`_${choice}`] !== undefined)
        return primitives(item[choice], item[`_${choice}`]);
    }
    return NONE;
  }

  /** `descendants().name` without the list of all descendants, which a large Questionnaire cannot afford. */
  function kidsBelow(items: Items, name: string): Items {
    const out: unknown[] = [];
    const other = `_${name}`;
    const isChoice = choices.has(name);
    const walk = (value: unknown, depth: number): void => {
      if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return;
      if (Array.isArray(value)) {
        for (const item of value as unknown[]) walk(item, depth);
        return;
      }
      const object = value as Readonly<Record<string, unknown>>;
      if (depth > 0 && (isChoice || object[name] !== undefined || object[other] !== undefined))
        out.push(...kid(object, name, other));
      for (const key in object) if (typeof object[key] === 'object') walk(object[key], depth + 1);
    };
    for (const item of items) walk(item, 0);
    return out;
  }

  const kids = (items: Items, name: string, other: string): Items =>
    items.length === 1 ? kid(items[0], name, other) : items.flatMap((item) => kid(item, name, other));
  const has = (item: unknown, name: string): boolean => kid(item, name, `_${name}`).length > 0;

  /** Whether the child is one of the texts. A list or a number answers as FHIRPath's `=` would. */
  function isOne(item: unknown, name: string, texts: readonly string[]): boolean {
    const value = isObject(item) ? item[name] : undefined;
    if (typeof value === 'string') return texts.includes(value);
    const items = kid(item, name, `_${name}`);
    return items.length === 1 && texts.some((text) => isEqual(items[0], text));
  }

  /** Whether the child is there and is none of the texts: absent is neither. */
  function isNone(item: unknown, name: string, texts: readonly string[]): boolean {
    const value = isObject(item) ? item[name] : undefined;
    if (typeof value === 'string') return !texts.includes(value);
    const items = kid(item, name, `_${name}`);
    return items.length > 0 && !(items.length === 1 && texts.some((text) => isEqual(items[0], text)));
  }

  const children = (items: Items): Items =>
    items.flatMap((item) =>
      isElement(item) ? Object.keys(item).flatMap((key) => (key === 'resourceType' ? [] : listOf(item[key]))) : [],
    );

  function descendants(items: Items): Items {
    const out: unknown[] = [];
    for (
      let level = children(items), depth = 0;
      level.length > 0 && depth < DEPTH_MAX;
      level = children(level), depth++
    ) {
      for (const item of level) out.push(item);
    }
    return out;
  }

  return { kid, kids, kidsBelow, has, isOne, isNone, children, descendants, ...PURE };
}

const listOf = (v: unknown): Items =>
  Array.isArray(v) ? (v as unknown[]).filter((i) => i !== null) : v === null ? NONE : [v];

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || keyOf(a) === keyOf(b);
}

/** Equal items have equal keys, whatever the order of their properties. Sets of keys keep every comparison linear. */
function keyOf(v: unknown): unknown {
  const value = plain(v);
  return typeof value === 'object' ? `{${JSON.stringify(sorted(value, 0))}` : value;
}

function sorted(v: unknown, depth: number): unknown {
  if (typeof v !== 'object' || v === null || depth > 100) return typeof v === 'object' ? null : v;
  if (isRawNumber(v)) return Number(v.rawJSON);
  if (Array.isArray(v)) return v.map((item) => sorted(item, depth + 1));
  const object = v as Readonly<Record<string, unknown>>;
  return Object.keys(object)
    .sort()
    .map((key) => [key, sorted(object[key], depth + 1)]);
}

/** Kept per list: a hoisted operand is the same list for every item it is compared with. */
const keySets = new WeakMap<Items, ReadonlySet<unknown>>();
function keysOf(items: Items): ReadonlySet<unknown> {
  const known = keySets.get(items);
  if (known !== undefined) return known;
  const made = new Set(items.map(keyOf));
  keySets.set(items, made);
  return made;
}

const includes = (items: Items, wanted: unknown): boolean => items.length > 0 && keysOf(items).has(keyOf(wanted));
const distinct = (items: Items): Items => [...new Map(items.map((item) => [keyOf(item), item])).values()];
const isDistinctList = (items: Items): boolean => items.length < 2 || new Set(items.map(keyOf)).size === items.length;

/**
 * How `a` stands to `b`: below, equal, above, or not to be said. A comparison that cannot be decided breaks no rule.
 */
function order(a: unknown, b: unknown): number | 'same-or-unknown' | undefined {
  const [x, y] = [numberValue(a), numberValue(b)];
  if (x !== undefined && y !== undefined) return Math.sign(x - y);
  if (typeof a === 'string' && typeof b === 'string') {
    if (!isDateTime(a) || !isDateTime(b)) return a < b ? -1 : a > b ? 1 : 0;
    return isAfter(a, b) ? 1 : isAfter(b, a) ? -1 : 'same-or-unknown';
  }
  if (isObject(a) && isObject(b)) {
    if (a['code'] !== b['code'] || a['unit'] !== b['unit'] || a['system'] !== b['system']) return 'same-or-unknown';
    return order(a['value'], b['value']);
  }
  return undefined;
}

function compare(a: Items, b: Items, holds: (sign: number) => boolean): Items {
  if (a.length !== 1 || b.length !== 1) return NONE;
  const found = order(a[0], b[0]);
  if (found === undefined) return NONE;
  return [found === 'same-or-unknown' || holds(found)];
}

function equals(a: Items, b: Items): Items {
  if (a.length === 0 || b.length === 0) return NONE;
  return [a.length === b.length && a.every((item, i) => isEqual(item, b[i]))];
}

const onText = (items: Items, use: (text: string) => unknown): Items => {
  const [first] = items;
  return items.length === 1 && typeof first === 'string' ? [use(first)] : NONE;
};
const textOf = (items: Items): string => (typeof items[0] === 'string' ? items[0] : '');

/** Only HL7's own expressions come here, so the set of patterns is small and known. */
const patterns = new Map<string, RegExp>();
function patternOf(text: string): RegExp {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  const made = new RegExp(text);
  patterns.set(text, made);
  return made;
}

function typeMatches(item: unknown, type: string): boolean {
  if (type === 'boolean') return typeof item === 'boolean';
  if (type === 'decimal') return numberValue(item) !== undefined;
  return isObject(item) && item['resourceType'] === type;
}

const PURE = {
  isTrue: (items: Items): boolean => items.length === 1 && items[0] !== false,
  isFalse: (items: Items): boolean => items.length === 1 && items[0] === false,
  threeWay: (isTrue: boolean, isFalse: boolean): Items => (isTrue ? [true] : isFalse ? [false] : NONE),
  equals,
  differs: (a: Items, b: Items): Items => equals(a, b).map((same) => same !== true),
  atMost: (a: Items, b: Items): Items => compare(a, b, (sign) => sign <= 0),
  atLeast: (a: Items, b: Items): Items => compare(a, b, (sign) => sign >= 0),
  below: (a: Items, b: Items): Items => compare(a, b, (sign) => sign < 0),
  above: (a: Items, b: Items): Items => compare(a, b, (sign) => sign > 0),
  union: (a: Items, b: Items): Items => distinct([...a, ...b]),
  combine: (a: Items, b: Items): Items => [...a, ...b],
  subsetOf: (a: Items, b: Items): Items => [a.every((item) => includes(b, item))],
  intersect: (a: Items, b: Items): Items => distinct(a).filter((item) => includes(b, item)),
  join: (a: Items, b: Items): Items => [textOf(a) + textOf(b)],
  plus: (a: Items, b: Items): Items => {
    const [x, y] = [numberValue(a[0]), numberValue(b[0])];
    if (x !== undefined && y !== undefined) return [x + y];
    return onText(a, (left) => left + textOf(b));
  },
  isIn: (a: Items, b: Items): Items => (a.length === 0 ? NONE : [a.length === 1 && includes(b, a[0])]),
  isDistinct: (items: Items): Items => [isDistinctList(items)],
  hasValue: (items: Items): Items => [items.length === 1 && isPrimitive(items[0])],
  toInteger: (items: Items): Items =>
    items.length === 1 && /^[+-]?\d+$/.test(String(plain(items[0]))) ? [Number(plain(items[0]))] : NONE,
  asText: (items: Items): Items => {
    const [first] = items;
    return items.length === 1 && isPrimitive(first) ? [isRawNumber(first) ? first.rawJSON : String(first)] : NONE;
  },
  length: (items: Items): Items => onText(items, (text) => text.length),
  startsWith: (items: Items, start: Items): Items => onText(items, (text) => text.startsWith(textOf(start))),
  contains: (items: Items, part: Items): Items => onText(items, (text) => text.includes(textOf(part))),
  matches: (items: Items, pattern: Items): Items =>
    onText(items, (text) => text.length <= TEXT_MAX && patternOf(textOf(pattern)).test(text)),
  substring: (items: Items, from: Items, count: Items = NONE): Items => {
    const start = numberValue(from[0]) ?? 0;
    const length = numberValue(count[0]) ?? Infinity;
    return start < 0 ? NONE : onText(items, (text) => text.slice(start, start + length));
  },
  replaceMatches: (items: Items, pattern: Items, by: Items): Items =>
    onText(items, (text) => text.replace(new RegExp(textOf(pattern), 'g'), textOf(by))),
  isType: (items: Items, type: string): Items => (items.length === 1 ? [typeMatches(items[0], type)] : NONE),
  asType: (items: Items, type: string): Items => items.filter((item) => typeMatches(item, type)),
  ofTypeType: (items: Items, type: string): Items => items.filter((item) => typeMatches(item, type)),
};
