import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CONCURRENCY } from '../../../src/ehr/concurrency.ts';
import { houseDepth } from '../../../src/forward/house-depth.ts';

const limits = fc.integer({ min: CONCURRENCY.min, max: CONCURRENCY.max });
const exchanges = fc.option(fc.double({ min: 0, max: 60_000, noNaN: true }));

test('there is always work for the next turn at the EHR, and never more than a crash should leave behind', () => {
  fc.assert(
    fc.property(limits, exchanges, (limit, exchangeMs) => {
      const depth = houseDepth(limit, exchangeMs);
      expect(Number.isInteger(depth)).toBe(true);
      expect(depth).toBeGreaterThanOrEqual(limit);
      expect(depth).toBeLessThanOrEqual(128);
    }),
  );
});

test('what is begun beyond one turn for each place has its own turn within a second', () => {
  fc.assert(
    fc.property(limits, fc.double({ min: 0.1, max: 60_000, noNaN: true }), (limit, exchangeMs) => {
      const behind = houseDepth(limit, exchangeMs) - 2 * limit;
      if (behind > 0) expect(((behind + limit) / limit) * exchangeMs).toBeLessThanOrEqual(1_000);
    }),
  );
});

test('a slow EHR is given one more turn, a fast one as much as it takes', () => {
  expect(houseDepth(1, 30_000)).toBe(2);
  expect(houseDepth(4, null)).toBe(8);
  expect(houseDepth(4, 100)).toBe(40);
  expect(houseDepth(4, 1)).toBe(128);
});
