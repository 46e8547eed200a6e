import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ElementDefinition, StructureDefinition } from '@medplum/fhirtypes';
import { loadValidator, onOutermost, type Validator } from '../../../../src/r4/index.ts';
import { ADDRESS, aProfile, profilesOf } from '../../../support/a-guide.ts';

function validatorOf(...structures: readonly StructureDefinition[]): Validator {
  const addresses = structures.slice(0, 1).map(({ url }) => url);
  return loadValidator({ guides: { profiles: profilesOf(...structures), imposed: onOutermost(addresses) } });
}

const rulesOf = (validator: Validator, resource: unknown): string[] =>
  validator.validate(resource).map(({ rule }) => rule);
const aPatient = (more: object): object => ({ resourceType: 'Patient', ...more });
const invariant = (key: string, expression: string): Pick<ElementDefinition, 'constraint'> => ({
  constraint: [{ key, severity: 'error', human: key, expression }],
});

test('a value that may meet one of several profiles meets one of them', () => {
  const official = aProfile('official-name', 'HumanName', [
    { id: 'HumanName.use', path: 'HumanName.use', min: 1, fixedCode: 'official' },
  ]);
  const nick = aProfile('nick-name', 'HumanName', [
    { id: 'HumanName.use', path: 'HumanName.use', min: 1, fixedCode: 'nickname' },
  ]);
  const either = aProfile('either', 'Patient', [
    { id: 'Patient.name', path: 'Patient.name', type: [{ code: 'HumanName', profile: [official.url, nick.url] }] },
  ]);
  const validator = validatorOf(either, official, nick);
  expect(rulesOf(validator, aPatient({ name: [{ use: 'official' }, { use: 'nickname' }] }))).toEqual([]);
  expect(rulesOf(validator, aPatient({ name: [{ use: 'official' }, { use: 'old' }] }))).toEqual(['profile-nested']);
});

test('values lie within the least and the most that a profile allows', () => {
  const validator = validatorOf(
    aProfile('born', 'Patient', [
      { id: 'Patient.birthDate', path: 'Patient.birthDate', minValueDate: '1900-01-01', maxValueDate: '2030-12-31' },
    ]),
  );
  expect(rulesOf(validator, aPatient({ birthDate: '1980-02-03' }))).toEqual([]);
  expect(rulesOf(validator, aPatient({ birthDate: '1899-12-31' }))).toEqual(['profile-range']);
  expect(rulesOf(validator, aPatient({ birthDate: '2031' }))).toEqual(['profile-range']);
});

test('an invariant that takes too long is given up, and says so', () => {
  const everyPair = 'name.all(given.all(%resource.name.given.all(%resource.name.given.exists())))';
  const validator = validatorOf(
    aProfile('costly', 'Patient', [{ id: 'Patient', path: 'Patient', ...invariant('costly-1', everyPair) }]),
  );
  const given = Array.from({ length: 2_000 }, (_, n) => `N${n}`);
  expect(rulesOf(validator, aPatient({ name: [{ given }] }))).toEqual(['profile-costly']);
  expect(rulesOf(validator, aPatient({ name: [{ given: ['Ada'] }] }))).toEqual([]);
});

test('a regular expression that may take for ever is run in linear time, or named as not checked', () => {
  const linear = validatorOf(
    aProfile('linear', 'Patient', [
      { id: 'Patient.language', path: 'Patient.language', ...invariant('pattern-1', "matches('^([a-z]+)+$')") },
    ]),
  );
  expect(rulesOf(linear, aPatient({ language: `${'a'.repeat(60)}-x` }))).toEqual(['pattern-1']);
  for (const [pattern, text] of [
    ['^.*,.*,.*x$', ','.repeat(20_000)],
    ['a*b', 'a'.repeat(200_000)],
  ] as const) {
    const guarded = validatorOf(
      aProfile('guarded', 'Basic', [{ path: 'Basic.code.text', ...invariant('pattern-3', `matches('${pattern}')`) }]),
    );
    expect(rulesOf(guarded, { resourceType: 'Basic', code: { text } })).toEqual(['pattern-3']);
  }
  const { notChecked } = profilesOf(
    aProfile('ahead', 'Patient', [
      { path: 'Patient.language', ...invariant('pattern-2', "matches('^((?=a)a+)+$')") },
      { path: 'Patient.gender', ...invariant('pattern-4', "matches('^(a|a){1,24}b$')") },
    ]),
  );
  expect(notChecked.map(({ what, name }) => [what, name])).toEqual([
    ['invariant', 'pattern-2'],
    ['invariant', 'pattern-4'],
  ]);
});

test('profiles that ask for each other come to an end', () => {
  const refers = (name: string, other: string): StructureDefinition =>
    aProfile(name, 'Observation', [
      {
        id: 'Observation.derivedFrom',
        path: 'Observation.derivedFrom',
        type: [{ code: 'Reference', targetProfile: [ADDRESS + other] }],
      },
    ]);
  const validator = validatorOf(refers('one', 'other'), refers('other', 'one'));
  const anObservation = (id: string, of: string) => ({
    fullUrl: `urn:uuid:0000000${id}-0000-4000-8000-000000000000`,
    resource: {
      resourceType: 'Observation',
      meta: { profile: [`${ADDRESS}one`] },
      status: 'final',
      code: { text: id },
      derivedFrom: [{ reference: `urn:uuid:0000000${of}-0000-4000-8000-000000000000` }],
    },
  });
  const bundle = {
    resourceType: 'Bundle',
    type: 'collection',
    entry: [anObservation('1', '2'), anObservation('2', '1')],
  };
  expect(rulesOf(validator, bundle).filter((rule) => rule !== 'profile-type')).toEqual([]);
});

