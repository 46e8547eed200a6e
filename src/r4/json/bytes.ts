/** Bytes that are compared with others word by word. */
export interface Bytes {
  readonly view: DataView;
  readonly length: number;
}

export const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Bytes => ({
  view: new DataView(buffer, byteOffset, byteLength),
  length: byteLength,
});

/**
 * Whether these bytes stand at `at` in others. Both are ASCII without control characters, of which no eight are a NaN or a
 * zero: so two words of eight bytes are equal exactly if the numbers that they are as floats are equal.
 */
export function standAt({ view, length }: Bytes, all: Bytes, at: number): boolean {
  if (at + length > all.length) return false;
  const other = all.view;
  let i = 0;
  for (; i <= length - 8; i += 8) if (view.getFloat64(i, true) !== other.getFloat64(at + i, true)) return false;
  for (; i < length; i++) if (view.getUint8(i) !== other.getUint8(at + i)) return false;
  return true;
}

const HIGH = 0x80808080;

/**
 * Whether all of it is ASCII without control characters and backslashes. The high bit of a byte of `(x - n) & ~x` may also
 * be set for the byte above one that is too small, never for a text in which there is none.
 */
export function isPlainAscii({ view, length }: Bytes): boolean {
  let odd = 0;
  let i = 0;
  for (; i <= length - 4; i += 4) {
    const word = view.getInt32(i, true);
    const escape = word ^ 0x5c5c5c5c;
    odd |= word | ((word - 0x20202020) & ~word) | ((escape - 0x01010101) & ~escape);
  }
  if ((odd & HIGH) !== 0) return false;
  for (; i < length; i++) {
    const byte = view.getUint8(i);
    if (byte < 32 || byte > 127 || byte === 92) return false;
  }
  return true;
}
