import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Answered } from './support/ask.ts';
import { judge, judgeHeard, plain, strangeWords, type Expected } from './support/oracle.ts';

const FHIR = ['content-type', 'application/fhir+json'] as const;
const ID = ['x-request-id', 'req_1'] as const;
const answer = (status: number, body: unknown, ...headers: readonly (readonly [string, string])[]): Answered => ({
  status,
  headers: [FHIR, ID, ...headers],
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const OUTCOME = { resourceType: 'OperationOutcome', issue: [] };
const judged = (expected: Expected, one: Answered, path = '/fhir/Observation?patient=idalpha'): string[] =>
  judge({ asked: { path }, answer: one, expected, strangers: ['bravo', 'charl'], ehrPorts: [40_404] });

describe('a stranger is seen', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  test.each([
    ['in a body', answer(200, { resourceType: 'Patient', name: 'zqbravo' })],
    ['in upper case', answer(200, { resourceType: 'Patient', name: 'ZQBravo' })],
    ['in a number', answer(200, { resourceType: 'Observation', value: 7202.02 })],
    ['in a date', answer(200, { resourceType: 'Patient', birthDate: '1922-02-22' })],
    ['in a total', answer(200, { resourceType: 'Bundle', total: 720_202, entry: [] })],
    ['in a header', answer(200, { resourceType: 'Patient' }, ['etag', 'W/"zqbravo"'])],
    ['in a redirect', answer(302, '', ['location', '/fhir/Patient/idbravo'])],
    ['percent-encoded', answer(200, { resourceType: 'Patient', url: '%7a%71bravo' })],
    ['escaped in JSON', answer(200, '{"resourceType":"Patient","name":"\\u007aqbravo"}')],
    ['as entities', answer(200, { resourceType: 'Patient', div: '&#122;&#x71;bravo' })],
    ['in base64', answer(200, { resourceType: 'Binary', data: base64('the letter of zqbravo') })],
    ['in base64 in base64', answer(200, { resourceType: 'Binary', data: base64(base64('the letter of zqbravo')) })],
    [
      'in base64url behind a word',
      answer(200, { resourceType: 'Bundle', next: `x${Buffer.from('??>>zqbravo').toString('base64url')}` }),
    ],
    ['in an error', answer(404, { ...OUTCOME, diagnostics: 'Patient/idcharl is unlinked' })],
    ["by the EHR's address", answer(200, { resourceType: 'Patient', url: 'http://127.0.0.1:40404/x' })],
    ["by the EHR's path", answer(200, { resourceType: 'Patient', url: '/zqhost/r4' })],
  ])('%s', (_, one) => {
    expect(judged('harmless', one).some((finding) => /stranger|address/.test(finding))).toBe(true);
  });

  test('wherever it stands among other text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), (before, after) => {
        const one = answer(200, { resourceType: 'Patient', text: `${before} zqbravo ${after}` });
        expect(judged('harmless', one)).not.toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('what is sound is left alone', () => {
  test("one's own", () => {
    expect(
      judged('own', answer(200, { resourceType: 'Patient', id: 'idalpha', name: 'zqalpha', value: 7101.01 })),
    ).toEqual([]);
  });

  test('what the asker said herself', () => {
    const asked = { path: '/fhir/Observation?patient=idbravo' };
    const self = answer(200, { resourceType: 'Bundle', link: [{ url: 'http://g/fhir/Observation?patient=idbravo' }] });
    expect(strangeWords(self, asked, ['idbravo'])).toEqual([]);
    // Longer than what was said is more than what was said.
    const more = answer(200, { resourceType: 'Bundle', id: 'idbravo-obs' });
    expect(strangeWords(more, asked, ['idbravo'])).toEqual(['idbravo-obs']);
  });

  test('text of any kind without a marker', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        fc.pre(!/zq|id(alpha|bravo|charl)|7202|1922|7303|1933|40404/i.test(text));
        expect(judged('own', answer(200, { resourceType: 'Patient', text }))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

const EMPTY = { resourceType: 'Bundle', type: 'searchset', total: 0 };
const FULL = { resourceType: 'Bundle', total: 1, entry: [{ resource: { resourceType: 'Observation' } }] };

test.each([
  ['own', answer(200, FULL), true],
  ['own', answer(200, EMPTY), false],
  ['own', answer(404, OUTCOME), false],
  ['nothing', answer(200, EMPTY), true],
  ['nothing', answer(200, { ...EMPTY, entry: [{ resource: OUTCOME }] }), true],
  ['nothing', answer(200, FULL), false],
  ['nothing', answer(200, { ...EMPTY, total: 3 }), false],
  ['nothing', answer(403, OUTCOME), true],
  ['nothing', answer(502, OUTCOME), false],
  ['hidden', answer(404, OUTCOME), true],
  ['hidden', answer(403, OUTCOME), false],
  ['hidden', answer(410, OUTCOME), false],
  ['refused', answer(405, OUTCOME), true],
  ['refused', answer(200, EMPTY), false],
  ['refused', answer(304, ''), false],
  ['unauthenticated', answer(401, OUTCOME, ['www-authenticate', 'Bearer']), true],
  ['unauthenticated', answer(401, OUTCOME), false],
  ['forbidden', answer(403, OUTCOME), true],
  ['forbidden', answer(404, OUTCOME), false],
  ['upstream', answer(502, OUTCOME), true],
  ['upstream', answer(200, EMPTY), false],
  ['harmless', answer(500, OUTCOME), false],
  ['refused', answer(404, { title: 'Not found' }), false],
  ['refused', answer(404, OUTCOME, ['set-cookie', 'a=b']), false],
  ['harmless', answer(307, '', ['location', '/fhir/Patient/idalpha']), false],
] as const)('%s: %j is sound: %s', (expected, one, isSound) => {
  expect(judged(expected, one).length === 0).toBe(isSound);
});

test('a type that the scope does not name is seen', () => {
  const asked = { path: '/fhir/Observation' };
  const common = { asked, answer: answer(200, FULL), expected: 'own', strangers: [] } as const;
  expect(judge({ ...common, allowedTypes: ['Observation'] })).toEqual([]);
  expect(judge({ ...common, allowedTypes: ['Patient'] })).toEqual(['out of scope: a Observation']);
});

describe('two answers', () => {
  const missing = answer(404, { ...OUTCOME, id: 'idnobod' });
  test('are alike but for ids and dates', () => {
    const other = {
      ...answer(404, { ...OUTCOME, id: 'idbravo' }),
      headers: [FHIR, ['x-request-id', 'req_2'], ['date', 'x']],
    } as const;
    expect(plain(other, ['idbravo', 'idnobod'])).toEqual(plain(missing, ['idbravo', 'idnobod']));
  });
  test.each([
    ['status', answer(403, { ...OUTCOME, id: 'idnobod' })],
    ['a header', answer(404, { ...OUTCOME, id: 'idnobod' }, ['etag', 'W/"1"'])],
    ['the body', answer(404, { ...OUTCOME, id: 'idnobod', more: 1 })],
    ['the length', answer(404, { ...OUTCOME, id: 'idnobod' }, ['content-length', '7'])],
  ])('differ by %s', (_, other) => {
    expect(plain(other, ['idnobod'])).not.toEqual(plain(missing, ['idnobod']));
  });
});

test.each([
  ['a read', { method: 'GET', url: '/zqhost/r4/Patient/1', headers: {}, body: '' }, true],
  ['a search by POST', { method: 'POST', url: '/zqhost/r4/Patient/_search', headers: {}, body: 'a=b' }, true],
  ['a create', { method: 'POST', url: '/zqhost/r4/Patient', headers: {}, body: '' }, false],
  ['a delete', { method: 'DELETE', url: '/zqhost/r4/Patient/1', headers: {}, body: '' }, false],
  ['dots', { method: 'GET', url: '/zqhost/r4/Patient/../x', headers: {}, body: '' }, false],
  ['an encoded slash', { method: 'GET', url: '/zqhost/r4/Patient%2Fx', headers: {}, body: '' }, false],
  ['another base', { method: 'GET', url: '/other/Patient', headers: {}, body: '' }, false],
  [
    'an override',
    { method: 'GET', url: '/zqhost/r4/x', headers: { 'x-http-method-override': 'PUT' }, body: '' },
    false,
  ],
  ['an override in the query', { method: 'GET', url: '/zqhost/r4/x?_method=put', headers: {}, body: '' }, false],
  [
    "the app's token",
    { method: 'GET', url: '/zqhost/r4/x', headers: { authorization: 'Bearer secret' }, body: '' },
    false,
  ],
])('what the EHR heard: %s', (_, heard, isSound) => {
  expect(judgeHeard([heard], ['secret']).length === 0).toBe(isSound);
});
