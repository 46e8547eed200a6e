import { expect, test } from '@jest/globals';
import { dropBytes } from '../../../src/kernel/index.ts';

test('a large buffer is gone at once; a small one, and one that shares its memory, stay', () => {
  const [large, small] = [new Uint8Array(100_000), new Uint8Array(100)];
  const whole = new Uint8Array(200_000);
  const part = whole.subarray(0, 100_000);
  for (const one of [large, small, part]) dropBytes(one);
  expect([large, small, part, whole].map(({ byteLength }) => byteLength)).toEqual([0, 100, 100_000, 200_000]);
  dropBytes(large);
});
