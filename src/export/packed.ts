import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, inflateRaw } from 'node:zlib';

/*
 * Lines are kept packed in pieces that can be put together to one gzip file without unpacking them: not every client
 * reads a file of several gzip members behind its first. RFC 1951 lets blocks of several compressors follow each other,
 * where each ends on a whole byte and none says that it is the last; RFC 1952 wants the checksum of the whole behind
 * them, which follows from those of the pieces.
 */

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);
const WITHOUT_END = { finishFlush: constants.Z_SYNC_FLUSH } as const;

/** Checksum and length of the lines stand before what was packed. */
const HEAD_BYTES = 8;

export async function pack(lines: Uint8Array): Promise<Buffer> {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(crc32(lines), 0);
  head.writeUInt32LE(lines.length, 4);
  return Buffer.concat([head, await deflate(lines, { ...WITHOUT_END, level: constants.Z_BEST_SPEED })]);
}

export const unpack = (packed: Uint8Array): Promise<Buffer> => inflate(packed.subarray(HEAD_BYTES), WITHOUT_END);

/** Polynomials over two values, as a CRC-32 has them: the highest power is the lowest bit. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
const X = 0x40000000;

/** The product of two polynomials, modulo that of the checksum. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

/** X to the power of eight times so many. */
function powerOfBytes(bytes: number): number {
  let power = ONE;
  // X, X², X⁴, X⁸: the square for each bit of the length begins with that.
  let square = [1, 2, 3].reduce((of) => multiply(of, of), X);
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = multiply(power, square);
    square = multiply(square, square);
  }
  return power;
}

/** The checksum of two texts in a row, of their own ones and the length of the second. */
export const joinChecksums = (first: number, second: number, secondBytes: number): number =>
  (multiply(powerOfBytes(secondBytes), first) ^ second) >>> 0;

const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255]);
/** A last block with nothing in it. */
const LAST_BLOCK = Buffer.from([3, 0]);

/** One gzip file of packed pieces, in their order. */
export function makeGzip() {
  let checksum = 0;
  let bytes = 0;
  return {
    head: GZIP_HEAD,
    /** What is to be sent of the next piece. */
    add(packed: Uint8Array): Uint8Array {
      const head = new DataView(packed.buffer, packed.byteOffset, HEAD_BYTES);
      const length = head.getUint32(4, true);
      checksum = joinChecksums(checksum, head.getUint32(0, true), length);
      bytes += length;
      return packed.subarray(HEAD_BYTES);
    },
    end(): Uint8Array {
      const trailer = Buffer.alloc(8);
      trailer.writeUInt32LE(checksum, 0);
      trailer.writeUInt32LE(bytes % 2 ** 32, 4);
      return Buffer.concat([LAST_BLOCK, trailer]);
    },
  };
}
