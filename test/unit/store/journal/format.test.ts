import { expect, test } from '@jest/globals';
import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import {
  HEAD_BYTES,
  packBlock,
  packEntry,
  packHead,
  unpackBlock,
  unpackHead,
} from '../../../../src/store/sqlite/journal/format.ts';

const key = createSecretKey(Buffer.alloc(32, 1));
const place = { use: 5, at: HEAD_BYTES, first: 7 };
const ASKED = [
  { name: 'inbox.put', args: { id: 'dlv_1', at: new Date(1_700_000_000_000), body: new Uint8Array([1, 2, 3]) } },
  { name: 'audit.append', args: { at: new Date(0), toSeal: { mrn: 'M-1' }, more: ['å', null, 1.5] } },
];
const blockOf = (asked: readonly { readonly name: string; readonly args: unknown }[]): Buffer =>
  Buffer.concat(packBlock(key, place, asked.map(packEntry), randomBytes(12)));

test('a block gives back what was asked, each under its own place', () => {
  const opened = unpackBlock(key, place, blockOf(ASKED));
  expect(opened?.entries).toEqual([
    { place: 7, ...ASKED[0], args: { ...ASKED[0]?.args, body: expect.anything() as unknown } },
    { place: 8, ...ASKED[1] },
  ]);
  const [put] = opened?.entries ?? [];
  expect([...(put?.args as { body: Uint8Array }).body]).toEqual([1, 2, 3]);
});

test('a block in which anything was changed, cut off, moved or written under another key is none', () => {
  const block = blockOf(ASKED);
  fc.assert(
    fc.property(fc.nat({ max: block.length * 8 - 1 }), (bit) => {
      const changed = Buffer.from(block);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(unpackBlock(key, place, changed)).toBeNull();
    }),
    { numRuns: 2_000 },
  );
  fc.assert(
    fc.property(fc.nat({ max: block.length - 1 }), (length) => {
      expect(unpackBlock(key, place, block.subarray(0, length))).toBeNull();
    }),
  );
  expect(unpackBlock(key, { ...place, at: place.at + 1 }, block)).toBeNull();
  expect(unpackBlock(key, { ...place, use: 4 }, block)).toBeNull();
  expect(unpackBlock(createSecretKey(Buffer.alloc(32, 2)), place, block)).toBeNull();
});

test('a head says whose file it is, and one in which anything was changed says nothing', () => {
  const head = packHead({ store: 'a-store', use: 12, sealedKey: Buffer.from('sealed') });
  expect(head).toHaveLength(HEAD_BYTES);
  expect(unpackHead(head)).toEqual({ store: 'a-store', use: 12, sealedKey: Buffer.from('sealed') });
  for (let at = 0; at < HEAD_BYTES; at += 1) {
    const changed = Buffer.from(head);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect([at, unpackHead(changed)]).toEqual([at, null]);
  }
  expect(unpackHead(head.subarray(0, HEAD_BYTES - 1))).toBeNull();
});
