import { describe, expect, test } from '@jest/globals';
import { aClinicalReadyOf, DAY, type Metric } from '../../support/payloads/index.ts';
import { codesOf, observationsOf, translated } from '../../support/translated.ts';
import { problemsOf } from '../../support/translate-steps.ts';

const POINT = { start: '2026-11-14T07:00:00+01:00', end: '2026-11-14T07:00:00+01:00' };
const NIGHT = { start: '2026-11-13T22:30:00+01:00', end: '2026-11-14T06:15:00+01:00' };

type Row = [
  summary: 'body' | 'physical' | 'sleep',
  code: string,
  context: string | undefined,
  window: { start: string; end: string },
  input: string,
  codes: string[],
  output: string,
  category: string,
];
const LOINC = 'http://loinc.org';

/** Specification 2.3 by terminology 1.3: what each summary reads, in each context that makes sense of it. */
const TABLE: Row[] = [
  ['body', 'weight', undefined, POINT, '71.25 kg', ['29463-7'], '71.25 kg', 'vital-signs'],
  ['body', 'weight', 'daily_average', DAY, '71.25 kg', ['29463-7'], '71.25 kg', 'vital-signs'],
  ['body', 'weight', undefined, POINT, '154 [lb_av]', ['29463-7'], '69.9 kg', 'vital-signs'],
  ['body', 'height', undefined, POINT, '178 cm', ['8302-2'], '178 cm', 'vital-signs'],
  ['body', 'height', undefined, POINT, '1.78 m', ['8302-2'], '178 cm', 'vital-signs'],
  ['body', 'bmi', undefined, POINT, '22.50 kg/m2', ['39156-5'], '22.50 kg/m2', 'vital-signs'],
  ['body', 'resting_heart_rate', undefined, POINT, '58 /min', ['40443-4', '8867-4'], '58 /min', 'vital-signs'],
  ['body', 'resting_heart_rate', 'daily_average', DAY, '58 /min', ['40443-4', '8867-4'], '58 /min', 'vital-signs'],
  ['body', 'spo2', undefined, POINT, '97.5 %', ['59408-5', '2708-6'], '97.5 %', 'vital-signs'],
  ['body', 'spo2', 'daily_average', DAY, '97.5 %', ['103209-3'], '97.5 %', 'vital-signs'],
  ['body', 'caloric_intake', undefined, DAY, '2150 kcal', ['9057-1'], '2150 kcal/(24.h)', 'activity'],
  ['body', 'caloric_intake', undefined, DAY, '8995.6 kJ', ['9057-1'], '2150 kcal/(24.h)', 'activity'],
  ['body', 'caloric_intake', undefined, NIGHT, '2150 kcal', ['9052-2'], '2150 kcal', 'activity'],
  ['body', 'caloric_intake', undefined, NIGHT, '4184 kJ', ['9052-2'], '1000 kcal', 'activity'],
  ['physical', 'steps', undefined, DAY, '8421 {steps}', ['41950-7'], '8421 /d', 'activity'],
  ['physical', 'steps', undefined, NIGHT, '8421 {steps}', ['55423-8'], '8421 {steps}', 'activity'],
  ['physical', 'distance', undefined, DAY, '6120.40 m', ['103208-5'], '6120.40 m', 'activity'],
  ['physical', 'average_heart_rate', 'daily_average', DAY, '82 /min', ['103205-1'], '82 /min', 'vital-signs'],
  ['physical', 'average_heart_rate', undefined, DAY, '82 /min', ['103205-1'], '82 /min', 'vital-signs'],
  ['physical', 'vo2max', undefined, DAY, '41.2 mL/kg/min', ['94122-9'], '41.2 mL/kg/min', 'activity'],
  ['physical', 'spo2', undefined, POINT, '96.8 %', ['59408-5', '2708-6'], '96.8 %', 'vital-signs'],
  ['physical', 'spo2', 'session', POINT, '96.8 %', ['103209-3'], '96.8 %', 'vital-signs'],
  ['sleep', 'sleep_duration', undefined, NIGHT, '26100 s', ['93832-4'], '7.25 h', 'activity'],
  ['sleep', 'sleep_light', undefined, NIGHT, '7200 s', ['93830-8'], '120 min', 'activity'],
  ['sleep', 'sleep_deep', undefined, NIGHT, '5400 s', ['93831-6'], '90 min', 'activity'],
  ['sleep', 'sleep_rem', undefined, NIGHT, '5700 s', ['93829-0'], '95 min', 'activity'],
  ['sleep', 'sleep_awake', undefined, NIGHT, '600 s', ['93828-2'], '10 min', 'activity'],
  ['sleep', 'sleep_latency', undefined, NIGHT, '780 s', ['103212-7'], '13 min', 'activity'],
  ['sleep', 'breathing_rate', undefined, POINT, '14 /min', ['9279-1'], '14 /min', 'vital-signs'],
  ['sleep', 'breathing_rate', 'daily_average', NIGHT, '14.5 /min', ['103217-6'], '14.5 /min', 'vital-signs'],
  ['sleep', 'spo2', undefined, POINT, '95 %', ['59408-5', '2708-6'], '95 %', 'vital-signs'],
  ['sleep', 'spo2', 'daily_average', NIGHT, '95 %', ['103209-3'], '95 %', 'vital-signs'],
];
const SOURCE_CATEGORY = { body: 'vital-signs', physical: 'activity', sleep: 'survey' } as const;

