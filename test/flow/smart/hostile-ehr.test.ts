import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startHostileEhr } from '../../support/smart/hostile-ehr.ts';
import { aGrant, startSmart, type SmartRig } from '../../support/smart/start-smart.ts';
import { stopAfterTest } from '../../support/stop-after-test.ts';

let ehr: Awaited<ReturnType<typeof startHostileEhr>>;
let rig: SmartRig;
let token: string;
const MARKER = 'MarkerOfAnotherPatient';

beforeAll(async () => {
  ehr = await startHostileEhr();
  rig = await startSmart(ehr.url, { patients: 'all', limits: { answerBytesMax: 200_000 } });
  token = rig.token(aGrant('patient/*.rs', { patient: 'a' }));
});
afterAll(async () => {
  await rig.stop();
  await ehr.stop();
});
beforeEach(() => void rig.log.lines.splice(0));

const observation = (id: string, patient: string, more: object = {}): object => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { text: patient === 'a' ? 'own' : MARKER },
  subject: { reference: `Patient/${patient}` },
  ...more,
});
const bundle = (entries: readonly unknown[], more: object = {}): object => ({
  resourceType: 'Bundle',
  type: 'searchset',
  entry: entries,
  ...more,
});
const match = (resource: object): object => ({ resource, search: { mode: 'match' } });
const along = (resource: object): object => ({ resource, search: { mode: 'include' } });

async function ask(path: string): Promise<{ status: number; text: string; code: string | undefined }> {
  const answer = await rig.get(`/fhir/${path}`, token);
  const text = await answer.text();
  const body = JSON.parse(text) as { issue?: { details: { coding: { code: string }[] } }[] };
  return { status: answer.status, text, code: body.issue?.[0]?.details.coding[0]?.code };
}

test.each<[string, object]>([
  ['another patient among the matches', bundle([match(observation('1', 'a')), match(observation('2', 'b'))])],
  ['the filter ignored altogether', bundle([match(observation('2', 'b'))])],
  [
    'a match of another type',
    bundle([match({ resourceType: 'Condition', id: '1', subject: { reference: 'Patient/a' } })]),
  ],
  ['a Patient instead', bundle([match({ resourceType: 'Patient', id: 'b', name: [{ text: MARKER }] })])],
  ['a match without a subject', bundle([match({ resourceType: 'Observation', id: '1' })])],
  [
    'a subject of another server',
    bundle([match(observation('1', 'a', { subject: { reference: 'https://other.example.org/Patient/a' } }))]),
  ],
  [
    'a subject by identifier alone',
    bundle([match(observation('1', 'a', { subject: { identifier: { value: 'x' } } }))]),
  ],
  ['a group as subject', bundle([match(observation('1', 'a', { subject: { reference: 'Group/a' } }))])],
  ['an id that looks like ours', bundle([match(observation('1', 'a', { subject: { reference: 'Patient/a/../b' } }))])],
  [
    'another patient among the matches, who contains somebody',
    bundle([
      match(observation('1', 'a')),
      match(observation('2', 'b', { contained: [{ resourceType: 'Patient', id: 'p' }] })),
    ]),
  ],
  ['an entry without a mode', bundle([{ resource: observation('2', 'b') }])],
  ['an outcome that is a record', bundle([{ resource: observation('2', 'b'), search: { mode: 'outcome' } }])],
  ['an entry without an id', bundle([match({ resourceType: 'Observation', subject: { reference: 'Patient/a' } })])],
  ['an entry that is none', bundle(['x'])],
  ['no list of entries', { resourceType: 'Bundle', type: 'searchset', entry: { resource: observation('2', 'b') } }],
])('%s refuses the whole answer and raises an alarm', async (_, body) => {
  ehr.answers(() => ({ body }));
  const { status, code, text } = await ask('Observation?_include=Observation:subject');
  expect([status, code]).toEqual([502, 'read.foreign']);
  expect(text).not.toContain(MARKER);
  expect(rig.log.lines.filter(({ event, level }) => event === 'read.refused' && level === 'error').length).toBe(1);
  expect((await rig.audits()).at(-1)).toMatchObject({ type: 'fhir.search', outcome: '8', why: 'read.foreign' });
});

