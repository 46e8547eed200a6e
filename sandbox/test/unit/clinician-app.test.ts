import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Observation } from '../../clinician-app/web/chart-parts.ts';
import { findMachineRead, makeFindSource } from '../../clinician-app/web/find-sources.ts';
import { isDrawn, isLookedAt, makeSeries, summaryOf, type Look } from '../../clinician-app/web/make-series.ts';
import { outsideOf } from '../../clinician-app/web/outside-of.ts';
import { isAbout, isAlert, readAlert } from '../../clinician-app/web/read-alert.ts';
import { readMeasurement, valueText } from '../../clinician-app/web/read-measurement.ts';
import { scaleOf } from '../../clinician-app/web/scale-of.ts';
import { concernOf, furtherOf, isWanted, sortSeries } from '../../clinician-app/web/sort-series.ts';
import { ageText, daysAgo, isAhead, timeOf } from '../../clinician-app/web/time-of.ts';
import { ageOf, mrnOf, readUserName } from '../../clinician-app/web/who-is-who.ts';
import type { SmartClient } from '../../clinician-app/web/smart-client.ts';
import { goldenObservations } from '../../../test/support/golden-observations.ts';
import { WITHDRAWN_BECAUSE } from '../../../src/translate/index.ts';

const LOINC = 'http://loinc.org';
const NOW = new Date('2026-11-15T12:00:00Z');
const EVERYTHING: Look = { days: null, now: NOW };
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
  const [series] = makeSeries(
    observations.map((one) => readMeasurement(one)),
    EVERYTHING,
  );
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
    const golden = goldenObservations('alert-summary-no-entered-in-error').filter(
      ({ status }) => status === 'corrected',
    );
    expect(golden.length).toBeGreaterThan(0);
    for (const one of golden) expect(readMeasurement(one).state).toBe('withdrawn');
  });

  test('that is preliminary, where an EHR knows only final ones, still says so', () => {
    const read = readMeasurement(weight({ note: [{ text: 'Preliminary: not confirmed by a person.' }] }));
    expect([read.state, read.marks]).toEqual(['preliminary', ['Preliminary']]);
  });

  test('with two numbers keeps both', () => {
    const pressure = readMeasurement(
      weight({
        code: {
          coding: [{ system: LOINC, code: '85354-9', display: 'Blood pressure panel with all children optional' }],
        },
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
    expect([valueText(below), isDrawn(below, NOW)]).toEqual(['<5 mg/L', false]);
    const absent = readMeasurement(weight({ valueQuantity: {}, dataAbsentReason: { text: 'not asked' } }));
    expect([valueText(absent), isDrawn(absent, NOW)]).toEqual(['no value: not asked', false]);
  });

  test.each([
    ['laboratory', '2345-7', 'Laboratory'],
    ['vital-signs', '8867-4', 'Vital signs'],
    ['activity', '41950-7', 'Activity'],
    ['activity', '93832-4', 'Sleep'],
    ['survey', '1-8', 'Surveys and scores'],
    ['social-history', '72166-2', 'Social history'],
    ['exam', '1-8', 'Other'],
  ])('of category %s and code %s belongs to %s', (category, code, group) => {
    const read = readMeasurement(
      weight({ category: [{ coding: [{ code: category }] }], code: { coding: [{ system: LOINC, code }] } }),
    );
    expect(read.group).toBe(group);
  });

  test('of which everything is missing is still shown', () => {
    const read = readMeasurement({ resourceType: 'Observation' });
    expect([read.title, read.when, valueText(read), read.at]).toEqual([
      'Unnamed measurement',
      'no date',
      'no value',
      null,
    ]);
  });
});

describe('series', () => {
  test('never draw a withdrawn value, and count and list it', () => {
    const series = only(
      weight(),
      weight({ id: 'o2', status: 'entered-in-error', valueQuantity: { value: 700, unit: 'kg' } }),
    );
    expect([series.lines[0]?.values, series.withdrawn, series.rows.length]).toEqual([[71.2], 1, 2]);
    expect(summaryOf(series, NOW)).toContain('1 withdrawn and not drawn');
  });

  test('never draw a withdrawn value, whatever else is there', () => {
    const status = fc.constantFrom('final', 'amended', 'preliminary', 'entered-in-error', 'cancelled', 'corrected');
    const observation = fc.record({
      status,
      value: fc.integer({ min: 1, max: 500 }),
      day: fc.integer({ min: 1, max: 28 }),
    });
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
        for (const { lines, times, rows } of makeSeries(
          given.map((one) => readMeasurement(one)),
          EVERYTHING,
        )) {
          expect(lines.flatMap(({ values }) => values).some((value) => value !== null && value < 0)).toBe(false);
          expect(times).toEqual(times.toSorted((a, b) => a - b));
          expect(rows.length).toBe(given.length);
          for (const { values, amended } of lines)
            expect([values.length, amended.length]).toEqual([times.length, times.length]);
        }
      }),
    );
  });

  test('mark what was amended', () => {
    const series = only(
      weight(),
      weight({
        id: 'o2',
        status: 'amended',
        effectiveDateTime: '2026-11-15',
        valueQuantity: { value: 70, unit: 'kg' },
      }),
    );
    expect(series.lines[0]?.amended).toEqual([null, 70]);
  });

  test('do not mix units', () => {
    const all = [weight(), weight({ id: 'o2', valueQuantity: { value: 157, unit: 'lb' } })];
    const series = makeSeries(
      all.map((one) => readMeasurement(one)),
      EVERYTHING,
    );
    expect(series.map(({ unit, title }) => [unit, title])).toEqual([
      ['kg', 'Body weight, kg'],
      ['lb', 'Body weight, lb'],
    ]);
  });

  test('show a reference range only where all agree on it', () => {
    expect(only(glucose(92, '2026-11-10'), glucose(88, '2026-10-10')).bounds).toMatchObject({ low: 70, high: 99 });
    expect(only(glucose(92, '2026-11-10'), glucose(88, '2026-10-10', 60)).bounds).toBeNull();
    expect(only(weight()).bounds).toBeNull();
  });

  test('stand in the order of their groups', () => {
    const all = [glucose(92, '2026-11-10'), weight()].map((one) => readMeasurement(one));
    expect(makeSeries(all, EVERYTHING).map(({ group }) => group)).toEqual(['Vital signs', 'Laboratory']);
  });
});

