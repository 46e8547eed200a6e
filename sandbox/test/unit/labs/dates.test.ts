import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findCollected } from '../../../labs/collected-at.ts';
import { findDate, findDayOrder, findTime } from '../../../labs/read-date.ts';
import { findStatedZone, readZone } from '../../../labs/read-zone.ts';
import { linesOf } from '../../../labs/word.ts';

/** Lines of text as a page; three blanks are a gap. */
function page(...lines: readonly string[]) {
  const words = lines.flatMap((line, row) =>
    [...line.matchAll(/\S+/g)].map(({ 0: text, index }) => ({
      text,
      x0: index * 6,
      x1: (index + text.length) * 6,
      y0: row * 14,
      y1: row * 14 + 10,
    })),
  );
  return linesOf({ origin: 'printed', width: 600, words }, 0);
}

describe('4.4 dates', () => {
  const MARCH_4 = { year: 2026, month: 3, day: 4 };
  test.each([
    ['2026-03-04', MARCH_4],
    ['2026-03-04T08:15', MARCH_4],
    ['03/04/2026', MARCH_4],
    ['3/4/2026', MARCH_4],
    ['3/4/26', MARCH_4],
    ['04.03.2026', MARCH_4],
    ['4 Mar 2026', MARCH_4],
    ['04-Mar-2026', MARCH_4],
    ['4th March 2026', MARCH_4],
    ['March 4, 2026', MARCH_4],
    ['O3/04/2O26', MARCH_4],
    ['25/03/2026', { year: 2026, month: 3, day: 25 }],
    ['02/30/2026', null],
    ['Accession 12-345', null],
  ])('%s', (text, date) => {
    expect(findDate(text, null)?.date ?? null).toEqual(date);
  });

  test('a date that could be two is read as another date of the document is written', () => {
    expect(findDayOrder('born 25/12/1980, collected 03/04/2026')).toBe('day-first');
    expect(findDate('03/04/2026', 'day-first')?.date).toEqual({ year: 2026, month: 4, day: 3 });
    expect(findDayOrder('born 12/25/1980')).toBe('month-first');
  });

  test.each([
    ['08:15', '08:15:00'],
    ['8:15 AM', '08:15:00'],
    ['8:15pm', '20:15:00'],
    ['12:05 a.m.', '00:05:00'],
    ['12:05 PM PDT', '12:05:00'],
    ['8:15 PDT', '08:15:00'],
    ['23:59:58', '23:59:58'],
    [' 0815', '08:15:00'],
    ['25:10', null],
    ['13:10 PM', null],
    ['', null],
  ])('%s is %s', (text, time) => {
    expect(findTime(text)?.time ?? null).toBe(time);
  });

  test('any day in any form is the day', () => {
    const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
    const two = (n: number): string => String(n).padStart(2, '0');
    fc.assert(
      fc.property(
        fc.integer({ min: 1950, max: 2060 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 28 }),
        (year, month, day) => {
          const forms = [`${year}-${two(month)}-${two(day)}`, `${two(month)}/${two(day)}/${year}`, `${two(day)}.${two(month)}.${year}`, `${day} ${months[month - 1]} ${year}`]; // prettier-ignore
          for (const form of forms) expect(findDate(form, null)?.date).toEqual({ year, month, day });
        },
      ),
    );
  });
});

describe('4.4 zones', () => {
  test.each([
    [' +02:00', '+02:00'],
    [' UTC-6', '-06:00'],
    [' -0530', '-05:30'],
    [' EST', '-05:00'],
    [' (CEST)', '+02:00'],
    [' Z', 'Z'],
    [' GMT+0', 'Z'],
    [' ET', null],
    [' Room 4', null],
    ['', null],
  ])('behind a time, "%s" is %s', (text, zone) => {
    expect(readZone(text)).toBe(zone);
  });
  test('a sentence for the whole document', () => {
    expect(findStatedZone('All times are in EST.')).toBe('-05:00');
    expect(findStatedZone('Time zone: UTC+01:00')).toBe('+01:00');
  });
});

describe('4.4 which time is that of the collection', () => {
  test.each([
    ['beside its label', ['DOB: 01/02/1980   Collected: 03/14/2026 08:15 AM', 'Received: 03/14/2026 11:00 AM']],
    [
      'below its label',
      ['Date of Birth   Collected          Received', '01/02/1980      03/14/2026 08:15   03/14/2026 11:00'],
    ],
    ['in two fields', ['Collection Date: 2026-03-14', 'Collection Time: 08:15', 'Reported: 2026-03-15 10:00']],
    ['behind another time', ['Reported 15 Mar 2026 10:00   Drawn: 14 Mar 2026 08:15']],
    ['said twice', ['Collected: 2026-03-14T08:15', 'Page 2   Collected: 2026-03-14T08:15']],
    ['misread by a machine', ['Co11ected: O3/14/2026 08:l5']],
  ])('%s', (_, lines) => {
    expect(findCollected(page(...lines))).toEqual({ local: '2026-03-14T08:15:00', zone: null });
  });
  test.each([
    ['none is named', ['Received: 03/14/2026 11:00', 'Reported: 03/15/2026 10:00']],
    ['it has no time', ['Collected: 03/14/2026', 'Received: 03/14/2026 11:00']],
    ['two differ', ['Collected: 03/14/2026 08:15', 'Collected: 03/14/2026 09:15']],
    ['a sentence speaks of it', ['Samples must be collected before 03/14/2026 08:15']],
  ])('none where %s', (_, lines) => {
    expect(findCollected(page(...lines))).toBeNull();
  });
});
