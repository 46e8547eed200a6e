import { describe, expect, test } from '@jest/globals';
import { addDays, daysOf, deviceOf, makePerson, type DaySummary, type SourceDay } from '../../population/index.ts';
import {
  asSent,
  buildClinicalReady,
  buildGranularEvents,
  cleanDay,
  nextClinicalReady,
  type ClinicalObservation,
  type SummaryGroup,
} from '../../summaries/index.ts';

const ABOUT = { clientUuid: 'client-1', userId: 'user-1' };
const AT = Date.parse('2026-06-20T15:00:00Z');
const START = Date.parse('2026-06-18T18:30:00Z');
/** Everything that there is, in a half-hour zone. */
const SUMMARY: DaySummary = {
  date: '2026-06-19',
  zone: 'Asia/Kolkata',
  startsAt: START,
  endsAt: START + 86_400_000,
  body: {
    weightKg: 80.4,
    heightCm: 178,
    bmi: 25.4,
    systolic: 121,
    diastolic: 79,
    restingHeartRate: 58,
    hrvMs: 44.1,
    spo2: 97.2,
    caloricIntakeKcal: 2_140,
  },
  physical: {
    steps: 9_120,
    distanceM: 6_702,
    averageHeartRate: 74,
    maxHeartRate: 151,
    minHeartRate: 50,
    vo2max: 41.2,
    spo2: 97.4,
    activeSeconds: 5_000,
    activeKcal: 420,
  },
  sleep: {
    startedAt: START - 3_600_000,
    endedAt: START + 6 * 3_600_000,
    durationS: 24_000,
    inBedS: 25_200,
    remS: 5_000,
    deepS: 4_000,
    lightS: 15_000,
    awakeS: 900,
    breathingRate: 14.8,
    spo2: 96.5,
    latencyS: 300,
    isComplete: true,
  },
  sources: ['RingWearable'],
  sourceOf: { 'body.weightKg': 'ConnectedScale' },
};
const build = (group: SummaryGroup, summary = SUMMARY) => {
  const payload = buildClinicalReady({ about: ABOUT, summary, group, documentVersion: 3, at: AT, deviceOf: null });
  if (payload === null) throw new Error('no payload');
  return payload;
};
const observationsOf = (group: SummaryGroup, summary = SUMMARY): ClinicalObservation[] =>
  build(group, summary).clinical_ready.clinical_ready_data.entry.flatMap(({ resource }) =>
    resource.resourceType === 'Observation' ? [resource] : [],
  );

describe('2.3 clinical_ready, the clinical data of each summary', () => {
  const rows: readonly (readonly [SummaryGroup, string, readonly (readonly [string, number, string])[]])[] = [
    [
      'body',
      'vital-signs',
      [
        ['weight', 80.4, 'kg'],
        ['height', 178, 'cm'],
        ['bmi', 25.4, 'kg/m2'],
        ['blood_pressure_systolic', 121, 'mm[Hg]'],
        ['blood_pressure_diastolic', 79, 'mm[Hg]'],
        ['resting_heart_rate', 58, '/min'],
        ['spo2', 97.2, '%'],
        ['caloric_intake', 2_140, 'kcal'],
      ],
    ],
    [
      'physical',
      'activity',
      [
        ['steps', 9_120, '{steps}'],
        ['distance', 6_702, 'm'],
        ['average_heart_rate', 74, '/min'],
        ['vo2max', 41.2, 'mL/kg/min'],
        ['spo2', 97.4, '%'],
      ],
    ],
    [
      'sleep',
      'survey',
      [
        ['sleep_duration', 24_000, 's'],
        ['sleep_rem', 5_000, 's'],
        ['sleep_deep', 4_000, 's'],
        ['sleep_light', 15_000, 's'],
        ['sleep_awake', 900, 's'],
        ['breathing_rate', 14.8, '/min'],
        ['spo2', 96.5, '%'],
        ['sleep_latency', 300, 's'],
      ],
    ],
  ];

  test.each(rows)(
    '%s_summary: category %s, one Observation for each metric with a service code and none for others',
    (group, category, metrics) => {
      const observations = observationsOf(group);
      expect(
        observations.map(({ code, valueQuantity }) => [code.coding[0]?.code, valueQuantity.value, valueQuantity.code]),
      ).toEqual(metrics);
      for (const one of observations) expect(one.category[0]?.coding[0]?.code).toBe(category);
    },
  );

  test('a metric that was not measured is left out, and a summary with nothing to say makes no document', () => {
    const without = { ...SUMMARY, body: SUMMARY.body && { ...SUMMARY.body, weightKg: null } };
    expect(observationsOf('body', without).map(({ code }) => code.coding[0]?.code)).not.toContain('weight');
    const empty = { ...SUMMARY, body: null };
    expect(
      buildClinicalReady({ about: ABOUT, summary: empty, group: 'body', documentVersion: 1, at: AT, deviceOf: null }),
    ).toBeNull();
    const uncoded = Object.fromEntries(
      Object.keys(SUMMARY.body ?? {}).map((name) => [name, name === 'hrvMs' ? 40 : null]),
    );
    const onlyHrv = { ...SUMMARY, body: uncoded as unknown as DaySummary['body'] };
    expect(
      buildClinicalReady({ about: ABOUT, summary: onlyHrv, group: 'body', documentVersion: 1, at: AT, deviceOf: null }),
    ).toBeNull();
  });
});

