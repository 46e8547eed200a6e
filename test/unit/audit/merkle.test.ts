import { expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { addLeaves, EMPTY, packFrontier, rootOf, unpackFrontier } from '../../../src/audit/merkle.ts';

const node = (a: Uint8Array, b: Uint8Array): Buffer =>
  createHash('sha256').update('\u0001').update(a).update(b).digest();

/** RFC 9162, 2.1.1, word for word: split at the largest power of two below the size. */
function rootByDefinition(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (only === undefined) return createHash('sha256').digest();
  if (leaves.length === 1) return only;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return node(rootByDefinition(leaves.slice(0, k)), rootByDefinition(leaves.slice(k)));
}

const leaf = (n: number): Buffer => createHash('sha256').update(String(n)).digest();

test('the root of a tree that grew in any steps is that of RFC 9162', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 8 }), (steps) => {
      let frontier = EMPTY;
      const all: Buffer[] = [];
      for (const count of steps) {
        const more = Array.from({ length: count }, (_, i) => leaf(all.length + i));
        all.push(...more);
        frontier = addLeaves(frontier, more);
        const packed = unpackFrontier(frontier.size, packFrontier(frontier));
        expect(packed).not.toBeNull();
        frontier = packed ?? EMPTY;
      }
      expect(Buffer.from(rootOf(frontier)).toString('hex')).toBe(Buffer.from(rootByDefinition(all)).toString('hex'));
    }),
    { numRuns: 200 },
  );
});

test('a frontier of another size is refused', () => {
  const frontier = addLeaves(EMPTY, [leaf(1), leaf(2), leaf(3)]);
  expect(unpackFrontier(4, packFrontier(frontier))).toBeNull();
});

test.each([31, 33, 0])('a leaf of %d bytes is damaged, on whichever side it comes to stand', (bytes) => {
  const damaged = Buffer.alloc(bytes, 1);
  expect(() => addLeaves(EMPTY, [leaf(1), damaged])).toThrow('damaged');
  expect(() => addLeaves(EMPTY, [damaged, leaf(1)])).toThrow('damaged');
});
