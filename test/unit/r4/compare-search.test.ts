import { describe, expect, test } from '@jest/globals';
import {
  compareSearch,
  elementsOfParam,
  isComparable,
  knownParam,
  matchesSearch,
  meetsByPart,
  type Fit,
} from '../../../src/r4/index.ts';

const EHR = 'https://ehr.example.org/fhir';
const LOINC = 'http://loinc.org';
const observation = {
  resourceType: 'Observation',
  id: '1',
  status: 'final',
  category: [{ coding: [{ system: 'urn:c', code: 'laboratory' }] }, { coding: [{ code: 'bare' }] }],
  code: { coding: [{ system: LOINC, code: '8867-4' }], text: 'Pulse' },
  subject: { reference: 'Patient/a' },
  encounter: { reference: `${EHR}/Encounter/e1/_history/3` },
  performer: [{ identifier: { value: '7' } }],
  effectiveDateTime: '2026-10-17T00:00:00Z',
  valueQuantity: { value: 72.5, system: 'http://unitsofmeasure.org', code: '/min', unit: 'bpm' },
};
const encounter = {
  resourceType: 'Encounter',
  id: 'e',
  period: { start: '2026-10-17T00:00:00Z' },
  location: [{ location: { reference: 'Location/ward-1' } }],
  hospitalization: { dischargeDisposition: { coding: [{ code: 'home' }] } },
};
const patient = {
  resourceType: 'Patient',
  name: [{ family: 'Müller-Lüdenscheidt', given: ['Jörg', 'Anna Maria'] }],
  birthDate: '1980-05-06',
  telecom: [{ system: 'phone', value: '+1 (555) 010-2030' }],
};
const condition = {
  resourceType: 'Condition',
  onsetAge: { value: 40 },
  extension: [{ url: 'urn:asserted', valueDateTime: '2026-02-03' }],
};

const response = { resourceType: 'QuestionnaireResponse', questionnaire: 'http://example.org/Questionnaire/q|1.0' };

type Row = [unknown, string, string, Fit];
const rows = (resource: unknown, all: readonly (readonly [string, string, Fit])[]): Row[] =>
  all.map(([name, value, fit]) => [resource, name, value, fit]);

const ROWS: readonly Row[] = [
  ...rows(observation, [
    ['code', '8867-4', 'yes'],
    ['code', `${LOINC}|8867-4`, 'yes'],
    ['code', 'urn:other|8867-4', 'no'],
    ['code', 'x,8867-4', 'yes'],
    ['code', '8867-5', 'no'],
    ['code', '|8867-4', 'maybe'],
    ['code', `${LOINC}|`, 'yes'],
    ['code', 'Pulse', 'no'],
    ['category', 'LABORATORY', 'maybe'],
    ['category', 'urn:x|bare', 'maybe'],
    ['status', 'final', 'yes'],
    ['status', 'http://hl7.org/fhir/observation-status|final', 'yes'],
    ['status', 'amended', 'no'],
    ['status:not', 'final', 'no'],
    ['status:not', 'amended', 'yes'],
    ['category:not', 'laboratory', 'maybe'],
    ['method:missing', 'true', 'yes'],
    ['method:missing', 'false', 'no'],
    ['code:missing', 'true', 'no'],
    ['encounter', 'Encounter/e1', 'yes'],
    ['encounter', 'e1', 'yes'],
    ['encounter', 'Encounter/e2', 'no'],
    ['encounter', 'Encounter/E1', 'maybe'],
    ['performer', 'Practitioner/9', 'maybe'],
    ['specimen', 'Specimen/1', 'no'],
    ['date', '2026-10-17T00:00:00Z', 'yes'],
    ['date', 'eq2026', 'yes'],
    ['date', '2025', 'no'],
    ['date', '2026-10-16', 'maybe'],
    ['date', '2026-10-15', 'no'],
    ['date', 'ge2026-10-17T00:00:00Z', 'yes'],
    ['date', 'gt2026-10-17T00:00:00Z', 'maybe'],
    ['date', 'gt2026-11', 'no'],
    ['date', 'le2026-10-17T00:00:00Z', 'yes'],
    ['date', 'lt2026-09', 'no'],
    ['date', 'sa2027', 'no'],
    ['date', 'eb2025', 'no'],
    ['date', 'ne2025', 'yes'],
    ['date', 'ap2020', 'maybe'],
    ['value-quantity', '72.5', 'maybe'],
    ['value-quantity', '72.5|http://unitsofmeasure.org|/min', 'yes'],
    ['value-quantity', 'gt70|http://unitsofmeasure.org|/min', 'yes'],
    ['value-quantity', 'lt70|http://unitsofmeasure.org|/min', 'no'],
    ['value-quantity', 'lt70|http://unitsofmeasure.org|/h', 'maybe'],
    ['value-quantity', '80', 'no'],
    ['value-concept', 'x', 'maybe'],
    ['value-string', 'x', 'maybe'],
    ['code-value-quantity', '8867-4$1', 'maybe'],
    ['_tag', 'x', 'maybe'],
    ['_lastUpdated', 'ge2026', 'maybe'],
    ['made-up', 'x', 'maybe'],
  ]),
  ...rows(encounter, [
    // Servers differ in whether a period that has no end ends before anything, or begins at an instant.
    ['date', 'le2026-10-17T00:00:00Z', 'maybe'],
    ['date', 'lt2026-10-17T00:00:00Z', 'maybe'],
    ['date', 'lt2026-10-16T00:00:00Z', 'no'],
    ['date', 'ge2030', 'maybe'],
    ['location', 'Location/ward-1', 'yes'],
    ['location', 'Location/ward-2', 'no'],
    ['discharge-disposition', 'home', 'yes'],
    ['discharge-disposition', 'died', 'no'],
  ]),
  ...rows(response, [
    ['questionnaire', 'http://example.org/Questionnaire/q', 'maybe'],
    ['questionnaire', 'http://example.org/Questionnaire/q|1.0', 'maybe'],
    ['questionnaire', 'http://example.org/Questionnaire/other', 'no'],
  ]),
  ...rows(patient, [
    ['family', 'mull', 'yes'],
    ['family', 'MÜLLER', 'yes'],
    ['family', 'denscheidt', 'maybe'],
    ['family', 'Maier', 'no'],
    ['name', 'jorg', 'yes'],
    ['name', 'maria', 'maybe'],
    ['given:exact', 'Jörg', 'yes'],
    ['given:exact', 'Jorg', 'maybe'],
    ['family:contains', 'luden', 'yes'],
    ['birthdate', '1980-05-06', 'yes'],
    ['birthdate', '1981', 'no'],
    ['telecom', '15550102030', 'maybe'],
    ['telecom', '15550102031', 'no'],
    ['active', 'true', 'maybe'],
    ['deceased', 'true', 'maybe'],
    ['gender', 'male', 'no'],
  ]),
  ...rows(condition, [
    ['asserted-date', '2026-02-03', 'yes'],
    ['asserted-date', 'gt2026-06', 'no'],
    ['onset-date', '2026', 'maybe'],
  ]),
  ['text', 'code', 'x', 'maybe'],
];

