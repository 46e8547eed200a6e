import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startSearchFixture, type SearchFixture } from './search-fixture.ts';
import { LOINC, MRN, query, sorted } from './support.ts';

let fixture: SearchFixture;
beforeAll(async () => {
  fixture = await startSearchFixture();
});
afterAll(() => fixture.ehr.stop());

const SPECIALS = ['s0', 's1', 's2', 's3', 's4', 's5', 's6'];
const WHEN = 'code=urn:example:dates|when';

describe('token', () => {
  test.each([
    ['system and value', 'Patient', 'identifier', `${MRN}|A1`, ['p1']],
    ['the value alone, in any system', 'Patient', 'identifier', 'A1', ['p1', 'p2', 'p3']],
    ['the value without a system', 'Patient', 'identifier', '|A1', ['p3']],
    ['anything of a system', 'Patient', 'identifier', 'urn:example:other|', ['p2']],
    ['another system', 'Patient', 'identifier', 'urn:example:none|A1', []],
    ['the beginning of a value only', 'Patient', 'identifier', `${MRN}|A`, []],
    ['one of two, by comma', 'Patient', 'identifier', `${MRN}|A1,${MRN}|A2`, ['p1', 'p2']],
    ['an escaped comma', 'Patient', 'identifier', `${MRN}|a\\,b`, ['s0']],
    ['an escaped bar', 'Patient', 'identifier', `${MRN}|a\\|b`, ['s1']],
    ['an escaped bar without a system', 'Patient', 'identifier', 'a\\|b', ['s1']],
    ['an escaped dollar', 'Patient', 'identifier', `${MRN}|a\\$b`, ['s2']],
    ['an escaped backslash', 'Patient', 'identifier', `${MRN}|a\\\\b`, ['s3']],
    ['an escaped backslash before an escaped comma', 'Patient', 'identifier', `${MRN}|a\\\\\\,b`, ['s6']],
    ['a bare comma, which parts two values', 'Patient', 'identifier', 'a,b', ['s4', 's5']],
    ['escapes and a comma that parts', 'Patient', 'identifier', 'a\\,b,a\\|b', ['s0', 's1']],
    ['gender', 'Patient', 'gender', 'female', ['p1']],
    ['gender:not, which is also true of who has none', 'Patient', 'gender:not', 'other', ['p1', 'p2', 'p3']],
    ['identifier:not', 'Patient', 'identifier:not', `${MRN}|A1`, ['p2', 'p3', ...SPECIALS]],
    ['gender:missing=true', 'Patient', 'gender:missing', 'true', ['p3']],
    ['gender:missing=false', 'Patient', 'gender:missing', 'false', ['p1', 'p2', ...SPECIALS]],
    ['code with a system', 'Observation', 'code', `${LOINC}|29463-7`, ['o2']],
    ['code in another system', 'Observation', 'code', 'urn:example:local|8867-4', ['o3']],
    ['code without a system', 'Observation', 'code', '|8867-4', ['o4']],
    ['code in any system', 'Observation', 'code', '8867-4', ['o1', 'o3', 'o4']],
    ['category', 'Observation', 'category', 'urn:example:category|vital-signs', ['o1', 'o2']],
    ['status', 'Observation', 'status', 'amended,preliminary', ['o2', 'o3']],
    ['status:not', 'Observation', 'status:not', 'final', ['o2', 'o3']],
    ['_id', 'Patient', '_id', 'p1,p3,nobody', ['p1', 'p3']],
    ['_id, whole only', 'Patient', '_id', 'p', []],
  ])('%s', async (_what, type, name, value, expected) => {
    expect(await fixture.ids(`${type}?${query([name, value])}`)).toEqual(expected);
  });
});

