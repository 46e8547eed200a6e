import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Capability } from '../../../src/ehr/index.ts';
import { searchParamsOf } from '../../../src/r4/index.ts';
import { makeOtherParam } from '../../../src/smart/known-params.ts';
import { parseSearch } from '../../../src/smart/parse-search.ts';
import { parseForm, parseTarget } from '../../../src/smart/parse-target.ts';
import { loadServed } from '../../../src/smart/served-types.ts';

const served = loadServed([]);
const rules = {
  served,
  isOffered: (type: string) => served.has(type),
  base: 'https://gateway.example.org/fhir',
  paramsOf: searchParamsOf,
  includesOf: searchParamsOf,
  otherParam: () => undefined,
  mayReverse: () => true,
};
const parse = (type: string, text: string, handling: 'strict' | 'lenient' = 'lenient') =>
  parseSearch(type, [...new URLSearchParams(text)], handling, rules);

describe('a type', () => {
  test('beside the standard ones is served where it says whom it is about', () => {
    const more = loadServed(['Appointment', 'ImagingStudy', 'Substance']);
    expect(['Appointment', 'ImagingStudy', 'Substance'].map((type) => more.get(type)?.kind)).toEqual([
      'subject',
      'subject',
      'shared',
    ]);
  });

  test.each([
    'Task',
    'Binary',
    'Bundle',
    'Group',
    'Person',
    'AuditEvent',
    'GuidanceResponse',
    'Nonsense',
    'constructor',
  ])('%s is not', (type) => {
    expect(() => loadServed([type])).toThrow('CHARTGATE_READ_TYPES');
  });
});

describe('a type with a minus before it', () => {
  test('is served no longer; one that is not a standard one, or Patient, cannot be taken away', () => {
    const less = loadServed(['-Media', 'Substance']);
    expect([less.has('Media'), less.has('Goal'), less.has('Substance')]).toEqual([false, true, true]);
    for (const type of ['-Patient', '-Substance', '-Nonsense']) expect(() => loadServed([type])).toThrow('READ_TYPES');
  });
});

describe('a target', () => {
  test.each([
    '/fhir/Patient//1',
    '/fhir//Patient',
    '/fhir/Patient/1/',
    '/fhir/Patient/%31',
    '/fhir/./Patient',
    '/fhir/Patient/..',
    '/fhirx/Patient',
    '/fhir/Patient/a;b',
    '/fhir/Patient/a b',
    '/fhir/Patient\\1',
  ])('%s is no address of ours', (url) => {
    expect(parseTarget(url, {})).toMatchObject({ ok: false, fault: { code: 'read.not-found' } });
  });

  test('keeps its segments and its query', () => {
    expect(parseTarget('/fhir/Patient/1/$everything?a=b&a=c', {})).toEqual({
      ok: true,
      value: {
        segments: ['Patient', '1', '$everything'],
        query: [
          ['a', 'b'],
          ['a', 'c'],
        ],
      },
    });
  });

  test('may not change its method', () => {
    expect(parseTarget('/fhir/Patient', { 'x-http-method-override': 'PUT' }).ok).toBe(false);
    expect(parseForm('_method=put').ok).toBe(false);
    expect(parseForm('a='.padEnd(9_000, 'x')).ok).toBe(false);
  });
});

