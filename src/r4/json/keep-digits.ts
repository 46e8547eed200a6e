import { keepDigits } from '../runtime/raw-number.ts';
import type { Text } from './read-text.ts';
import type { Scan } from './scan-bytes.ts';

/** The escaped form of U+0000: it can stand in no text whose scan says `hasNul: false`. */
const MARK = '\\u0000';

/** The text with each odd number in quotes and marked, so that JSON.parse keeps its digits as a string. */
export function markNumbers(bytes: Buffer, odd: readonly number[]): string {
  const parts: string[] = [];
  let at = 0;
  for (let i = 0; i < odd.length; i += 2) {
    const [start = 0, end = 0] = [odd[i], odd[i + 1]];
    parts.push(bytes.toString('utf8', at, start), '"', MARK, bytes.toString('latin1', start, end), '"');
    at = end;
  }
  parts.push(bytes.toString('utf8', at, bytes.length));
  return parts.join('');
}

const restore = (text: string): unknown =>
  text.charCodeAt(0) === 0 && text.length > 1 ? keepDigits(text.slice(1)) : text;

/** Counts the properties below `value` and turns marked strings into numbers that keep their digits. */
export function settle(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (typeof item === 'string') {
        if (item.charCodeAt(0) === 0) value[i] = restore(item);
      } else if (typeof item === 'object') keys += settle(item);
    }
    return keys;
  }
  const object = value as Record<string, unknown>;
  for (const key in object) {
    keys++;
    const item = object[key];
    if (typeof item === 'string') {
      if (item.charCodeAt(0) === 0) object[key] = restore(item);
    } else if (typeof item === 'object') keys += settle(item);
  }
  return keys;
}

/** Counts only: for values that hold no marks, and strings that may begin with U+0000. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) keys += countKeys(value[i]);
    return keys;
  }
  const object = value as Record<string, unknown>;
  for (const key in object) {
    keys++;
    const item = object[key];
    if (typeof item === 'object') keys += countKeys(item);
  }
  return keys;
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Five times as slow, for the rare text in which the mark itself occurs. */
const parseSlowly = (text: string): unknown =>
  parseWithSource(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? keepDigits(source) : value,
  );

/** Parses a scanned text. `keys` is null where they were not counted on the way. Throws what JSON.parse throws. */
export function buildValue(
  { text, bytes }: Text,
  scan: Scan,
): { readonly value: unknown; readonly keys: number | null } {
  if (scan.odd === null) return { value: JSON.parse(text) as unknown, keys: null };
  if (scan.hasNul) {
    const value = parseSlowly(text);
    // Kept numbers are objects with one property; they are leaves here.
    return { value, keys: countKeys(JSON.parse(text)) };
  }
  const value: unknown = JSON.parse(markNumbers(bytes, scan.odd));
  return typeof value === 'string' ? { value: restore(value), keys: 0 } : { value, keys: settle(value) };
}
