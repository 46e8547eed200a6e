import { isUtf8 } from 'node:buffer';
import { fail, ok, type Result } from '../../kernel/index.ts';
import { jsonFault, type JsonFault } from './json-fault.ts';
import type { JsonLimits } from './limits.ts';

/** Where the first byte stands that belongs to no character. Halving finds it without decoding by hand. */
function firstBadByte(bytes: Uint8Array): number {
  let [sound, broken] = [0, bytes.length];
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1;
    // A cut may split a character: up to three bytes before it may be an unfinished one.
    const isSound = [0, 1, 2, 3].some(
      (back) =>
        middle - back >= 0 && isUtf8(bytes.subarray(0, middle - back)) && isPrefix(bytes, middle - back, middle),
    );
    if (isSound) sound = middle;
    else broken = middle;
  }
  while (sound > 0 && !isUtf8(bytes.subarray(0, sound))) sound--;
  return sound;
}

/** Whether the bytes from `start` to `end` are the beginning of one character. */
function isPrefix(bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end) return true;
  const lead = bytes[start] ?? 0;
  const length = lead > 0xf4 ? 0 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (end - start >= length) return false;
  return bytes.subarray(start + 1, end).every((byte) => (byte & 0xc0) === 0x80);
}

/** A text in both forms: bytes to scan, a string to parse. */
export interface Text {
  readonly text: string;
  readonly bytes: Buffer;
  /** It began with a byte order mark, which RFC 8259 lets a reader pass over. It is part of neither form. */
  readonly hasMark: boolean;
}

const MARK = 0xfeff;
const MARK_BYTES = 3;

/** Whether a text begins with the byte order mark of UTF-8. */
export const hasByteOrderMark = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** Within the size limit, and in valid Unicode. */
export function readText(input: Uint8Array | string, limits: JsonLimits): Result<Text, JsonFault> {
  const size = typeof input === 'string' ? input.length : input.byteLength;
  if (size > limits.bytesMax)
    return fail(jsonFault('json-size', `The text has ${size} bytes; the limit is ${limits.bytesMax}`, '', 0));
  if (typeof input === 'string') {
    if (!input.isWellFormed()) return fail(jsonFault('json-utf8', 'The text holds half of a surrogate pair', '', 0));
    const hasMark = input.charCodeAt(0) === MARK;
    const text = hasMark ? input.slice(1) : input;
    return ok({ text, bytes: Buffer.from(text, 'utf8'), hasMark });
  }
  if (!isUtf8(input)) {
    const offset = firstBadByte(input);
    return fail({
      rule: 'json-utf8',
      text: `Byte ${offset} is not part of a UTF-8 character`,
      offset,
      line: 0,
      column: 0,
    });
  }
  const hasMark = hasByteOrderMark(input);
  const skipped = hasMark ? MARK_BYTES : 0;
  const bytes = Buffer.from(input.buffer, input.byteOffset + skipped, input.byteLength - skipped);
  return ok({ text: bytes.toString('utf8', 0, bytes.length), bytes, hasMark });
}
