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

/** JavaScript prints a decimal of at most 15 digits as it was written, unless it ends in 0 or is very small. */
const DIGITS_SAFE = 15;
const SMALLEST_ZEROS = '0.000000';

function isPrintedAlike(text: string, hasDot: boolean, hasExponent: boolean): boolean {
  if (!hasExponent && text.length <= DIGITS_SAFE) {
    if (!hasDot) return text !== '-0';
    if (text.charCodeAt(text.length - 1) !== 48 && !text.includes(SMALLEST_ZEROS)) return true;
  }
  return String(Number(text)) === text;
}

/**
 * Continues a scan over `s` from `from` to at least `to`, stopping between tokens. Answers where it stopped.
 * Written as one loop over character codes because it runs over every byte that enters the house.
 */
export function scanOn(s: string, from: number, to: number, scan: Scan): number {
  let { keys, depth, tokens, level } = scan;
  let i = from;
  while (i < to) {
    const ch = s.charCodeAt(i++);
    if (ch === 34) {
      for (;;) {
        const inner = s.charCodeAt(i++);
        if (inner === 34) break;
        if (inner === 92) {
          if (s.charCodeAt(i) === 117 && s.startsWith('0000', i + 1)) scan.hasNul = true;
          i++;
        } else if (inner !== inner) return finish(scan, keys, depth, tokens, level, i);
      }
    } else if (ch === 58) keys++;
    else if (ch === 44) tokens++;
    else if ((ch | 32) === 123) {
      tokens++;
      if (++level > depth) depth = level;
    } else if ((ch | 32) === 125) level--;
    else if (ch === 45 || (ch >= 48 && ch <= 57)) {
      const start = i - 1;
      let hasDot = false;
      let hasExponent = false;
      for (let c = s.charCodeAt(i); ; c = s.charCodeAt(++i)) {
        if (c >= 48 && c <= 57) continue;
        if (c === 46) hasDot = true;
        else if (c === 101 || c === 69) hasExponent = true;
        else if (c !== 43 && c !== 45) break;
      }
      if (i - start === 1 && ch !== 45) continue;
      if (!isPrintedAlike(s.slice(start, i), hasDot, hasExponent)) (scan.odd ??= []).push(start, i);
    }
  }
  return finish(scan, keys, depth, tokens, level, i);
}

function finish(scan: Scan, keys: number, depth: number, tokens: number, level: number, at: number): number {
  scan.keys = keys;
  scan.depth = depth;
  scan.tokens = tokens;
  scan.level = level;
  return at;
}

export const newScan = (): Scan => ({ keys: 0, depth: 0, level: 0, tokens: 0, odd: null, hasNul: false });

export function scanText(s: string): Scan {
  const scan = newScan();
  scanOn(s, 0, s.length, scan);
  return scan;
}
