import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canBeForgotten } from '../../../src/forward/build-items.ts';

describe('what a ledger can have forgotten', () => {
  const since = Date.parse('2026-11-14T10:00:00Z');
  test.each([
    ['2026-11-16', false],
    ['2026-11-15', false],
    ['2026-11-14', true],
    ['2026-01-01', true],
    ['not a day', true],
    [null, true],
  ])('of %s, where it is known since 2026-11-14T10:00Z: %j', (day, isForgotten) => {
    expect(canBeForgotten(day, since)).toBe(isForgotten);
  });

  test('nothing, where it never had a gap', () => {
    fc.assert(fc.property(fc.option(fc.string()), (day) => !canBeForgotten(day, 0)));
  });
});