describe('the days that are looked at', () => {
  const at = (id: string, effectiveDateTime: string, more: Partial<Observation> = {}): Observation =>
    weight({ id, effectiveDateTime, ...more });
  const look = (days: number | null): Look => ({ days, now: NOW });

  test('end with today, whenever the newest value was, and keep what has no date', () => {
    const all = [
      at('today', '2026-11-15T08:00:00+01:00'),
      at('first', '2026-11-09T08:00:00+01:00'),
      at('before', '2026-11-08T23:00:00+01:00'),
      weight({ id: 'undated', effectivePeriod: {} }),
    ].map((one) => readMeasurement(one));
    const lookedAt = (days: number | null) => all.filter((one) => isLookedAt(one, look(days))).map(({ id }) => id);
    expect(lookedAt(7)).toEqual(['today', 'first', 'undated']);
    expect(lookedAt(null).length).toBe(4);
  });

  test('of a chart end with today too, and say how old the newest value is', () => {
    const [series] = makeSeries([readMeasurement(at('old', '2026-11-03T08:00:00+01:00'))], look(30));
    expect([series?.latestDaysAgo, series?.latest && ageText(series.latest, NOW)]).toEqual([12, '12 days ago']);
    const [, to = 0] = series?.shownTime ?? [];
    expect(to * 1000).toBeGreaterThan(Date.UTC(2026, 10, 15));
  });

  test('leave a card with the newest value where they hold none', () => {
    const [series] = makeSeries([readMeasurement(at('old', '2026-08-03T08:00:00+01:00'))], look(30));
    expect([series?.latest?.id, series?.times, series?.rows.map(({ id }) => id)]).toEqual(['old', [], ['old']]);
  });

  test('are days of the patient’s own clock', () => {
    const late = timeOf(at('o', '2026-11-14T23:30:00-08:00'));
    expect(daysAgo(late, new Date('2026-11-15T07:59:00Z'))).toBe(0);
    expect(daysAgo(late, new Date('2026-11-15T08:01:00Z'))).toBe(1);
    expect(ageText(late, new Date('2026-11-15T07:59:00Z'))).toMatch(/^today/);
  });

  test('never begin with a value that was withdrawn, or whose time has not come', () => {
    const all = [
      at('good', '2026-11-13T08:00:00+01:00'),
      at('gone', '2026-11-14T08:00:00+01:00', { status: 'entered-in-error', valueQuantity: { value: 27, unit: 'kg' } }),
      at('ahead', '2026-11-16T08:00:00+01:00', { valueQuantity: { value: 99, unit: 'kg' } }),
    ].map((one) => readMeasurement(one));
    const [series] = makeSeries(all, look(7));
    expect([series?.latest?.id, series?.lines[0]?.values, series?.withdrawn, series?.ahead]).toEqual([
      'good',
      [71.2],
      1,
      1,
    ]);
  });

  test.each([
    ['2026-11-15T13:59:00+01:00', false],
    ['2026-11-15T14:01:00+01:00', true],
    ['2026-11-16', false],
    ['2026-11-17', true],
  ])('do not hold %s, if that is %s', (effectiveDateTime, expected) => {
    expect(isAhead(timeOf(at('o', effectiveDateTime)), NOW)).toBe(expected);
  });

  test('draw only values that hold and are of these days, whatever is in the chart', () => {
    const observation = fc.record({
      status: fc.constantFrom('final', 'amended', 'preliminary', 'entered-in-error'),
      hoursAgo: fc.integer({ min: -100, max: 3_000 }),
    });
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 25 }), fc.constantFrom(7, 30, 90), (all, days) => {
        const given = all.map(({ status, hoursAgo }, i) =>
          at(`o${i}`, new Date(NOW.getTime() - hoursAgo * 3_600_000).toISOString(), {
            status,
            valueQuantity: { value: 1_000 + hoursAgo, unit: 'kg' },
          }),
        );
        const drawn = makeSeries(
          given.map((one) => readMeasurement(one)),
          look(days),
        ).flatMap(({ lines }) => lines.flatMap(({ values }) => values));
        const expected = all.filter(
          ({ status, hoursAgo }) =>
            status !== 'entered-in-error' && hoursAgo >= -1 && Math.floor((hoursAgo + 11) / 24) < days,
        );
        expect(drawn.toSorted()).toEqual(expected.map(({ hoursAgo }) => 1_000 + hoursAgo).toSorted());
      }),
    );
  });
});

