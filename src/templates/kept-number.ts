import { digitsOf } from '../r4/index.ts';
import { refusal } from './refusal.ts';

const RAW = Symbol('raw JSON');
const VALUE = Symbol('value');

/** Stands for a number. Its properties are symbols, so that no wildcard, comparison or template sees any. */
interface Kept {
  readonly [RAW]: object;
  readonly [VALUE]: number;
}

const KEPT: object = Object.freeze({
  toJSON(this: Kept): unknown {
    return this[RAW];
  },
  valueOf(this: Kept): unknown {
    return this[VALUE];
  },
});

/** JSONata's own marks: on a value of the payload they would make it a function, or change how it is walked. */
const RESERVED = new Set(['_jsonata_lambda', '_jsonata_function', 'tupleStream', 'outerWrapper']);

/** Puts objects in the place of numbers that JavaScript would print otherwise, all over `value`. */
export function keepNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const digits = digitsOf(value);
  // The literal, and not Object.create: there may be half a million.
  if (digits !== undefined) return { __proto__: KEPT, [RAW]: value, [VALUE]: Number(digits) };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = keepNumbers(value[i]);
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    if (RESERVED.has(key)) throw refusal('C0003');
    const part = object[key];
    const kept = keepNumbers(part);
    // Never for `__proto__`, whose assignment would mean something else: its number loses its digits.
    if (kept !== part && key !== '__proto__') object[key] = kept;
  }
  return object;
}

export const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' && value !== null && (value as Partial<Kept>)[RAW] !== undefined;

/**
 * The value to compute with: kept numbers become numbers, also in arrays, which stay themselves where they hold none.
 */
export function plain(value: unknown): unknown {
  if (isKept(value)) return value[VALUE];
  if (!Array.isArray(value)) return value;
  const changed = value.map(plain);
  return changed.every((one, i) => one === value[i]) ? value : Object.assign(changed, { sequence: isSequence(value) });
}

/** JSONata's mark of a list that stands for its only item where it has just one. */
export const isSequence = (value: object): boolean => (value as { sequence?: unknown }).sequence === true;

/** As `plain`, and inside objects too: for comparing whole values. */
export function plainDeep(value: unknown): unknown {
  if (isKept(value)) return value[VALUE];
  if (Array.isArray(value)) return value.map(plainDeep);
  if (typeof value !== 'object' || value === null || isCallable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plainDeep(part)]));
}

export const isCallable = (value: unknown): boolean => {
  if (typeof value === 'function') return true;
  const marks = value as { _jsonata_lambda?: unknown; _jsonata_function?: unknown } | null | undefined;
  return typeof value === 'object' && (marks?._jsonata_lambda === true || marks?._jsonata_function === true);
};
