import { expect, test } from '@jest/globals';
import { isPossibleTime } from '../../../src/translate/judge-time.ts';

const HOUR_MS = 3_600_000;
const RECEIVED = new Date('2026-11-15T12:00:00Z');
const at = (text: string) => ({ start: text, end: text });
const dayOf = (day: string) => ({ start: `${day}T00:00:00+01:00`, end: `${day}T23:59:59+01:00` });

test.each<[string, { start: string; end: string }, number, boolean]>([
  ['an hour ahead', at('2026-11-15T13:00:00Z'), 1, true],
  ['more than an hour ahead', at('2026-11-15T13:00:01Z'), 1, false],
  ['the same moment in another zone', at('2026-11-16T02:00:00+13:00'), 1, true],
  ['a day that goes on', dayOf('2026-11-15'), 1, true],
  ['a day that has begun in the east', dayOf('2026-11-16'), 1, true],
  ['a day that has begun nowhere', dayOf('2026-11-17'), 1, false],
  ['a date alone, of tomorrow', at('2026-11-16'), 1, true],
  ['a date alone, of the day after', at('2026-11-17'), 1, false],
  ['a time without a zone, within 26 hours', at('2026-11-16T14:00:00'), 1, true],
  ['a time without a zone, beyond them', at('2026-11-16T14:00:01'), 1, false],
  ['a period whose end is ahead', { start: '2026-11-15T10:00:00Z', end: '2026-11-15T14:00:00Z' }, 1, false],
  ['the same where the site allows it', { start: '2026-11-15T10:00:00Z', end: '2026-11-15T14:00:00Z' }, 2, true],
  ['the first day of 1900', at('1900-01-01'), 1, true],
  ['the day before it', at('1899-12-31'), 1, false],
])('%s', (_, times, aheadHours, isPossible) => {
  expect(isPossibleTime(times, RECEIVED, aheadHours * HOUR_MS)).toBe(isPossible);
});

test('of what was not received, any time that is not too old is possible', () => {
  expect([isPossibleTime(at('2999-01-01'), null, 0), isPossibleTime(at('1800-01-01'), null, 0)]).toEqual([true, false]);
});