describe('2.3 clinical_ready, the fields', () => {
  const payload = build('body');
  const { metadata, clinical_ready_data: bundle } = payload.clinical_ready;

  test('of the payload', () => {
    expect(payload).toMatchObject({
      version: 1,
      document_version: 3,
      data_structure: 'clinical_ready',
      user_id: 'user-1',
      client_uuid: 'client-1',
    });
    expect(metadata).toEqual({
      datetime_string: '2026-06-19T23:59:59+05:30',
      user_id: 'user-1',
      sources_of_data_array: expect.arrayContaining(['ConnectedScale']),
      fhir_export_ready: true,
      fhir_export_completed_at: '2026-06-20T15:00:00Z',
    });
  });

  test('of the Bundle', () => {
    expect(bundle).toMatchObject({ resourceType: 'Bundle', type: 'collection', timestamp: '2026-06-20T15:00:00Z' });
    expect(bundle.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(bundle.meta.profile).toHaveLength(1);
    expect(bundle.meta.source).not.toBe('');
    for (const tag of bundle.meta.tag) expect(Object.keys(tag).sort()).toEqual(['code', 'display', 'system']);
    expect(bundle.entry.filter(({ resource }) => resource.resourceType === 'Patient')).toHaveLength(1);
    expect(bundle.entry.filter(({ resource }) => resource.resourceType === 'Observation')).toHaveLength(8);
  });

  test('of the Patient entry', () => {
    const [entry] = bundle.entry;
    expect(entry?.fullUrl).toMatch(/^urn:uuid:[0-9a-f-]{36}$/);
    expect(entry?.resource).toMatchObject({ resourceType: 'Patient', identifier: [{ value: 'user-1' }] });
    expect(Object.keys(entry?.resource ?? {}).sort()).toEqual(['id', 'identifier', 'meta', 'resourceType']);
    expect(entry?.resource.meta.source).not.toBe('');
  });

  test('of an Observation entry', () => {
    const [, entry] = bundle.entry;
    expect(entry?.fullUrl).toBe(`urn:uuid:${entry?.resource.id ?? ''}`);
    expect(entry?.resource).toEqual({
      resourceType: 'Observation',
      id: expect.any(String),
      meta: { source: 'urn:example:health-data-service:sources:ConnectedScale' },
      status: 'final',
      category: [
        { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
      ],
      code: { coding: [{ system: 'urn:example:health-data-service:codes', code: 'weight', display: 'Body weight' }] },
      subject: { reference: bundle.entry[0]?.fullUrl },
      effectivePeriod: { start: '2026-06-19T00:00:00+05:30', end: '2026-06-19T23:59:59+05:30' },
      valueQuantity: { value: 80.4, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
    });
  });

  test('an extension says daily_average where the value is one', () => {
    const withContext = (['body', 'physical', 'sleep'] as const).flatMap((group) =>
      observationsOf(group).flatMap(({ extension, code }) =>
        extension === undefined ? [] : [[code.coding[0]?.code, extension]],
      ),
    );
    const extension = [{ url: 'urn:example:health-data-service:context', valueString: 'daily_average' }];
    expect(withContext).toEqual(
      ['spo2', 'average_heart_rate', 'spo2', 'breathing_rate', 'spo2'].map((code) => [code, extension]),
    );
  });
});

describe('2.3 clinical_ready, new versions', () => {
  const question = { about: ABOUT, summary: SUMMARY, group: 'body' as const, at: AT, deviceOf: null };
  const first = nextClinicalReady(null, question);
  if (first === null) throw new Error('no payload');

  test('none without new data, and none when only the source or the time of writing is another', () => {
    expect(nextClinicalReady(asSent(first), { ...question, at: AT + 1 })).toBeNull();
    expect(nextClinicalReady(asSent(first), { ...question, summary: { ...SUMMARY, sourceOf: {} } })).toBeNull();
  });

  test('one when clinical content changes, under the same names', () => {
    const body = SUMMARY.body && { ...SUMMARY.body, weightKg: 80.5 };
    const second = nextClinicalReady(asSent(first), { ...question, summary: { ...SUMMARY, body } });
    expect(second?.document_version).toBe(2);
    const namesOf = (payload: typeof first): unknown => [
      payload.clinical_ready.clinical_ready_data.id,
      ...payload.clinical_ready.clinical_ready_data.entry.map(({ fullUrl }) => fullUrl),
    ];
    expect(second && namesOf(second)).toEqual(namesOf(first));
  });

  test('none when what has no service code changes', () => {
    const body = SUMMARY.body && { ...SUMMARY.body, hrvMs: 12 };
    expect(nextClinicalReady(asSent(first), { ...question, summary: { ...SUMMARY, body } })).toBeNull();
  });

  test('a correction may take a metric back, but never the last one', () => {
    const body = SUMMARY.body && { ...SUMMARY.body, spo2: null };
    const second = nextClinicalReady(asSent(first), { ...question, summary: { ...SUMMARY, body } });
    expect(JSON.stringify(second)).not.toContain('spo2');
    expect(nextClinicalReady(asSent(first), { ...question, summary: { ...SUMMARY, body: null } })).toBeNull();
  });

  test('documents of other users, clients, groups and dates have other names', () => {
    const idOf = (change: Partial<typeof question>): string | undefined =>
      nextClinicalReady(null, { ...question, ...change })?.clinical_ready.clinical_ready_data.id;
    const ids = [
      idOf({}),
      idOf({ about: { ...ABOUT, userId: 'user-2' } }),
      idOf({ about: { ...ABOUT, clientUuid: 'client-2' } }),
      idOf({ summary: { ...SUMMARY, date: '2026-06-20' } }),
      nextClinicalReady(null, { ...question, group: 'sleep' })?.clinical_ready.clinical_ready_data.id,
    ];
    expect(new Set(ids).size).toBe(5);
  });
});

describe('2.4 device_source_data_array', () => {
  const PERSON = makePerson(5, 0);
  const KINDS = ['blood_glucose', 'blood_pressure', 'spo2', 'temperature', 'ecg', 'heart_rate', 'hrv'] as const;
  const day: SourceDay = {
    dataSource: '',
    date: SUMMARY.date,
    zone: SUMMARY.zone,
    startsAt: SUMMARY.startsAt,
    endsAt: SUMMARY.endsAt,
    revision: 1,
    syncedAt: AT,
    body: null,
    physical: null,
    sleep: null,
    samples: KINDS.map((kind) => ({ kind, at: SUMMARY.startsAt, values: [90, 60] })),
    hourlySteps: [],
  };
  const withDevice = (dataSource: string, isActive = true): string[] =>
    buildGranularEvents({
      about: ABOUT,
      day: { ...day, dataSource },
      samples: day.samples,
      isTimeZone: true,
      device: isActive ? deviceOf(PERSON, dataSource) : null,
    }).flatMap((payload) => (payload.device_source_data_array === undefined ? [] : [payload.data_structure]));

  const FOUR = [
    'body_blood_glucose_event',
    'body_blood_pressure_event',
    'body_oxygenation_event',
    'body_temperature_event',
  ];
  test.each([
    ['iOS health aggregator', 'IosHealth', [...FOUR, 'body_ecg_event']],
    [
      'connected-scale and cuff vendor API',
      'ConnectedScale',
      ['blood_pressure_event', 'temperature_event', 'oxygenation_event', 'ecg_event'],
    ],
    ['continuous glucose monitor vendor API', 'GlucoseMonitor', ['blood_glucose_event']],
    ['Android health aggregator', 'AndroidHealth', FOUR],
    ['phone-maker health app', 'PhoneMakerHealth', FOUR],
    ['any other source', 'RingWearable', []],
  ])('%s', (_, dataSource, events) => {
    expect(withDevice(dataSource).sort()).toEqual([...events].sort());
    expect(withDevice(dataSource, false)).toEqual([]);
  });

  test.each(['IosHealth', 'ConnectedScale', 'GlucoseMonitor', 'AndroidHealth', 'PhoneMakerHealth', 'RingWearable'])(
    'the fields for %s',
    (dataSource) => {
      const grade =
        dataSource === 'ConnectedScale' || dataSource === 'GlucoseMonitor'
          ? true
          : dataSource === 'RingWearable'
            ? false
            : null;
      expect(deviceOf(PERSON, dataSource)).toEqual({
        device_type_string: expect.any(String),
        manufacturer_string: expect.any(String),
        medical_grade_bool: grade,
        model_string: expect.any(String),
        source_type_string: expect.any(String),
      });
    },
  );

  test('the sources of the simulated people make every event of the table', () => {
    const made = new Set<string>();
    for (const dataSource of ['IosHealth', 'ConnectedScale', 'GlucoseMonitor', 'AndroidHealth', 'PhoneMakerHealth'])
      for (let i = 0; i < 30; i += 1)
        for (const one of daysOf(5, PERSON, dataSource, addDays('2026-06-01', i)).slice(-1))
          for (const payload of buildGranularEvents({
            about: ABOUT,
            day: one,
            samples: one.samples,
            isTimeZone: true,
            device: deviceOf(PERSON, dataSource),
          }))
            if (payload.device_source_data_array !== undefined) made.add(`${dataSource} ${payload.data_structure}`);
    expect(made.size).toBe(5 + 4 + 1 + 4 + 4);
  });

  test('a clinical document carries the devices of its sources while the add-on is active', () => {
    const days = daysOf(5, PERSON, 'IosHealth', '2026-06-04').slice(-1);
    const summary = cleanDay(days, { isCleaning: true, isTimeZone: true });
    if (summary === null) throw new Error('no summary');
    const question = { about: ABOUT, summary, group: 'body' as const, at: AT };
    const device = (name: string) => deviceOf(PERSON, name);
    expect(nextClinicalReady(null, { ...question, deviceOf: device })?.device_source_data_array).toEqual([
      device('IosHealth'),
    ]);
    expect(nextClinicalReady(null, { ...question, deviceOf: null })).not.toHaveProperty('device_source_data_array');
  });
});

describe('9 clinical_ready', () => {
  const question = { about: ABOUT, summary: SUMMARY, group: 'sleep' as const, at: AT, deviceOf: null };

  test('payload version 1, document_version from 1', () => {
    expect(nextClinicalReady(null, question)).toMatchObject({ version: 1, document_version: 1 });
  });

  test('document_version changes only when clinical content changes', () => {
    const sent = { documentVersion: 4, digest: 'another' };
    const next = nextClinicalReady(sent, question);
    expect(next?.document_version).toBe(5);
    expect(next && nextClinicalReady(asSent(next), question)).toBeNull();
  });
});