function metricOf([summary, code, context, window, input]: Row): Metric {
  const [value = '', unit = ''] = input.split(' ');
  return {
    code,
    category: SOURCE_CATEGORY[summary],
    display: `Display of ${code}`,
    value,
    unit,
    ...window,
    ...(context === undefined ? {} : { context }),
  };
}

describe.each(TABLE)('%s: %s, context %s, %j, %s', (...row) => {
  const [summary, code, context, window, , codes, output, category] = row;
  const translation = translated(aClinicalReadyOf([metricOf(row)]));
  const [one, ...others] = observationsOf(translation);
  const [value = '', unit = ''] = output.split(' ');

  test('becomes one valid Observation, LOINC first, companions next, the source coding last', () => {
    expect(others).toEqual([]);
    expect(problemsOf(translation)).toEqual([]);
    expect(translation.trouble).toBeNull();
    expect(one).toMatchObject({
      status: 'final',
      code: {
        coding: [
          ...codes.map((target) => ({ system: LOINC, code: target })),
          { system: 'urn:example:health-data-service:codes', code },
        ],
        text: `Display of ${code}`,
      },
    });
    expect(codesOf(one?.['code'])).toHaveLength(codes.length + 1);
  });

  test('has its value in the unit of its profile, and its period as it was given', () => {
    expect(JSON.stringify(one)).toContain(`"valueQuantity":{"value":${value},`);
    expect(one).toMatchObject({
      valueQuantity: { system: 'http://unitsofmeasure.org', code: unit, unit: expect.stringMatching(/./) },
    });
    if (window === POINT)
      expect([one?.['effectiveDateTime'], one?.['effectivePeriod']]).toContainEqual(
        one?.['effectiveDateTime'] === undefined ? window : window.start,
      );
    else expect(one).toMatchObject({ effectivePeriod: window });
  });

  test('has the category of HL7 first, its summary as group, and keeps its context', () => {
    expect(codesOf((one?.['category'] as unknown[])[0])[0]).toBe(category);
    expect(translation.wanted).toMatchObject([{ group: summary, chartDay: expect.stringMatching(/^2026-11-1[34]$/) }]);
    expect(one?.['extension'] ?? []).toEqual(
      context === undefined ? [] : [{ url: 'urn:example:health-data-service:context', valueString: context }],
    );
  });

  test('is marked as supplied by the patient, who performed it', () => {
    expect(one).toMatchObject({
      meta: { tag: [{ system: 'http://hl7.org/fhir/us/core/CodeSystem/us-core-tags', code: 'patient-supplied' }] },
      subject: { reference: translation.patient.reference },
      performer: [{ reference: translation.patient.reference }],
    });
  });
});

