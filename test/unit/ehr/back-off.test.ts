import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { tableRows } from '../../support/source-files.ts';
import { backoffMs, nextAttemptMs } from '../../../src/ehr/back-off.ts';

test.each([
  [0, 1_000, 2_000],
  [1, 1_000, 4_000],
  [4, 1_000, 32_000],
  [8, 1_000, 512_000],
  [9, 1_000, 900_000],
  [1_000_000, 1_000, 900_000],
])('attempt %d waits between %d and %d ms', (attempt, least, most) => {
  expect(backoffMs(attempt, 0)).toBe(least);
  expect(backoffMs(attempt, 0.999999999)).toBe(most);
});

test('never sooner than a second, never later than 15 minutes, and spread over all between', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, spread) => {
      const ms = backoffMs(attempt, spread);
      expect(ms).toBeGreaterThanOrEqual(1_000);
      expect(ms).toBeLessThanOrEqual(900_000);
      expect(ms).toBeGreaterThanOrEqual(backoffMs(attempt, spread / 2));
    }),
  );
});

test('a server that asks for longer is not called sooner', () => {
  const given = { attempt: 0, fewInARow: 0, sinceFirstMs: 0, patience: 'long', spread: 0.5 } as const;
  expect(nextAttemptMs({ ...given, serverAsksMs: 120_000 })).toBe(120_000);
  expect(nextAttemptMs({ ...given, serverAsksMs: 10 })).toBe(1_500);
  expect(nextAttemptMs({ ...given, serverAsksMs: null })).toBe(1_500);
});

test('after seven days it is exhausted, whatever the server asks', () => {
  const given = { attempt: 700, fewInARow: 0, serverAsksMs: 5, patience: 'long', spread: 0 } as const;
  expect(nextAttemptMs({ ...given, sinceFirstMs: 7 * 24 * 3_600_000 - 1 })).toBe(1_000);
  expect(nextAttemptMs({ ...given, sinceFirstMs: 7 * 24 * 3_600_000 })).toBe('exhausted');
});

test('where few are meant, the tenth failure in a row is the last, however many there were before', () => {
  const given = { sinceFirstMs: 0, serverAsksMs: null, patience: 'few', spread: 0 } as const;
  expect(nextAttemptMs({ ...given, attempt: 500, fewInARow: 8 })).toBe(1_000);
  expect(nextAttemptMs({ ...given, attempt: 9, fewInARow: 9 })).toBe('exhausted');
});

test('docs/connect-an-ehr.md shows the bounds as they are', () => {
  const rows = tableRows('docs/connect-an-ehr.md', '| failed attempt').map(([attempt = '', most = '']) => [
    Number.parseInt(attempt, 10),
    most,
  ]);
  const words = (ms: number): string =>
    ms < 60_000 ? `${ms / 1000} s` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
  expect(rows).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => [n, words(backoffMs(n - 1, 1))]));
});
