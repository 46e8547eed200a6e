import { describe, expect, test } from '@jest/globals';
import {
  OTHER_CLIENT,
  OTHER_USER,
  aClinicalBundle,
  aClinicalReady,
  aLabBundle,
  aLabResult,
  aStepsEvent,
  aUserProfile,
  anAlertEvent,
  anAlertSummary,
  envelopeOf,
  partAt,
  withAt,
  withoutAt,
  type Json,
} from '../../support/payloads/index.ts';
import { faultOf, payloadOf } from './read.ts';

const SAMPLES = {
  clinical_ready: aClinicalReady,
  steps_event: aStepsEvent,
  user_profile: aUserProfile,
  alert_event: anAlertEvent,
  alert_summary: anAlertSummary,
  lab_result: aLabResult,
  other: (more: Parameters<typeof envelopeOf>[2] = {}): Json => ({
    ...envelopeOf('activity_summary', 2, more),
    ...more.fields,
  }),
} as const;
type Name = keyof typeof SAMPLES;
const NAMES = Object.keys(SAMPLES) as Name[];

const ENVELOPE = ['data_structure', 'client_uuid', 'user_id', 'version', 'document_version'];
const STEPS = 'physical_health.events.steps_event';
const PROFILE = 'user_profile_data';
const SIGNAL = 'alerts.alert_signals_array.0';

const REQUIRED: readonly (readonly [Name, string])[] = [
  ...NAMES.flatMap((name) => ENVELOPE.map((field) => [name, field] as const)),
  ...[
    'clinical_ready',
    'clinical_ready.metadata',
    'clinical_ready.metadata.datetime_string',
    'clinical_ready.metadata.user_id',
    'clinical_ready.clinical_ready_data',
    'clinical_ready.clinical_ready_data.resourceType',
    'clinical_ready.clinical_ready_data.type',
    'clinical_ready.clinical_ready_data.id',
    'clinical_ready.clinical_ready_data.entry',
    'clinical_ready.clinical_ready_data.entry.3.resource',
    'clinical_ready.clinical_ready_data.entry.3.resource.resourceType',
  ].map((path) => ['clinical_ready', path] as const),
  ...[
    'physical_health',
    'physical_health.events',
    STEPS,
    `${STEPS}.0.metadata`,
    `${STEPS}.0.metadata.datetime_string`,
    `${STEPS}.0.metadata.user_id_string`,
    `${STEPS}.0.steps`,
    `${STEPS}.0.steps.accumulated_steps_int`,
  ].map((path) => ['steps_event', path] as const),
  ...[
    PROFILE,
    `${PROFILE}.metadata`,
    `${PROFILE}.metadata.datetime_string`,
    `${PROFILE}.metadata.user_id_string`,
    `${PROFILE}.profiles`,
    ...['activity', 'sleep', 'cardio', 'recovery', 'body'].map((domain) => `${PROFILE}.profiles.${domain}`),
  ].map((path) => ['user_profile', path] as const),
  ...(['alert_event', 'alert_summary'] as const).flatMap((name) =>
    [
      'metadata',
      'metadata.datetime_string',
      'metadata.user_id_string',
      'alerts',
      'alerts.alert_signals_array',
      `${SIGNAL}.signal_type_string`,
      `${SIGNAL}.is_default_config_bool`,
    ].map((path) => [name, path] as const),
  ),
  ['alert_event', 'alerts.triggered_at_string'],
  ...[
    'metadata.summary_date_string',
    'alerts.total_alerts_int',
    'alerts.summary_period_start_string',
    'alerts.summary_period_end_string',
  ].map((path) => ['alert_summary', path] as const),
];

test.each(REQUIRED)('%s without %s is of the wrong shape, at that place', (name, path) => {
  expect(faultOf(withoutAt(SAMPLES[name](), path))).toEqual(['payload.shape', path]);
});

