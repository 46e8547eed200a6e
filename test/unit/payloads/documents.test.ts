import { describe, expect, test } from '@jest/globals';
import { parseNotification, type AlertSignal } from '../../../src/payloads/index.ts';
import { loadValidator } from '../../../src/r4/index.ts';
import {
  CLIENT,
  USER,
  aClinicalBundle,
  aClinicalReady,
  aLabBundle,
  aLabResult,
  aNotification,
  aServiceLabResult,
  aStepsEvent,
  aUserProfile,
  anAlertEvent,
  anAlertSummary,
  envelopeOf,
  partAt,
  rawNumber,
  withAt,
  withoutAt,
  type Json,
} from '../../support/payloads/index.ts';
import { faultOf, payloadOf } from './read.ts';

/** All that a payload says, but for the opaque values that only serve comparison. */
function saidBy(value: Json, more: Parameters<typeof payloadOf>[1] = {}): unknown {
  const { documentKey: _key, clinical: _clinical, clinicalPart: _part, ...said } = payloadOf(value, more);
  return said;
}

const envelope = (dataStructure: string, version: number, documentVersion = 1) => ({
  dataStructure,
  clientUuid: CLIENT,
  userId: USER,
  version,
  documentVersion,
});
const byVersion = (value = 1) => ({ by: 'version', value });

const QUIET: Omit<AlertSignal, 'type'> = {
  measured: null,
  baseline: null,
  thresholdType: null,
  deviationBelowPercent: null,
  deviationAbovePercent: null,
  thresholdMin: null,
  thresholdMax: null,
  breach: null,
  unit: null,
  isDefaultRule: false,
  source: null,
  measuredAt: null,
};
const BREACHED: AlertSignal = {
  type: 'resting_heart_rate',
  measured: 71,
  baseline: 60,
  thresholdType: 'baseline_deviation',
  deviationBelowPercent: 15,
  deviationAbovePercent: 10,
  thresholdMin: 51,
  thresholdMax: 66,
  breach: 'above',
  unit: 'bpm',
  isDefaultRule: true,
  source: 'ring_wearable',
  measuredAt: '2026-11-14T06:30:00+01:00',
};
const OTHER_FOUR = ['hrv', 'resting_breathing_rate', 'oxygenation', 'sleep_duration'].map((type) => ({
  type,
  ...QUIET,
}));

describe('every structure gives its document', () => {
  test('clinical_ready gives its Bundle as it came', () => {
    expect(saidBy(aClinicalReady({ documentVersion: 3 }))).toEqual({
      envelope: envelope('clinical_ready', 1, 3),
      document: {
        kind: 'clinical_ready',
        bundle: aClinicalBundle(),
        sources: ['ring_wearable'],
        at: '2026-11-14T23:59:59Z',
        isReady: true,
      },
      devices: [],
      findings: [],
      order: byVersion(3),
    });
  });

  test('steps_event gives its events, ordered by the steps of the day', () => {
    expect(saidBy(aStepsEvent())).toEqual({
      envelope: envelope('steps_event', 2),
      document: {
        kind: 'steps_event',
        isAutoDetected: true,
        events: [
          { at: '2026-11-14T10:00:00+01:00', sources: ['fitness_band'], wasActive: false, accumulatedSteps: 4200 },
        ],
      },
      devices: [],
      findings: [],
      order: { by: 'ascending', value: 4200 },
    });
  });

  test('steps of several days in one payload count for the last local day', () => {
    const events = [
      ['2026-11-13T23:30:00+01:00', 9000],
      ['2026-11-14T00:30:00+01:00', 120],
      ['2026-11-14T08:00:00+01:00', 900],
    ] as const;
    expect(payloadOf(aStepsEvent({ events })).order).toEqual({ by: 'ascending', value: 900 });
  });

  test('user_profile gives scores, levels and metrics by domain', () => {
    const metricsOf = (domain: string) => partAt(aUserProfile(), `user_profile_data.profiles.${domain}.metrics`);
    expect(saidBy(aUserProfile({ documentVersion: 7 }))).toEqual({
      envelope: envelope('user_profile', 1, 7),
      document: {
        kind: 'user_profile',
        at: '2026-11-14T00:00:00+01:00',
        requestId: '7d0c1a52-0000-4000-8000-00000000000a',
        demographics: { sex: 'female', birthYear: 1980, country: null, utcOffsetSeconds: 3600 },
        domains: {
          activity: { score: 80, level: 'Optimal', trend: 'improving', metrics: metricsOf('activity') },
          sleep: { score: 65, level: 'Good', trend: 'stable', metrics: metricsOf('sleep') },
          cardio: { score: 64, level: 'Moderate', trend: null, metrics: metricsOf('cardio') },
          recovery: { score: 29, level: 'Critical', trend: 'stable', metrics: metricsOf('recovery') },
          body: { score: null, level: null, trend: null, metrics: null },
        },
        overall: { score: 79, level: 'Good', trend: 'improving', confidence: 64 },
        observations: [{ text: 'Synthetic observation.', confidence: 75 }],
      },
      devices: [],
      findings: [],
      order: byVersion(7),
    });
  });

  test('alert_event gives its one signal', () => {
    expect(saidBy(anAlertEvent())).toEqual({
      envelope: envelope('alert_event', 2),
      document: {
        kind: 'alert_event',
        at: '2026-11-14T03:12:00+01:00',
        triggeredAt: '2026-11-14T03:13:05+01:00',
        sources: ['ring_wearable'],
        signal: {
          ...QUIET,
          type: 'oxygenation',
          measured: 90.5,
          thresholdType: 'fixed_range',
          thresholdMin: 92,
          breach: 'below',
          unit: 'percentage',
          isDefaultRule: true,
          source: 'ring_wearable',
          measuredAt: '2026-11-14T03:12:00+01:00',
        },
      },
      devices: [],
      findings: [],
      order: byVersion(),
    });
  });

  test('alert_summary gives the five signals and those that breached', () => {
    expect(saidBy(anAlertSummary({ documentVersion: 2 }))).toEqual({
      envelope: envelope('alert_summary', 2, 2),
      document: {
        kind: 'alert_summary',
        total: 1,
        at: '2026-11-14T23:59:59+01:00',
        day: '2026-11-14',
        timeZone: 'Europe/Madrid',
        from: '2026-11-14T00:00:00+01:00',
        to: '2026-11-14T23:59:59+01:00',
        sources: ['ring_wearable'],
        alerts: [BREACHED],
        signals: [BREACHED, ...OTHER_FOUR],
      },
      devices: [],
      findings: [],
      order: byVersion(2),
    });
  });

  test('a summary of a day with nothing out of range has no alerts and no findings', () => {
    const { document, findings } = payloadOf(anAlertSummary({ restingHeartRate: null }));
    expect({ alerts: document.kind === 'alert_summary' ? document.alerts : null, findings }).toEqual({
      alerts: [],
      findings: [],
    });
  });

  test.each(['activity_summary', 'body_blood_pressure_event', 'toString', '__proto__', 'constructor'])(
    'a structure that nobody has taught us is kept as unknown: %s',
    (dataStructure) => {
      const value = { ...envelopeOf(dataStructure, 2, { documentVersion: 4 }), anything: { at: ['all', 1, null] } };
      expect(saidBy(value)).toEqual({
        envelope: envelope(dataStructure, 2, 4),
        document: { kind: 'unknown' },
        devices: [],
        findings: [],
        order: byVersion(4),
      });
    },
  );
});

