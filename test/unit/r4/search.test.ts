import { describe, expect, test } from '@jest/globals';
import { isMatchable, localReference, matchesSearch, RESOURCE_TYPES, searchParamsOf } from '../../../src/r4/index.ts';

const observation = {
  resourceType: 'Observation',
  id: '1',
  status: 'final',
  category: [{ coding: [{ system: 'http://cat', code: 'lab' }, { code: 'bare' }] }],
  code: { coding: [{ system: 'http://loinc.org', code: '8867-4' }] },
  component: [{ code: { coding: [{ system: 'http://loinc.org', code: '1-1' }] } }],
  subject: { reference: 'Patient/a' },
  performer: [{ reference: 'Practitioner/p' }, { reference: 'https://ehr.example.org/fhir/Patient/b' }],
  valueCodeableConcept: { coding: [{ system: 'http://v', code: 'x' }] },
};

describe('a token', () => {
  test.each([
    ['category', 'lab', true],
    ['category', 'http://cat|lab', true],
    ['category', 'http://cat|', true],
    ['category', '|bare', true],
    ['category', '|lab', false],
    ['category', 'http://other|lab', false],
    ['category', 'other,http://cat|lab', true],
    ['category', '', false],
    ['category', '|', false],
    ['category', 'http://cat|lab|x', false],
    ['status', 'final', true],
    ['status', 'http://hl7.org/fhir/observation-status|final', true],
    ['status', 'http://hl7.org/fhir/observation-status|', false],
    ['combo-code', 'http://loinc.org|1-1', true],
    ['value-concept', 'http://v|x', true],
    ['_id', '1', true],
  ])('%s=%s: %s', (name, value, expected) => {
    expect(matchesSearch(observation, name, value)).toBe(expected);
  });
});

describe('a reference', () => {
  test.each([
    ['patient', 'a', true],
    ['patient', 'Patient/a', true],
    ['patient', 'Patient/b', false],
    ['subject', 'Patient/a', true],
    ['performer', 'Practitioner/p', true],
    ['performer', 'Patient/b', true],
    ['performer', 'Patient/c', false],
  ])('%s=%s: %s', (name, value, expected) => {
    expect(matchesSearch(observation, name, value, 'https://ehr.example.org/fhir')).toBe(expected);
  });

  test('of another server is not one of ours', () => {
    expect(matchesSearch(observation, 'performer', 'Patient/b')).toBe(false);
    expect(
      localReference({ reference: 'https://ehr.example.org/fhirx/Patient/1' }, 'https://ehr.example.org/fhir'),
    ).toBeNull();
    expect(localReference({ reference: '#p' })).toBeNull();
    expect(localReference({ reference: 'Patient/1/_history/2' })).toEqual({ type: 'Patient', id: '1' });
  });
  test.each(['Patient/.', 'Patient/..', 'Patient/...', 'Patient/../_history/1', 'Patient/1/_history/..'])(
    '%s leads elsewhere and names nobody',
    (reference) => {
      expect(localReference({ reference })).toBeNull();
      expect(localReference(`https://ehr.example.org/fhir/${reference}`, 'https://ehr.example.org/fhir')).toBeNull();
    },
  );
  test('may have dots in its id', () => {
    expect(localReference('Patient/..a')).toEqual({ type: 'Patient', id: '..a' });
    expect(localReference('Patient/1.2.')).toEqual({ type: 'Patient', id: '1.2.' });
  });
});

test('what is not matched here matches nothing', () => {
  expect(matchesSearch(observation, 'nonsense', 'x')).toBe(false);
  expect(matchesSearch('text', 'code', 'x')).toBe(false);
  expect(isMatchable('Observation', 'date')).toBe(true);
  expect(isMatchable('Observation', 'code-value-quantity')).toBe(false);
  expect(isMatchable('Observation', 'category')).toBe(true);
  expect(isMatchable('Patient', 'phone')).toBe(false);
});

test('every searchable type has parameters of its own', () => {
  const without = RESOURCE_TYPES.filter((type) => searchParamsOf(type).size === 0);
  expect(
    without.every(
      (type) =>
        /^(Binary|Parameters|MedicinalProduct|Substance|Immunization|Catalog|Resource|Domain|Subs|Obs|Effect)/.test(
          type,
        ) || without.length < 25,
    ),
  ).toBe(true);
  expect(searchParamsOf('constructor').size).toBe(0);
  expect(searchParamsOf('Observation').get('patient')).toMatchObject({
    kind: 'reference',
    targets: ['Patient'],
    isPlain: true,
  });
});
