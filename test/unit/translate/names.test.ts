import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Mappings } from '../../../src/mappings/index.ts';
import { makeNameOf } from '../../../src/translate/name.ts';
import {
  aClinicalReadyOf,
  aLabResult,
  anAlertEvent,
  anAlertSummary,
  aStepsEvent,
  aUserProfile,
  OTHER_CLIENT,
  type Json,
  type Metric,
  type MetricsOverrides,
} from '../../support/payloads/index.ts';
import { standardMappings } from '../../support/standard-mappings.ts';
import { nameOf, observationsOf, translated } from '../../support/translated.ts';
import { PATIENT, settingOf, translateText } from '../../support/translate-steps.ts';
import { aDocument, TIMES } from './arbitrary.ts';

const METRIC: Metric = { code: 'spo2', category: 'vital-signs', value: '97.5', unit: '%', context: 'daily_average' };
const nameFor = (metric: Partial<Metric> = {}, overrides: MetricsOverrides = {}): unknown => {
  const all = observationsOf(
    translated(aClinicalReadyOf([{ ...METRIC, ...metric }], overrides), { unmapped: 'pass-through' }),
  );
  expect(all).toHaveLength(1);
  return all[0] === undefined ? null : nameOf(all[0]);
};
const NAME = nameFor();

test('a name is 64 hexadecimal digits, and the identifier of its resource', () => {
  expect(NAME).toMatch(/^[0-9a-f]{64}$/);
  fc.assert(
    fc.property(aDocument, (payload) => {
      for (const { name, resource } of translated(payload).wanted) expect(nameOf(resource)).toBe(name);
    }),
    { numRuns: 30 },
  );
});

describe('a name never depends on', () => {
  test.each<[string, Partial<Metric>, MetricsOverrides]>([
    ['the value', { value: '88.10' }, {}],
    ['the unit', { value: '0.975', unit: 'fraction', ucum: '1' }, {}],
    ['a unit that nobody knows', { unit: 'what', ucum: '{what}' }, {}],
    ['the status', { status: 'amended' }, {}],
    ['the display', { display: 'Oxygen' }, {}],
    ['the id of the resource', { id: 'another' }, {}],
    ['the id of the Bundle', {}, { bundleId: 'another' }],
    ['the document_version', {}, { documentVersion: 7 }],
    ['when it was exported', {}, { exportedAt: '2027-01-01T00:00:00Z', timestamp: '2027-01-01T00:00:00Z' }],
  ])('%s', (_, metric, overrides) => {
    expect(nameFor(metric, overrides)).toBe(NAME);
  });

  test('any value', () => {
    fc.assert(
      fc.property(fc.double({ min: 70, max: 100, noNaN: true }), (value) => {
        expect(nameFor({ value: String(value) })).toBe(NAME);
      }),
      { numRuns: 100 },
    );
  });

  test('the offset in which a time is written', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TIMES[0]), fc.constantFrom(...TIMES[1]), (start, end) => {
        expect(nameFor({ start, end })).toBe(NAME);
      }),
      { numRuns: 16 },
    );
  });

  test('the rows of the mapping data', () => {
    const mappings: Mappings = {
      ...standardMappings(),
      findMetric: (question) => {
        const row = standardMappings().findMetric(question);
        return row === null
          ? null
          : { ...row, codings: [{ system: 'http://loinc.org', code: '20564-1' }], category: 'activity' };
      },
    };
    const [one] = observationsOf(translateText(JSON.stringify(aClinicalReadyOf([METRIC])), settingOf(mappings)));
    expect(one).toMatchObject({ code: { coding: [{ code: '20564-1' }, { code: 'spo2' }] } });
    expect(one === undefined ? null : nameOf(one)).toBe(NAME);
  });

  test('the dialect, the sending environment or whether the source user is shown', () => {
    const payload = aClinicalReadyOf([METRIC]);
    for (const options of [{ dialect: 'epic' }, { dialect: 'hapi' }, { sourceIdentifier: 'secondary' as const }]) {
      const [one] = observationsOf(translated(payload, options));
      expect(one === undefined ? null : nameOf(one)).toBe(NAME);
    }
  });
});