const WRONG: readonly (readonly [Name, string, unknown])[] = [
  ...NAMES.flatMap((name): [Name, string, unknown][] => [
    [name, 'data_structure', ''],
    [name, 'data_structure', 1],
    [name, 'client_uuid', null],
    [name, 'client_uuid', ['x']],
    [name, 'user_id', 17],
    [name, 'user_id', null],
    [name, 'user_id', { id: 'x' }],
    [name, 'version', '2'],
    [name, 'document_version', '1'],
    [name, 'document_version', 1.5],
    [name, 'document_version', -1],
    [name, 'document_version', null],
  ]),
  ['clinical_ready', 'clinical_ready', []],
  ['clinical_ready', 'clinical_ready.metadata.datetime_string', '14 November'],
  ['clinical_ready', 'clinical_ready.metadata.user_id', 1],
  ['clinical_ready', 'clinical_ready.metadata.sources_of_data_array', 'ring'],
  ['clinical_ready', 'clinical_ready.clinical_ready_data.resourceType', 'Patient'],
  ['clinical_ready', 'clinical_ready.clinical_ready_data.type', 'transaction'],
  ['clinical_ready', 'clinical_ready.clinical_ready_data.id', ''],
  ['clinical_ready', 'clinical_ready.clinical_ready_data.entry', {}],
  ['clinical_ready', 'clinical_ready.clinical_ready_data.entry.0', null],
  ['steps_event', STEPS, []],
  ['steps_event', STEPS, {}],
  ['steps_event', `${STEPS}.0.steps.accumulated_steps_int`, -1],
  ['steps_event', `${STEPS}.0.steps.accumulated_steps_int`, 1.5],
  ['steps_event', `${STEPS}.0.steps.accumulated_steps_int`, '4200'],
  ['steps_event', `${STEPS}.0.steps.accumulated_steps_int`, null],
  ['steps_event', `${STEPS}.0.metadata.datetime_string`, '2026-11-14'],
  ['steps_event', 'auto_detected', 'true'],
  ['user_profile', `${PROFILE}.profiles.sleep`, null],
  ['user_profile', `${PROFILE}.profiles.sleep.score_int`, 101],
  ['user_profile', `${PROFILE}.profiles.sleep.score_int`, -1],
  ['user_profile', `${PROFILE}.profiles.sleep.score_int`, '65'],
  ['user_profile', `${PROFILE}.profiles.sleep.metrics`, 'none'],
  ['user_profile', `${PROFILE}.overall.confidence_score_int`, 64.5],
  ['user_profile', `${PROFILE}.observations`, {}],
  ['alert_event', 'alerts.alert_signals_array', []],
  ['alert_event', `${SIGNAL}.measured_value_float`, '90.5'],
  ['alert_event', `${SIGNAL}.is_default_config_bool`, null],
  ['alert_event', `${SIGNAL}.measured_at_string`, 'night'],
  ['alert_summary', 'metadata.summary_date_string', '2026-02-30'],
  ['alert_summary', 'metadata.summary_date_string', '14.11.2026'],
  ['alert_summary', 'alerts.total_alerts_int', '1'],
  ['alert_summary', 'alerts.alert_signals_array', null],
];

test.each(WRONG)('%s with %s of %j is of the wrong shape', (name, path, value) => {
  const [code, at = ''] = faultOf(withAt(SAMPLES[name](), path, value));
  expect([code, at.startsWith(path)]).toEqual(['payload.shape', true]);
});

test.each([[null], [undefined], [[]], ['text'], [1], [true], [{}]])('%j is of the wrong shape', (value) => {
  expect(faultOf(value)[0]).toBe('payload.shape');
});

test('an alert_event with two signals is of the wrong shape', () => {
  const signal = partAt(anAlertEvent(), SIGNAL);
  expect(faultOf(withAt(anAlertEvent(), 'alerts.alert_signals_array', [signal, signal]))).toEqual([
    'payload.shape',
    'alerts.alert_signals_array',
  ]);
});

