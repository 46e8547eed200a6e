import { createHash } from 'node:crypto';

/** Chance that is the same for the same words. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [0, below). */
  below(bound: number): number;
  pick<T>(list: readonly T[]): T | undefined;
  chance(probability: number): boolean;
}

const numberOf = (words: string): number => createHash('sha256').update(words).digest().readUInt32LE(0);

/** Mulberry32, seeded by words. */
export function seededRandom(words: string): Random {
  let state = numberOf(words);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return { next, below, pick: (list) => list[below(list.length)], chance: (probability) => next() < probability };
}

/** Which half a case belongs to: by its id alone, so that it stays there whatever is added beside it. */
export const halfOf = (id: string, seed: string): 'open' | 'aside' =>
  numberOf(`${seed} ${id}`) % 2 === 0 ? 'open' : 'aside';
