/** What one pass over a text finds without building anything. Meaningful only for text that JSON.parse accepts. */
export interface Scan {
  keys: number;
  depth: number;
  /** How many brackets are open where the scan stands. */
  level: number;
  tokens: number;
  /** Start and end of each number that JavaScript would print otherwise, in pairs. */
  odd: number[] | null;
  /** The text holds an escaped U+0000, which the fast way of keeping digits uses as its mark. */
  hasNul: boolean;
}

export const newScan = (): Scan => ({ keys: 0, depth: 0, level: 0, tokens: 0, odd: null, hasNul: false });

/** JavaScript prints a decimal of at most 15 digits as it was written, unless it ends in 0 or is very small. */
const DIGITS_SAFE = 15;

const isPrintedAlike = (text: string): boolean => String(Number(text)) === text;

function endOfNumber(bytes: Buffer, from: number): number {
  let i = from;
  for (; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    // digits . + - e E
    if ((byte < 48 || byte > 57) && byte !== 46 && byte !== 45 && byte !== 43 && (byte | 32) !== 101) break;
  }
  return i;
}

/** Most numbers are settled by their form: few digits, no sign, no exponent, no trailing zero, not below one. */
function isOdd(bytes: Buffer, start: number, end: number): boolean {
  if (end - start <= DIGITS_SAFE && bytes[start] !== 48 && bytes[end - 1] !== 48) {
    let i = start;
    while (i < end && (bytes[i] as number) >= 46 && (bytes[i] as number) <= 57) i++;
    if (i === end) return false;
  }
  return !isPrintedAlike(bytes.toString('latin1', start, end));
}

/** The escape at `i` is u0000. */
const isNul = (bytes: Buffer, i: number): boolean =>
  bytes[i + 1] === 48 && bytes[i + 2] === 48 && bytes[i + 3] === 48 && bytes[i + 4] === 48;

/**
 * Continues a scan from `from` to at least `to`, stopping between tokens. Answers where it stopped.
 * One loop over bytes, because it runs over everything that enters the house: reading a byte costs a quarter of
 * `charCodeAt`, which must ask each time how the string is stored.
 */
export function scanOn(bytes: Buffer, from: number, to: number, scan: Scan): number {
  const end = bytes.length;
  let { keys, depth, tokens, level } = scan;
  let i = from;
  while (i < to) {
    const byte = bytes[i++] as number;
    if (byte === 34) {
      for (;;) {
        const inner = bytes[i++] as number;
        if (inner === 34) break;
        if (inner === 92) {
          if (bytes[i] === 117 && isNul(bytes, i)) scan.hasNul = true;
          i++;
        } else if (i >= end) break;
      }
    } else if (byte === 58) keys++;
    else if (byte === 44) tokens++;
    else if ((byte | 32) === 123) {
      tokens++;
      if (++level > depth) depth = level;
    } else if ((byte | 32) === 125) level--;
    else if (byte === 45 || (byte >= 48 && byte <= 57)) {
      const start = i - 1;
      i = endOfNumber(bytes, i);
      if (i - start > 1 && isOdd(bytes, start, i)) (scan.odd ??= []).push(start, i);
    }
  }
  scan.keys = keys;
  scan.depth = depth;
  scan.tokens = tokens;
  scan.level = level;
  return i;
}

export function scanBytes(bytes: Buffer): Scan {
  const scan = newScan();
  scanOn(bytes, 0, bytes.length, scan);
  return scan;
}
