import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { makeNewId } from '../../../src/kernel/index.ts';

test('ids made at later times sort behind earlier ones', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 45), fc.integer({ min: 1, max: 10_000 }), (at, later) => {
      const early = makeNewId({ now: () => at, chance: randomBytes })('dlv');
      const late = makeNewId({ now: () => at + later, chance: randomBytes })('dlv');
      expect(early < late).toBe(true);
    }),
  );
});

test('the same time and chance give the same id, with its prefix', () => {
  const newId = makeNewId({ now: () => 1_700_000_000_000, chance: (n) => new Uint8Array(n).fill(7) });
  expect(newId('req')).toBe(newId('req'));
  expect(newId('req')).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/);
});