/** As much of a resource as a search of it locates for a condition. */
function partFor(resource: object, key: string): object {
  const type = 'resourceType' in resource ? String(resource.resourceType) : '';
  const names = new Set(['resourceType', ...elementsOfParam(type, key)]);
  return Object.fromEntries(Object.entries(resource).filter(([name]) => names.has(name)));
}
const isText = (value: unknown): value is string => typeof value === 'string';

describe('a condition is met by every reading, by some, or by none', () => {
  test.each<Row>(ROWS)('%j %s=%s: %s', (resource, name, value, fit) => {
    expect(compareSearch(resource, name, value, EHR)).toBe(fit);
  });

  test.each<Row>(ROWS.filter(([resource]) => !isText(resource)))(
    '%j %s=%s by the elements it looks at: not unless %s',
    (resource, name, value, fit) => {
      const isMet = meetsByPart(partFor(resource as object, name), name, value, EHR);
      if (isMet) expect(fit).not.toBe('no');
      if (fit === 'yes' && !/:(not|missing)$/.test(name)) expect(isMet).toBe(true);
    },
  );

  test('what stands in another element can only fit better', () => {
    const whole = { ...observation, effectiveDateTime: '2020', effectiveOther: '2026', effectivePeriod: [] };
    for (const value of ['2026', '2020', 'gt2030', 'ne2020', 'x'])
      if (meetsByPart(partFor(whole, 'date'), 'date', value, EHR))
        expect(compareSearch(whole, 'date', value, EHR)).not.toBe('no');
    expect(meetsByPart(partFor(whole, 'date'), 'date', '2026', EHR)).toBe(false);
  });
});

test('a permission is given only where every reading gives it', () => {
  expect(matchesSearch(observation, 'date', 'ge2026-01-01', EHR)).toBe(true);
  expect(matchesSearch(observation, 'date', 'ge2026-10-17', EHR)).toBe(false);
  expect(matchesSearch(encounter, 'date', 'le2026-12-01', EHR)).toBe(false);
  expect(matchesSearch(observation, 'value-quantity', 'gt70|http://unitsofmeasure.org|/min', EHR)).toBe(true);
  expect(matchesSearch(observation, 'value-quantity', 'gt70', EHR)).toBe(false);
  expect(matchesSearch(encounter, 'discharge-disposition', 'home', EHR)).toBe(false);
});

test('what no path says cannot be compared', () => {
  const isKnown = (type: string, name: string): boolean => {
    const param = knownParam(type, name);
    return param !== undefined && isComparable(param);
  };
  expect(isKnown('Encounter', 'location')).toBe(true);
  expect(isKnown('Encounter', 'discharge-disposition')).toBe(true);
  expect(isKnown('Observation', 'code-value-quantity')).toBe(false);
  expect(isKnown('Patient', 'deceased')).toBe(false);
  expect(isKnown('Encounter', 'constructor')).toBe(false);
});