describe('before a value is used', () => {
  const marks = (more: Partial<Observation>, machineRead?: ReadonlySet<string>) =>
    readMeasurement(weight(more), machineRead).marks;

  test('it says that it is preliminary, amended or of a status that nobody knows', () => {
    expect(['final', 'preliminary', 'amended', 'corrected', 'unheard-of'].map((status) => marks({ status }))).toEqual([
      [],
      ['Preliminary'],
      ['Amended'],
      ['Amended'],
      ['Status unheard-of'],
    ]);
  });

  test('it says that a machine has read it, by tag, by note or by Provenance', () => {
    expect(marks({ meta: { tag: [{ code: 'machine-extracted' }] } })).toEqual(['Read by machine']);
    expect(marks({ note: [{ text: 'Read by a machine from a document; not checked by a person.' }] })).toEqual([
      'Read by machine',
    ]);
    const target = [{ reference: 'Observation/o1' }];
    for (const provenance of [
      { agent: [{ who: { display: 'Health data service: extracted by machine' } }] },
      { agent: [{ type: { text: 'Software that read the document' }, who: { display: 'Health data service' } }] },
      { activity: { text: 'machine-extracted from a document' } },
    ])
      expect(marks({}, findMachineRead([{ resourceType: 'Provenance', target, ...provenance }]))).toEqual([
        'Read by machine',
      ]);
    expect(
      marks({}, findMachineRead([{ resourceType: 'Provenance', target, agent: [{ who: { display: 'Chartgate' } }] }])),
    ).toEqual([]);
  });

  test('it says so in every laboratory result of the golden cases', () => {
    const results = goldenObservations('lab-document');
    expect(results.length).toBeGreaterThan(0);
    for (const one of results) {
      expect(readMeasurement(one).marks).toContain('Read by machine');
      // Not every EHR keeps tags.
      expect(readMeasurement({ ...one, meta: {} }).marks).toContain('Read by machine');
    }
  });

  test('it says in words that it is high or low, and nothing of what is normal', () => {
    const flags = (code: string) => readMeasurement(weight({ interpretation: [{ coding: [{ code }] }] })).flags;
    expect(['H', 'LL', 'N', 'POS'].map(flags)).toEqual([['High'], ['Critically low'], [], ['POS']]);
  });

  test('one side of a pressure says which side it is', () => {
    const one = readMeasurement(
      weight({
        code: { coding: [{ system: LOINC, code: '85354-9' }] },
        valueQuantity: {},
        component: [
          { code: { text: 'Systolic' }, valueQuantity: { value: 121, unit: 'mmHg' } },
          { code: { text: 'Diastolic' }, dataAbsentReason: { text: 'unknown' } },
        ],
      }),
    );
    expect([valueText(one), one.details]).toEqual(['Systolic 121 mmHg', ['Diastolic: no value: unknown']]);
  });

  test('a part in another unit is named and never drawn', () => {
    const one = readMeasurement(
      weight({ component: [{ code: { text: 'Confidence' }, valueQuantity: { value: 90, unit: '%' } }] }),
    );
    expect([one.readings.map(({ value }) => value), one.details]).toEqual([[71.2], ['Confidence: 90 %']]);
  });
});