describe('string', () => {
  test.each([
    ['family starts with, in any case', 'family', 'mÜl', ['p1', 'p2']],
    ['family without its accent', 'family', 'muller', ['p1', 'p2']],
    ['family with an accent that is not there', 'family', 'Müllerson', ['p2']],
    ['family does not match inside', 'family', 'ull', []],
    ['family:exact, with case and accent', 'family:exact', 'Müller', ['p1']],
    ['family:exact in another case', 'family:exact', 'müller', []],
    ['family:exact of the beginning only', 'family:exact', 'Müll', []],
    ['family:contains', 'family:contains', 'ULL', ['p1', 'p2', 'p3']],
    ['given of any place in the list', 'given', 'mar', ['p1']],
    ['given', 'given', 'ana', ['p1', 'p3']],
    ['name by family', 'name', 'muller', ['p1', 'p2']],
    ['name by given', 'name', 'bob', ['p2']],
    ['name by text', 'name', 'special 3', ['s3']],
    ['name by prefix', 'name', 'dr', ['p3']],
    ['name does not mean its use', 'name', 'official', []],
    ['one of two, by comma', 'given', 'bob,maria', ['p1', 'p2']],
    ['family:missing', 'family:missing', 'true', SPECIALS],
  ])('%s', async (_what, name, value, expected) => {
    expect(await fixture.ids(`Patient?${query([name, value])}`)).toEqual(expected);
  });

  test('a repeated parameter must match each time', async () => {
    expect(await fixture.ids(`Patient?${query(['given', 'ana'], ['given', 'maria'])}`)).toEqual(['p1']);
  });

  test('different parameters must all match', async () => {
    expect(await fixture.ids(`Patient?${query(['identifier', 'A1'], ['family', 'mul'], ['gender', 'male'])}`)).toEqual([
      'p2',
    ]);
  });
});

describe('reference', () => {
  test.each([
    ['patient', 'p1', ['o1', 'o2']],
    ['patient', 'Patient/p1', ['o1', 'o2']],
    ['patient', 'BASE/Patient/p1', ['o1', 'o2']],
    ['patient:Patient', 'p1', ['o1', 'o2']],
    ['patient', 'p1,p2', ['o1', 'o2', 'o3']],
    ['patient', 'Group/p1', []],
    ['patient', 'http://elsewhere.example/fhir/Patient/p1', []],
    ['subject', 'Patient/p1', ['o1', 'o2']],
    ['subject', 'Group/p1', ['o4']],
    ['subject', 'p2', ['o3']],
    ['subject:Patient', 'p1', ['o1', 'o2']],
    ['subject:Group', 'p1', ['o4']],
    ['subject', 'BASE/Patient/p1', ['o1', 'o2']],
    ['patient:missing', 'false', ['o1', 'o2', 'o3', 'o5']],
    ['performer', 'Patient/p1', ['o1']],
  ])('Observation by %s=%s', async (name, value, expected) => {
    const at = value.replace('BASE', fixture.ehr.url);
    expect(await fixture.ids(`Observation?${query([name, at])}`)).toEqual(expected);
  });
});

