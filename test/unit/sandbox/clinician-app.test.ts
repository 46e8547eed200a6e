import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Observation } from '../../../src/sandbox/clinician-app/web/chart-parts.ts';
import { makeFindSource } from '../../../src/sandbox/clinician-app/web/find-sources.ts';
import { isDrawn, lastDays, makeSeries, summaryOf } from '../../../src/sandbox/clinician-app/web/make-series.ts';
import { readMeasurement, valueText } from '../../../src/sandbox/clinician-app/web/read-measurement.ts';
import { WITHDRAWN_BECAUSE } from '../../../src/translate/index.ts';

const LOINC = 'http://loinc.org';
const weight = (more: Partial<Observation> = {}): Observation => ({
  resourceType: 'Observation',
  id: 'o1',
  status: 'final',
  category: [{ coding: [{ code: 'vital-signs' }] }],
  code: { coding: [{ system: LOINC, code: '29463-7', display: 'Body weight' }] },
  effectivePeriod: { start: '2026-11-14T00:00:00+01:00', end: '2026-11-14T23:59:59+01:00' },
  valueQuantity: { value: 71.2, unit: 'kg', code: 'kg' },
  ...more,
});
const glucose = (value: number, day: string, low = 70): Observation => ({
  resourceType: 'Observation',
  id: `g-${day}`,
  status: 'final',
  category: [{ coding: [{ code: 'laboratory' }] }],
  code: { coding: [{ system: LOINC, code: '2345-7', display: 'Glucose' }] },
  effectiveDateTime: `${day}T08:15:00+01:00`,
  valueQuantity: { value, unit: 'mg/dL' },
  referenceRange: [{ low: { value: low, unit: 'mg/dL' }, high: { value: 99, unit: 'mg/dL' } }],
});
const only = (...observations: Observation[]) => {
  const [series] = makeSeries(observations.map(readMeasurement));
  if (series === undefined) throw new Error('no series');
  return series;
};

describe('a measurement', () => {
  test('stands on the day of the patient’s own clock', () => {
    const { at, when } = readMeasurement(weight());
    expect([at, when]).toEqual([Date.UTC(2026, 10, 14) / 1000, '2026-11-14']);
    expect(readMeasurement(glucose(92, '2026-11-10')).when).toBe('2026-11-10 08:15');
  });

  test.each([
    ['final', 'valid'],
    ['amended', 'amended'],
    ['corrected', 'amended'],
    ['preliminary', 'preliminary'],
    ['entered-in-error', 'withdrawn'],
    ['cancelled', 'withdrawn'],
    ['something-new', 'preliminary'],
  ])('of status %s is %s', (status, state) => {
    expect(readMeasurement(weight({ status })).state).toBe(state);
  });

  test('that was corrected away, where an EHR knows no entered-in-error, is withdrawn', () => {
    const note = [{ text: `Withdrawn. ${WITHDRAWN_BECAUSE.dropped}` }];
    expect(readMeasurement(weight({ status: 'corrected', note })).state).toBe('withdrawn');
  });

  test('with two numbers keeps both', () => {
    const pressure = readMeasurement(
      weight({
        code: { coding: [{ system: LOINC, code: '85354-9', display: 'Blood pressure panel with all children optional' }] },
        valueQuantity: {},
        component: [
          { code: { text: 'Systolic' }, valueQuantity: { value: 121, unit: 'mmHg' } },
          { code: { text: 'Diastolic' }, valueQuantity: { value: 78, unit: 'mmHg' } },
        ],
      }),
    );
    expect([pressure.title, valueText(pressure)]).toEqual(['Blood pressure', '121 / 78 mmHg']);
  });

  test('with a comparator or without a number is words, and is not drawn', () => {
    const below = readMeasurement(weight({ valueQuantity: { value: 5, comparator: '<', unit: 'mg/L' } }));
    expect([valueText(below), isDrawn(below)]).toEqual(['<5 mg/L', false]);
    const absent = readMeasurement(weight({ valueQuantity: {}, dataAbsentReason: { text: 'not asked' } }));
    expect([valueText(absent), isDrawn(absent)]).toEqual(['no value: not asked', false]);
  });

  test.each([
    ['laboratory', '2345-7', 'Laboratory'],
    ['vital-signs', '8867-4', 'Vital signs'],
    ['activity', '41950-7', 'Activity'],
    ['activity', '93832-4', 'Sleep'],
    ['exam', '1-8', 'Other'],
  ])('of category %s and code %s belongs to %s', (category, code, group) => {
    const read = readMeasurement(
      weight({ category: [{ coding: [{ code: category }] }], code: { coding: [{ system: LOINC, code }] } }),
    );
    expect(read.group).toBe(group);
  });

  test('of which everything is missing is still shown', () => {
    const read = readMeasurement({ resourceType: 'Observation' });
    expect([read.title, read.when, valueText(read), read.at]).toEqual(['Unnamed measurement', 'no date', 'no value', null]);
  });
});