describe('alerts', () => {
  const LOCAL = 'urn:chartgate:codes';
  const part = (code: string, value: number, unit: string) => ({
    code: { coding: [{ system: LOCAL, code, display: code }] },
    valueQuantity: { value, unit },
  });
  const parts = [
    part('baseline-value', 60, '/min'),
    part('deviation-above-percent', 15, '%'),
    part('threshold-high', 69, '/min'),
  ];
  const heart = weight({
    id: 'h',
    code: { coding: [{ system: LOINC, code: '40443-4' }] },
    valueQuantity: { value: 74, unit: '/min' },
  });
  const none = (): null => null;

  test('are known by any of what an EHR may have kept of them', () => {
    expect(isAlert(heart)).toBe(false);
    for (const sign of [
      { meta: { tag: [{ code: 'alert' }] } },
      { component: parts },
      { referenceRange: [{ type: { text: 'monitoring threshold' } }] },
      { code: { coding: [{ system: LOCAL, code: 'resting-heart-rate-alert' }] } },
    ])
      expect(isAlert({ ...heart, ...sign })).toBe(true);
  });

  test('name what was measured and what it was held against, each with its own unit', () => {
    const alert = readAlert({ ...heart, component: parts }, none);
    expect([alert.measured, alert.baseline, alert.deviation, alert.threshold]).toEqual([
      '74 /min',
      '60 /min',
      'deviation-above-percent: 15 %',
      'threshold-high: 69 /min',
    ]);
    expect(isAbout(alert, readMeasurement(heart))).toBe(true);
    expect(isAbout(alert, readMeasurement(weight()))).toBe(false);
  });

  test('under a code of their own speak of the measurement that they refer to', () => {
    const measurement = readMeasurement(heart);
    const own: Observation = {
      resourceType: 'Observation',
      id: 'a',
      code: { coding: [{ system: LOCAL, code: 'alert-resting-heart-rate' }] },
      derivedFrom: [{ reference: 'Observation/h' }],
      component: parts,
    };
    const alert = readAlert(own, (literal) => (literal === 'Observation/h' ? measurement : null));
    expect([isAlert(own), alert.measured, alert.baseline, isAbout(alert, measurement)]).toEqual([
      true,
      '74 /min',
      '60 /min',
      true,
    ]);
  });

  test('of the golden cases are about the measurements that they name', () => {
    const saturation = readMeasurement(weight({ code: { coding: [{ system: LOINC, code: '103209-3' }] } }));
    const [alert] = goldenObservations('alert-event').map((one) => readAlert(one, none));
    expect(alert && [isAbout(alert, saturation), isAbout(alert, readMeasurement(weight()))]).toEqual([true, false]);
  });

  test.each(['alert-event', 'alert-summary-all-signals'])(
    'of the golden case %s are all known, and none of their parts is measured',
    (name) => {
      const all = goldenObservations(name).filter(
        ({ component = [], meta }) => component.length > 0 || meta?.tag?.length === 2,
      );
      expect(all.length).toBeGreaterThan(0);
      for (const one of all) {
        expect(isAlert(one)).toBe(true);
        const { measurement } = readAlert(one, none);
        expect([measurement.details, measurement.bounds]).toEqual([[], []]);
      }
    },
  );

  test('are not found among the measurements of the golden cases', () => {
    for (const name of ['clinical-ready-every-metric', 'clinical-ready-daily-averages', 'lab-document', 'user-profile'])
      expect(goldenObservations(name).filter(isAlert)).toEqual([]);
  });
});

