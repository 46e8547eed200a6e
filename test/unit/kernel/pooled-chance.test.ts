import { expect, test } from '@jest/globals';
import { makePooledChance } from '../../../src/kernel/index.ts';

test('no bytes are given twice, whatever the sizes asked for', () => {
  const chance = makePooledChance();
  const seen = new Set<string>();
  for (let i = 0; i < 5_000; i += 1) seen.add(Buffer.from(chance(10 + (i % 7))).toString('hex'));
  expect(seen.size).toBe(5_000);
});

test('what was given does not change when more is asked for', () => {
  const chance = makePooledChance();
  const first = chance(16);
  const before = Buffer.from(first).toString('hex');
  for (let i = 0; i < 1_000; i += 1) chance(16);
  expect(Buffer.from(first).toString('hex')).toBe(before);
  expect(chance(4_000)).toHaveLength(4_000);
});