describe('series', () => {
  test('never draw a withdrawn value, and count and list it', () => {
    const series = only(weight(), weight({ id: 'o2', status: 'entered-in-error', valueQuantity: { value: 700, unit: 'kg' } }));
    expect([series.lines[0]?.values, series.withdrawn, series.rows.length]).toEqual([[71.2], 1, 2]);
    expect(summaryOf(series)).toContain('1 withdrawn and not drawn');
  });

  test('never draw a withdrawn value, whatever else is there', () => {
    const status = fc.constantFrom('final', 'amended', 'preliminary', 'entered-in-error', 'cancelled', 'corrected');
    const observation = fc.record({ status, value: fc.integer({ min: 1, max: 500 }), day: fc.integer({ min: 1, max: 28 }) });
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 30 }), (all) => {
        const given = all.map(({ status: said, value, day }, i) =>
          weight({
            id: `o${i}`,
            status: said,
            valueQuantity: { value: ['entered-in-error', 'cancelled'].includes(said) ? -value : value, unit: 'kg' },
            effectiveDateTime: `2026-11-${String(day).padStart(2, '0')}`,
          }),
        );
        for (const { lines, times, rows } of makeSeries(given.map(readMeasurement))) {
          expect(lines.flatMap(({ values }) => values).some((value) => value !== null && value < 0)).toBe(false);
          expect(times).toEqual(times.toSorted((a, b) => a - b));
          expect(rows.length).toBe(given.length);
          for (const { values, amended } of lines) expect([values.length, amended.length]).toEqual([times.length, times.length]);
        }
      }),
    );
  });

  test('mark what was amended', () => {
    const series = only(
      weight(),
      weight({ id: 'o2', status: 'amended', effectiveDateTime: '2026-11-15', valueQuantity: { value: 70, unit: 'kg' } }),
    );
    expect(series.lines[0]?.amended).toEqual([null, 70]);
  });

  test('do not mix units', () => {
    const all = [weight(), weight({ id: 'o2', valueQuantity: { value: 157, unit: 'lb' } })];
    expect(makeSeries(all.map(readMeasurement)).map(({ unit }) => unit)).toEqual(['kg', 'lb']);
  });

  test('show a reference range only where all agree on it', () => {
    expect(only(glucose(92, '2026-11-10'), glucose(88, '2026-10-10')).bounds).toMatchObject({ low: 70, high: 99 });
    expect(only(glucose(92, '2026-11-10'), glucose(88, '2026-10-10', 60)).bounds).toBeNull();
    expect(only(weight()).bounds).toBeNull();
  });

  test('stand in the order of their groups', () => {
    expect(makeSeries([glucose(92, '2026-11-10'), weight()].map(readMeasurement)).map(({ group }) => group)).toEqual([
      'Vital signs',
      'Laboratory',
    ]);
  });

  test('of the last days are counted from the newest measurement, and keep what has no date', () => {
    const all = [glucose(1, '2026-11-10'), glucose(2, '2026-11-04'), glucose(3, '2026-11-03'), weight({ effectivePeriod: {} })];
    expect(lastDays(all.map(readMeasurement), 7).map(({ id }) => id)).toEqual(['g-2026-11-10', 'g-2026-11-04', 'o1']);
    expect(lastDays(all.map(readMeasurement), null).length).toBe(4);
  });
});

describe('a source', () => {
  const find = makeFindSource([
    { resourceType: 'Device', id: 'd', deviceName: [{ name: 'Cuff 3' }], manufacturer: 'Example Devices' },
    { resourceType: 'Organization', id: 'lab', name: 'Example laboratory' },
    {
      resourceType: 'Provenance',
      id: 'v',
      target: [{ reference: 'http://localhost:8080/fhir/Observation/o1/_history/2' }],
      agent: [{ type: { coding: [{ code: 'transmitter' }] }, who: { display: 'Chartgate' } }],
    },
  ]);

  test('is the device, who performed it, and who sent it', () => {
    expect(find(weight({ device: { reference: 'Device/d' }, performer: [{ reference: 'Patient/p' }] }))).toBe(
      'measured by Cuff 3, Example Devices; performed by the patient; sent by Chartgate',
    );
    expect(find(weight({ id: 'o2', performer: [{ reference: 'Organization/lab' }] }))).toBe('performed by Example laboratory');
  });

  test('is said to be unknown where nothing is known', () => {
    expect(find(weight({ id: 'o3' }))).toBe('not said');
  });
});