test('what the EHR says about the search is not passed on', async () => {
  const outcome = { resourceType: 'OperationOutcome', id: 'x', issue: [{ severity: 'warning', diagnostics: MARKER }] };
  ehr.answers(() => ({
    body: bundle([match(observation('1', 'a')), { resource: outcome, search: { mode: 'outcome' } }]),
  }));
  const { status, text } = await ask('Observation');
  expect(status).toBe(200);
  expect(text).not.toContain(MARKER);
});

test('an unreferred practitioner does not come along', async () => {
  ehr.answers(() => ({
    body: bundle([
      match(observation('1', 'a')),
      along({ resourceType: 'Practitioner', id: 'p', name: [{ text: MARKER }] }),
    ]),
  }));
  const { status, text } = await ask('Observation?_include=Observation:performer');
  expect([status, text.includes(MARKER)]).toEqual([200, false]);
});

test('a device of the ward stays away without an alarm', async () => {
  const device = { resourceType: 'Device', id: 'd', note: [{ text: MARKER }] };
  ehr.answers(() => ({
    body: bundle([match(observation('1', 'a', { device: { reference: 'Device/d' } })), along(device)]),
  }));
  const { status, text } = await ask('Observation?_include=Observation:device');
  expect([status, text.includes(MARKER), rig.log.lines.some(({ event }) => event === 'read.refused')]).toEqual([
    200,
    false,
    false,
  ]);
});

test('what the EHR counts is not told', async () => {
  ehr.answers(() => ({ body: bundle([match(observation('1', 'a'))], { total: 4711 }) }));
  expect(JSON.parse((await ask('Observation')).text)).toMatchObject({ total: 1 });
});

test('decimals keep their digits, and absolute addresses become ours', async () => {
  const text = JSON.stringify(
    bundle(
      [
        {
          fullUrl: `${ehr.url}/Observation/1`,
          resource: observation('1', 'a', {
            subject: { reference: `${ehr.url}/Patient/a` },
            text: {
              status: 'generated',
              div: `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${ehr.url}/Observation/1">x</a></div>`,
            },
            identifier: [{ system: `http://${ehr.host}/names`, value: '1' }],
            valueQuantity: { value: 'NUMBER' },
          }),
        },
      ],
      { link: [{ relation: 'next', url: `${ehr.url}?_getpages=1` }] },
    ),
  ).replace('"NUMBER"', '70.10');
  ehr.answers(() => ({ body: text }));
  const { status, text: body } = await ask('Observation');
  expect(status).toBe(200);
  expect(body).toContain('"value":70.10');
  expect(body).toContain(`<a href=\\"${rig.base}/Observation/1\\">`);
  expect(body).toContain('"reference":"Patient/a"');
  expect(body).not.toContain(ehr.url);
});

const asReadAndFound = (resource: object, found: readonly object[] = [match(resource)]) =>
  ehr.answers(({ method }) => ({ body: method === 'GET' ? resource : bundle(found) }));

test.each<[string, (host: string) => object]>([
  ['of a link in narrative', (host) => ({ text: { div: `<div><a href="http://${host}/admin">x</a></div>` } })],
  ['of an attachment', (host) => ({ valueAttachment: { url: `http://${host}/files/1` } })],
  ['of a reference', (host) => ({ performer: [{ reference: `http://${host}/files/Practitioner/1` }] })],
])('an address %s at the EHR, outside its base, is not shown, and the record is', async (_, more) => {
  asReadAndFound(observation('1', 'a', more(ehr.host)));
  for (const path of ['Observation/1', 'Observation', 'Patient/a/$everything?_type=Observation']) {
    if (path.startsWith('Patient'))
      ehr.answers(({ method }) => ({
        body:
          method === 'GET'
            ? { resourceType: 'Patient', id: 'a' }
            : bundle([match(observation('1', 'a', more(ehr.host)))]),
      }));
    const answer = await ask(path);
    expect([answer.status, answer.text.includes('own'), answer.text.includes(ehr.host)]).toEqual([200, true, false]);
  }
});

