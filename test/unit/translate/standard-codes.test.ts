import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aClinicalReadyOf, aLabResult, type Json, type Metric } from '../../support/payloads/index.ts';
import { bytesOf, codesOf, observationsOf, translated } from '../../support/translated.ts';
import { problemsOf, type CaseOptions } from '../../support/translate-steps.ts';
import { shuffled } from './arbitrary.ts';
import { aLabBundleOf, labTest } from './lab-builders.ts';

const OWN = 'urn:example:health-data-service:codes';
const own = (code: string, display = code): Json => ({ system: OWN, code, display });
const loinc = (code: string, display?: string): Json => ({
  system: 'http://loinc.org',
  code,
  ...(display === undefined ? {} : { display }),
});

const coded = (codings: readonly Json[], more: Partial<Metric> = {}): Metric => ({ code: '', codings, ...more });
const read = (metrics: readonly Metric[], options: CaseOptions = {}) =>
  translated(aClinicalReadyOf(metrics), { unmapped: 'leave-out', ...options });
const found = ({ findings }: ReturnType<typeof translated>) => findings.map(({ code, what }) => [code, what]);

describe('a measurement in LOINC', () => {
  test('has the unit, the category and the bounds of the rows that lead to its code, and keeps its coding', () => {
    const translation = read([
      coded([loinc('29463-7', 'Weight of body')], { value: '154.5', unit: 'lbs', ucum: '[lb_av]' }),
    ]);
    expect([translation.trouble, translation.findings]).toEqual([null, []]);
    expect(observationsOf(translation)).toMatchObject([
      {
        category: [{ coding: [{ code: 'vital-signs' }] }],
        code: { coding: [{ code: '29463-7', display: 'Weight of body' }], text: 'Weight of body' },
        valueQuantity: { unit: 'kg', code: 'kg' },
      },
    ]);
    expect(problemsOf(translation)).toEqual([]);
    expect(read([coded([loinc('29463-7')], { value: '7000' })]).trouble).toBe('implausible');
  });

  test('gets the companion that its profile asks for', () => {
    const [one] = observationsOf(read([coded([loinc('40443-4')], { value: '58', unit: 'bpm', ucum: '/min' })]));
    expect(codesOf(one?.['code'])).toEqual(['40443-4', '8867-4']);
  });

  test('may be given under the companion alone, and then says no more than that', () => {
    const [one] = observationsOf(read([coded([loinc('2708-6')], { value: '97', unit: '%' })]));
    expect(codesOf(one?.['code'])).toEqual(['2708-6']);
    expect(read([coded([loinc('2708-6')], { value: '1', unit: '%' })]).trouble).toBe('implausible');
  });

  test('makes one panel with the other side in the code of the source', () => {
    const pressure = { unit: 'mmHg', ucum: 'mm[Hg]' };
    const [one, ...others] = observationsOf(
      read([
        coded([loinc('8480-6')], { ...pressure, value: '120' }),
        { code: 'blood_pressure_diastolic', ...pressure, value: '80' },
      ]),
    );
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      component: [{ valueQuantity: { value: expect.anything() } }, { valueQuantity: { value: expect.anything() } }],
    });
  });

  const percent = { value: '96', unit: '%' };
  const steps = { category: 'activity', value: '8000', unit: 'steps', ucum: '{steps}' };
  test.each<[string, Metric, string | null]>([
    ['a mean under the code of a mean', coded([loinc('103209-3')], { ...percent, context: 'daily_average' }), null],
    ['the code of a mean, without a context', coded([loinc('103209-3')], percent), null],
    [
      'a mean under the code of a reading',
      coded([loinc('59408-5')], { ...percent, context: 'daily_average' }),
      'context.unmapped',
    ],
    [
      'a reading under the code of a mean',
      coded([loinc('103209-3')], { ...percent, context: 'point' }),
      'context.unmapped',
    ],
    [
      'a mean over a session, known of a day',
      coded([loinc('8310-5')], { value: '37', unit: 'Cel', context: 'session' }),
      null,
    ],
    ['a context that nobody knows', coded([loinc('29463-7')], { context: 'weekly_average' }), 'context.unmapped'],
    ['the count of a day', coded([loinc('41950-7')], steps), null],
    [
      'the count of an hour under the code of a day',
      coded([loinc('41950-7')], { ...steps, start: '2026-11-14T08:00:00+01:00', end: '2026-11-14T09:00:00+01:00' }),
      'context.unmapped',
    ],
  ])('%s: %#', (_, metric, finding) => {
    expect(
      read([metric, { code: 'weight' }])
        .findings.filter(({ code }) => code !== 'codes.left-out')
        .map(({ code }) => code),
    ).toEqual(finding === null ? [] : [finding]);
  });

  test('a mean of a session does not say that it is one of a day', () => {
    const [one] = observationsOf(read([coded([loinc('8310-5')], { value: '37', unit: 'Cel', context: 'session' })]));
    expect(one?.['method']).toBeUndefined();
  });

  test.each([
    ['that nobody has mapped', '8280-0', 'loinc 8280-0'],
    ['with a wrong check digit', '29463-8', 'loinc 29463-8 (wrong check digit)'],
  ])('a code %s is left out and says so', (_, code, what) => {
    const translation = read([coded([loinc(code)]), { code: 'height', value: '178', unit: 'cm' }]);
    expect(found(translation)).toEqual([
      ['code.unmapped', what],
      ['codes.left-out', null],
    ]);
    expect([translation.trouble, translation.leftOut.length, translation.wanted.length]).toEqual([null, 1, 1]);
  });

  test('passes only under a code that nobody knows and that can be one, where that is configured', () => {
    const codesOfOne = (metric: Metric) =>
      codesOf(observationsOf(read([metric], { unmapped: 'pass-through' }))[0]?.['code']);
    expect(codesOfOne(coded([loinc('8280-0')]))).toEqual(['8280-0']);
    expect(codesOfOne(coded([loinc('29463-8')]))).toEqual([]);
    expect(codesOfOne(coded([loinc('59408-5')], { ...percent, context: 'daily_average' }))).toEqual([]);
  });
});