// https://hl7.org/fhir/R4/search.html#prefix: both sides are ranges; `never` has no date and matches no prefix.
describe('date', () => {
  test.each([
    ['2024-03-10', ['day', 'offset', 'period', 'second']],
    ['eq2024-03-10', ['day', 'offset', 'period', 'second']],
    ['ne2024-03-10', ['instant', 'month', 'since', 'until']],
    ['gt2024-03-10', ['instant', 'month', 'since']],
    ['ge2024-03-10', ['day', 'instant', 'month', 'offset', 'period', 'second', 'since']],
    ['lt2024-03-10', ['month', 'since', 'until']],
    ['le2024-03-10', ['day', 'month', 'offset', 'period', 'second', 'since', 'until']],
    ['sa2024-03-10', ['instant']],
    ['eb2024-03-10', ['until']],
    ['2024-03-10T10:00:00Z', ['second']],
    ['2024-03-10T10:00Z', ['second']],
    ['2024-03-10T11:00:00+01:00', ['second']],
    ['2024-03-10T22:30:00Z', ['offset']],
    ['gt2024-03-10T10:00:00Z', ['day', 'instant', 'month', 'offset', 'period', 'since']],
    ['ge2024-03-10T10:00:00Z', ['day', 'instant', 'month', 'offset', 'period', 'second', 'since']],
    ['lt2024-03-10T10:00:00Z', ['day', 'month', 'period', 'since', 'until']],
    ['le2024-03-10T10:00:00Z', ['day', 'month', 'period', 'second', 'since', 'until']],
    ['sa2024-03-10T10:00:00Z', ['instant', 'offset']],
    ['eb2024-03-10T10:00:00Z', ['until']],
    ['2024-03', ['day', 'instant', 'month', 'offset', 'period', 'second']],
    ['gt2024-03', ['since']],
    ['lt2024-03', ['until']],
    ['sa2024-03', []],
    ['eb2024-03', ['until']],
    ['sa2024-02', ['day', 'instant', 'month', 'offset', 'period', 'second', 'since']],
    ['2024', ['day', 'instant', 'month', 'offset', 'period', 'second']],
    ['2023', []],
    ['2024-03-12,eb2024-03-01', ['instant', 'until']],
  ])('date=%s', async (value, expected) => {
    expect(await fixture.ids(`Observation?${WHEN}&${query(['date', value])}`)).toEqual(expected);
  });

  test('two dates bound a range', async () => {
    expect(await fixture.ids(`Observation?${WHEN}&date=ge2024-03-10&date=lt2024-03-11`)).toEqual(
      sorted(['day', 'month', 'offset', 'period', 'second', 'since']),
    );
  });

  test.each([
    ['true', ['never']],
    ['false', ['day', 'instant', 'month', 'offset', 'period', 'second', 'since', 'until']],
  ])('date:missing=%s', async (value, expected) => {
    expect(await fixture.ids(`Observation?${WHEN}&date:missing=${value}`)).toEqual(expected);
  });

  test.each([
    ['1980', ['p1']],
    ['1980-05-17', ['p1']],
    ['gt1985', ['p2']],
    ['le1990-01-01', ['p1', 'p2']],
  ])('birthdate=%s', async (value, expected) => {
    expect(await fixture.ids(`Patient?birthdate=${value}`)).toEqual(expected);
  });

  test.each([
    ['le2024-06-01T00:00:59Z', ['p1']],
    ['2024-06-01T00:01:00Z', ['p2']],
    ['lt2024-06-01T00:02:00Z', ['p1', 'p2']],
    ['sa2024-06-01T00:01:00Z,eb2024-06-01T00:01:00Z', ['p1', 'p3', ...SPECIALS]],
    ['lt2024-06-01', []],
  ])('_lastUpdated=%s', async (value, expected) => {
    expect(await fixture.ids(`Patient?${query(['_lastUpdated', value])}`)).toEqual(expected);
  });
});

describe('other types', () => {
  test.each([
    [`Device?identifier=${MRN}|W1`, ['w1']],
    ['Device?patient=p1', ['w1']],
    ['Device?patient=p2', []],
    ['Provenance?target=Observation/o3', ['v1']],
    ['Provenance?target=Observation/o2', []],
    [`DiagnosticReport?identifier=${MRN}|R1`, ['r1']],
    [`DiagnosticReport?patient=p1&code=${LOINC}|58410-2&category=LAB&status=final&date=2024-03-10`, ['r1']],
    ['DiagnosticReport?result=Observation/o2', ['r1']],
    ['DiagnosticReport?patient=p1&status=amended', []],
    ['Condition?patient=p2&code=38341003', ['c1']],
    ['Condition?patient=p1', []],
    ['Encounter?patient=p1&status=finished&date=2024-03-10', ['e1']],
    ['Encounter?date=gt2024-03-10', []],
  ])('%s', async (path, expected) => {
    expect(await fixture.ids(path)).toEqual(expected);
  });
});
