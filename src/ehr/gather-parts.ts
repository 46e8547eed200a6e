/** So many parts become one: an answer may come byte by byte, and each part weighs far more than its bytes. */
const LOOSE_MAX = 512;

export interface GatheredParts {
  add(part: Uint8Array): void;
  /** All of it, in order. */
  bytes(): Uint8Array;
  /** How many pieces of memory it is in at this moment. */
  count(): number;
}

/** The body of an answer as it comes. How large it may be is the pool's to say. */
export function gatherParts(): GatheredParts {
  const blocks: Uint8Array[] = [];
  let loose: Uint8Array[] = [];

  return {
    add(part) {
      if (part.length === 0) return;
      loose.push(part);
      if (loose.length < LOOSE_MAX) return;
      blocks.push(Buffer.concat(loose));
      loose = [];
    },
    bytes() {
      const all = [...blocks, ...loose];
      const [only] = all;
      return only !== undefined && all.length === 1 ? only : Buffer.concat(all);
    },
    count: () => blocks.length + loose.length,
  };
}