describe.each(NAMES)('the user id of %s', (name) => {
  test.each([1, 50])('may have %i characters', (length) => {
    expect(payloadOf(SAMPLES[name]({ userId: 'u'.repeat(length) })).envelope.userId).toBe('u'.repeat(length));
  });
  test.each([0, 51])('may not have %i characters', (length) => {
    expect(faultOf(SAMPLES[name]({ userId: 'u'.repeat(length) }))).toEqual(['payload.shape', 'user_id']);
  });
});

describe('identities that disagree', () => {
  const DATA = 'clinical_ready.clinical_ready_data';
  const PLACES: readonly (readonly [Name, string])[] = [
    ['clinical_ready', 'clinical_ready.metadata.user_id'],
    ['steps_event', `${STEPS}.0.metadata.user_id_string`],
    ['user_profile', `${PROFILE}.metadata.user_id_string`],
    ['alert_event', 'metadata.user_id_string'],
    ['alert_summary', 'metadata.user_id_string'],
  ];

  test.each(PLACES)('%s: another user at %s', (name, path) => {
    expect(faultOf(withAt(SAMPLES[name](), path, OTHER_USER))).toEqual([
      'payload.identity',
      path.replace(/\.(\d+)(?=\.)/g, '[$1]'),
    ]);
  });

  test.each(PLACES)('%s: another user in the envelope than at %s', (name, path) => {
    expect(faultOf(withAt(SAMPLES[name](), 'user_id', OTHER_USER))).toEqual([
      'payload.identity',
      path.replace(/\.(\d+)(?=\.)/g, '[$1]'),
    ]);
  });

  test.each([
    ['in capitals', 'USER-0001'],
    ['with a blank behind', 'user-0001 '],
    ['empty', ''],
  ])('a user id %s is another user', (_how, id) => {
    expect(faultOf(withAt(aClinicalReady(), 'clinical_ready.metadata.user_id', id))).toEqual([
      'payload.identity',
      'clinical_ready.metadata.user_id',
    ]);
  });

  test('the second of several steps events belongs to another user', () => {
    const events = [
      ['2026-11-14T09:00:00+01:00', 100],
      ['2026-11-14T10:00:00+01:00', 200],
    ] as const;
    expect(faultOf(withAt(aStepsEvent({ events }), `${STEPS}.1.metadata.user_id_string`, OTHER_USER))).toEqual([
      'payload.identity',
      `${STEPS}[1].metadata.user_id_string`,
    ]);
  });

  const identifier = (n: number) => `${DATA}.Patient.identifier[${n}].value`;
  test.each([
    ['another value', [{ system: 'urn:x', value: OTHER_USER }], identifier(0)],
    ['no value', [{ system: 'urn:x' }], identifier(0)],
    ['a second value that differs', [{ value: 'user-0001' }, { value: OTHER_USER }], identifier(1)],
    ['a value that is no text', [{ value: 1 }], identifier(0)],
  ])('the Patient is identified by %s', (_how, identifiers, at) => {
    expect(faultOf(withAt(aClinicalReady(), `${DATA}.entry.0.resource.identifier`, identifiers))).toEqual([
      'payload.identity',
      at,
    ]);
  });

  test.each([
    ['absent', undefined],
    ['empty', []],
  ])('the Patient is not identified at all: identifier %s', (_how, identifiers) => {
    expect(faultOf(withAt(aClinicalReady(), `${DATA}.entry.0.resource.identifier`, identifiers))[0]).toBe(
      'payload.identity',
    );
  });

  test.each([
    ['another Patient', { reference: 'urn:uuid:00000000-0000-4000-8000-000000000009' }],
    ['a Patient elsewhere', { reference: 'Patient/1' }],
    ['nobody', {}],
    ['somebody by identifier only', { identifier: { value: 'user-0001' } }],
    ['no text', { reference: 1 }],
  ])('an Observation is about %s', (_how, subject) => {
    expect(faultOf(withAt(aClinicalReady(), `${DATA}.entry.7.resource.subject`, subject))).toEqual([
      'payload.identity',
      `${DATA}.entry[7].resource.subject`,
    ]);
  });

  test('an Observation has no subject', () => {
    expect(faultOf(withoutAt(aClinicalReady(), `${DATA}.entry.15.resource.subject`))).toEqual([
      'payload.identity',
      `${DATA}.entry[15].resource.subject`,
    ]);
  });

  test('two Patients in one Bundle', () => {
    const entries = aClinicalBundle()['entry'] as readonly Json[];
    expect(faultOf(withAt(aClinicalReady(), `${DATA}.entry`, [...entries, entries[0]]))).toEqual([
      'payload.identity',
      `${DATA}.entry`,
    ]);
  });

  test('no Patient in the Bundle', () => {
    expect(faultOf(withoutAt(aClinicalReady(), `${DATA}.entry.0`))).toEqual(['payload.identity', `${DATA}.entry`]);
  });

  describe('in a laboratory result', () => {
    const AT = 'lab_result.result';
    const bundleWith = (path: string, part: unknown): Json =>
      aLabResult({ resource: withAt(aLabBundle(), path, part) });

    test('two Patients', () => {
      const entries = aLabBundle()['entry'] as readonly Json[];
      expect(faultOf(bundleWith('entry', [...entries, entries[0]]))).toEqual(['payload.identity', AT]);
    });

    test('a subject that is not the Patient', () => {
      expect(faultOf(bundleWith('entry.2.resource.subject.reference', 'Patient/other'))).toEqual([
        'payload.identity',
        `${AT}.subject`,
      ]);
    });

    test('the subject may name the Patient by its id', () => {
      expect(faultOf(bundleWith('entry.2.resource.subject.reference', 'Patient/p1'))).toEqual(['believed']);
    });

    test('subjects that disagree where there is no Patient', () => {
      const resource = withAt(
        withoutAt(aLabBundle(), 'entry.0'),
        'entry.1.resource.subject.reference',
        'Patient/other',
      );
      expect(faultOf(aLabResult({ resource }))).toEqual(['payload.identity', `${AT}.subject`]);
    });

    test('subjects that agree where there is no Patient are believed', () => {
      expect(faultOf(aLabResult({ resource: withoutAt(aLabBundle(), 'entry.0') }))).toEqual(['believed']);
    });

    test('two Patients contained in one DiagnosticReport', () => {
      const resource = {
        resourceType: 'DiagnosticReport',
        status: 'final',
        code: { text: 'Panel' },
        contained: [
          { resourceType: 'Patient', id: 'a' },
          { resourceType: 'Patient', id: 'b' },
        ],
        subject: { reference: '#a' },
      };
      expect(faultOf(aLabResult({ resource }))[0]).toBe('payload.identity');
    });

    test('a contained result about somebody else', () => {
      const resource = {
        resourceType: 'DiagnosticReport',
        status: 'final',
        code: { text: 'Panel' },
        contained: [
          { resourceType: 'Observation', id: 'o', status: 'final', code: {}, subject: { reference: 'Patient/other' } },
        ],
        subject: { reference: 'Patient/p1' },
        result: [{ reference: '#o' }],
      };
      expect(faultOf(aLabResult({ resource }))[0]).toBe('payload.identity');
    });

    test.each(['lab_result.user_id', 'lab_result.metadata.user_id_string', 'metadata.user_id_string'])(
      'another user at %s',
      (path) => {
        expect(faultOf(withAt(aLabResult(), path, OTHER_USER))).toEqual(['payload.identity', path]);
      },
    );
  });
});

