import { describe, expect, test } from '@jest/globals';
import { parsePayload } from '../../../src/payloads/index.ts';
import { aLabBundle, envelopeOf, partAt, type Json } from '../../support/payloads/index.ts';
import { nameOf, observationsOf, resourcesOf, translated } from '../../support/translated.ts';
import { problemsOf } from '../../support/translate-steps.ts';

const LABORATORY = [
  { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'laboratory' }] },
];
const result = (fields: Json = {}): Json => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '2345-7' }], text: 'Glucose' },
  subject: { reference: 'Patient/p1' },
  effectiveDateTime: '2026-11-10T08:15:00+01:00',
  valueQuantity: { value: 92, unit: 'mg/dL' },
  ...fields,
});
const patient: Json = { resourceType: 'Patient', id: 'p1' };
const bundle = (...resources: readonly Json[]): Json => ({
  resourceType: 'Bundle',
  type: 'collection',
  entry: resources.map((resource) => ({ resource })),
});
const sent = (content: unknown, structure = 'lab_result'): Json => ({ ...envelopeOf(structure, 1, {}), content });
const read = (value: Json, labPath: string | null = null) => {
  const parsed = parsePayload(value, { clientUuid: null, documentKey: 'bundle-id', labPath });
  if (!parsed.ok) return parsed.fault.code;
  const { document } = parsed.value;
  return document.kind === 'lab_result' ? document.format : document.kind;
};

describe('a laboratory result without a report', () => {
  test.each([
    ['in a Bundle', bundle(patient, result())],
    ['by itself', result()],
    [
      'in an array',
      [patient, result(), result({ code: { text: 'Creatinine' }, valueQuantity: { value: 88, unit: 'umol/L' } })],
    ],
    ['in an array of one', [result()]],
    ['deeper inside', { of: { the: { day: [patient, result()] } } }],
  ])('%s is read as it is, and no report is made up for it', (_where, content) => {
    expect(read(sent(content))).toBe('fhir');
    const translation = translated(sent(content));
    expect([translation.trouble, problemsOf(translation)]).toEqual([null, []]);
    expect(observationsOf(translation)[0]).toMatchObject({ valueQuantity: { unit: expect.any(String) } });
    expect(resourcesOf(translation, 'DiagnosticReport')).toEqual([]);
  });

  test('of a structure that does not call itself one must say so in each category', () => {
    expect(read(sent(bundle(patient, result({ category: LABORATORY })), 'daily_results'))).toBe('fhir');
    expect(read(sent(bundle(patient, result({ category: LABORATORY }), result()), 'daily_results'))).toBe('unknown');
    expect(read(sent(result(), 'body_weight_event'))).toBe('unknown');
  });

  test('of two in the array neither may be of another patient', () => {
    const other = result({ subject: { reference: 'Patient/p2' }, code: { text: 'Creatinine' } });
    expect(read(sent([patient, result(), other]))).toBe('payload.identity');
    expect(read(sent([result(), other]))).toBe('payload.identity');
  });

  test('stands where the setting says', () => {
    const value = { ...sent(bundle(patient, result())), other: [patient, result()] };
    expect(read(value, 'other')).toBe('fhir');
    expect(read(value, 'nothing')).toBe('service');
  });
});

describe('two documents in one envelope', () => {
  test.each([
    ['two arrays', { a: [patient, result()], b: [result(), result()] }],
    ['an array of Bundles', [aLabBundle(), aLabBundle({ glucose: 93 })]],
    [
      'a report and an array of results',
      { report: { resourceType: 'DiagnosticReport' }, results: [result(), result()] },
    ],
  ])('%s: nobody has said which is which, so both wait', (_what, content) => {
    expect(read(sent(content))).toBe('service');
    expect(translated(sent(content)).trouble).toBe('unmapped');
  });
});

describe('the name of a result that came alone and without the id of a document', () => {
  const named = (fields: Json): unknown =>
    nameOf(observationsOf(translated(sent(result(fields))))[0] ?? { resourceType: '' });
  test('is that of its code and time: a corrected value is an update', () => {
    expect(named({ valueQuantity: { value: 95, unit: 'mg/dL' } })).toBe(named({}));
    expect(named({ effectiveDateTime: '2026-11-11T08:15:00+01:00' })).not.toBe(named({}));
  });
  test('is that of its content where it has no time: another result never takes its place', () => {
    const undated = { effectiveDateTime: undefined };
    expect(named({ ...undated, valueQuantity: { value: 95, unit: 'mg/dL' } })).not.toBe(named(undated));
    expect(named(undated)).toBe(named(undated));
  });
});

test('every result says in words that software read it, before what the laboratory remarks', () => {
  const note = [{ text: 'haemolysed' }];
  const member = result({ id: 'm1' });
  const panel = {
    ...result({ hasMember: [{ reference: 'Observation/m1' }], code: { text: 'Panel' }, note }),
    valueQuantity: undefined,
  };
  const translation = translated(sent([patient, panel, member]), { unmapped: 'pass-through' });
  for (const one of observationsOf(translation))
    expect(partAt(one, 'note.0.text')).toMatch(/^Read by software from a laboratory document/);
  expect(observationsOf(translation).map((one) => partAt(one, 'note.1.text'))).toContain('haemolysed');
});
