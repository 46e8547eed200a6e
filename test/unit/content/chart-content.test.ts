import { hash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  CONTENT_PARTS,
  differingParts,
  openFingerprints,
  type ChartContent,
  type ContentPart,
} from '../../../src/lanes/fingerprint.ts';
import { contentOf } from '../../../src/content/index.ts';
import { makeContentReader } from '../../../src/forward/content-reader.ts';
import { makeAddressGuard } from '../../../src/ehr/guard-address.ts';
import { parseLossless } from '../../../src/r4/index.ts';

const LOINC = 'http://loinc.org';
const reader = makeContentReader({
  guard: makeAddressGuard('https://ehr.example.org/fhir'),
  key: 'a key',
  patient: { urn: 'urn:uuid:the-patient', reference: 'Patient/1' },
});
const weight = (more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: LOINC, code: '29463-7', display: 'Body weight' }], text: 'weight' },
  subject: { reference: 'urn:uuid:the-patient' },
  effectiveDateTime: '2026-11-14T08:00:00+01:00',
  valueQuantity: { value: 71.25, unit: 'kilogram', system: 'http://unitsofmeasure.org', code: 'kg' },
  ...more,
});
const parsed = (text: string) => {
  const result = parseLossless(new TextEncoder().encode(text));
  if (!result.ok) throw new Error('no JSON');
  return result.value as Record<string, unknown>;
};
const differ = (a: Record<string, unknown>, b: Record<string, unknown>): ContentPart[] =>
  differingParts(reader.fingerprintOf(a), reader.fingerprintOf(b));

test('content reads as people would say it', () => {
  expect(reader.contentOf(weight({ note: [{ text: 'after breakfast' }] }))).toEqual({
    status: 'final',
    code: 'http://loinc.org|29463-7',
    subject: 'this patient',
    time: '2026-11-14T07:00:00.000Z',
    value: '71.25',
    unit: 'kg',
    notes: 'after breakfast',
  });
});

describe('what an EHR may change without changing what is said', () => {
  test.each<[string, object]>([
    [
      'tags, profiles and the version',
      { meta: { tag: [{ system: 'urn:x', code: 'y' }], profile: ['urn:p'], versionId: '7' } },
    ],
    ['a narrative', { text: { status: 'generated', div: '<div>71.25 kg</div>' } }],
    ['the zone of an instant', { effectiveDateTime: '2026-11-14T07:00:00Z' }],
    [
      'an absolute reference',
      { subject: { reference: 'https://ehr.example.org/fhir/Patient/1', display: 'A. Person' } },
    ],
    ['a reference with a version', { subject: { reference: 'Patient/1/_history/3' } }],
    ['displays and texts beside codes', { code: { coding: [{ system: LOINC, code: '29463-7' }] } }],
    ['the word for a unit that has a code', { valueQuantity: { value: 71.25, unit: 'kg', code: 'kg' } }],
    ['an element that has nothing in it', { device: { reference: 'Device/1' } }],
    [
      'an address of the EHR by another name than ours',
      { subject: { reference: 'https://inside.example.org:8443/r4/Patient/1' } },
    ],
  ])('%s', (_name, more) => {
    expect(differ(weight(), weight(more))).toEqual([]);
  });

  test('digits of the same number', () => {
    const of = (digits: string) =>
      parsed(`{"resourceType":"Observation","valueQuantity":{"value":${digits},"code":"kg"}}`);
    expect(differ(of('70.10'), of('70.1'))).toEqual([]);
    expect(differ(of('70.10'), of('70.11'))).toEqual(['value']);
  });

  test('identifiers in another order', () => {
    const identifier = [{ value: 'b' }, { value: 'a' }];
    expect(differ(weight({ identifier }), weight({ identifier: identifier.toReversed() }))).toEqual([]);
  });

  test('the order of components, notes and interpretations', () => {
    const component = [
      { code: { coding: [{ system: LOINC, code: '8480-6' }] }, valueQuantity: { value: 120, code: 'mm[Hg]' } },
      { code: { coding: [{ system: LOINC, code: '8462-4' }] }, valueQuantity: { value: 80, code: 'mm[Hg]' } },
    ];
    const note = [{ text: 'one' }, { text: 'two' }];
    expect(
      differ(weight({ component, note }), weight({ component: component.toReversed(), note: note.toReversed() })),
    ).toEqual([]);
  });
});