describe('circumstances', () => {
  test('make three series of the SpO2 of body, activity and sleep, by their names', () => {
    const spo2 = goldenObservations('clinical-ready-every-metric').filter(
      ({ code }) => code?.text?.startsWith('SpO2') === true,
    );
    const titles = makeSeries(
      spo2.map((one) => readMeasurement(one)),
      { days: null, now: new Date('2026-11-20T12:00:00Z') },
    ).map(({ title }) => title);
    expect([titles.length, new Set(titles).size]).toEqual([3, 3]);
    expect(titles.filter((title) => /sleep/i.test(title)).length).toBe(1);
    expect(titles.filter((title) => /activity/i.test(title)).length).toBe(1);
  });

  test('of sleep are named even where nothing else is there', () => {
    const asleep = {
      category: [{ coding: [{ code: 'vital-signs' }, { system: 'urn:chartgate:source-category', code: 'survey' }] }],
    };
    expect(only(saturation('s', asleep)).title).toBe('SpO2, sleep');
    const both = makeSeries(
      [saturation('s', asleep), saturation('d', {})].map((one) => readMeasurement(one)),
      EVERYTHING,
    );
    expect(both.map(({ title }) => title)).toEqual(['SpO2, sleep', 'SpO2, whole day']);
  });

  const saturation = (id: string, more: Partial<Observation>): Observation =>
    weight({
      id,
      code: { coding: [{ system: LOINC, code: '103209-3' }], text: 'SpO2' },
      valueQuantity: { value: 96, unit: '%' },
      ...more,
    });
  test.each<[string, readonly Partial<Observation>[]]>([
    ['method', [{}, { method: { text: 'Mean during physical activity' } }, { method: { text: 'Mean during sleep' } }]],
    ['category', [{}, { category: [{ text: 'Physical activity' }] }, { category: [{ text: 'Sleep' }] }]],
    [
      'component',
      [
        {},
        { component: [{ code: { text: 'Measurement context' }, valueCodeableConcept: { text: 'Physical activity' } }] },
        { component: [{ code: { text: 'Measurement context' }, valueCodeableConcept: { text: 'Sleep' } }] },
      ],
    ],
  ])('may be told by %s', (_, each) => {
    const series = makeSeries(
      each.map((more, i) => readMeasurement(saturation(`s${i}`, more))),
      EVERYTHING,
    );
    const titles = series.map(({ title }) => title).toSorted();
    expect(titles.map((title) => /sleep|activity|whole day/i.exec(title)?.[0].toLowerCase())).toEqual(
      expect.arrayContaining(['activity', 'sleep', 'whole day']),
    );
    expect(titles.length).toBe(3);
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
    expect(find(weight({ id: 'o2', performer: [{ reference: 'Organization/lab' }] }))).toBe(
      'performed by Example laboratory',
    );
  });

  test('is said to be unknown where nothing is known', () => {
    expect(find(weight({ id: 'o3' }))).toBe('not said');
  });
});