test('an entry without a category has the one of its row, and nothing empty beside it', () => {
  const translation = translated(aClinicalReadyOf([{ code: 'weight', category: '' }]));
  expect(problemsOf(translation)).toEqual([]);
  expect(codesOf((observationsOf(translation)[0]?.['category'] as unknown[])[0])).toEqual(['vital-signs']);
});

describe('what has no mapping', () => {
  const UNKNOWN: Metric = { code: 'nobody_knows_it', value: '5.0', unit: 'kg' };

  test('parks the document, whole, and says which code it was', () => {
    const { trouble, findings } = translated(aClinicalReadyOf([UNKNOWN, { code: 'weight' }]));
    expect(trouble).toBe('unmapped');
    expect(findings).toMatchObject([{ code: 'code.unmapped', what: expect.stringContaining('nobody_knows_it') }]);
  });

  test('passes with the source coding alone where that is configured', () => {
    const translation = translated(aClinicalReadyOf([UNKNOWN]), { unmapped: 'pass-through' });
    expect(translation.trouble).toBeNull();
    expect(codesOf(observationsOf(translation)[0]?.['code'])).toEqual(['nobody_knows_it']);
    expect(problemsOf(translation)).toEqual([]);
  });

  test.each<[string, Metric, string]>([
    ['a context', { code: 'weight', context: 'weekly_average' }, 'context.unmapped'],
    ['a unit', { code: 'weight', unit: 'stones of old', ucum: '{old}' }, 'unit.unmapped'],
    ['a unit of another dimension', { code: 'weight', unit: 'cm' }, 'unit.unmapped'],
    ['a code of another system', { code: 'weight', system: 'urn:other' }, 'code.unmapped'],
  ])('parks also for %s', (_, metric, finding) => {
    const { trouble, findings } = translated(aClinicalReadyOf([metric]));
    expect(trouble).toBe('unmapped');
    expect(findings.map(({ code }) => code)).toContain(finding);
  });

  test.each<[string, Metric]>([
    ['a context', { code: 'weight', context: 'weekly_average' }],
    ['a unit', { code: 'weight', unit: 'stones of old', ucum: '{old}', value: '11' }],
  ])('never gets a LOINC code for %s that nobody mapped, and stays valid', (_, metric) => {
    const translation = translated(aClinicalReadyOf([metric]), { unmapped: 'pass-through' });
    expect(codesOf(observationsOf(translation)[0]?.['code'])).toEqual(['weight']);
    expect(problemsOf(translation)).toEqual([]);
  });
});

describe('plausibility', () => {
  test('a value outside the hard range waits for a person', () => {
    const { trouble, findings } = translated(aClinicalReadyOf([{ code: 'weight', value: '7000' }]));
    expect([trouble, findings.map(({ code }) => code)]).toEqual(['implausible', ['value.implausible']]);
  });

  test('a value outside the soft range is sent with a note and counted', () => {
    const translation = translated(aClinicalReadyOf([{ code: 'weight', value: '300' }]));
    expect([translation.trouble, translation.findings.map(({ code }) => code)]).toEqual([null, ['value.rare']]);
    expect(observationsOf(translation)).toMatchObject([{ note: [{ text: expect.stringMatching(/./) }] }]);
  });

  test('is judged after conversion', () => {
    expect(translated(aClinicalReadyOf([{ code: 'height', value: '1.78', unit: 'm' }])).findings).toEqual([]);
    expect(translated(aClinicalReadyOf([{ code: 'height', value: '1.78', unit: 'cm' }])).trouble).toBe('implausible');
  });
});

test('HRV without its statistic, and RMSSD, never get the code of SDNN', () => {
  for (const code of ['hrv', 'hrv_rmssd']) {
    const codes = codesOf(
      observationsOf(translated(aClinicalReadyOf([{ code, value: '44', unit: 'ms' }])))[0]?.['code'],
    );
    expect(codes).not.toContain('112429-6');
    expect(codes).not.toContain('80404-7');
  }
});

test('a status other than final goes on as it is', () => {
  const statuses = ['preliminary', 'amended', 'corrected', 'entered-in-error', 'cancelled', 'unknown'];
  for (const status of statuses)
    expect(observationsOf(translated(aClinicalReadyOf([{ code: 'weight', status }])))).toMatchObject([{ status }]);
});
