import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { boundOf, bucketOf, BUCKETS, quantileOf } from '../../../src/figures/buckets.ts';
import { MINUTE_MS, type Point } from '../../../src/figures/commands.ts';
import { toSeries } from '../../../src/figures/read-series.ts';

test('a duration lies within its bucket, and longer ones never in an earlier bucket', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 2 ** 28, noNaN: true }),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      (a, more) => {
        expect(boundOf(bucketOf(a))).toBeGreaterThanOrEqual(Math.min(a, boundOf(BUCKETS - 1)) * (1 - 1e-9));
        expect(bucketOf(a + more)).toBeGreaterThanOrEqual(bucketOf(a));
      },
    ),
  );
  expect([bucketOf(-5), bucketOf(0), bucketOf(Number.NaN), bucketOf(Infinity)]).toEqual([0, 0, 0, BUCKETS - 1]);
});

test('a quantile is never shorter than the true one, and at most a bucket longer', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 1, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 200 }),
      fc.constantFrom(0.5, 0.99),
      (durations, share) => {
        const counts = new Map<number, number>();
        for (const one of durations) counts.set(bucketOf(one), (counts.get(bucketOf(one)) ?? 0) + 1);
        const sorted = [...durations].sort((a, b) => a - b);
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
        const found = quantileOf(counts, share) ?? 0;
        expect(found).toBeGreaterThanOrEqual(Math.floor(exact));
        expect(found).toBeLessThanOrEqual(Math.ceil(exact * Math.SQRT2 + 1));
      },
    ),
  );
  expect(quantileOf(new Map(), 0.5)).toBeNull();
});

test('points become dense rows: zero where nothing was counted, null where nothing was measured', () => {
  const from = 60 * MINUTE_MS;
  const points: Point[] = [
    { at: from, series: 'received', bucket: 0, count: 3 },
    { at: from + 2 * MINUTE_MS, series: 'received', bucket: 0, count: 1 },
    { at: from + MINUTE_MS, series: 'lag', bucket: bucketOf(100), count: 9 },
    { at: from + MINUTE_MS, series: 'lag', bucket: bucketOf(5_000), count: 1 },
  ];
  const series = toSeries(points, from, MINUTE_MS, 3);
  expect(series.counts.received).toEqual([3, 0, 1]);
  expect(series.counts.parked).toEqual([0, 0, 0]);
  expect(series.times.lag.p50[0]).toBeNull();
  expect(series.times.lag.p50[1]).toBeLessThan(150);
  expect(series.times.lag.p99[1]).toBeGreaterThanOrEqual(5_000);
});