/** What the source, or whoever may write into a record, can put there. */
const poisons: readonly [string, (host: string) => object][] = [
  ['the host of the EHR in a manufacturer', (host) => ({ manufacturer: `Acme http://${host}/x` })],
  ['the base of the EHR in a note', (host) => ({ note: [{ text: `see HTTP://${host}/ehr/Patient/b` }] })],
];
test.each(poisons)('%s passes as it was written', async (_, more) => {
  const device = { resourceType: 'Device', id: 'd', patient: { reference: 'Patient/a' }, ...more(ehr.host) };
  const text = JSON.stringify(device).slice(1, -1);
  ehr.answers(() => ({ body: bundle([match(device)]) }));
  expect((await ask('Device?patient=a')).text).toContain(text);
  const measured = observation('1', 'a', { device: { reference: 'Device/d' } });
  ehr.answers(() => ({ body: bundle([match(measured), along(device)]) }));
  expect((await ask('Observation?_include=Observation:device')).text).toContain(text);
  ehr.answers(({ method, url }) => ({
    body:
      method === 'GET'
        ? { resourceType: 'Patient', id: 'a' }
        : bundle(url.includes('/Device/') ? [match(device)] : url.includes('/Observation/') ? [match(measured)] : []),
  }));
  const everything = await ask('Patient/a/$everything');
  expect([everything.status, everything.text.includes(text)]).toEqual([200, true]);
});

const leftOut = async (): Promise<unknown[]> =>
  (await rig.audits())
    .filter(
      ({ requestId, why }) => requestId === rig.log.lines.at(-1)?.['requestId'] && String(why).startsWith('left-out:'),
    )
    .map(({ type, resourceType, outcome, why, count }) => [type, resourceType, outcome, why, count]);

test.each<[string, object, object]>([
  ['contains a Patient', { contained: [{ resourceType: 'Patient', id: 'p', name: [{ text: MARKER }] }] }, {}],
  [
    'contains a record of another patient',
    {
      contained: [
        { resourceType: 'Condition', id: 'c', subject: { reference: 'Patient/b' }, note: [{ text: MARKER }] },
      ],
    },
    {},
  ],
])('a match that %s is left out and the rest is answered', async (_, more) => {
  const poisoned = observation('2', 'a', more);
  asReadAndFound(poisoned, [match(observation('1', 'a')), match(poisoned)]);
  const { status, text } = await ask('Observation');
  expect([status, text.includes(MARKER)]).toEqual([200, false]);
  expect(
    (JSON.parse(text) as { total: number; entry: { resource: { id: string } }[] }).entry.map((one) => one.resource.id),
  ).toEqual(['1']);
  expect(await leftOut()).toEqual([['fhir.deny', 'Observation', '4', 'left-out:entangled', 1]]);
  expect(rig.log.lines.filter(({ event }) => event === 'read.refused')).toEqual([]);
  expect(await ask('Observation/2')).toMatchObject({ status: 404 });
});

const newborn = {
  resourceType: 'Encounter',
  id: 'n',
  subject: { reference: 'Patient/a' },
  partOf: { reference: 'Encounter/m' },
};
const mother = {
  resourceType: 'Encounter',
  id: 'm',
  subject: { reference: 'Patient/b' },
  reasonCode: [{ text: MARKER }],
};
const panel = observation('1', 'a', { hasMember: [{ reference: 'Observation/2' }, { reference: 'Observation/3' }] });

