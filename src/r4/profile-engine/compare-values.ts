import { isObject } from '../../kernel/index.ts';
import { isAfter, isDateTime } from '../runtime/dates.ts';
import { numberValue } from '../runtime/raw-number.ts';

const DEPTH_MAX = 100;

/** The id of an element is an anchor, which says nothing. */
const saying = (value: Readonly<Record<string, unknown>>): string[] => Object.keys(value).filter((key) => key !== 'id');

/** Whether two values say the same, whatever the order of their properties. Numbers are compared by what they are worth. */
export function isSame(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true;
  if (depth > DEPTH_MAX) return false;
  const [x, y] = [numberValue(a), numberValue(b)];
  if (x !== undefined || y !== undefined) return x === y;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => isSame(item, b[i], depth + 1));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = saying(a);
  return keys.length === saying(b).length && keys.every((key) => isSame(a[key], b[key], depth + 1));
}

/** Whether a value holds at least what the pattern holds. */
export function matchesPattern(value: unknown, pattern: unknown, depth = 0): boolean {
  if (depth > DEPTH_MAX) return false;
  if (Array.isArray(pattern)) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    return pattern.every((wanted) => items.some((item) => matchesPattern(item, wanted, depth + 1)));
  }
  if (numberValue(pattern) !== undefined || !isObject(pattern)) return isSame(value, pattern);
  return isObject(value) && Object.keys(pattern).every((key) => matchesPattern(value[key], pattern[key], depth + 1));
}

/** Whether `a` is certainly above `b`: numbers, dates, quantities of one unit. */
export function isAbove(a: unknown, b: unknown): boolean {
  const [x, y] = [numberValue(a), numberValue(b)];
  if (x !== undefined && y !== undefined) return x > y;
  if (typeof a === 'string' && typeof b === 'string') return isDateTime(a) && isDateTime(b) ? isAfter(a, b) : a > b;
  if (!isObject(a) || !isObject(b)) return false;
  return a['code'] === b['code'] && a['system'] === b['system'] && isAbove(a['value'], b['value']);
}