describe('a name changes with', () => {
  test.each<[string, Partial<Metric>, MetricsOverrides]>([
    ['the client', {}, { clientUuid: OTHER_CLIENT }],
    ['the user', {}, { userId: 'user-0002' }],
    ['the source code', { code: 'spo2_other' }, {}],
    ['the source code system', { system: 'urn:other' }, {}],
    ['the category', { category: 'survey' }, {}],
    ['the context', { context: 'session' }, {}],
    ['the start', { start: '2026-11-14T00:00:01+01:00' }, {}],
    ['the end', { end: '2026-11-14T23:59:58+01:00' }, {}],
    ['a millisecond', { end: '2026-11-14T23:59:59.001+01:00' }, {}],
  ])('%s', (_, metric, overrides) => {
    expect(nameFor(metric, overrides)).not.toBe(NAME);
  });

  const BUILDERS: readonly (readonly [string, Json])[] = [
    [
      'clinical_ready',
      aClinicalReadyOf([METRIC, { code: 'weight' }], { fields: { device_source_data_array: [{ model_string: 'M' }] } }),
    ],
    ['lab_result', aLabResult()],
    ['alert_event', anAlertEvent()],
    ['alert_summary', anAlertSummary()],
    ['steps_event', aStepsEvent()],
    ['user_profile', aUserProfile()],
  ];
  test.each(BUILDERS)('the MRN and its system: a re-link never moves a resource of %s between charts', (_, payload) => {
    const text = JSON.stringify(payload);
    const names = (patient: typeof PATIENT): string[] => {
      const { patient: one, wanted, provenance } = translateText(text, settingOf(standardMappings()), patient);
      return [one, ...wanted, ...(provenance === null ? [] : [provenance])].map(({ name }) => name);
    };
    const all = [
      ...names(PATIENT),
      ...names({ ...PATIENT, mrn: '1001' }),
      ...names({ ...PATIENT, mrnSystem: 'urn:other:mrn' }),
      ...names({ mrnSystem: `${PATIENT.mrnSystem}0`, mrn: PATIENT.mrn.slice(1) }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  test.each(BUILDERS)('the client: %s of another client is another document', (_, payload) => {
    const names = new Set(translated(payload).wanted.map(({ name }) => name));
    const other = translated({ ...payload, client_uuid: OTHER_CLIENT }).wanted.map(({ name }) => name);
    expect(other.filter((name) => names.has(name))).toEqual([]);
  });
});

describe('names of other structures', () => {
  const namesOf = (payload: Json): string[] => translated(payload).wanted.map(({ name }) => name);

  test.each<[string, Json, Json]>([
    ['lab_result: value', aLabResult(), aLabResult({ glucose: 105.5 })],
    ['lab_result: document_version', aLabResult(), aLabResult({ documentVersion: 2 })],
    ['steps_event: count and hour', aStepsEvent(), aStepsEvent({ steps: 5000, at: '2026-11-14T11:00:00+01:00' })],
    ['user_profile: score', aUserProfile(), aUserProfile({ activityScore: 82, documentVersion: 2 })],
  ])('never depend on what is said: %s', (_, one, other) => {
    expect(namesOf(other)).toEqual(namesOf(one));
  });

  test.each<[string, Json, Json]>([
    ['lab_result: document_id', aLabResult(), aLabResult({ documentId: 'd0c00000-0000-4000-8000-000000000002' })],
    ['alert_event: value', anAlertEvent(), anAlertEvent({ measured: 88 })],
    ['alert_event: time', anAlertEvent(), anAlertEvent({ measuredAt: '2026-11-14T03:12:01+01:00' })],
    ['alert_summary: day', anAlertSummary(), anAlertSummary({ day: '2026-11-15' })],
    ['steps_event: day', aStepsEvent(), aStepsEvent({ at: '2026-11-15T10:00:00+01:00' })],
    ['user_profile: day', aUserProfile(), aUserProfile({ day: '2026-11-15' })],
  ])('tell apart: %s', (_, one, other) => {
    const known = new Set(namesOf(one));
    expect(namesOf(other).filter((name) => known.has(name))).toEqual([]);
  });
});

describe('the shelf of a name', () => {
  const inChart = makeNameOf('client', 'user', 'urn:mrn', '0001');
  const shelf = (...parts: Parameters<typeof inChart>): string => inChart(...parts).shelf;

  test('is the day that it tells of, or none', () => {
    expect(shelf('measurement', 'loinc', '1', 'vital', 'point', '2026-11-14T23:00:00Z', null)).toBe('2026-11-14');
    expect(shelf('steps-day', '2026-11-14')).toBe('2026-11-14');
    expect(shelf('device', 'maker', 'model', null, null)).toBe('');
  });

  test('is that of its document, which it does not tell, for what a laboratory or a template made', () => {
    const one = shelf('lab', 'document-7', 'Observation', 'a');
    expect(one).toMatch(/^D[0-9a-f]{12}$/);
    expect(shelf('lab', 'document-7', 'DiagnosticReport', 'b')).toBe(one);
    const others = [
      shelf('lab', 'document-8', 'Observation', 'a'),
      shelf('custom', 'document-7', 'Observation', 'a'),
      makeNameOf('client', 'somebody-else', 'urn:mrn', '0001')('lab', 'document-7', 'Observation', 'a').shelf,
    ];
    expect(new Set([one, ...others]).size).toBe(4);
  });
});
