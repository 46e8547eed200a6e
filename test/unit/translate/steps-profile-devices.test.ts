import { describe, expect, test } from '@jest/globals';
import {
  aClinicalReadyOf,
  aStepsEvent,
  aUserProfile,
  partAt,
  withAt,
  type Json,
} from '../../support/payloads/index.ts';
import {
  bytesOf,
  codesOf,
  danglingIn,
  interpretationsIn,
  nameOf,
  observationsOf,
  observationWith,
  resourcesOf,
  translated,
} from '../../support/translated.ts';
import { problemsOf } from '../../support/translate-steps.ts';

describe('steps_event', () => {
  test('is the running total of a local day: preliminary, from midnight to the event', () => {
    const translation = translated(aStepsEvent());
    expect(problemsOf(translation)).toEqual([]);
    const [one, ...others] = observationsOf(translation);
    expect(others).toEqual([]);
    expect(codesOf(one?.['code'])).toContain('55423-8');
    expect(codesOf(one?.['code'])).not.toContain('41950-7');
    expect(one).toMatchObject({
      status: 'preliminary',
      category: [{ coding: [{ code: 'activity' }] }],
      effectivePeriod: { start: '2026-11-14T00:00:00+01:00', end: '2026-11-14T10:00:00+01:00' },
      valueQuantity: { value: 4200, code: '{steps}' },
    });
  });

  const counts = (events: readonly (readonly [string, number])[]): unknown[] =>
    observationsOf(translated(aStepsEvent({ events }))).map((one) => [
      partAt(one, 'effectivePeriod.end'),
      partAt(one, 'valueQuantity.value'),
    ]);

  test('of several hours of one day is the highest count', () => {
    const hours = [
      ['2026-11-14T09:00:00+01:00', 100],
      ['2026-11-14T11:00:00+01:00', 300],
      ['2026-11-14T10:00:00+01:00', 200],
    ] as const;
    expect(counts(hours)).toEqual([['2026-11-14T11:00:00+01:00', 300]]);
    expect(counts([...hours].reverse())).toEqual(counts(hours));
  });

  test('of several days is one Observation for each, with names of their own', () => {
    const days = [
      ['2026-11-13T23:00:00+01:00', 9000],
      ['2026-11-14T09:00:00+01:00', 100],
    ] as const;
    expect(counts(days)).toHaveLength(2);
    expect(new Set(observationsOf(translated(aStepsEvent({ events: days }))).map(nameOf)).size).toBe(2);
  });

  test('of equal counts is the same bytes in whatever order they came', () => {
    const equal = [
      ['2026-11-14T09:00:00+01:00', 100],
      ['2026-11-14T10:00:00+01:00', 100],
    ] as const;
    expect(bytesOf(translated(aStepsEvent({ events: [...equal].reverse() })))).toBe(
      bytesOf(translated(aStepsEvent({ events: equal }))),
    );
    expect(counts(equal)).toEqual([['2026-11-14T09:00:00+01:00', 100]]);
  });

  test('takes the day from the offset that its time is written with', () => {
    const [one] = observationsOf(translated(aStepsEvent({ at: '2026-11-15T00:30:00+05:30' })));
    expect(one).toMatchObject({ effectivePeriod: { start: '2026-11-15T00:00:00+05:30' } });
    expect(translated(aStepsEvent({ at: '2026-11-15T00:30:00+05:30' })).wanted).toMatchObject([
      { chartDay: '2026-11-15' },
    ]);
  });
});

