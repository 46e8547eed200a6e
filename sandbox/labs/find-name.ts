import { distanceOf, foldedOf, keyOfName } from './letters.ts';

/** How the words came about: printed words are what they are, scanned ones may be misread. */
export type Origin = 'printed' | 'scanned';

/** From how many letters on one, and two, may be misread. */
const ONE_SLIP = 6;
const TWO_SLIPS = 12;
const slipsOf = (folded: string): number => (folded.length >= TWO_SLIPS ? 2 : folded.length >= ONE_SLIP ? 1 : 0);

/**
 * Looks names up: as they are; where they were scanned, also with letters taken for one another and with few misread.
 */
export interface Names<T> {
  find(text: string, origin: Origin): readonly T[];
}

export function makeNames<T>(named: ReadonlyMap<string, readonly T[]>): Names<T> {
  const folded = new Map<string, T[]>();
  for (const [key, ones] of named) {
    const form = foldedOf(key);
    folded.set(form, [...new Set([...(folded.get(form) ?? []), ...ones])]);
  }
  const seen = new Map<string, readonly T[]>();

  /** The nearest, unless another is as near: a name that could be two is none. */
  function nearest(form: string): readonly T[] {
    let best = slipsOf(form) + 1;
    let found: readonly (readonly T[])[] = [];
    for (const [other, ones] of folded) {
      const distance = distanceOf(form, other, Math.min(best, slipsOf(other)));
      if (distance > slipsOf(other) || distance > best) continue;
      found = distance < best ? [ones] : [...found, ones];
      best = distance;
    }
    const all = new Set(found.flat());
    return best <= slipsOf(form) && (found.length === 1 || all.size === 1) ? [...all] : [];
  }

  return {
    find(text, origin) {
      const key = keyOfName(text);
      const exact = named.get(key);
      if (exact !== undefined || origin === 'printed') return exact ?? [];
      const known = seen.get(key);
      if (known !== undefined) return known;
      const form = foldedOf(key);
      const found = folded.get(form) ?? nearest(form);
      if (seen.size < 20_000) seen.set(key, found);
      return found;
    },
  };
}