describe('a laboratory result', () => {
  const DOCUMENT = 'd0c00000-0000-4000-8000-000000000001';
  const report = { resourceType: 'DiagnosticReport', status: 'final', code: { text: 'Panel' } };
  const fhir = (resource: Json, documentId: string | null = DOCUMENT) => ({
    kind: 'lab_result',
    format: 'fhir',
    hasUnzoned: false,
    resource,
    documentId,
  });

  test('is found by the one Bundle that it holds', () => {
    expect(saidBy(aLabResult())).toEqual({
      envelope: envelope('lab_result', 1),
      document: fhir(aLabBundle()),
      devices: [],
      findings: [],
      order: byVersion(),
    });
  });

  test('is found by the one DiagnosticReport that it holds', () => {
    expect(payloadOf(aLabResult({ resource: report })).document).toEqual(fhir(report));
  });

  test('is found under any name of the structure and at any place near the top', () => {
    const value = { ...envelopeOf('results_ready', 1, {}), a: [{ b: { c: report } }] };
    expect(payloadOf(value).document).toEqual(fhir(report, null));
  });

  test('is found where the configuration says, also when another resource stands beside it', () => {
    const value = { ...aLabResult(), preview: { resourceType: 'Bundle', type: 'collection', entry: [] } };
    expect(payloadOf(value, { labPath: 'lab_result.result' }).document).toEqual(fhir(aLabBundle()));
  });

  test('is not FHIR where the configured path holds none', () => {
    expect(payloadOf(aLabResult(), { labPath: 'lab_result.elsewhere' }).document).toEqual({
      kind: 'lab_result',
      format: 'service',
      documentId: DOCUMENT,
    });
  });

  test("in the service's own JSON is a laboratory result without FHIR", () => {
    expect(saidBy(aServiceLabResult())).toEqual({
      envelope: envelope('lab_result', 1),
      document: { kind: 'lab_result', format: 'service', documentId: DOCUMENT },
      devices: [],
      findings: [],
      order: byVersion(),
    });
  });

  test('two Bundles side by side are never guessed between', () => {
    const value = { ...aLabResult(), second: aLabBundle() };
    expect(payloadOf(value).document).toEqual({ kind: 'lab_result', format: 'service', documentId: DOCUMENT });
  });

  test('a Bundle without a DiagnosticReport in an unknown structure is unknown', () => {
    const value = {
      ...envelopeOf('activity_summary', 1, {}),
      data: { resourceType: 'Bundle', type: 'collection', entry: [] },
    };
    expect(payloadOf(value).document).toEqual({ kind: 'unknown' });
  });
});

