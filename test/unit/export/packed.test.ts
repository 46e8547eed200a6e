import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { crc32, gunzipSync } from 'node:zlib';
import { joinChecksums, makeGzip, pack, unpack } from '../../../src/export/packed.ts';

const piece = fc.uint8Array({ maxLength: 3_000 });

test('the checksum of two in a row is that of the whole', () => {
  fc.assert(
    fc.property(piece, piece, (a, b) => {
      expect(joinChecksums(crc32(a), crc32(b), b.length)).toBe(crc32(Buffer.concat([a, b])));
    }),
  );
});

test('however many pieces are one gzip member with all that was packed, and each is what it was', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
      const packed = await Promise.all(pieces.map(pack));
      expect(await Promise.all(packed.map(unpack))).toEqual(pieces.map((one) => Buffer.from(one)));
      const gzip = makeGzip();
      const file = Buffer.concat([gzip.head, ...packed.map((one) => gzip.add(one)), gzip.end()]);
      const whole = Buffer.concat(pieces);
      expect(gunzipSync(file)).toEqual(whole);
      // One member, not several: the trailer counts all of it.
      expect([file.readUInt32LE(file.length - 8), file.readUInt32LE(file.length - 4)]).toEqual([
        crc32(whole),
        whole.length,
      ]);
    }),
  );
});

test('what was cut off or changed is not unpacked', async () => {
  const gzip = makeGzip();
  const packed = await pack(Buffer.from('{"resourceType":"Patient"}\n'.repeat(100)));
  const file = Buffer.concat([gzip.head, gzip.add(packed), gzip.end()]);
  expect(() => gunzipSync(file.subarray(0, -4))).toThrow();
  file[file.length - 8] = (file[file.length - 8] ?? 0) ^ 1;
  expect(() => gunzipSync(file)).toThrow();
});
