import { describe, expect, test } from '@jest/globals';
import { isPossibleTime, judgeBirth, judgeTimes } from '../../../src/translate/judge-time.ts';
import { openNotebook } from '../../../src/translate/notebook.ts';
import type { Scene } from '../../../src/translate/scene.ts';
import type { Times } from '../../../src/translate/times.ts';

const HOUR_MS = 3_600_000;
const RECEIVED = new Date('2026-11-15T12:00:00Z');
const at = (text: string) => ({ start: text, end: text });
const dayOf = (day: string) => ({ start: `${day}T00:00:00+01:00`, end: `${day}T23:59:59+01:00` });

test.each<[string, Times, number, boolean]>([
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
  ['a date alone that is the start of a period, of tomorrow', { ...at('2026-11-16'), open: 'end' }, 1, true],
  ['a period from an hour ahead', { ...at('2026-11-15T13:00:00Z'), open: 'end' }, 1, true],
  ['a period from later', { ...at('2026-11-15T13:00:00.001Z'), open: 'end' }, 1, false],
  ['what nobody can read as a time, which others tell of', at('yesterday'), 1, true],
])('%s', (_, times, aheadHours, isPossible) => {
  expect(isPossibleTime(times, RECEIVED, aheadHours * HOUR_MS)).toBe(isPossible);
});

test('of what was not received, any time that is not too old is possible', () => {
  expect([isPossibleTime(at('2999-01-01'), null, 0), isPossibleTime(at('1800-01-01'), null, 0)]).toEqual([true, false]);
});

/** What is found of it, and how often it was decided upon. */
function judged(judge: (scene: Scene, at: string) => void): string[] {
  const notebook = openNotebook('park');
  judge({ notebook, receivedAt: RECEIVED, setting: { timeAheadHours: 2 } } as Scene, 'Bundle.entry[0]');
  const { findings, decisions } = notebook.close();
  return [
    ...findings.map(({ code, at: place }) => `${code} ${place}`),
    ...decisions.map(({ what, to }) => `${what} ${String(to)}`),
  ];
}

describe('a time that cannot be', () => {
  const times = (given: Times | null): string[] => judged((scene, place) => judgeTimes(scene, place, given));

  test('is found and decided upon where it is later than the site allows, by a millisecond', () => {
    expect(times(at('2026-11-15T14:00:00.000Z'))).toEqual([]);
    expect(times(at('2026-11-15T14:00:00.001Z'))).toEqual(['time.implausible Bundle.entry[0]', 'value null']);
  });

  test('is not found where there is none', () => {
    expect(times(null)).toEqual([]);
  });
});

describe('a sample of somebody who was not born yet', () => {
  test.each<[string, Times | null, string | null, boolean]>([
    ['of the day before', at('2001-04-30T23:59:59Z'), '2001-05-01', true],
    ['of that day', at('2001-05-01T00:00:00Z'), '2001-05-01', false],
    ['of a year alone, the one before', at('2000'), '2001', true],
    ['of the year of birth, of which no more is known', at('2001-04-30'), '2001', false],
    ['of a month before that of birth', at('2001-04-30'), '2001-05', true],
    ['whose year alone is known, which may be the one after birth', at('2001'), '2001-05-01', false],
    ['without a time', null, '2001-05-01', false],
    ['of somebody whose birth is not known', at('1950-01-01'), null, false],
  ])('%s', (_name, times, birthDate, isFound) => {
    const found = judged((scene, place) => judgeBirth(scene, place, times, birthDate));
    expect(found).toEqual(isFound ? ['time.before-birth Bundle.entry[0]'] : []);
  });
});