describe('user_profile', () => {
  const translation = translated(aUserProfile());

  test('is a report of a day that is not a laboratory report, over its scores, all valid', () => {
    expect(problemsOf(translation)).toEqual([]);
    expect(danglingIn(translation)).toEqual([]);
    expect(resourcesOf(translation, 'DiagnosticReport')).toMatchObject([
      {
        category: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0074', code: 'OTH' }] }],
        code: { coding: [{ system: 'http://loinc.org', code: '53576-5' }] },
        effectiveDateTime: '2026-11-14',
        conclusion: 'Synthetic observation.',
      },
    ]);
    expect(JSON.stringify(resourcesOf(translation, 'DiagnosticReport'))).toContain(
      '7d0c1a52-0000-4000-8000-00000000000a',
    );
    const overall = observationWith(translation, 'overall-health-score');
    expect(overall).toMatchObject({
      category: [{ coding: [{ code: 'survey' }] }],
      valueQuantity: { value: 79, code: '{score}' },
    });
    expect(overall['hasMember']).toHaveLength(4);
  });

  test('a domain that could not be computed is left out', () => {
    expect(
      observationsOf(translation)
        .flatMap((one) => codesOf(one['code']))
        .sort(),
    ).toEqual([
      'health-score-activity',
      'health-score-cardio',
      'health-score-recovery',
      'health-score-sleep',
      'overall-health-score',
    ]);
  });

  test('a wellness level is never an interpretation; a trend is one only for the better', () => {
    expect(new Set(interpretationsIn(resourcesOf(translation)))).toEqual(new Set(['B']));
  });

  test('low confidence stays visible beside its score', () => {
    const low = withAt(aUserProfile(), 'user_profile_data.profiles.activity.metrics.confidence_score_int', 3);
    const one = observationWith(translated(low), 'health-score-activity');
    expect(one).toMatchObject({
      valueQuantity: { value: 80 },
      note: expect.arrayContaining([expect.anything()]) as unknown,
    });
    const confidence = (one['component'] as Json[]).find(({ code }) => codesOf(code)[0] === 'confidence');
    expect(partAt(confidence, 'valueQuantity.value')).toBe(3);
  });

  test('averages of a week never have a code of a vital sign', () => {
    const loincs = observationsOf(translation).flatMap((one) => [
      ...codesOf(one['code']),
      ...((one['component'] ?? []) as Json[]).flatMap(({ code }) => codesOf(code)),
    ]);
    expect(loincs.filter((code) => /^\d+-\d$/.test(code))).toEqual([]);
  });

  test('demographics never appear', () => {
    const marked = withAt(aUserProfile(), 'user_profile_data.demographics', {
      sex_string: 'sex-marker',
      birth_year_int: 1943,
      country_string: 'country-marker',
      utc_offset_seconds_int: 12_345,
    });
    for (const secret of ['sex-marker', '1943', 'country-marker', '12345'])
      expect(bytesOf(translated(marked))).not.toContain(secret);
    expect(bytesOf(translated(marked))).toBe(bytesOf(translation));
  });

  test.each([
    ['metrics of a domain', 'user_profile_data.profiles.activity.metrics', null],
    ['one metric', 'user_profile_data.profiles.cardio.metrics.hrv_avg_float', null],
    ['the overall score', 'user_profile_data.overall', null],
    ['a score with metrics', 'user_profile_data.profiles.activity.score_int', null],
    [
      'the level and trend',
      'user_profile_data.profiles.activity',
      { score_int: 80, level_string: null, trend_string: null, metrics: null },
    ],
    ['the observations', 'user_profile_data.observations', []],
    ['the request', 'user_profile_data.metadata.request_id_string', null],
    ['the demographics', 'user_profile_data.demographics', null],
    ['the consistency of sleep', 'user_profile_data.profiles.sleep.metrics.sleep_consistency_dict', null],
  ])('without %s stays valid, and nothing becomes zero or null', (_, path, value) => {
    const without = translated(withAt(aUserProfile(), path, value));
    expect(problemsOf(without)).toEqual([]);
    expect(danglingIn(without)).toEqual([]);
    expect(without.trouble).toBeNull();
    expect(JSON.stringify(resourcesOf(without))).not.toMatch(/:null|"value":0[,}]/);
  });

  test('a metric that nobody knows does not get lost in silence', () => {
    const odd = translated(withAt(aUserProfile(), 'user_profile_data.profiles.activity.metrics.naps_avg_int', 3));
    expect(odd.findings.map(({ code }) => code)).toContain('code.unmapped');
  });
});

describe('devices', () => {
  const device = {
    device_type_string: 'scale',
    manufacturer_string: 'Example',
    medical_grade_bool: null,
    model_string: 'M1',
    source_type_string: 'sdk',
  };
  const with_ = (...devices: Json[]) =>
    translated(aClinicalReadyOf([{ code: 'weight' }], { fields: { device_source_data_array: devices } }));

  test('none: no Device, and no Observation refers to one', () => {
    expect(resourcesOf(with_(), 'Device')).toEqual([]);
    expect(observationsOf(with_())[0]).not.toHaveProperty('device');
  });

  test('one: the Observation refers to it', () => {
    const translation = with_(device);
    const [found] = translation.wanted.filter(({ resource }) => resource.resourceType === 'Device');
    expect(found?.resource).toMatchObject({
      status: 'active',
      manufacturer: 'Example',
      modelNumber: 'M1',
      deviceName: [{ name: 'M1', type: 'model-name' }],
      type: { coding: [{ system: 'urn:iso:std:iso:11073:10101', code: '528399' }], text: 'scale' },
      patient: { reference: translation.patient.reference },
    });
    expect(observationsOf(translation)).toMatchObject([{ device: { reference: found?.reference } }]);
  });

  test('several: no Observation says which, and the Provenance or a note names them all', () => {
    const translation = with_(device, { ...device, model_string: 'M2' });
    expect(observationsOf(translation)[0]).not.toHaveProperty('device');
    const devices = translation.wanted.filter(({ resource }) => resource.resourceType === 'Device');
    expect(devices).toHaveLength(2);
    const said = JSON.stringify([
      partAt(translation.provenance, 'resource.entity'),
      partAt(observationsOf(translation)[0], 'note'),
    ]);
    for (const { reference, resource } of devices)
      expect(said.includes(reference) || said.includes(String(resource['modelNumber']))).toBe(true);
  });

  test('the same one twice is one', () => {
    expect(resourcesOf(with_(device, device), 'Device')).toHaveLength(1);
    expect(observationsOf(with_(device, device))[0]).toHaveProperty('device');
  });

  test('their order does not matter', () => {
    const other = { ...device, model_string: 'M2' };
    expect(bytesOf(with_(device, other))).toBe(bytesOf(with_(other, device)));
  });

  test.each([true, false, null])('a medical grade of %s is a property only where it is known', (grade) => {
    const [one] = resourcesOf(with_({ ...device, medical_grade_bool: grade }), 'Device');
    expect(((one?.['property'] ?? []) as Json[]).map(({ type }) => codesOf(type)[0])).toEqual(
      grade === null ? [] : ['medical-grade'],
    );
  });

  test.each([
    [
      'all fields null',
      {
        device_type_string: null,
        manufacturer_string: null,
        medical_grade_bool: null,
        model_string: null,
        source_type_string: null,
      },
    ],
    ['only a type', { device_type_string: 'unheard-of thing' }],
    ['only a model', { model_string: 'M' }],
    ['empty texts', { device_type_string: '', manufacturer_string: '', model_string: '', source_type_string: '' }],
  ])('with %s the output stays valid', (_, one) => {
    const translation = with_(one);
    expect(problemsOf(translation)).toEqual([]);
    expect(danglingIn(translation)).toEqual([]);
  });
});
