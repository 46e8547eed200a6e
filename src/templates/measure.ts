import { isCallable, isKept } from './kept-number.ts';

export type Measured = 'fits' | 'too-large' | 'not-json';

/**
 * Whether a value is JSON and prints in about `charactersMax`. Counts as it goes and stops there: a small value may
 * name the same part again and again and print without end.
 */
export function measure(value: unknown, charactersMax: number): Measured {
  let left = charactersMax;
  const walk = (part: unknown, depth: number): Measured => {
    left -= 2;
    if (left < 0 || depth > 100) return 'too-large';
    if (typeof part === 'string') left -= part.length;
    if (part === null || typeof part === 'string' || typeof part === 'boolean' || isKept(part)) return 'fits';
    if (typeof part === 'number') return Number.isFinite(part) ? 'fits' : 'not-json';
    if (typeof part !== 'object' || isCallable(part)) return 'not-json';
    if (!Array.isArray(part)) for (const key of Object.keys(part)) left -= key.length;
    for (const one of Array.isArray(part) ? (part as unknown[]) : (Object.values(part) as unknown[])) {
      const found = walk(one, depth + 1);
      if (found !== 'fits') return found;
    }
    return left < 0 ? 'too-large' : 'fits';
  };
  return walk(value, 0);
}