test.each<[string, string, object[], string[], unknown[]]>([
  [
    'a member of a panel that is of another patient',
    'Observation?_include=Observation:has-member',
    [match(panel), along(observation('2', 'b')), along(observation('3', 'a'))],
    ['1', '3'],
    ['fhir.deny', 'Observation', '4', 'left-out:other-patient', 1],
  ],
  [
    'the encounter of a mother',
    'Encounter?_include=Encounter:part-of',
    [match(newborn), along(mother)],
    ['n'],
    ['fhir.deny', 'Encounter', '4', 'left-out:other-patient', 1],
  ],
  [
    'a device that contains a Patient',
    'Observation?_include=Observation:device',
    [
      match(observation('1', 'a', { device: { reference: 'Device/d' } })),
      along({
        resourceType: 'Device',
        id: 'd',
        patient: { reference: 'Patient/a' },
        contained: [{ resourceType: 'Patient', id: 'p', name: [{ text: MARKER }] }],
      }),
    ],
    ['1'],
    ['fhir.deny', 'Device', '4', 'left-out:entangled', 1],
  ],
  [
    'a record of another patient to which nothing refers',
    'Observation?_include=Observation:has-member',
    [match(observation('1', 'a')), along(observation('2', 'b')), along(observation('4', 'b'))],
    ['1'],
    ['fhir.deny', 'Observation', '4', 'left-out:not-asked', 2],
  ],
  [
    'a Patient who is another',
    'Observation?_include=Observation:subject',
    [match(observation('1', 'a')), along({ resourceType: 'Patient', id: 'b', name: [{ text: MARKER }] })],
    ['1'],
    ['fhir.deny', 'Patient', '4', 'left-out:not-asked', 1],
  ],
  [
    'a type that has no rule',
    'Observation?_include=Observation:subject',
    [match(observation('1', 'a')), along({ resourceType: 'Task', id: '1', description: MARKER })],
    ['1'],
    ['fhir.deny', 'Task', '4', 'left-out:not-asked', 1],
  ],
])('%s does not come along, is in the audit, and the rest is answered', async (_, path, entries, ids, recorded) => {
  ehr.answers(() => ({ body: bundle(entries) }));
  const { status, text } = await ask(path);
  expect([status, text.includes(MARKER)]).toEqual([200, false]);
  expect((JSON.parse(text) as { entry: { resource: { id: string } }[] }).entry.map((one) => one.resource.id)).toEqual(
    ids,
  );
  expect(await leftOut()).toEqual([recorded]);
  expect((await rig.audits()).at(-1)).toMatchObject({ type: 'fhir.search', outcome: '0', count: ids.length });
});

test('what is left out is not shown where that could not be put into the audit', async () => {
  ehr.answers(() => ({ body: bundle([match(newborn), along(mother)]) }));
  rig.failAudit('fails-once');
  expect((await ask('Encounter?_include=Encounter:part-of')).status).toBe(503);
  expect((await ask('Encounter?_include=Encounter:part-of')).status).toBe(200);
});

test.each([
  [
    'a next page elsewhere',
    bundle([match(observation('1', 'a'))], { link: [{ relation: 'next', url: 'https://evil.example.org/ehr?x=1' }] }),
    'ehr.foreign-address',
    502,
  ],
  ['no Bundle', { resourceType: 'Observation', id: '1' }, 'ehr.unreadable', 503],
  ['a transaction', { resourceType: 'Bundle', type: 'transaction-response' }, 'ehr.unreadable', 503],
  [
    'too many entries',
    bundle(Array.from({ length: 1_001 }, (_, n) => ({ resource: { resourceType: 'Observation', id: `n${n}` } }))),
    'ehr.answer-too-large',
    502,
  ],
  [
    'too many bytes',
    bundle([match(observation('1', 'a', { note: [{ text: 'x'.repeat(250_000) }] }))]),
    'ehr.answer-too-large',
    502,
  ],
])('%s is refused', async (_, body, code, status) => {
  ehr.answers(() => ({ body }));
  const answer = await ask('Observation');
  expect([answer.status, answer.code]).toEqual([status, code]);
});

