import { expect, test } from '@jest/globals';
import type { StructureDefinition } from '@medplum/fhirtypes';
import { compileGuides, loadValidator, onOutermost, parseLossless, type Validator } from '../../../../src/r4/index.ts';
import { ADDRESS, aGuide, aProfile, profilesOf } from '../../../support/a-guide.ts';

/**
 * Guides and resources that are made to hold the gateway, to break it, or to slip through. What would hold it comes to no
 * end within the time that a test has.
 */
const validatorOf = (...structures: readonly StructureDefinition[]): Validator =>
  loadValidator({
    guides: {
      profiles: profilesOf(...structures),
      imposed: onOutermost(structures.slice(0, 1).map(({ url }) => url)),
    },
  });
const rulesOf = (validator: Validator, resource: unknown): string[] => {
  const rules = validator.validate(resource).map(({ rule }) => rule);
  expect(validator.isValid(resource)).toBe(rules.length === 0);
  return rules;
};
const aPatient = (more: object): object => ({ resourceType: 'Patient', ...more });
const asks = (key: string, expression: string, path = 'Patient'): StructureDefinition =>
  aProfile('asks', path.split('.')[0] ?? path, [
    { path, constraint: [{ key, severity: 'error', human: key, expression }] },
  ]);
const judged = (expression: string, patient: object, path?: string): string[] =>
  rulesOf(validatorOf(asks('rule-1', expression, path)), aPatient(patient));
const notChecked = (expression: string): string[] =>
  profilesOf(asks('rule-1', expression)).notChecked.map(({ name }) => name);

test('a profile that is claimed a thousand times is checked once', () => {
  const strict = aProfile('strict', 'Observation', [
    {
      path: 'Observation.component',
      slicing: { discriminator: [{ type: 'value', path: 'code.text' }], rules: 'open' },
    },
    { id: 'Observation.component:a', path: 'Observation.component', sliceName: 'a' },
    { id: 'Observation.component:a.code.text', path: 'Observation.component.code.text', min: 1, fixedString: 'a' },
  ]);
  const validator = validatorOf(strict);
  const inner = {
    resourceType: 'Observation',
    id: 'i',
    meta: { profile: Array.from({ length: 2_000 }, () => strict.url) },
    status: 'final',
    code: { text: 'x' },
    component: Array.from({ length: 1_000 }, () => ({ code: { text: 'x' } })),
  };
  const outer = { ...inner, id: 'o', hasMember: [{ reference: '#i' }], contained: [inner] };
  expect(rulesOf(validator, outer)).toEqual([]);
});