test('whatever a resource holds, nothing throws, and the quick answer and the report agree', () => {
  const validator = validatorOf(
    aProfile('strict', 'Patient', [
      {
        id: 'Patient',
        path: 'Patient',
        ...invariant('any-1', "name.given.all(length() > 1) and extension('urn:x').empty()"),
      },
      {
        id: 'Patient.identifier',
        path: 'Patient.identifier',
        slicing: { discriminator: [{ type: 'value', path: 'system' }], rules: 'closed' },
        min: 1,
      },
      { id: 'Patient.identifier:mrn', path: 'Patient.identifier', sliceName: 'mrn', min: 1, max: '1' },
      { id: 'Patient.identifier:mrn.system', path: 'Patient.identifier.system', min: 1, fixedUri: 'urn:mrn' },
      { id: 'Patient.name', path: 'Patient.name', patternHumanName: { use: 'official' } },
      { id: 'Patient.deceased[x]', path: 'Patient.deceased[x]', type: [{ code: 'boolean' }] },
    ]),
  );
  const anything = fc.anything({ maxDepth: 3, withNullPrototype: false });
  const name = fc.constantFrom(
    'identifier',
    'name',
    'deceasedBoolean',
    'deceasedDateTime',
    '_birthDate',
    'extension',
    'given',
  );
  const patients = fc.dictionary(name, anything, { maxKeys: 5 }).map(aPatient);
  fc.assert(
    fc.property(patients, (patient) => {
      const hasErrors = validator.validate(patient).some(({ severity }) => severity === 'error');
      expect(validator.isValid(patient)).toBe(!hasErrors);
    }),
    { numRuns: 400 },
  );
});

test('vs-1 speaks of a dateTime, and says nothing of a Period', () => {
  const validator = loadValidator({ guides: { profiles: profilesOf() } });
  const aWeight = (effective: object): object => ({
    resourceType: 'Observation',
    meta: { profile: ['http://hl7.org/fhir/StructureDefinition/bodyweight'] },
    status: 'final',
    category: [
      { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
    ],
    code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }] },
    subject: { reference: 'Patient/1' },
    ...effective,
    valueQuantity: { value: 71, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
  });
  expect(rulesOf(validator, aWeight({ effectivePeriod: { start: '2026-11-14' } }))).toEqual([]);
  expect(rulesOf(validator, aWeight({ effectiveDateTime: '2026-11-14' }))).toEqual([]);
  expect(rulesOf(validator, aWeight({ effectiveDateTime: '2026-11' }))).toEqual(['vs-1']);
});

test('what is contained is judged by what it claims', () => {
  const named = aProfile('named', 'Patient', [{ path: 'Patient.name', min: 1 }]);
  const validator = loadValidator({ guides: { profiles: profilesOf(named) } });
  const anObservation = (patient: object): object => ({
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'x' },
    subject: { reference: '#p' },
    contained: [{ resourceType: 'Patient', id: 'p', meta: { profile: [named.url] }, ...patient }],
  });
  expect(rulesOf(validator, anObservation({ name: [{ text: 'Ada' }] }))).toEqual([]);
  expect(validator.validate(anObservation({ active: true }))).toMatchObject([
    { rule: 'profile-min', expression: 'Observation.contained[0]', profile: named.url },
  ]);
});

test('an extension whose places take too long to find is refused, and nothing throws', () => {
  const extension = {
    ...aProfile('somewhere', 'Extension', [{ path: 'Extension.url', fixedUri: `${ADDRESS}somewhere` }]),
    context: [{ type: 'fhirpath' as const, expression: 'Patient.name.where(%resource.name.all(given.exists()))' }],
  };
  const validator = loadValidator({ guides: { profiles: profilesOf(extension) } });
  const name = Array.from({ length: 900 }, () => ({
    given: ['A'],
    extension: [{ url: `${ADDRESS}somewhere`, valueString: 'x' }],
  }));
  expect(new Set(rulesOf(validator, aPatient({ name })))).toEqual(new Set(['profile-costly']));
  expect(rulesOf(validator, aPatient({ name: name.slice(0, 2) }))).toEqual([]);
});

test('an address that only ends like a type is no type, and a version that is not loaded is not there', () => {
  const foreign = aProfile('foreign', 'Patient', [
    { path: 'Patient.link.other', type: [{ code: 'Reference', targetProfile: ['https://unknown.example/Patient'] }] },
  ]);
  expect(profilesOf(foreign).notChecked.map(({ what, name }) => [what, name])).toEqual([
    ['profile', 'https://unknown.example/Patient'],
  ]);
  const { find } = profilesOf(foreign);
  const addresses = [
    foreign.url,
    `${foreign.url}|1.2.0`,
    `${foreign.url}|9.9`,
    'http://hl7.org/fhir/StructureDefinition/bp',
  ];
  expect(addresses.map((address) => find(address)?.type)).toEqual(['Patient', 'Patient', undefined, 'Observation']);
});
