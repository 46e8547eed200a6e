import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseRetryAfter, RETRY_AFTER_MAX_MS } from '../../../src/ehr/parse-retry-after.ts';

const NOW = new Date('1994-11-06T08:48:37.000Z');

test.each<[string | undefined, number | null]>([
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7_000],
  ['21600', RETRY_AFTER_MAX_MS],
  ['21601', RETRY_AFTER_MAX_MS],
  ['9'.repeat(400), RETRY_AFTER_MAX_MS],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 60_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 60_000],
  ['Sun Nov  6 08:49:37 1994', 60_000],
  ['Sun, 06 Nov 1994 08:47:37 GMT', 0],
  ['Sun, 06 Nov 2094 08:49:37 GMT', RETRY_AFTER_MAX_MS],
  ['', null],
  [undefined, null],
  ['-5', null],
  ['1.5', null],
  ['1e3', null],
  ['soon', null],
  ['2094', 2_094_000],
  ['Sun, 99 Foo 1994 08:49:37 GMT', null],
  ['1994-11-06T08:49:37Z', null],
])('%j asks for %j ms', (text, expected) => {
  expect(parseRetryAfter(text, NOW)).toBe(expected);
});

test('whatever stands there, the wait is bounded', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const ms = parseRetryAfter(text, NOW);
      expect(ms === null || (ms >= 0 && ms <= RETRY_AFTER_MAX_MS)).toBe(true);
    }),
  );
});