test('a long chain of references, and many references to one, come to an end', () => {
  const derived = aProfile('derived', 'Observation', [
    {
      path: 'Observation.derivedFrom',
      type: [{ code: 'Reference', targetProfile: [`${ADDRESS}derived`] }],
    },
  ]);
  const validator = loadValidator({ guides: { profiles: profilesOf(derived) } });
  const url = (n: number): string => `urn:uuid:00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const entry = (n: number, to: number): object => ({
    fullUrl: url(n),
    resource: {
      resourceType: 'Observation',
      meta: { profile: [derived.url] },
      status: 'final',
      code: { text: 'x' },
      derivedFrom: [{ reference: url(to) }],
    },
  });
  const bundleOf = (entries: readonly object[]): object => ({
    resourceType: 'Bundle',
    type: 'collection',
    entry: entries,
  });
  expect(rulesOf(validator, bundleOf(Array.from({ length: 2_000 }, (_, n) => entry(n, (n + 1) % 2_000))))).toEqual([]);
  expect(rulesOf(validator, bundleOf(Array.from({ length: 2_000 }, (_, n) => entry(n, 0))))).toEqual([]);
});

test('expressions that grow without end as they are compiled are refused', () => {
  expect(judged(`active${'.exists()'.repeat(40)}`, { active: true })).toEqual([]);
  expect(notChecked(Array.from({ length: 40 }, () => 'active').join(' xor '))).toEqual(['rule-1']);
});

test('texts and comparisons that grow without end are given up', () => {
  const family = 'a'.repeat(60_000);
  expect(judged(`name.family${".replace('a','aaaaaaaaaa')".repeat(4)}.exists()`, { name: [{ family }] })).toEqual([
    'profile-costly',
  ]);
  const name = Array.from({ length: 300 }, (_, n) => ({ family: `n${n}`, given: ['a', 'b', 'c'] }));
  expect(judged('name.all(%resource.name.all($this != %resource))', { name })).toEqual(['profile-costly']);
});

test('names that every object has are no functions, types or value sets', () => {
  for (const expression of [
    'constructor()',
    '__proto__()',
    'hasOwnProperty()',
    "memberOf('constructor')",
    'name.union()',
  ])
    expect(notChecked(expression)).toEqual(['rule-1']);
  expect(judged('$this is constructor or true', { active: true })).toEqual([]);
});

test('a circle of profiles is refused, with snapshots as well', () => {
  const circle = (name: string, base: string): StructureDefinition => ({
    ...aProfile(name, 'Patient', []),
    baseDefinition: ADDRESS + base,
    snapshot: {
      element: [{ id: 'Patient', path: 'Patient' }] as NonNullable<StructureDefinition['snapshot']>['element'],
    },
  });
  const compiled = compileGuides([aGuide(circle('a', 'b'), circle('b', 'a'), aProfile('c', 'Patient', []))]);
  expect(compiled.ok ? [] : compiled.problems.map(({ code, file }) => [code, file])).toEqual([
    ['profile-cycle', `${ADDRESS}a`],
    ['profile-cycle', `${ADDRESS}b`],
  ]);
});

test('definitions that lead to themselves are left out or given up', () => {
  const self = aProfile('self', 'Patient', [{ path: 'Patient.active', min: 0 }]);
  const root = {
    ...self,
    snapshot: {
      element: [
        { id: 'Patient', path: 'Patient', type: [{ code: 'Patient', profile: [self.url] }] },
        { id: 'Patient.contact', path: 'Patient.contact', contentReference: '#Patient.contact' },
      ],
    },
  } as StructureDefinition;
  const validator = validatorOf(root);
  expect(() => rulesOf(validator, aPatient({ contact: [{ gender: 'male' }] }))).not.toThrow();
});

test('equal days are neither before nor after each other, and one moment has several zones', () => {
  const contact = (start: string, end: string): object => ({
    contact: [{ name: { text: 'x' }, period: { start, end } }],
  });
  expect(judged('contact.period.where(start > end).empty()', contact('2020-01-01', '2020-01-01'))).toEqual([]);
  expect(judged('contact.period.all(start < end)', contact('2020-01-01', '2020-01-01'))).toEqual(['rule-1']);
  expect(judged('contact.period.all(start < end)', contact('2020-01-01', '2020-01-02'))).toEqual([]);
  const moments = contact('2020-01-01T00:00:00Z', '2020-01-01T01:00:00+01:00');
  expect(judged('contact.period.all(start = end)', moments)).toEqual([]);
});

test('what nobody can answer is not checked, and a reference to elsewhere tells its type', () => {
  expect(notChecked("maritalStatus.memberOf('http://unknown.example/set')")).toEqual(['rule-1']);
  expect(notChecked("conformsTo('http://unknown.example/profile')")).toEqual(['rule-1']);
  const managed = { managingOrganization: { reference: 'Organization/1' } };
  expect(judged('managingOrganization.resolve() is Organization', managed)).toEqual([]);
  expect(judged('managingOrganization.resolve() is Patient', managed)).toEqual(['rule-1']);
});

test('extensions beside primitives are seen, whatever stands in the primitive', () => {
  const beside = { birthDate: '1980-02-03', _birthDate: { extension: [{ url: 'urn:u', valueString: 'x' }] } };
  expect(judged("extension('urn:u').exists()", beside, 'Patient.birthDate')).toEqual([]);
  expect(judged("birthDate.extension('urn:u').exists()", beside)).toEqual([]);
  const deceased = {
    deceasedDateTime: '2020-01-01',
    _deceasedDateTime: { extension: [{ url: 'urn:u', valueString: 'x' }] },
  };
  expect(judged("deceased.extension('urn:u').exists()", deceased)).toEqual([]);
  const digits = validatorOf(
    aProfile('digits', 'Observation', [{ path: 'Observation.valueQuantity.value.extension', min: 1 }]),
  );
  const kept = parseLossless(
    Buffer.from(
      '{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.50,"_value":{"extension":[{"url":"urn:u","valueString":"x"}]}}}',
    ),
  );
  expect(kept.ok && rulesOf(digits, kept.value)).toEqual([]);
});

test('a rule of a guide under a key of R4 is a rule', () => {
  const own = aProfile('own', 'Patient', [
    {
      path: 'Patient',
      constraint: [{ key: 'obs-7', severity: 'error', human: 'x', expression: 'active', source: `${ADDRESS}own` }],
    },
  ]);
  expect(rulesOf(validatorOf(own), aPatient({ active: false }))).toEqual(['obs-7']);
});

test('an extension in what is contained is judged by its definition', () => {
  const flag = aProfile('flag', 'Extension', [
    { path: 'Extension.url', fixedUri: `${ADDRESS}flag` },
    { path: 'Extension.value[x]', min: 1, type: [{ code: 'boolean' }] },
  ]);
  const validator = loadValidator({ guides: { profiles: profilesOf(flag) } });
  const contained = [{ resourceType: 'Patient', id: 'p', extension: [{ url: flag.url, valueString: 'x' }] }];
  const observation = {
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'x' },
    subject: { reference: '#p' },
  };
  expect(new Set(rulesOf(validator, { ...observation, contained }))).toEqual(new Set(['profile-type']));
});
