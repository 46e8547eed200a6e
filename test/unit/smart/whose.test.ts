import { describe, expect, test } from '@jest/globals';
import { loadServed } from '../../../src/smart/served-types.ts';
import { isResource, versionOf, whose, type Whose } from '../../../src/smart/whose.ts';

const EHR = 'https://ehr.example.org/fhir';
const served = loadServed([]);
const A = { reference: 'Patient/a' };
const B = { reference: 'Patient/b' };

const of = (resourceType: string, more: object): Whose => whose({ resourceType, id: 'x', ...more }, served, EHR);
const told = (found: Whose): string => {
  if (found.kind === 'targets')
    return [
      ...found.targets.map(({ type, id, versionId }) => `${type}/${id}@${versionId ?? 'now'}`),
      ...(found.isAll ? [] : ['and others']),
    ].join(' ');
  return 'id' in found ? `${found.kind} ${found.id ?? 'of nobody'}` : found.kind;
};

describe('a record is', () => {
  test.each<[string, string, object, string]>([
    ['its subject’s', 'Observation', { subject: A }, 'patient a'],
    [
      'its subject’s by the EHR’s own address',
      'Observation',
      { subject: { reference: `${EHR}/Patient/a` } },
      'patient a',
    ],
    [
      'not known of another server',
      'Observation',
      { subject: { reference: 'https://x.example/Patient/a' } },
      'unclear',
    ],
    ['not known of a subject that is no patient', 'Observation', { subject: { reference: 'Group/a' } }, 'unclear'],
    [
      'not known of a subject known by a number only',
      'Observation',
      { subject: { identifier: { value: 'a' } } },
      'unclear',
    ],
    ['not known without a subject', 'Observation', {}, 'unclear'],
    ['not known with two subjects', 'Observation', { subject: [A, B] }, 'unclear'],
    [
      'not known with a patient and something else',
      'Observation',
      { subject: [A, { reference: 'Group/a' }] },
      'unclear',
    ],
    [
      'not known with something else and a patient',
      'Observation',
      { subject: [{ reference: 'Group/a' }, A] },
      'unclear',
    ],
    ['one’s who is named twice', 'Observation', { subject: [A, { reference: `${EHR}/Patient/a` }] }, 'patient a'],
    ['not its performer’s', 'Observation', { performer: [A] }, 'unclear'],
    ['a patient’s own where it is the Patient', 'Patient', {}, 'patient x'],
    ['nobody’s where it is shared', 'Practitioner', {}, 'nobody'],
    ['not known of a type that is not served', 'Task', { for: A }, 'unclear'],
  ])('%s', (_name, type, more, expected) => {
    expect(told(of(type, more))).toBe(expected);
  });
});

describe('a Provenance is as readable as what it is about', () => {
  test.each<[string, unknown, string]>([
    ['in the order given', [{ reference: 'Observation/1' }, A], 'Observation/1@now Patient/a@now'],
    ['by the EHR’s own address', [{ reference: `${EHR}/Observation/1` }], 'Observation/1@now'],
    ['a version of it', [{ reference: 'Observation/1/_history/7' }], 'Observation/1@7'],
    ['nothing is not known', [], 'unclear'],
    ['no list is not known', A, 'unclear'],
    ['one that cannot be named is left out', [A, { identifier: { value: '1' } }], 'Patient/a@now and others'],
    ['a mere text is no reference', ['Patient/a'], 'unclear'],
    [
      'one of another server is left out',
      [A, { reference: 'https://x.example/Patient/a' }],
      'Patient/a@now and others',
    ],
  ])('%s', (_name, target, expected) => {
    expect(told(of('Provenance', { target }))).toBe(expected);
  });
});

describe('what is contained goes along, so a record is entangled by', () => {
  const own = { resourceType: 'Condition', id: 'c', subject: A };
  const strange = { ...own, subject: B };
  test.each<[string, unknown, string]>([
    ['nothing of its own patient', [own], 'patient a'],
    ['nothing that speaks of nobody', [{ resourceType: 'Practitioner', id: 'p' }], 'patient a'],
    ['nothing, where there is none', [], 'patient a'],
    ['a record of another patient', [strange], 'entangled a'],
    ['a record of another patient beside its own', [own, strange], 'entangled a'],
    ['a record that tells of its own and of another', [{ ...own, recorder: B }], 'entangled a'],
    ['a Patient, whoever that is', [{ resourceType: 'Patient', id: 'a' }], 'entangled a'],
    ['a type that nobody knows', [{ resourceType: 'Made-up' }], 'entangled a'],
    ['a type that is no text', [{ resourceType: 7 }], 'entangled a'],
    ['something without a type', [{ subject: A }], 'entangled a'],
    ['something without a type beside its own', [own, {}], 'entangled a'],
    ['null', [null], 'entangled a'],
    ['a list in the list', [[own]], 'entangled a'],
    ['one thing that is in no list', own, 'entangled a'],
    ['a text', 'x', 'entangled a'],
    ['null in place of the list', null, 'entangled a'],
  ])('%s', (_name, contained, expected) => {
    expect(told(of('Observation', { subject: A, contained }))).toBe(expected);
  });

  test('any patient at all, where it is nobody’s itself; one that is judged by its targets says so beside them', () => {
    expect(told(of('Practitioner', { contained: [own] }))).toBe('entangled of nobody');
    expect(of('Provenance', { target: [A], contained: [own] })).toMatchObject({ isAll: true, isContainedSound: false });
  });

  test('nothing more, where it is not known whose it is', () => {
    expect(told(of('Observation', { contained: [strange] }))).toBe('unclear');
  });
});

test('a version is what a record itself says, in words', () => {
  expect(
    [{ meta: { versionId: '7' } }, { meta: { versionId: 7 } }, { meta: 'x' }, { meta: null }, {}].map(versionOf),
  ).toEqual(['7', null, null, null, null]);
});

test('a resource can be named: it has a type, and an id that FHIR allows', () => {
  const given = [
    { resourceType: 'Observation', id: 'a' },
    { resourceType: 'Observation', id: 7 },
    { resourceType: 'Observation', id: '..' },
    { resourceType: 'Observation', id: 'a/b' },
    { resourceType: 'Observation' },
    { resourceType: 7, id: 'a' },
    { id: 'a' },
    ['Observation'],
    null,
  ];
  expect(given.map(isResource)).toEqual([true, false, false, false, false, false, false, false, false]);
});
