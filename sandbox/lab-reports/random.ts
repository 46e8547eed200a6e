/** Chance that is the same for the same seed. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** From 0 to `count` - 1. */
  below(count: number): number;
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T;
  isLucky(probability: number): boolean;
  /** Around 0, most within one. */
  around(): number;
}

export function makeRandom(seed: number, stream: number): Random {
  // Two multiplications of odd constants spread neighbouring seeds over the whole range.
  let state = (Math.imul(seed ^ 0x5bd1e995, 0x27d4eb2f) ^ Math.imul(stream + 1, 0x165667b1)) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    pick: (list) => {
      const one = list[below(list.length)];
      if (one === undefined) throw new Error('nothing to pick from');
      return one;
    },
    isLucky: (probability) => next() < probability,
    around: () => (next() + next() + next() + next() - 2) * Math.sqrt(3),
  };
}