describe('a search', () => {
  test.each([
    ['Observation', 'patient=1', '1'],
    ['Observation', 'subject=Patient/1', '1'],
    ['Observation', 'patient:Patient=1', '1'],
    ['Observation', 'patient=https://gateway.example.org/fhir/Patient/1', '1'],
    ['Observation', 'patient=1,Patient/1', '1'],
    ['Observation', 'code=x', null],
    ['Patient', '_id=1', null],
  ])('%s?%s names %s', (type, query, patient) => {
    expect(parse(type, query)).toMatchObject({ ok: true, value: { patient } });
  });

  test.each([
    ['QuestionnaireResponse', 'questionnaire', 'https://elsewhere.example.org/Questionnaire/q|1.0'],
    ['QuestionnaireResponse', 'questionnaire', 'Questionnaire/q'],
    ['CarePlan', 'instantiates-canonical', 'urn:oid:1.2.3'],
  ])('%s?%s names a definition by its address, wherever it is: %s', (type, name, value) => {
    expect(parse(type, `patient=1&${name}=${value}`)).toMatchObject({
      ok: true,
      value: { clauses: expect.arrayContaining([[name, value]]) },
    });
  });

  test.each(['patient=1,2', 'patient=1&subject=2', 'patient=1&patient=2'])(
    '%s names more than one patient',
    (query) => {
      expect(parse('Observation', query)).toMatchObject({ ok: false, fault: { code: 'read.patient-needed' } });
    },
  );

  test.each([
    'patient=',
    'patient=,',
    'patient=Practitioner/1',
    'patient=https://elsewhere.example.org/fhir/Patient/1',
    'patient=Patient/1/_history/2',
    'patient=a/b',
    'subject:identifier=x',
    'code=%00',
    'code=%ff',
    'date=2026-02-30',
    'date=ge2026-13',
    'date=0000',
    'date=2026-01-01T25:00:00Z',
    '_lastUpdated=gt2025-02-29T10:00:00Z',
    '_sort=nonsense',
    '_count=x',
    '_count=-1',
    '_elements=a.b',
    '_include=Patient:organization',
    '_include=Observation:focus',
    '_include=Observation:subject:Group',
    '_revinclude=Provenance:agent',
    '_summary=none',
    '_total=all',
    'code:below=1',
    'a.b=1',
    '_has:Observation:patient:code=1',
  ])('%s is refused', (query) => {
    expect(parse('Observation', query)).toMatchObject({ ok: false, fault: { code: 'read.parameter' } });
  });

  test('what is made up is not repeated in the fault', () => {
    expect(parse('Observation', 'JohnDoe=1', 'strict')).toEqual({
      ok: false,
      fault: { kind: 'malformed', code: 'read.parameter', problems: ['nobody knows this parameter'] },
    });
    expect(parse('Observation', 'made-up=1', 'strict')).toMatchObject({ ok: false, fault: { at: 'made-up' } });
    const parsed = parse('Observation', 'JohnDoe=1&made-up=2&code=x');
    expect(parsed.ok && [parsed.value.ignored, parsed.value.used]).toEqual([[null, 'made-up'], [['code', 'x']]]);
  });

  test('a parameter that the EHR does not know is looked at in the answer, sent on, or refused by its name', () => {
    const says = { searchParams: ['own', 'made-of-two'], searchKinds: { own: 'token', 'made-of-two': 'composite' } };
    const capability = { types: { Encounter: says } } as unknown as Capability;
    const own = { ...rules, paramsOf: () => new Map(), otherParam: makeOtherParam(() => capability) };
    const read = (query: string) => parseSearch('Encounter', [...new URLSearchParams(query)], 'lenient', own);
    expect(read('location=Location/1&own=x&discharge-disposition=home')).toMatchObject({
      ok: true,
      value: {
        clauses: [['own', 'x']],
        evaluated: [
          ['location', 'Location/1'],
          ['discharge-disposition', 'home'],
        ],
        ignored: [],
      },
    });
    expect(read('made-of-two=1$2')).toMatchObject({ ok: false, fault: { at: 'made-of-two' } });
    expect(read('date=x')).toMatchObject({ ok: false, fault: { at: 'date' } });
  });

  test.each(['_include:iterate=Observation:subject', '_revinclude:iterate=Observation:has-member'])(
    '%s is refused by its name',
    (query) => {
      expect(parse('Observation', query)).toMatchObject({ ok: false, fault: { at: query.split(':')[0] } });
    },
  );

  test('what refers to the found may come along, of types that are one patient\u2019s', () => {
    const parsed = parse('Encounter', '_revinclude=Observation:encounter&_revinclude=Condition:encounter:Encounter');
    expect(parsed.ok && parsed.value.reverse).toEqual([
      { type: 'Observation', param: 'encounter' },
      { type: 'Condition', param: 'encounter' },
    ]);
    for (const value of [
      'Observation:*',
      '*',
      'Observation:subject',
      'Observation:encounter:Patient',
      'Encounter:location',
      'Task:encounter',
      'Observation:encounter:Encounter:x',
      'Practitioner:x',
      'Observation:constructor',
    ])
      expect(parse('Encounter', `_revinclude=${value}`)).toMatchObject({ ok: false, fault: { at: '_revinclude' } });
  });

  test('an include is told with the types that it may lead to', () => {
    const parsed = parse('Observation', '_include=Observation:performer');
    expect(parsed.ok && parsed.value.include[0]?.targets).toEqual(
      expect.arrayContaining(['Practitioner', 'Organization', 'CareTeam']),
    );
  });

  test('a modifier that changes nothing of whose it is goes on', () => {
    expect(parse('Observation', 'code:not=x&value-string:contains=y')).toMatchObject({
      ok: true,
      value: {
        clauses: [
          ['code:not', 'x'],
          ['value-string:contains', 'y'],
        ],
      },
    });
  });

  test('no text whatever makes it throw', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Observation', 'Patient', 'Provenance'),
        fc.array(fc.tuple(fc.string(), fc.string())),
        (type, pairs) => void parseSearch(type, pairs, 'lenient', rules),
      ),
    );
    fc.assert(fc.property(fc.string(), (url) => void parseTarget(url, {})));
  });

  test('what is used says the same when it is read again', () => {
    const first = parse('Observation', 'patient=Patient/1&code=a&_count=500&_sort=-date&_include=Observation:subject');
    if (!first.ok) throw new Error('not parsed');
    expect(parseSearch('Observation', first.value.used, 'strict', rules)).toEqual(first);
  });
});