describe('device metadata', () => {
  const device = {
    device_type_string: 'cuff',
    manufacturer_string: 'Example',
    medical_grade_bool: null,
    model_string: 'C1',
    source_type_string: 'api',
  };
  const read = { type: 'cuff', manufacturer: 'Example', isMedicalGrade: null, model: 'C1', sourceType: 'api' };

  test.each([
    ['clinical_ready', aClinicalReady()],
    ['steps_event', aStepsEvent()],
    ['user_profile', aUserProfile()],
    ['alert_event', anAlertEvent()],
    ['alert_summary', anAlertSummary()],
    ['a laboratory result', aLabResult()],
    ['an event without a mapping', envelopeOf('body_blood_pressure_event', 2, {})],
  ])('is kept with %s', (_name, value) => {
    expect(payloadOf({ ...value, device_source_data_array: [device, {}] }).devices).toEqual([
      read,
      { type: null, manufacturer: null, isMedicalGrade: null, model: null, sourceType: null },
    ]);
  });

  test('of a wrong shape is refused', () => {
    expect(faultOf(aStepsEvent({ fields: { device_source_data_array: { 0: device } } }))).toEqual([
      'payload.shape',
      'device_source_data_array',
    ]);
  });
});

describe('numbers that keep their digits', () => {
  test('keep them in alerts', () => {
    const value = withAt(
      withAt(anAlertSummary(), 'alerts.total_alerts_int', rawNumber('1.0')),
      'alerts.alert_signals_array.0.measured_value_float',
      rawNumber('71.50'),
    );
    const { document, findings } = payloadOf(value);
    expect([document.kind === 'alert_summary' ? document.alerts : null, findings]).toEqual([
      [{ ...BREACHED, measured: rawNumber('71.50') }],
      [],
    ]);
  });

  test('are read as numbers in steps', () => {
    const value = withAt(
      aStepsEvent(),
      'physical_health.events.steps_event.0.steps.accumulated_steps_int',
      rawNumber('42e2'),
    );
    expect(payloadOf(value).order).toEqual({ by: 'ascending', value: 4200 });
  });

  test('are read as numbers in scores', () => {
    const value = withAt(aUserProfile(), 'user_profile_data.profiles.activity.score_int', rawNumber('80.0'));
    expect(payloadOf(value).document).toEqual(payloadOf(aUserProfile()).document);
  });

  test('are read as numbers in the envelope', () => {
    const value = { ...aStepsEvent(), version: rawNumber('2.0'), document_version: rawNumber('3.0') };
    expect(payloadOf(value).envelope).toEqual(envelope('steps_event', 2, 3));
  });

  test('stay raw inside FHIR content', () => {
    const raw = rawNumber('71.10');
    const { document } = payloadOf(aClinicalReady({ values: { weight: raw } }));
    expect(partAt(document, 'bundle.entry.1.resource.valueQuantity.value')).toBe(raw);
  });

  test.each(['not a number', '90.5', 'NaN'])('are not to be had from an object that looks like one (%s)', (text) => {
    const value = withAt(anAlertEvent(), 'alerts.alert_signals_array.0.measured_value_float', { rawJSON: text });
    expect(faultOf(value)).toEqual(['payload.shape', 'alerts.alert_signals_array.0.measured_value_float']);
  });
});

describe('a notification', () => {
  test('is read whole', () => {
    expect(parseNotification(aNotification())).toEqual({
      ok: true,
      value: {
        clientUuid: CLIENT,
        userId: USER,
        dataSource: 'ring_wearable',
        action: 'user_connected',
        level: 'info',
        message: 'The user connected a data source',
        at: '2026-11-14T10:00:00',
        environment: 'production',
      },
    });
  });

  test.each(['client_uuid', 'user_id', 'action'])('without %s is refused', (name) => {
    expect(parseNotification(withoutAt(aNotification(), name))).toMatchObject({
      ok: false,
      fault: { code: 'payload.shape', at: name },
    });
  });

  test.each([
    ['user_id', 'u'.repeat(51)],
    ['user_id', ''],
    ['user_id', 1],
    ['action', ''],
    ['message', {}],
    ['action_datetime', 'yesterday'],
  ])('with %s of %j is refused', (name, value) => {
    expect(parseNotification(aNotification({ fields: { [name]: value } }))).toMatchObject({
      ok: false,
      fault: { code: 'payload.shape', at: name },
    });
  });
});

test('the built FHIR content is valid R4, 16 entries and about 11 kB', () => {
  const validator = loadValidator();
  const errors = [aClinicalBundle(), aLabBundle()].flatMap((bundle) =>
    validator.validate(bundle).filter(({ severity }) => severity === 'error'),
  );
  expect(errors).toEqual([]);
  expect((aClinicalBundle()['entry'] as unknown[]).length).toBe(16);
  expect(Math.abs(JSON.stringify(aClinicalReady()).length - 11_000)).toBeLessThan(300);
});
