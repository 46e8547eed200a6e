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
      const [only] = loose;
      if (only !== undefined && loose.length === 1 && blocks.length === 0) return only;
      const all = [...blocks, ...loose];
      return all.length === 1 && all[0] !== undefined ? all[0] : Buffer.concat(all);
    },
    count: () => blocks.length + loose.length,
  };
}
