import type { makeCollections } from '../runtime/collections.ts';
import { isObject } from '../../kernel/index.ts';
import { isAfter, isDateTime, isInstant } from '../runtime/dates.ts';
import { isRawNumber, numberValue } from '../runtime/raw-number.ts';

type Items = readonly unknown[];

const NONE: Items = [];

const isPrimitive = (value: unknown): boolean => typeof value !== 'object' || isRawNumber(value);
const onNumbers = (a: Items, b: Items, use: (x: number, y: number) => number): Items => {
  const [x, y] = [numberValue(a[0]), numberValue(b[0])];
  if (a.length !== 1 || b.length !== 1 || x === undefined || y === undefined) return NONE;
  const found = use(x, y);
  return Number.isFinite(found) ? [found] : NONE;
};
export const onText = (items: Items, use: (text: string) => Items): Items => {
  const [first] = items;
  return items.length === 1 && typeof first === 'string' ? use(first) : NONE;
};
export const textOf = (items: Items): string | undefined => (typeof items[0] === 'string' ? items[0] : undefined);
const folded = (value: unknown): unknown => (typeof value === 'string' ? value.trim().toLowerCase() : value);

function toDecimal(items: Items): Items {
  const [first] = items;
  const found =
    numberValue(first) ?? (typeof first === 'string' && /^[+-]?\d+(?:\.\d+)?$/.test(first) ? Number(first) : NaN);
  return items.length === 1 && !Number.isNaN(found) ? [found] : NONE;
}

const TRUE = new Set(['true', '1', '1.0', 'yes', 'y', 't']);
const FALSE = new Set(['false', '0', '0.0', 'no', 'n', 'f']);

function toBoolean(items: Items): Items {
  const [first] = items;
  const text =
    items.length === 1 && isPrimitive(first) ? String(isRawNumber(first) ? first.rawJSON : first).toLowerCase() : '';
  if (TRUE.has(text)) return [true];
  return FALSE.has(text) ? [false] : NONE;
}

const converts = (items: Items, convert: (items: Items) => Items): Items =>
  items.length === 1 ? [convert(items).length === 1] : NONE;

/** The moment that a dateTime with a time names; NaN for anything else. */
const momentOf = (value: unknown): number => (typeof value === 'string' && isInstant(value) ? Date.parse(value) : NaN);

/** How two values stand to each other; undefined where that cannot be said. HL7's own invariants are read more mildly. */
function orderOf(a: unknown, b: unknown): number | undefined {
  const [x, y] = [numberValue(a) ?? momentOf(a), numberValue(b) ?? momentOf(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y)) return Math.sign(x - y);
  if (typeof a !== 'string' || typeof b !== 'string') return undefined;
  if (!isDateTime(a) || !isDateTime(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (isAfter(a, b)) return 1;
  if (isAfter(b, a)) return -1;
  return a === b ? 0 : undefined;
}

/** What guides may ask of lists beyond what HL7's own invariants do. */
export function makeListFunctions(base: ReturnType<typeof makeCollections>) {
  function compare(a: Items, b: Items, holds: (sign: number) => boolean): Items {
    if (a.length !== 1 || b.length !== 1) return NONE;
    if (isObject(a[0]) && isObject(b[0])) return holds(-1) ? base.below(a, b) : base.above(a, b);
    const order = orderOf(a[0], b[0]);
    return order === undefined ? NONE : [holds(order)];
  }
  /** One moment may be written in several zones. */
  function equals(a: Items, b: Items): Items {
    const [x, y] = [momentOf(a[0]), momentOf(b[0])];
    return a.length === 1 && b.length === 1 && !Number.isNaN(x) && !Number.isNaN(y) ? [x === y] : base.equals(a, b);
  }
  function isEquivalent(a: Items, b: Items): boolean {
    return (
      a.length === b.length &&
      a.every((one) => b.some((other) => base.isIn([folded(one)], [folded(other)])[0] === true))
    );
  }
  return {
    equals,
    differs: (a: Items, b: Items): Items => equals(a, b).map((same) => same !== true),
    below: (a: Items, b: Items): Items => compare(a, b, (sign) => sign < 0),
    above: (a: Items, b: Items): Items => compare(a, b, (sign) => sign > 0),
    plus: (a: Items, b: Items): Items => (a.length === 0 || b.length === 0 ? NONE : base.plus(a, b)),
    minus: (a: Items, b: Items): Items => onNumbers(a, b, (x, y) => x - y),
    times: (a: Items, b: Items): Items => onNumbers(a, b, (x, y) => x * y),
    dividedBy: (a: Items, b: Items): Items => onNumbers(a, b, (x, y) => x / y),
    wholeQuotient: (a: Items, b: Items): Items => onNumbers(a, b, (x, y) => Math.trunc(x / y)),
    remainder: (a: Items, b: Items): Items => onNumbers(a, b, (x, y) => x % y),
    isEquivalent: (a: Items, b: Items): Items => [isEquivalent(a, b)],
    isNotEquivalent: (a: Items, b: Items): Items => [!isEquivalent(a, b)],
    item: (items: Items, at: Items): Items => {
      const index = numberValue(at[0]) ?? -1;
      return index >= 0 && index < items.length ? [items[index]] : NONE;
    },
    exclude: (a: Items, b: Items): Items => a.filter((one) => base.isIn([one], b)[0] !== true),
    distinct: (items: Items): Items => base.union(items, NONE),
    supersetOf: (a: Items, b: Items): Items => base.subsetOf(b, a),
    skip: (items: Items, count: Items): Items => items.slice(Math.max(0, numberValue(count[0]) ?? 0)),
    take: (items: Items, count: Items): Items => items.slice(0, Math.max(0, numberValue(count[0]) ?? 0)),
    single: (items: Items): Items => (items.length === 1 ? items : NONE),
    lastOf: (items: Items): Items => items.slice(-1),
    allTrue: (items: Items): Items => [items.every((one) => one === true)],
    anyTrue: (items: Items): Items => [items.includes(true)],
    allFalse: (items: Items): Items => [items.every((one) => one === false)],
    anyFalse: (items: Items): Items => [items.includes(false)],
    toDecimal,
    toBoolean,
    convertsToInteger: (items: Items): Items => converts(items, base.toInteger),
    convertsToDecimal: (items: Items): Items => converts(items, toDecimal),
    convertsToBoolean: (items: Items): Items => converts(items, toBoolean),
    convertsToString: (items: Items): Items => converts(items, base.asText),
    upper: (items: Items): Items => onText(items, (text) => [text.toUpperCase()]),
    lower: (items: Items): Items => onText(items, (text) => [text.toLowerCase()]),
    trim: (items: Items): Items => onText(items, (text) => [text.trim()]),
    endsWith: (items: Items, end: Items): Items => onText(items, (text) => [text.endsWith(textOf(end) ?? '')]),
    indexOf: (items: Items, part: Items): Items => onText(items, (text) => [text.indexOf(textOf(part) ?? '')]),
    split: (items: Items, by: Items): Items => onText(items, (text) => text.split(textOf(by) ?? '')),
    joinTexts: (items: Items, by: Items = NONE): Items =>
      items.length === 0 ? NONE : [items.map(String).join(textOf(by) ?? '')],
  };
}
