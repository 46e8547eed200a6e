import { createHash, hash } from 'node:crypto';

/*
 * The Merkle tree of RFC 9162 that only ever grows. Of what it holds already only the roots of its full subtrees are
 * kept, largest first: as many as the size has ones in binary. From them comes the root, and with the next leaves the
 * next root.
 */

const BYTES = 32;

export interface Frontier {
  readonly size: number;
  readonly peaks: readonly Uint8Array[];
}

export const EMPTY: Frontier = { size: 0, peaks: [] };

/** One for all: it is filled and hashed without a pause. */
const joined = Buffer.alloc(1 + 2 * BYTES, 1);
function nodeOf(left: Uint8Array, right: Uint8Array): Buffer {
  if (left.length !== BYTES || right.length !== BYTES)
    throw new Error('a leaf of the audit is damaged; run: chartgate audit verify');
  joined.set(left, 1);
  joined.set(right, 1 + BYTES);
  return hash('sha256', joined, 'buffer');
}

export function addLeaves({ size, peaks }: Frontier, leaves: Iterable<Uint8Array>): Frontier {
  const out = [...peaks];
  let count = size;
  for (const leaf of leaves) {
    let node = leaf;
    // A carry for each one at the end of the size: two subtrees of one size become one of the next.
    for (let rest = count; rest % 2 === 1; rest = (rest - 1) / 2) node = nodeOf(out.pop() ?? node, node);
    out.push(node);
    count += 1;
  }
  return { size: count, peaks: out };
}

export function rootOf({ peaks }: Frontier): Uint8Array {
  const last = peaks.at(-1);
  if (last === undefined) return createHash('sha256').digest();
  let root: Uint8Array = last;
  for (const peak of peaks.slice(0, -1).reverse()) root = nodeOf(peak, root);
  return root;
}

const ones = (size: number): number => size.toString(2).replaceAll('0', '').length;

export const packFrontier = ({ peaks }: Frontier): Buffer => Buffer.concat(peaks);

/** Null where the bytes cannot be those of a tree of this size. */
export function unpackFrontier(size: number, bytes: Uint8Array): Frontier | null {
  if (bytes.byteLength !== ones(size) * BYTES) return null;
  const peaks = Array.from({ length: ones(size) }, (_, i) => Buffer.from(bytes.subarray(i * BYTES, (i + 1) * BYTES)));
  return { size, peaks };
}