describe('a foreign client', () => {
  test.each(NAMES)('%s of another client is foreign', (name) => {
    expect(faultOf(SAMPLES[name]({ clientUuid: OTHER_CLIENT }))).toEqual(['payload.foreign-client', 'client_uuid']);
  });
  test('is named before identities inside its document are looked at', () => {
    const value = withAt(aClinicalReady({ clientUuid: OTHER_CLIENT }), 'clinical_ready.metadata.user_id', OTHER_USER);
    expect(faultOf(value)).toEqual(['payload.foreign-client', 'client_uuid']);
  });
  test('does not exist where no client is configured', () => {
    expect(faultOf(aClinicalReady({ clientUuid: OTHER_CLIENT }), { clientUuid: null })).toEqual(['believed']);
  });
});

describe('arithmetic that disagrees is a finding, and the document goes on', () => {
  test.each([0, 2, 5, -1])('total_alerts_int of %i with one alert', (total) => {
    const { document, findings } = payloadOf(withAt(anAlertSummary(), 'alerts.total_alerts_int', total));
    expect([document, findings]).toEqual([
      { ...payloadOf(anAlertSummary()).document, total },
      [{ code: 'alerts.total', at: 'alerts.total_alerts_int' }],
    ]);
  });

  const signals = partAt(anAlertSummary(), 'alerts.alert_signals_array') as readonly Json[];
  test.each([
    ['in another order', [...signals].reverse()],
    ['only four', signals.slice(0, 4)],
    ['one twice', [...signals.slice(0, 4), signals[3]]],
    ['a sixth', [...signals, { ...signals[4], signal_type_string: 'skin_temperature' }]],
  ])('the five signals are %s', (_how, array) => {
    expect(payloadOf(withAt(anAlertSummary(), 'alerts.alert_signals_array', array)).findings).toEqual([
      { code: 'alerts.order', at: 'alerts.alert_signals_array' },
    ]);
  });

  test.each([
    [100, 'Optimal'],
    [80, 'Optimal'],
    [79, 'Good'],
    [65, 'Good'],
    [64, 'Moderate'],
    [50, 'Moderate'],
    [49, 'Poor'],
    [30, 'Poor'],
    [29, 'Critical'],
    [0, 'Critical'],
  ])('a score of %i is %s, and any other level a finding', (score, level) => {
    const at = `${PROFILE}.profiles.sleep`;
    const findingsFor = (word: string) =>
      payloadOf(withAt(withAt(aUserProfile(), `${at}.score_int`, score), `${at}.level_string`, word)).findings;
    expect(['Optimal', 'Good', 'Moderate', 'Poor', 'Critical'].map((word) => [word, findingsFor(word).length])).toEqual(
      ['Optimal', 'Good', 'Moderate', 'Poor', 'Critical'].map((word) => [word, word === level ? 0 : 1]),
    );
    expect(findingsFor('Splendid')).toEqual([{ code: 'profile.level', at }]);
  });

  test('the overall category does not fit its score', () => {
    expect(payloadOf(withAt(aUserProfile(), `${PROFILE}.overall.category_string`, 'Poor')).findings).toEqual([
      { code: 'profile.level', at: `${PROFILE}.overall` },
    ]);
  });

  test('several at once are all told', () => {
    const value = withAt(
      withAt(anAlertSummary(), 'alerts.alert_signals_array', [...signals].reverse()),
      'alerts.total_alerts_int',
      4,
    );
    expect(
      payloadOf(value)
        .findings.map(({ code }) => code)
        .sort(),
    ).toEqual(['alerts.order', 'alerts.total']);
  });

  test('an alert_event of a version other than 1', () => {
    expect(payloadOf(anAlertEvent({ documentVersion: 2 })).findings).toEqual([
      { code: 'version.unexpected', at: 'document_version' },
    ]);
  });

  test.each([
    ['clinical_ready', aClinicalReady()],
    ['user_profile', aUserProfile()],
    ['steps_event', aStepsEvent()],
    ['alert_event', anAlertEvent()],
    ['alert_summary', anAlertSummary()],
  ])('a payload version of %s that the specification does not show', (_structure, value) => {
    expect(payloadOf(value).findings).toEqual([]);
    expect(payloadOf({ ...value, version: 3 }).findings).toEqual([{ code: 'version.unknown', at: 'version' }]);
  });

  test('no payload version of a laboratory result is known, so none is unknown', () => {
    expect(payloadOf({ ...aLabResult(), version: 7 }).findings).toEqual([]);
  });
});
