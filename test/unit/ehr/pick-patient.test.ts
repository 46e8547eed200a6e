import { expect, test } from '@jest/globals';
import { makeAddressGuard } from '../../../src/ehr/guard-address.ts';
import { judgeRemembered, pickPatient, type Picked } from '../../../src/ehr/pick-patient.ts';
import type { Found, Resource } from '../../../src/ehr/search-resources.ts';

const guard = makeAddressGuard('https://ehr.example.org/fhir');
const patient = (id: string, more: object = {}, value = 'M1', system = 'urn:mrn'): Resource => ({
  resourceType: 'Patient',
  id,
  identifier: [{ system, value }],
  ...more,
});
const replacedBy = (...references: string[]): object => ({
  active: false,
  link: references.map((reference) => ({ type: 'replaced-by', other: { reference } })),
});
const pick = (matches: readonly Resource[], more: Partial<Found> = {}): Picked =>
  pickPatient({ matches, total: matches.length, more: 'no', used: null, ...more }, 'urn:mrn', 'M1', guard);
const code = (picked: Picked): string => (picked.kind === 'fault' ? picked.code : picked.kind);

test('the one patient who carries the MRN is it, also when nothing is said of being active', () => {
  expect(pick([patient('a')])).toEqual({ kind: 'one', id: 'a' });
  expect(pick([patient('a', { active: true })])).toEqual({ kind: 'one', id: 'a' });
});

test.each<[string, readonly Resource[], Partial<Found>, string]>([
  ['nobody', [], {}, 'patient.none'],
  ['nobody, of whom the server does not say how many', [], { total: null }, 'patient.none'],
  ['nobody, but the server counts some', [], { total: 3 }, 'patient.unverified'],
  ['two', [patient('a'), patient('b')], {}, 'patient.many'],
  ['one of a longer list', [patient('a')], { more: 'yes' }, 'patient.many'],
  ['a page of strangers', [patient('a', {}, 'X')], { more: 'yes' }, 'patient.unverified'],
  ['somebody with another MRN', [patient('a', {}, 'M2')], {}, 'patient.unverified'],
  ['somebody with the MRN in other letters', [patient('a', {}, 'm1')], {}, 'patient.unverified'],
  ['somebody with a longer MRN', [patient('a', {}, 'M12')], {}, 'patient.unverified'],
  ['somebody with the MRN of another system', [patient('a', {}, 'M1', 'urn:other')], {}, 'patient.unverified'],
  ['somebody without identifiers', [{ resourceType: 'Patient', id: 'a' }], {}, 'patient.unverified'],
  ['one who is not active', [patient('a', { active: false })], {}, 'patient.inactive'],
  ['one with an id that is none', [patient('../x')], {}, 'patient.unverified'],
  [
    'one merged into another server',
    [patient('a', replacedBy('https://evil.example/fhir/Patient/b'))],
    {},
    'patient.merged',
  ],
  ['one merged into something else', [patient('a', replacedBy('RelatedPerson/b'))], {}, 'patient.merged'],
  ['one merged into two', [patient('a', replacedBy('Patient/b', 'Patient/c'))], {}, 'patient.merged'],
  ['one merged into nobody', [patient('a', { link: [{ type: 'replaced-by', other: {} }] })], {}, 'patient.merged'],
  [
    'two merged into different ones',
    [patient('a', replacedBy('Patient/c')), patient('b', replacedBy('Patient/d'))],
    {},
    'patient.many',
  ],
])('%s is a fault', (_what, matches, more, expected) => {
  expect(code(pick(matches, more))).toBe(expected);
});

test.each<[string, readonly Resource[], Picked]>([
  ['a stranger beside the right one is left out', [patient('b', {}, 'm1'), patient('a')], { kind: 'one', id: 'a' }],
  [
    'what is no identifier beside the right one is passed over',
    [{ ...patient('a'), identifier: [null, 'M1', { system: 'urn:mrn', value: 'M1' }] }],
    { kind: 'one', id: 'a' },
  ],
  [
    'a merged one leads on also beside one that is not active',
    [patient('c', { active: false }), patient('b', replacedBy('Patient/a'))],
    { kind: 'follow', id: 'a', via: 'b' },
  ],
  [
    'one that is active wins over one that is not',
    [patient('b', { active: false }), patient('a')],
    { kind: 'one', id: 'a' },
  ],
  [
    'the survivor wins over who was merged into it',
    [patient('b', replacedBy('Patient/a')), patient('a')],
    { kind: 'one', id: 'a' },
  ],
  ['a merged one leads on', [patient('b', replacedBy('Patient/a'))], { kind: 'follow', id: 'a', via: 'b' }],
  [
    'also by an absolute address of ours',
    [patient('b', replacedBy('https://ehr.example.org/fhir/Patient/a'))],
    { kind: 'follow', id: 'a', via: 'b' },
  ],
  [
    'also when still called active',
    [patient('b', { ...replacedBy('Patient/a'), active: true })],
    { kind: 'follow', id: 'a', via: 'b' },
  ],
  [
    'also to an id that looks like a word of ours',
    [patient('b', replacedBy('Patient/broken'))],
    { kind: 'follow', id: 'broken', via: 'b' },
  ],
  [
    'two merged into one lead there',
    [patient('b', replacedBy('Patient/a')), patient('c', replacedBy('Patient/a'))],
    { kind: 'follow', id: 'a', via: 'b' },
  ],
  [
    'one that replaced another is itself',
    [patient('a', { link: [{ type: 'replaces', other: { reference: 'Patient/b' } }] })],
    { kind: 'one', id: 'a' },
  ],
])('%s', (_what, matches, expected) => {
  expect(pick(matches)).toEqual(expected);
});

test.each<[string, unknown, readonly string[], string]>([
  ['the same patient', patient('a'), [], 'still'],
  ['the same patient, and nothing of an MRN after a merge', patient('a', {}, 'X'), ['Patient/old'], 'still'],
  ['the same patient without the MRN', patient('a', {}, 'X'), [], 'moved'],
  ['one who was merged', patient('a', replacedBy('Patient/b')), [], 'moved'],
  ['one who is no longer active', patient('a', { active: false }), [], 'moved'],
  ['another patient', patient('b'), [], 'moved'],
  ['something else', { resourceType: 'OperationOutcome' }, [], 'unseen'],
  ['nothing', null, [], 'unseen'],
  ['no resource', 'Patient/a', [], 'unseen'],
])('a remembered patient is found again or not: %s', (_, shown, via, expected) => {
  expect(judgeRemembered(shown, { reference: 'Patient/a', via }, { mrnSystem: 'urn:mrn', mrn: 'M1' }, guard)).toBe(
    expected,
  );
});