describe('a value outside its reference range', () => {
  test.each([
    [69, 'Below range'],
    [70, undefined],
    [99, undefined],
    [100, 'Above range'],
  ])('%d of 70 to 99 is %p', (value, words) => {
    expect(outsideOf(glucose(value, '2026-11-10'))).toEqual(words === undefined ? [] : [words]);
  });

  test('is not judged by a range of another unit, of another meaning, or by one of several', () => {
    const high = glucose(200, '2026-11-10');
    const [range] = high.referenceRange ?? [];
    const judged = (referenceRange: Observation['referenceRange']) =>
      outsideOf({ ...high, referenceRange: referenceRange ?? [] });
    expect(judged([{ high: { value: 5.5, unit: 'mmol/L' } }])).toEqual([]);
    expect(judged([{ ...range, type: { text: 'monitoring threshold' } }])).toEqual([]);
    expect(judged([range ?? {}, { high: { value: 140, unit: 'mg/dL' } }])).toEqual([]);
    expect(judged([{ ...range, type: { coding: [{ code: 'normal' }] } }])).toEqual(['Above range']);
    expect(outsideOf({ ...high, valueQuantity: { value: 200, comparator: '<', unit: 'mg/dL' } })).toEqual([]);
  });

  test('says so of the part that it is, and leaves the word to whoever has interpreted it', () => {
    const part = { code: { text: 'Systolic' }, valueQuantity: { value: 150, unit: 'mmHg' } };
    const range = [{ high: { value: 140, unit: 'mmHg' } }];
    expect(outsideOf(weight({ valueQuantity: {}, component: [{ ...part, referenceRange: range }] }))).toEqual([
      'Systolic: above range',
    ]);
    const flagged = { ...glucose(200, '2026-11-10'), interpretation: [{ coding: [{ code: 'HH' }] }] };
    expect(readMeasurement(flagged).flags).toEqual(['Critically high']);
    expect(readMeasurement(glucose(200, '2026-11-10')).flags).toEqual(['Above range']);
  });
});

