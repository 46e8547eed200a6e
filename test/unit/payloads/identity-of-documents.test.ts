import { describe, expect, test } from '@jest/globals';
import {
  OTHER_CLIENT,
  OTHER_USER,
  aClinicalBundle,
  aClinicalReady,
  aLabBundle,
  aLabResult,
  aServiceLabResult,
  aStepsEvent,
  aUserProfile,
  anAlertEvent,
  anAlertSummary,
  envelopeOf,
  rawNumber,
  withAt,
  type Json,
} from '../../support/payloads/index.ts';
import { payloadOf } from './read.ts';

const ANY = { clientUuid: null } as const;
const keyOf = (value: Json, more: Parameters<typeof payloadOf>[1] = {}): string =>
  payloadOf(value, { ...ANY, ...more }).documentKey;
const clinicalOf = (value: Json): string => payloadOf(value, ANY).clinical();

describe('the key of a document', () => {
  const other = (more: Parameters<typeof envelopeOf>[2] = {}): Json => envelopeOf('activity_summary', 2, more);
  const BUILDERS = {
    clinical_ready: aClinicalReady,
    steps_event: aStepsEvent,
    user_profile: aUserProfile,
    alert_event: anAlertEvent,
    alert_summary: anAlertSummary,
    lab_result: aLabResult,
    service_lab_result: aServiceLabResult,
    other,
  } as const;
  const NAMES = Object.keys(BUILDERS) as (keyof typeof BUILDERS)[];

  test.each(NAMES.filter((name) => name !== 'other'))('%s: is the same in two versions of one document', (name) => {
    expect(keyOf(BUILDERS[name]({ documentVersion: 2 }))).toBe(keyOf(BUILDERS[name]({ documentVersion: 1 })));
  });
  test.each(NAMES)('%s: differs between users', (name) => {
    expect(keyOf(BUILDERS[name]({ userId: OTHER_USER }))).not.toBe(keyOf(BUILDERS[name]()));
  });
  test.each(NAMES)('%s: differs between clients', (name) => {
    expect(keyOf(BUILDERS[name]({ clientUuid: OTHER_CLIENT }))).not.toBe(keyOf(BUILDERS[name]()));
  });

  test('differs between the structures of one user and day', () => {
    const keys = NAMES.filter((name) => name !== 'service_lab_result').map((name) => keyOf(BUILDERS[name]()));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('cannot be forged by moving characters between its parts', () => {
    const at = (clientUuid: string, userId: string): string => keyOf(other({ clientUuid, userId }));
    expect(at('a', 'b","c')).not.toBe(at('a","b', 'c'));
  });

  test('of clinical_ready is the id of its Bundle, whatever the day', () => {
    expect(keyOf(aClinicalReady({ day: '2026-11-13' }))).toBe(keyOf(aClinicalReady()));
    expect(keyOf(aClinicalReady({ bundleId: 'other' }))).not.toBe(keyOf(aClinicalReady()));
  });

  test('of clinical_ready is the day, whatever the Bundle, where so configured', () => {
    const byDay = { documentKey: 'user-day' } as const;
    expect(keyOf(aClinicalReady({ bundleId: 'other' }), byDay)).toBe(keyOf(aClinicalReady(), byDay));
    expect(keyOf(aClinicalReady({ day: '2026-11-13' }), byDay)).not.toBe(keyOf(aClinicalReady(), byDay));
    expect(keyOf(aClinicalReady({ userId: OTHER_USER }), byDay)).not.toBe(keyOf(aClinicalReady(), byDay));
  });

  test('of steps is the local day, as the offset writes it', () => {
    expect(keyOf(aStepsEvent({ at: '2026-11-14T23:30:00-05:00', steps: 9000 }))).toBe(keyOf(aStepsEvent()));
    expect(keyOf(aStepsEvent({ at: '2026-11-15T00:10:00+01:00' }))).not.toBe(keyOf(aStepsEvent()));
  });

  test('of a profile is its day', () => {
    expect(keyOf(aUserProfile({ activityScore: 90 }))).toBe(keyOf(aUserProfile()));
    expect(keyOf(aUserProfile({ day: '2026-11-13' }))).not.toBe(keyOf(aUserProfile()));
  });

  test('of an alert_summary is its summary date', () => {
    expect(keyOf(anAlertSummary({ restingHeartRate: null }))).toBe(keyOf(anAlertSummary()));
    expect(keyOf(anAlertSummary({ day: '2026-11-13' }))).not.toBe(keyOf(anAlertSummary()));
    expect(keyOf(withAt(anAlertSummary(), 'metadata.datetime_string', '2026-11-15T00:00:00+01:00'))).toBe(
      keyOf(anAlertSummary()),
    );
  });

  test('of an alert_event is its measurement', () => {
    expect(keyOf(anAlertEvent({ measuredAt: '2026-11-14T04:00:00+01:00' }))).not.toBe(keyOf(anAlertEvent()));
  });

  test('of an unknown structure never joins two that say different things, since nobody knows what makes them one', () => {
    const at = (time: string): string => keyOf({ ...other(), at: time });
    expect(at('2026-11-14T10:00:00Z')).not.toBe(at('2026-11-14T11:00:00Z'));
  });

  test('of a laboratory result is its submitted document', () => {
    expect(keyOf(aLabResult({ glucose: 99 }))).toBe(keyOf(aLabResult()));
    expect(keyOf(aLabResult({ documentId: 'other' }))).not.toBe(keyOf(aLabResult()));
  });
});

describe('clinical content', () => {
  const DATA = 'clinical_ready.clinical_ready_data';
  const reversed = (bundle: Json): Json => ({ ...bundle, entry: [...(bundle['entry'] as unknown[])].reverse() });

  test.each<[string, Json]>([
    ['the order of entries', aClinicalReady({ bundle: reversed(aClinicalBundle()) })],
    [
      'meta of the Bundle',
      withAt(aClinicalReady(), `${DATA}.meta`, { versionId: '9', lastUpdated: '2026-11-15T00:00:00Z' }),
    ],
    [
      'meta of an Observation',
      withAt(aClinicalReady(), `${DATA}.entry.4.resource.meta`, { source: 'https://other.example' }),
    ],
    ['the timestamp of the Bundle', aClinicalReady({ timestamp: '2026-11-15T07:00:00Z' })],
    ['fhir_export_completed_at', aClinicalReady({ exportedAt: '2026-11-15T07:00:00Z' })],
    ['datetime_string', withAt(aClinicalReady(), 'clinical_ready.metadata.datetime_string', '2026-11-15T07:00:00Z')],
    ['document_version', aClinicalReady({ documentVersion: 9 })],
    ['the digits of a number', aClinicalReady({ values: { weight: rawNumber('71.250') } })],
  ])('of clinical_ready is not changed by %s', (_what, value) => {
    expect(clinicalOf(value)).toBe(clinicalOf(aClinicalReady()));
  });

  test('of clinical_ready is not changed by ids that an export makes anew', () => {
    const text = JSON.stringify(aClinicalReady()).replaceAll('3f2b1c4d-5e6f', '99999999-5e6f');
    expect(clinicalOf(JSON.parse(text) as Json)).toBe(clinicalOf(aClinicalReady()));
  });

  test.each<[string, Json]>([
    ['a value', aClinicalReady({ values: { weight: 71.26 } })],
    ['a unit', withAt(aClinicalReady(), `${DATA}.entry.1.resource.valueQuantity.code`, 'g')],
    ['a code', withAt(aClinicalReady(), `${DATA}.entry.1.resource.code.coding.0.code`, 'lean_mass')],
    ['a status', withAt(aClinicalReady(), `${DATA}.entry.1.resource.status`, 'entered-in-error')],
    ['a period', withAt(aClinicalReady(), `${DATA}.entry.1.resource.effectivePeriod.end`, '2026-11-14T12:00:00Z')],
    ['a context', withAt(aClinicalReady(), `${DATA}.entry.4.resource.extension.0.valueString`, 'daily_minimum')],
    ['a category', withAt(aClinicalReady(), `${DATA}.entry.1.resource.category.0.coding.0.code`, 'survey')],
    ['an Observation less', aClinicalReady({ observations: 14 })],
  ])('of clinical_ready is changed by %s', (_what, value) => {
    expect(clinicalOf(value)).not.toBe(clinicalOf(aClinicalReady()));
  });

  test('of a laboratory result is changed by a value, and not by order or meta', () => {
    const entries = aLabBundle()['entry'] as unknown[];
    const same = aLabResult({ resource: { ...aLabBundle(), meta: { versionId: '2' }, entry: [...entries].reverse() } });
    const meta = aLabResult({ resource: withAt(aLabBundle(), 'entry.2.resource.meta', { versionId: '2' }) });
    expect([clinicalOf(same), clinicalOf(meta)]).toEqual([clinicalOf(aLabResult()), clinicalOf(aLabResult())]);
    expect(clinicalOf(aLabResult({ glucose: 93 }))).not.toBe(clinicalOf(aLabResult()));
  });

  test('of an alert_summary is changed by a measurement, and not by order', () => {
    const signals = (withAt(anAlertSummary(), 'x', 0)['alerts'] as Json)['alert_signals_array'] as unknown[];
    expect(clinicalOf(withAt(anAlertSummary(), 'alerts.alert_signals_array', [...signals].reverse()))).toBe(
      clinicalOf(anAlertSummary()),
    );
    expect(clinicalOf(anAlertSummary({ restingHeartRate: 72 }))).not.toBe(clinicalOf(anAlertSummary()));
    expect(clinicalOf(anAlertSummary({ restingHeartRate: null }))).not.toBe(clinicalOf(anAlertSummary()));
  });

  test('of an alert_event is changed by a measurement, and not by when it was told', () => {
    expect(clinicalOf(withAt(anAlertEvent(), 'alerts.triggered_at_string', '2026-11-14T09:00:00Z'))).toBe(
      clinicalOf(anAlertEvent()),
    );
    expect(clinicalOf(anAlertEvent({ measured: 89 }))).not.toBe(clinicalOf(anAlertEvent()));
  });

  test('of a profile is changed by a score, and not by the request', () => {
    expect(clinicalOf(withAt(aUserProfile(), 'user_profile_data.metadata.request_id_string', 'other'))).toBe(
      clinicalOf(aUserProfile()),
    );
    expect(clinicalOf(aUserProfile({ activityScore: 81 }))).not.toBe(clinicalOf(aUserProfile()));
  });

  test('of steps is changed by a count, and not by the order of events', () => {
    const events = [
      ['2026-11-14T09:00:00+01:00', 100],
      ['2026-11-14T10:00:00+01:00', 200],
    ] as const;
    expect(clinicalOf(aStepsEvent({ events: events.toReversed() }))).toBe(clinicalOf(aStepsEvent({ events })));
    expect(clinicalOf(aStepsEvent({ steps: 4201 }))).not.toBe(clinicalOf(aStepsEvent()));
  });
});
