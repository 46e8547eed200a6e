import { fail, ok, type Result } from '../../kernel/index.ts';
import { findFault } from './find-fault.ts';
import { jsonFault, type JsonFault } from './json-fault.ts';
import { buildValue, countKeys } from './keep-digits.ts';
import { JSON_LIMITS, type JsonLimits } from './limits.ts';
import { readText } from './read-text.ts';
import { scanBytes, type Scan } from './scan-bytes.ts';

/**
 * A text that was read. `keys` is how many properties it names; null in `counted` when the value's were not counted
 * yet.
 */
export interface Read {
  readonly value: unknown;
  readonly text: string;
  readonly keys: number;
  readonly counted: number | null;
  readonly hasMark: boolean;
}

const isShallow = ({ depth, keysOfOne }: Scan, { depthMax, keysMax }: JsonLimits): boolean =>
  depth <= depthMax && keysOfOne <= keysMax;
export const isWithin = (scan: Scan, limits: JsonLimits): boolean =>
  isShallow(scan, limits) && scan.tokens + scan.keys <= limits.tokensMax;

/**
 * By which rule a text is nested, or one of its objects filled, beyond what `parseLossless` would build. One pass, and
 * no memory.
 */
export function findExcess(bytes: Uint8Array): 'json-depth' | 'json-keys' | null {
  const scan = scanBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (isShallow(scan, JSON_LIMITS)) return null;
  return scan.depth > JSON_LIMITS.depthMax ? 'json-depth' : 'json-keys';
}

/** What is wrong with a text that the fast way refused. */
export const explain = (text: string, limits: JsonLimits): JsonFault =>
  findFault(text, limits) ?? jsonFault('json-tokens', `The text holds more than ${limits.tokensMax} values`, text, 0);

/** By name, because a realm other than ours may have made it. */
const isSyntaxError = (error: unknown): boolean => (error as Error | undefined)?.name === 'SyntaxError';

/** Everything but the comparison of keys, which a caller who walks the value anyway can do for nothing. */
export function readJson(input: Uint8Array | string, limits: JsonLimits): Result<Read, JsonFault> {
  const read = readText(input, limits);
  if (!read.ok) return read;
  const { text, bytes, hasMark } = read.value;
  const scan = scanBytes(bytes);
  if (!isWithin(scan, limits)) return fail(explain(text, limits));
  try {
    const { value, keys } = buildValue(read.value, scan);
    return ok({ value, text, keys: scan.keys, counted: keys, hasMark });
  } catch (error) {
    if (isSyntaxError(error)) return fail(explain(text, limits));
    throw error;
  }
}

/**
 * Parses JSON without losing anything: repeated keys, invalid UTF-8 and what exceeds the limits are refused with a
 * position; a number that JavaScript would print otherwise (70.10, 1e3, 20 digits) becomes a `JSON.rawJSON` value, so
 * that `JSON.stringify` gives the same digits. `__proto__` is a property like any other. A byte order mark is passed
 * over.
 */
export function parseLossless(
  input: Uint8Array | string,
  limits: Partial<JsonLimits> = {},
): Result<unknown, JsonFault> {
  const all = { ...JSON_LIMITS, ...limits };
  const read = readJson(input, all);
  if (!read.ok) return read;
  const { value, keys, text } = read.value;
  if ((read.value.counted ?? countKeys(value)) === keys) return ok(value);
  return fail(explain(text, all));
}