describe('the order of tiles', () => {
  const plain = (code: string, text: string, day: string, more: Partial<Observation> = {}): Observation =>
    weight({
      id: code,
      code: { coding: [{ system: LOINC, code }], text },
      effectivePeriod: { start: `${day}T00:00:00+01:00`, end: `${day}T23:59:59+01:00` },
      ...more,
    });
  const all = makeSeries(
    [
      plain('1-1', 'Zinc', '2026-11-14'),
      plain('2-2', 'Body weight', '2026-11-10'),
      plain('3-3', 'Arm span', '2026-11-12', { status: 'preliminary' }),
      glucose(200, '2026-11-01'),
    ].map((one) => readMeasurement(one)),
    EVERYTHING,
  );
  const titles = (order: 'group' | 'concern' | 'newest' | 'name', wanted = ''): string[] =>
    sortSeries(all, { order, wanted, alerts: [] }).flatMap(({ series }) => series.map(({ title }) => title));

  test('is that of groups, of names, of times, or of what needs a look', () => {
    expect(titles('group')).toEqual(['Arm span', 'Body weight', 'Zinc', 'Glucose']);
    expect(titles('name')).toEqual(['Arm span', 'Body weight', 'Glucose', 'Zinc']);
    expect(titles('newest')).toEqual(['Zinc', 'Arm span', 'Body weight', 'Glucose']);
    expect(titles('concern')).toEqual(['Glucose', 'Arm span', 'Body weight', 'Zinc']);
    expect(sortSeries(all, { order: 'group', wanted: '', alerts: [] }).at(-1)?.title).toBe('Other');
  });

  test('is of what fits every word that is looked for', () => {
    expect(titles('name', 'vital signs')).toEqual(['Arm span', 'Body weight', 'Zinc']);
    expect(titles('name', 'WEIGHT body')).toEqual(['Body weight']);
    expect(titles('name', '2345-7')).toEqual(['Glucose']);
    expect(all.every((one) => isWanted(one, ''))).toBe(true);
  });

  test('never leaves what is out of range, or what was opened, for later', () => {
    const section = { title: 'All', series: all };
    const further = (count: number, open: string[] = []): string[] =>
      [...furtherOf(section, count, [], new Set(open))].map(({ title }) => title);
    expect(further(0)).toEqual(['Arm span', 'Body weight', 'Zinc']);
    expect(further(2)).toEqual(['Body weight', 'Zinc']);
    // A button for one row would take the room of that row.
    expect(further(3)).toEqual([]);
    const opened = all.find(({ title }) => title === 'Zinc')?.key ?? '';
    expect(further(0, [opened])).toEqual(['Arm span', 'Body weight']);
    expect(all.map((one) => concernOf(one, [])).sort()).toEqual([0, 0, 1, 3]);
    const doubted = all.map((one) =>
      one.title === 'Zinc' && one.latest !== null ? { ...one, latest: { ...one.latest, notes: ['Check it.'] } } : one,
    );
    expect([...furtherOf({ title: 'All', series: doubted }, 0, [], new Set())].map(({ title }) => title)).toEqual([
      'Arm span',
      'Body weight',
    ]);
  });
});

test('a scale shows at least a twentieth of the size of a value', () => {
  const { lines } = only(weight());
  const [low, high] = scaleOf({ lines, bounds: null });
  expect(high - low).toBeGreaterThanOrEqual(71.2 * 0.05);
});

describe('who is who', () => {
  test('an age is in whole years, and of a whole birth date alone', () => {
    expect([ageOf('1961-03-14', '2026-03-13'), ageOf('1961-03-14', '2026-03-14')]).toEqual([64, 65]);
    expect([ageOf('1961', '2026-03-14'), ageOf(undefined, '2026-03-14'), ageOf('2027-01-01', '2026-03-14')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('an MRN is an identifier that says that it is one', () => {
    const identifier = [{ value: 'passport' }, { type: { coding: [{ code: 'MR' }] }, value: '0001001' }];
    expect(mrnOf({ resourceType: 'Patient', identifier })).toBe('0001001');
    expect(mrnOf({ resourceType: 'Patient', identifier: identifier.slice(0, 1) })).toBeNull();
  });

  test('the user is named by the chart, else by the sign-in, else by the reference', async () => {
    const client = (answer: () => Promise<unknown>, idToken: Readonly<Record<string, unknown>> | null) =>
      ({
        patient: { id: null },
        getFhirUser: () => 'https://gateway.example/fhir/Practitioner/p1',
        getIdToken: () => idToken,
        request: answer,
      }) as unknown as SmartClient;
    const refused = (): Promise<unknown> => Promise.reject(new Error('403'));
    const known = { resourceType: 'Practitioner', name: [{ prefix: ['Dr'], given: ['Rosalind'], family: 'Okafor' }] };
    expect(await readUserName(client(() => Promise.resolve(known), null))).toBe('Dr Rosalind Okafor');
    expect(await readUserName(client(refused, { name: 'R. Okafor' }))).toBe('R. Okafor');
    expect(await readUserName(client(refused, null))).toBe('Practitioner/p1');
  });
});
