import { digitsOf } from '../r4/index.ts';
import type { Report } from './problem.ts';

/** One key of a JSON object: says what is wrong with a value in words that follow `must be`, or null. */
export type Check = (value: unknown) => string | null;

export const words: Check = (value) => (typeof value === 'string' && value.trim() !== '' ? null : 'text');
export const oneOf =
  (...allowed: readonly string[]): Check =>
  (value) =>
    allowed.includes(value as string) ? null : `one of ${allowed.join(', ')}`;
export const listOrNull: Check = (value) =>
  value === null || (Array.isArray(value) && value.length > 0 && value.every((one) => words(one) === null))
    ? null
    : 'null or a list of texts';
export const list: Check = (value) => (Array.isArray(value) ? null : 'a list');
export const object: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'an object';
export const count: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) > 0 ? null : 'a whole number above 0';
export const orNull =
  (check: Check): Check =>
  (value) => {
    const wrong = value === null ? null : check(value);
    return wrong === null ? null : `null or ${wrong}`;
  };
export const number: Check = (value) => (digitsOf(value) !== undefined ? null : 'a number');
export const decimal: Check = (value) =>
  typeof value === 'string' && /^-?\d{1,40}(?:\.\d{1,40})?$/.test(value) ? null : 'a decimal number as text';

/** Every key of the shape is there and right, and there is no other. Keys with `?` may be absent. */
export function hasShape(value: unknown, shape: Readonly<Record<string, Check>>, row: string, report: Report): boolean {
  if (object(value) !== null) {
    report(row, 'must be an object');
    return false;
  }
  const given = value as Readonly<Record<string, unknown>>;
  let isRight = true;
  const wrong = (text: string): void => {
    isRight = false;
    report(row, text);
  };
  for (const [name, check] of Object.entries(shape)) {
    const key = name.replace(/\?$/, '');
    if (!Object.hasOwn(given, key)) {
      if (key === name) wrong(`${key} is missing`);
      continue;
    }
    const must = check(given[key]);
    if (must !== null) wrong(`${key} must be ${must}`);
  }
  for (const key of Object.keys(given))
    if (!Object.hasOwn(shape, key) && !Object.hasOwn(shape, `${key}?`)) wrong(`${key} is not known`);
  return isRight;
}