describe('what somebody changes is seen, and where', () => {
  test.each<[string, object, ContentPart[]]>([
    ['the value', { valueQuantity: { value: 71.5, code: 'kg' } }, ['value']],
    ['the unit', { valueQuantity: { value: 71.25, code: 'g' } }, ['unit']],
    ['a comparator', { valueQuantity: { value: 71.25, code: 'kg', comparator: '<' } }, ['value']],
    ['the status', { status: 'entered-in-error' }, ['status']],
    ['a note', { note: [{ text: 'measured again' }] }, ['notes']],
    ['the patient', { subject: { reference: 'Patient/2' } }, ['subject']],
    ['the time', { effectiveDateTime: '2026-11-14T08:01:00+01:00' }, ['time']],
    ['an interpretation', { interpretation: [{ coding: [{ code: 'H' }] }] }, ['interpretation']],
    ['an identifier', { identifier: [{ system: 'urn:ward', value: '4711' }] }, ['identifiers']],
    ['the encounter', { encounter: { reference: 'Encounter/1' } }, ['other']],
    ['where on the body', { bodySite: { text: 'left arm' } }, ['other']],
    ['a component', { component: [{ code: { text: 'x' }, valueInteger: 1 }] }, ['components']],
  ])('%s', (_name, more, parts) => {
    expect(differ(weight(), weight(more))).toEqual(parts);
  });

  test.each([
    ['its interpretation', { interpretation: [{ text: 'high' }] }, 'interpretation'],
    ['its range', { referenceRange: [{ high: { value: 130 } }] }, 'other'],
  ])('of a component, %s', (_name, more, part) => {
    const pressure = (own: object) =>
      weight({ component: [{ code: { text: 'systolic' }, valueQuantity: { value: 128, code: 'mm[Hg]' }, ...own }] });
    expect(differ(pressure({}), pressure(more))).toEqual([part]);
  });

  test('the reason why there is no value', () => {
    const { valueQuantity: _value, ...none } = weight();
    const absent = (code: string) => ({ ...none, dataAbsentReason: { coding: [{ code }] } });
    expect(differ(none, absent('error'))).toEqual(['value']);
    expect(differ(absent('error'), absent('unknown'))).toEqual(['value']);
  });
});

test('whatever is in a resource of a type that is not known here counts, but for addresses', () => {
  const immunization = (more: object) => ({ resourceType: 'Immunization', id: 'a', lotNumber: '1', ...more });
  expect(differ(immunization({}), immunization({ lotNumber: '2' }))).toEqual(['other']);
  expect(
    differ(
      immunization({ contained: [{ device: { reference: 'urn:uuid:x' } }] }),
      immunization({ contained: [{ device: { reference: 'Device/1' } }] }),
    ),
  ).toEqual([]);
});

test('the patient is the same wherever a document or the EHR refers to it', () => {
  const performedBy = (reference: string) => weight({ performer: [{ reference }] });
  expect(differ(performedBy('urn:uuid:the-patient'), performedBy('Patient/1'))).toEqual([]);
  expect(differ(performedBy('urn:uuid:the-patient'), performedBy('Practitioner/1'))).toEqual(['other']);
});

test('a result that came to a report is a change, wherever it stands', () => {
  const report = (...result: string[]) => ({
    resourceType: 'DiagnosticReport',
    result: result.map((reference) => ({ reference })),
  });
  expect(differ(report('urn:uuid:a'), report('Observation/1'))).toEqual([]);
  expect(differ(report('urn:uuid:a'), report('Observation/1', 'Observation/2'))).toEqual(['other']);
});

test('translationContext never throws, whatever JSON stands there', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom(
          'status',
          'code',
          'subject',
          'valueQuantity',
          'component',
          'note',
          'result',
          'collection',
          'meta',
        ),
        fc.jsonValue(),
      ),
      (resource) => {
        expect(openFingerprints('k')(contentOf(resource, (one) => one))).toHaveLength(88);
      },
    ),
  );
});

test('what is remembered of a part is what would be made of it', () => {
  const part = fc.option(fc.oneof(fc.constantFrom('final', 'kg', 'http://loinc.org|29463-7'), fc.string()), {
    nil: undefined,
  });
  const opened = new Map(['a key', 'another key'].map((key) => [key, openFingerprints(key)]));
  const contents = fc.record(Object.fromEntries(CONTENT_PARTS.map((name) => [name, part])));
  fc.assert(
    fc.property(contents, fc.constantFrom('a key', 'another key'), (content, key) => {
      const plain = CONTENT_PARTS.map((name) => {
        const text = content[name];
        return text === undefined || text === '' ? '00000000' : hash('sha256', `${key}\n${name}\n${text}`).slice(0, 8);
      });
      for (let n = 0; n < 2; n += 1) expect(opened.get(key)?.(content as ChartContent)).toBe(plain.join(''));
    }),
  );
});
