/** What one pass over a text finds without building anything. Meaningful only for text that JSON.parse accepts. */
export interface Scan {
  keys: number;
  depth: number;
  /** How many brackets are open where the scan stands. */
  level: number;
  tokens: number;
  /** How many properties each open bracket has so far, and the most that any had. */
  counts: number[];
  keysOfOne: number;
  /** Start and end of each number that JavaScript would print otherwise, in pairs. */
  odd: number[] | null;
  /** The text holds an escaped U+0000, which the fast way of keeping digits uses as its mark. */
  hasNul: boolean;
}

export const newScan = (): Scan => ({
  keys: 0,
  depth: 0,
  level: 0,
  tokens: 0,
  counts: [0],
  keysOfOne: 0,
  odd: null,
  hasNul: false,
});

const COUNTED_MAX = 1_000;

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

/**
 * Most numbers are settled by their form: few digits, no sign, no exponent, no trailing zero after a point, not below
 * 0.1.
 */
function isOdd(bytes: Buffer, start: number, end: number): boolean {
  if (end - start <= DIGITS_SAFE) {
    let hasPoint = false;
    let i = start;
    for (; i < end; i++) {
      const byte = bytes[i] as number;
      if (byte === 46) hasPoint = true;
      else if (byte < 48 || byte > 57) break;
    }
    if (i === end && (!hasPoint || (bytes[end - 1] !== 48 && (bytes[start] !== 48 || bytes[start + 2] !== 48))))
      return false;
  }
  return !isPrintedAlike(bytes.toString('latin1', start, end));
}

/** The escape at `i` is u0000. */
const isNul = (bytes: Buffer, i: number): boolean =>
  bytes[i + 1] === 48 && bytes[i + 2] === 48 && bytes[i + 3] === 48 && bytes[i + 4] === 48;

/**
 * Where the string that begins before `from` ends: after its closing quote. Four bytes are looked at together: a byte
 * of `word ^ pattern` is zero where the pattern's byte stands, and `(x - 1) & ~x` has its high bit set for zero bytes.
 */
function endOfString(bytes: Buffer, view: DataView, from: number, scan: Scan): number {
  const end = bytes.length;
  let i = from;
  for (;;) {
    for (; i <= end - 4; i += 4) {
      const word = view.getInt32(i, true);
      const quote = word ^ 0x22222222;
      const escape = word ^ 0x5c5c5c5c;
      if (((((quote - 0x01010101) & ~quote) | ((escape - 0x01010101) & ~escape)) & 0x80808080) !== 0) break;
    }
    let byte = bytes[i] as number;
    while (byte !== 34 && byte !== 92 && i < end) byte = bytes[++i] as number;
    if (byte !== 92) return i + 1;
    if (bytes[i + 1] === 117 && isNul(bytes, i + 1)) scan.hasNul = true;
    i += 2;
  }
}

/**
 * Continues a scan from `from` to at least `to`, stopping between tokens. Answers where it stopped.
 * Over bytes, because it runs over everything that enters the house: `charCodeAt` must ask each
 * time how the string is stored, and the same loop over it took half as long again.
 */
export function scanOn(bytes: Buffer, from: number, to: number, scan: Scan): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { counts } = scan;
  let { keys, depth, tokens, level, keysOfOne } = scan;
  let i = from;
  while (i < to) {
    const byte = bytes[i++] as number;
    if (byte === 34) i = endOfString(bytes, view, i, scan);
    else if (byte === 58) {
      keys++;
      const count = (counts[level] ?? 0) + 1;
      if (level < COUNTED_MAX) counts[level] = count;
      if (count > keysOfOne) keysOfOne = count;
    } else if (byte === 44) tokens++;
    else if ((byte | 32) === 123) {
      tokens++;
      if (++level > depth) depth = level;
      // Below the deepest that is taken nothing is counted any more.
      if (level < COUNTED_MAX) counts[level] = 0;
    } else if ((byte | 32) === 125) level--;
    else if (byte === 45 || (byte >= 48 && byte <= 57)) {
      const start = i - 1;
      i = endOfNumber(bytes, i);
      if (i - start > 1 && isOdd(bytes, start, i)) (scan.odd ??= []).push(start, i);
    }
  }
  scan.keys = keys;
  scan.keysOfOne = keysOfOne;
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
