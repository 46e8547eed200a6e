import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isDayOrTime, readInstant } from '../../../src/kernel/index.ts';

describe('a day or a time', () => {
  test.each([
    '2024-02-29',
    '2026-12-31',
    '2026-01-01T00:00',
    '2026-01-01T23:59:59.999+14:00',
    '2026-01-01T10:00:00-0330',
  ])('%s exists', (text) => expect(isDayOrTime(text)).toBe(true));
  test.each([
    '2026-02-29',
    '2026-02-30',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-01T24:00',
    '2026-01-01T10:60',
    '2026-01-01T10:00:60',
    '2026-01-01T10:00+14:01',
    '2026-01-01T10:00+09:60',
    '2026-1-1',
    '2026-01',
    ' 2026-01-01',
    '2026-01-01T10:00Zx',
    '',
  ])('%j does not', (text) => expect(isDayOrTime(text)).toBe(false));
});

test('every instant is read as it was written, and a day without a zone is none', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (at) => {
      expect(readInstant(at.toISOString())).toBe(at.getTime());
      expect(readInstant(at.toISOString().slice(0, -1))).toBeNull();
      expect(readInstant(at.toISOString().slice(0, 10))).toBeNull();
    }),
  );
  expect(readInstant('2026-03-01T00:30+01:00')).toBe(Date.UTC(2026, 1, 28, 23, 30));
  expect(readInstant('2026-02-30T00:00:00Z')).toBeNull();
});
