import { isAfter, isDateTime } from './dates.ts';
import { isRawNumber, numberValue } from './raw-number.ts';

/**
 * FHIRPath at run time: what the compiled invariants call. Everything is an array, and nothing throws whatever the
 * resource holds, because invariants also run on resources whose structure is broken.
 */
type Items = readonly unknown[];

const NONE: Items = [];

const isObject = (v: unknown): v is Readonly<Record<string, unknown>> => typeof v === 'object' && v !== null && !Array.isArray(v);
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
  function kid(item: unknown, name: string): Items {
    if (!isObject(item)) return NONE;
    const value = item[name];
    const element = item[`_${name}`];
    if (value !== undefined || element !== undefined) return primitives(value, element);
    for (const choice of choices.get(name) ?? []) {
      if (item[choice] !== undefined || item[`_${choice}`] !== undefined) return primitives(item[choice], item[`_${choice}`]);
    }
    return NONE;
  }

  const kids = (items: Items, name: string): Items => (items.length === 1 ? kid(items[0], name) : items.flatMap((i) => kid(i, name)));
  const has = (item: unknown, name: string): boolean => kid(item, name).length > 0;

  const children = (items: Items): Items =>
    items.flatMap((item) =>
      isObject(item) && !isRawNumber(item) ? Object.keys(item).flatMap((key) => (key === 'resourceType' ? [] : listOf(item[key]))) : [],
    );

  function descendants(items: Items): Items {
    const out: unknown[] = [];
    for (let level = children(items), depth = 0; level.length > 0 && depth < 200; level = children(level), depth++) {
      for (const item of level) out.push(item);
    }
    return out;
  }

  return { kid, kids, has, children, descendants, ...PURE };
}

const listOf = (v: unknown): Items => (Array.isArray(v) ? (v as unknown[]).filter((i) => i !== null) : v === null ? NONE : [v]);

function isEqual(a: unknown, b: unknown): boolean {
  const [x, y] = [plain(a), plain(b)];
  if (x === y) return true;
  if (Array.isArray(x) && Array.isArray(y)) return x.length === y.length && x.every((v, i) => isEqual(v, y[i]));
  if (!isObject(x) || !isObject(y)) return false;
  const keys = Object.keys(x);
  return keys.length === Object.keys(y).length && keys.every((key) => Object.hasOwn(y, key) && isEqual(x[key], y[key]));
}

const includes = (items: Items, wanted: unknown): boolean => items.some((item) => isEqual(item, wanted));
const distinct = (items: Items): Items => items.filter((item, i) => items.findIndex((other) => isEqual(item, other)) === i);

/** Linear for primitives, which is what `isDistinct` meets in large code systems and questionnaires. */
function isDistinctList(items: Items): boolean {
  if (items.every((item) => typeof item !== 'object')) return new Set(items).size === items.length;
  return distinct(items).length === items.length;
}

/** How `a` stands to `b`: below, equal, above, or not to be said. A comparison that cannot be decided breaks no rule. */
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
  matches: (items: Items, pattern: Items): Items => onText(items, (text) => patternOf(textOf(pattern)).test(text)),
  substring: (items: Items, from: Items): Items => onText(items, (text) => text.slice(numberValue(from[0]) ?? 0)),
  replaceMatches: (items: Items, pattern: Items, by: Items): Items =>
    onText(items, (text) => text.replace(new RegExp(textOf(pattern), 'g'), textOf(by))),
  isType: (items: Items, type: string): Items => (items.length === 1 ? [typeMatches(items[0], type)] : NONE),
  asType: (items: Items, type: string): Items => items.filter((item) => typeMatches(item, type)),
  ofTypeType: (items: Items, type: string): Items => items.filter((item) => typeMatches(item, type)),
};