describe('a LOINC code beside that of the source', () => {
  test('changes nothing where both say the same', () => {
    expect(bytesOf(read([coded([own('weight'), loinc('29463-7', 'Weight')])]))).toBe(
      bytesOf(read([{ code: 'weight' }])),
    );
  });

  test('of the panel, or of another context of the same metric, is no contradiction', () => {
    const mean = { value: '96', unit: '%', context: 'daily_average' };
    expect(bytesOf(read([coded([own('spo2'), loinc('59408-5')], mean)]))).toBe(
      bytesOf(read([{ code: 'spo2', ...mean }])),
    );
    const pressure = { unit: 'mmHg', ucum: 'mm[Hg]', value: '120' };
    expect(read([coded([own('blood_pressure_systolic'), loinc('85354-9')], pressure)]).findings).toEqual([]);
  });

  test.each([
    ['another measurement', 'weight', '8302-2', 'weight, loinc 8302-2'],
    ['the other side of its panel', 'blood_pressure_systolic', '8462-4', 'blood_pressure_systolic, loinc 8462-4'],
    ['nothing at all', 'weight', '29463-8', 'weight, loinc 29463-8 (wrong check digit)'],
  ])('that says %s parks the document', (_, code, other, what) => {
    for (const unmapped of ['park', 'leave-out', 'pass-through'] as const) {
      const translation = read([coded([own(code), loinc(other)]), { code: 'height', value: '178', unit: 'cm' }], {
        unmapped,
      });
      expect(translation.trouble).not.toBeNull();
      expect(translation.findings).toContainEqual({ code: 'code.disagrees', at: 'entry[1]', what });
    }
  });

  test('two codes of the source that say two things park the document', () => {
    expect(read([coded([own('weight'), own('height')])]).trouble).toBe('implausible');
  });

  test('tells what a code of the source is that nobody has mapped, and both are kept', () => {
    const [one] = observationsOf(read([coded([own('body_mass', 'Body mass'), loinc('29463-7')])]));
    expect(codesOf(one?.['code'])).toEqual(['29463-7', 'body_mass']);
  });

  test('the same reading under both codes stands once, and two values under them wait', () => {
    const twice = [{ code: 'weight' }, coded([loinc('29463-7')])];
    expect(observationsOf(read(twice)).map(({ code }) => codesOf(code))).toEqual([['29463-7', 'weight']]);
    const [first, second] = twice;
    const other = read([
      first ?? { code: '' },
      { ...second, code: '', value: '71' },
      { code: 'height', value: '178', unit: 'cm' },
    ]);
    expect([other.leftOut.length, found(other)[0]?.[0]]).toEqual([2, 'measurement.twice']);
  });
});

test('the code of the source under a system that nobody configured is named with its system', () => {
  expect(found(read([{ code: 'weight', system: 'urn:other:codes' }]))[0]).toEqual([
    'code.unmapped',
    'urn:other:codes|weight',
  ]);
});

