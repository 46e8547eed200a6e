import { expect, test } from '@jest/globals';
import { readSearchset, type Found } from '../../../src/ehr/search-resources.ts';
import { judgeFilter } from '../../../src/ehr/verify-identifier.ts';

const WANTED = 'urn:chartgate:probe|abc';
const found = (more: Partial<Found>): Found => ({
  matches: [],
  total: 0,
  more: 'no',
  used: [['identifier', WANTED]],
  ...more,
});

test.each<[string, Partial<Found>, string]>([
  ['nothing found, and it says what it searched for', {}, 'filters'],
  [
    'the same among other parameters',
    {
      used: [
        ['_count', '20'],
        ['identifier', WANTED],
      ],
    },
    'filters',
  ],
  ['the same without a total', { total: null }, 'filters'],
  ['something found', { matches: [{ resourceType: 'Observation' }] }, 'ignores'],
  ['nothing on this page, but a count', { total: 7 }, 'ignores'],
  ['nothing on this page, but a next one', { more: 'yes' }, 'ignores'],
  ['nothing found, by other parameters', { used: [['_count', '20']] }, 'ignores'],
  ['nothing found, by an identifier that was cut', { used: [['identifier', 'urn:chartgate:probe']] }, 'ignores'],
  ['nothing found, and no word on how', { used: null }, 'unsaid'],
])('%s: %s', (_what, more, expected) => {
  expect(judgeFilter(found(more), WANTED)).toBe(expected);
});

const BASE = 'https://ehr.example.org/fhir';
const set = (more: object): unknown => ({ resourceType: 'Bundle', type: 'searchset', ...more });
const entry = (resourceType: string, mode?: string): object => ({
  resource: { resourceType },
  ...(mode === undefined ? {} : { search: { mode } }),
});

test('a searchset gives its matches, and not what came along', () => {
  const bundle = set({
    total: 2,
    entry: [
      entry('Patient', 'match'),
      entry('Patient'),
      entry('Patient', 'include'),
      entry('OperationOutcome', 'outcome'),
      null,
      {},
    ],
    link: [{ relation: 'self', url: 'http://inside:8080/fhir/Patient?identifier=a%7Cb' }],
  });
  expect(readSearchset(bundle, 'Patient', BASE)).toEqual({
    matches: [{ resourceType: 'Patient' }, { resourceType: 'Patient' }],
    total: 2,
    more: 'no',
    used: [['identifier', 'a|b']],
  });
});

test.each<[string, unknown, string]>([
  ['a next link', set({ link: [{ relation: 'next', url: 'https://evil.example/' }] }), 'yes'],
  ['a total above what came', set({ total: 2, entry: [entry('Patient')] }), 'yes'],
  ['neither', set({ entry: [entry('Patient')] }), 'no'],
])('%s: more is %s', (_what, bundle, more) => {
  expect(readSearchset(bundle, 'Patient', BASE)?.more).toBe(more);
});

test.each<[string, unknown]>([
  ['an OperationOutcome', { resourceType: 'OperationOutcome' }],
  ['another Bundle', { resourceType: 'Bundle', type: 'batch-response' }],
  ['text', 'x'],
  ['null', null],
])('%s is no searchset', (_what, bundle) => {
  expect(readSearchset(bundle, 'Patient', BASE)).toBeNull();
});
