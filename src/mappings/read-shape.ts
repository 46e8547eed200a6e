import { z } from 'zod';
import { isObject } from '../kernel/index.ts';
import { digitsOf } from '../r4/index.ts';
import type { Report } from './problem.ts';

/* The kinds of values in mapping data. What each says of a wrong value follows the words `must be`. */
export const words = z.string('text').regex(/\S/, 'text');
export const oneOf = <const T extends readonly [string, ...string[]]>(...allowed: T) =>
  z.enum(allowed, `one of ${allowed.join(', ')}`);
export const list = z.array(z.unknown(), 'a list');
export const object = z.record(z.string(), z.unknown(), 'an object');
const TEXTS = 'null or a list of texts';
export const listOrNull = z.array(words, TEXTS).min(1, TEXTS).nullable();
const aboveZero = (what: string) => z.int(what).positive(what);
export const count = aboveZero('a whole number above 0');
export const countOrNull = aboveZero('null or a whole number above 0').nullable();
/** Digits that were kept as text are read as what they are worth. */
const aNumber = (what: string) =>
  z
    .custom<number | object>((value) => digitsOf(value) !== undefined, what)
    .transform((value) => Number(digitsOf(value)));
export const number = aNumber('a number');
export const numberOrNull = aNumber('null or a number').nullable();
const DECIMAL = 'a decimal number as text';
export const decimal = z.string(DECIMAL).regex(/^-?\d{1,40}(?:\.\d{1,40})?$/, DECIMAL);

/**
 * The value as its shape says, or null after every problem was reported: a key that is missing, wrong or not known. Of
 * one key one problem is enough.
 */
export function readShape<S extends z.ZodType>(
  value: unknown,
  shape: S,
  row: string,
  report: Report,
): z.output<S> | null {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const told = new Set<string>();
  for (const issue of parsed.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) report(row, `${key} is not known`);
      continue;
    }
    const [key] = issue.path.map(String);
    if (key === undefined) report(row, 'must be an object');
    else if (!told.has(key))
      report(
        row,
        isObject(value) && Object.hasOwn(value, key)
          ? `${issue.path.join('.')} must be ${issue.message}`
          : `${key} is missing`,
      );
    told.add(key ?? '');
  }
  return null;
}