test('whatever codings an entry carries, in whatever order, the chart is the same', () => {
  const pool = [
    own('weight', 'Weight'),
    own('weight', 'Body weight'),
    own('body_mass'),
    own('spo2'),
    loinc('29463-7'),
    loinc('29463-7', 'Weight'),
    loinc('59408-5'),
    loinc('2708-6'),
    loinc('8280-0'),
    loinc('29463-8'),
    { system: 'urn:other', code: 'x' },
    { system: 'urn:another', code: 'y', display: 'Y' },
  ];
  const some = fc.shuffledSubarray(pool, { minLength: 1, maxLength: 5 });
  const pairs = some.chain((codings) => fc.tuple(fc.constant(codings), shuffled(codings.length)));
  let sound = 0;
  fc.assert(
    fc.property(pairs, fc.constantFrom('leave-out' as const, 'pass-through' as const), ([codings, order], unmapped) => {
      const other = order.map((i) => codings[i] ?? {});
      const [one, two] = [codings, other].map((list) =>
        read([coded(list), { code: 'height', value: '178', unit: 'cm' }], { unmapped }),
      );
      expect([two && bytesOf(two), two?.findings, two?.trouble]).toEqual([
        one && bytesOf(one),
        one?.findings,
        one?.trouble,
      ]);
      if (one?.trouble === null) {
        sound += 1;
        expect(problemsOf(one)).toEqual([]);
      }
      const lab = [codings, other].map((list) =>
        translated(
          aLabResult({
            resource: aLabBundleOf([labTest('', { value: '90', unit: 'mg/dL' }, { code: { coding: list } })]),
          }),
          { unmapped },
        ),
      );
      expect(lab[1] && bytesOf(lab[1])).toBe(lab[0] && bytesOf(lab[0]));
      expect(lab[1]?.findings).toEqual(lab[0]?.findings);
    }),
    { numRuns: 200 },
  );
  expect(sound).toBeGreaterThan(10);
});

describe('a laboratory result in LOINC', () => {
  const lab = (codings: readonly Json[], unit: string | undefined, options: CaseOptions = {}) =>
    translated(
      aLabResult({
        resource: aLabBundleOf([
          labTest(
            '',
            { value: '90', ...(unit === undefined ? {} : { unit }) },
            { code: { coding: codings, text: 'Glucose' } },
          ),
          labTest('Sodium', { value: '140', unit: 'mmol/L' }),
        ]),
      }),
      { unmapped: 'leave-out', ...options },
    );

  test.each<[string, readonly Json[], string | undefined, readonly unknown[]]>([
    ['known, in a unit of its kind', [loinc('2345-7')], 'mg/dL', []],
    ['with the source saying the same', [loinc('2345-7'), own('glucose', 'Glucose')], 'mg/dL', []],
    ['in moles under a code of mass', [loinc('2345-7')], 'mmol/L', [['unit.unmapped', 'loinc 2345-7 in mmol/L']]],
    ['without a unit', [loinc('2345-7')], undefined, [['unit.unmapped', 'loinc 2345-7 in no unit']]],
    ['that nobody has reviewed', [loinc('8280-0')], 'mg/dL', [['codes.unreviewed', 'loinc 8280-0']]],
    ['with a wrong check digit', [loinc('2345-8')], 'mg/dL', [['code.unmapped', 'loinc 2345-8 (wrong check digit)']]],
    [
      'with the source saying another',
      [loinc('2345-7'), own('sodium', 'Sodium')],
      'mg/dL',
      [['code.disagrees', 'sodium, loinc 2345-7']],
    ],
  ])('%s', (_, codings, unit, expected) => {
    const translation = lab(codings, unit);
    const [first] = expected as [string, string][];
    const isOut = first !== undefined && first[0] !== 'codes.unreviewed' && first[0] !== 'code.disagrees';
    expect(found(translation)).toEqual([...expected, ...(isOut ? [['codes.left-out', null]] : [])]);
    expect(translation.trouble).toBe(first?.[0] === 'code.disagrees' ? 'implausible' : null);
    expect(translation.leftOut.length).toBe(isOut ? 1 : 0);
  });

  test('is judged by the bounds of its code', () => {
    expect(found(lab([loinc('2345-7')], 'g/L'))[0]).toEqual(['value.implausible', null]);
  });
});

describe('with CHARTGATE_STANDARD_CODES=park', () => {
  const park = { standardCodes: 'park' } as const;
  test('a document waits whose codes are LOINC alone, and says why', () => {
    for (const unmapped of ['park', 'leave-out', 'pass-through'] as const) {
      const translation = read([coded([loinc('29463-7')]), { code: 'height', value: '178', unit: 'cm' }], {
        ...park,
        unmapped,
      });
      expect([translation.trouble, found(translation)]).toEqual(['unmapped', [['code.standard', 'loinc 29463-7']]]);
    }
    const lab = aLabResult({
      resource: aLabBundleOf([labTest('', { value: '90', unit: 'mg/dL' }, { code: { coding: [loinc('2345-7')] } })]),
    });
    expect([translated(lab, park).trouble, found(translated(lab, park))]).toEqual([
      'unmapped',
      [['code.standard', 'loinc 2345-7']],
    ]);
  });

  test('a LOINC code beside a mapped one of the source does not matter', () => {
    expect(read([coded([own('weight'), loinc('29463-7')])], park).trouble).toBeNull();
  });
});