test.each([
  [400, 502],
  [401, 502],
  [403, 502],
  [404, 502],
  [429, 503],
  [500, 503],
  [503, 503],
  [302, 502],
])('a search that the EHR answers %i is answered %i, without its words', async (given, expected) => {
  ehr.answers(() => ({
    status: given,
    headers: { location: 'https://evil.example.org/' },
    body: { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'exception', diagnostics: MARKER }] },
  }));
  const { status, text } = await ask('Observation');
  expect([status, text.includes(MARKER)]).toEqual([expected, false]);
});

test.each([
  [403, 404],
  [404, 404],
  [410, 404],
  [401, 502],
  [500, 503],
  [301, 502],
])('a read that the EHR answers %i is answered %i', async (given, expected) => {
  ehr.answers(() => ({
    status: given,
    headers: { location: `${ehr.url}/Patient/b` },
    body: '{"resourceType":"OperationOutcome","issue":[]}',
  }));
  expect((await ask('Observation/1')).status).toBe(expected);
});

test('a slow EHR is 504', async () => {
  const hasty = await startSmart(ehr.url, { patients: 'all', limits: { deadlineMs: 400 } });
  stopAfterTest(() => hasty.stop());
  ehr.answers(() => ({ delayMs: 1_000, body: bundle([]) }));
  const answer = await hasty.get('/fhir/Observation', hasty.token(aGrant('patient/*.rs', { patient: 'a' })));
  expect(answer.status).toBe(504);
});

test('a cut answer is 503, and so is an answer that is no JSON', async () => {
  ehr.answers(() => ({ body: bundle([match(observation('1', 'a'))]), cutAt: 30 }));
  expect((await ask('Observation')).status).toBe(503);
  ehr.answers(() => ({ body: '<html>', headers: { 'content-type': 'text/html' } }));
  expect((await ask('Observation')).status).toBe(503);
});

test.each([
  ['another id', observation('2', 'a')],
  ['another type', { resourceType: 'Condition', id: '1', subject: { reference: 'Patient/a' } }],
])('a read that is answered by %s is refused', async (_, body) => {
  ehr.answers(() => ({ body }));
  expect(await ask('Observation/1')).toMatchObject({ status: 502, code: 'read.foreign' });
});

test('a history with another resource in it is refused', async () => {
  ehr.answers(({ url }) => ({
    body: url.endsWith('_history')
      ? { resourceType: 'Bundle', type: 'history', entry: [{ resource: observation('2', 'b') }] }
      : observation('1', 'a'),
  }));
  expect(await ask('Observation/1/_history')).toMatchObject({ status: 502, code: 'read.foreign' });
});

test('nothing of the caller reaches the EHR but what was parsed, and search values stand in no address', async () => {
  ehr.answers(() => ({ body: bundle([]) }));
  await rig.get('/fhir/Observation?code=secret-value&nonsense=1&_elements=id', token, {
    'x-forwarded-for': '10.0.0.1',
    cookie: 'a=b',
    'x-custom': 'x',
  });
  const [asked] = ehr.asked;
  expect([asked?.method, asked?.url]).toEqual(['POST', '/ehr/Observation/_search']);
  expect([...new URLSearchParams(asked?.body)]).toEqual([
    ['patient', 'a'],
    ['code', 'secret-value'],
  ]);
  expect(asked?.headers.authorization).toBeUndefined();
  for (const name of ['cookie', 'x-custom', 'x-forwarded-for']) expect(asked?.headers[name]).toBeUndefined();
});

test('a common search is one round trip', async () => {
  ehr.answers(() => ({ body: bundle([match(observation('1', 'a'))]) }));
  await ask('Observation?category=laboratory');
  expect(ehr.asked.length).toBe(1);
});

test('a method override is refused', async () => {
  const answer = await rig.get('/fhir/Observation', token, { 'x-http-method-override': 'DELETE' });
  expect(answer.status).toBe(400);
});

test('no line of the log holds what a patient is known by', () => {
  expect(JSON.stringify(rig.log.lines)).not.toContain(MARKER);
});
