import { describe, expect, test } from '@jest/globals';
import {
  MRN,
  aBundle,
  aPatient,
  aUrn,
  anEntry,
  anObservation,
  entriesOf,
  freshEhr,
  must,
  statusesOf,
  writeOf,
  type Entry,
  type Fhir,
} from './support.ts';

const server = freshEhr();
const { ask } = server;
const writes = () => server.ehr().log.writes();
const stored = async (path: string): Promise<Fhir> => (await ask('GET', path)).body;
const put = (id: string, value: string) => ask('PUT', `Patient/${id}`, { body: aPatient(value, { id }) });
const transact = (...entry: Entry[]) => ask('POST', '', { body: aBundle('transaction', entry) });

const postPatient = (n: number, more: Record<string, unknown> = {}, when: Record<string, string> = {}): Entry =>
  anEntry('POST', 'Patient', { fullUrl: aUrn(n), resource: aPatient(`new-${n}`, more), when });
const postObservation = (n: number, more: Record<string, unknown> = {}): Entry =>
  anEntry('POST', 'Observation', { fullUrl: aUrn(n), resource: anObservation(`new-${n}`, more) });
const putPatient = (id: string, value: string, when: Record<string, string> = {}): Entry =>
  anEntry('PUT', `Patient/${id}`, {
    fullUrl: `${server.ehr().url}/Patient/${id}`,
    resource: aPatient(value, { id }),
    when,
  });
const ifNoneExist = (value: string) => ({ ifNoneExist: `identifier=${MRN}|${value}` });

/** `Type/id` of the entry at this place of an answer. */
const placeOf = (bundle: Fhir, i: number): string =>
  must(/([A-Za-z]+\/[^/]+)\/_history\/\d+$/.exec(must(bundle.entry?.[i]?.response?.location))?.[1]);

describe('an accepted transaction', () => {
  test('answers each entry in the order of the request, with status, location, etag and time', async () => {
    await put('a', 'old');
    await put('b', 'old');
    const { status, body } = await transact(
      anEntry('GET', 'Patient/a'),
      putPatient('a', 'new'),
      postPatient(1),
      anEntry('DELETE', 'Patient/b'),
      putPatient('c', 'new'),
    );
    expect([status, body.resourceType, body.type, statusesOf(body)]).toEqual([
      200,
      'Bundle',
      'transaction-response',
      ['200', '200', '201', '204', '201'],
    ]);
    const told = entriesOf(body).map(({ response }) => response);
    expect(told.map((response) => response?.etag).slice(1, 3)).toEqual(['W/"2"', 'W/"1"']);
    expect(placeOf(body, 1)).toBe('Patient/a');
    expect(placeOf(body, 4)).toBe('Patient/c');
    expect(must(told[2]).lastModified).toBe((await stored(placeOf(body, 2))).meta?.lastUpdated);
  });

  test('a GET sees the writes of its transaction, wherever it stands', async () => {
    await put('a', 'old');
    const { body } = await transact(
      anEntry('GET', 'Patient/a'),
      anEntry('GET', `Patient?identifier=${MRN}|new-1`),
      putPatient('a', 'new'),
      postPatient(1),
    );
    expect(body.entry?.[0]?.resource).toEqual(await stored('Patient/a'));
    expect(body.entry?.[0]?.resource?.meta?.versionId).toBe('2');
    expect([body.entry?.[1]?.resource?.type, body.entry?.[1]?.resource?.total]).toEqual(['searchset', 1]);
  });

  test('a GET of a version or of a history reads that', async () => {
    await put('a', 'one');
    await put('a', 'two');
    const { body } = await transact(anEntry('GET', 'Patient/a/_history/1'), anEntry('GET', 'Patient/a/_history'));
    expect([body.entry?.[0]?.resource?.meta?.versionId, body.entry?.[1]?.resource?.type]).toEqual(['1', 'history']);
  });

  test('a GET with ifNoneMatch of the current version is 304 without a resource', async () => {
    await put('a', 'one');
    const { status, body } = await transact(anEntry('GET', 'Patient/a', { when: { ifNoneMatch: 'W/"1"' } }));
    expect([status, body.type, statusesOf(body), body.entry?.[0]?.resource]).toEqual([
      200,
      'transaction-response',
      ['304'],
      undefined,
    ]);
  });

  test('a condition may hold a question mark', async () => {
    await put('a', 'x');
    await put('b', 'x?y');
    const { body } = await transact(
      anEntry('PUT', `Patient?identifier=${MRN}|x?y`, { resource: aPatient('x?y') }),
      anEntry('GET', `Patient?identifier=${MRN}|x?y`),
    );
    expect([placeOf(body, 0), body.entry?.[1]?.resource?.entry?.map((entry) => entry.resource?.id)]).toEqual([
      'Patient/b',
      ['b'],
    ]);
  });

  test('deletes come before creates, wherever they stand', async () => {
    await put('a', 'x');
    const { body } = await transact(postPatient(1, {}, ifNoneExist('x')), anEntry('DELETE', 'Patient/a'));
    expect(statusesOf(body)).toEqual(['201', '204']);
  });

  test('the writes share one request in the log and stand in one block', async () => {
    await transact(postPatient(1), postPatient(2), putPatient('c', 'x'));
    expect([writes().length, new Set(writes().map((write) => write.requestId)).size]).toEqual([3, 1]);
  });

  test('Prefer: return=minimal leaves resources out of the answer', async () => {
    const { status, body } = await ask('POST', '', {
      body: aBundle('transaction', [postPatient(1), putPatient('c', 'x')]),
      headers: { prefer: 'return=minimal' },
    });
    expect([status, statusesOf(body), entriesOf(body).filter((entry) => entry.resource !== undefined)]).toEqual([
      200,
      ['201', '201'],
      [],
    ]);
  });

  // https://hl7.org/fhir/R4/json.html: an array is never empty.
  test('an empty transaction is an empty answer', async () => {
    const { status, body } = await ask('POST', '', { body: { resourceType: 'Bundle', type: 'transaction' } });
    expect([status, body.type, 'entry' in body]).toEqual([200, 'transaction-response', false]);
  });

  test('a conditional PUT creates without a match and updates its one match', async () => {
    await put('a', 'there');
    const url = (value: string) => `Patient?identifier=${MRN}|${value}`;
    const { body } = await transact(
      anEntry('PUT', url('there'), { fullUrl: aUrn(1), resource: aPatient('there', { active: true }) }),
      anEntry('PUT', url('new'), { fullUrl: aUrn(2), resource: aPatient('new') }),
    );
    expect([statusesOf(body), placeOf(body, 0), (await stored('Patient/a'))['active']]).toEqual([
      ['200', '201'],
      'Patient/a',
      true,
    ]);
    expect(writes().length).toBe(3);
  });

  test('ifNoneExist with one match answers 200 with its place and writes nothing', async () => {
    await put('a', 'x');
    const { body } = await transact(postPatient(1, {}, ifNoneExist('x')));
    expect([statusesOf(body), body.entry?.[0]?.response?.etag, placeOf(body, 0), writes().length]).toEqual([
      ['200'],
      'W/"1"',
      'Patient/a',
      1,
    ]);
  });

  test('ifMatch of the current version is done', async () => {
    await put('a', 'x');
    expect(statusesOf((await transact(putPatient('a', 'y', { ifMatch: 'W/"1"' }))).body)).toEqual(['200']);
  });

  test('of two with the same ifNoneExist never two are created', async () => {
    await transact(
      anEntry('POST', 'Patient', { resource: aPatient('y'), when: ifNoneExist('y') }),
      anEntry('POST', 'Patient', { resource: aPatient('y'), when: ifNoneExist('y') }),
    );
    expect((await stored(`Patient?identifier=${MRN}|y`)).total).toBeLessThanOrEqual(1);
  });
});

// https://hl7.org/fhir/R4/http.html#trules
describe('references inside a transaction', () => {
  test('a urn is rewritten wherever it stands, to entries before and after, and the answer tells the same places', async () => {
    const { body } = await transact(
      anEntry('POST', 'Provenance', {
        fullUrl: aUrn(3),
        resource: {
          resourceType: 'Provenance',
          target: [{ reference: aUrn(2) }, { reference: aUrn(1) }, { reference: 'Patient/elsewhere' }],
          recorded: '2024-03-10T10:00:00Z',
          agent: [{ who: { reference: aUrn(1) }, onBehalfOf: { reference: aUrn(1) } }],
          entity: [
            { role: 'source', what: { reference: aUrn(2) }, agent: [{ who: { reference: aUrn(2), display: 'me' } }] },
          ],
          contained: [{ resourceType: 'Observation', id: 'in', subject: { reference: aUrn(1) } }],
          extension: [
            {
              url: 'urn:example:outer',
              extension: [{ url: 'urn:example:inner', valueReference: { reference: aUrn(1) } }],
            },
            { url: 'urn:example:own', valueReference: { reference: '#in' } },
          ],
        },
      }),
      postPatient(1),
      postObservation(2, { subject: { reference: aUrn(1) } }),
    );
    const [provenance, patient, observation] = [placeOf(body, 0), placeOf(body, 1), placeOf(body, 2)];
    expect(await stored(provenance)).toEqual({
      resourceType: 'Provenance',
      id: provenance.split('/')[1],
      meta: (await stored(provenance)).meta,
      target: [{ reference: observation }, { reference: patient }, { reference: 'Patient/elsewhere' }],
      recorded: '2024-03-10T10:00:00Z',
      agent: [{ who: { reference: patient }, onBehalfOf: { reference: patient } }],
      entity: [
        {
          role: 'source',
          what: { reference: observation },
          agent: [{ who: { reference: observation, display: 'me' } }],
        },
      ],
      contained: [{ resourceType: 'Observation', id: 'in', subject: { reference: patient } }],
      extension: [
        { url: 'urn:example:outer', extension: [{ url: 'urn:example:inner', valueReference: { reference: patient } }] },
        { url: 'urn:example:own', valueReference: { reference: '#in' } },
      ],
    });
    expect((await stored(observation))['subject']).toEqual({ reference: patient });
  });

  test('two entries may refer to each other', async () => {
    const { body } = await transact(
      postObservation(1, { derivedFrom: [{ reference: aUrn(2) }] }),
      postObservation(2, { hasMember: [{ reference: aUrn(1) }] }),
    );
    expect((await stored(placeOf(body, 0)))['derivedFrom']).toEqual([{ reference: placeOf(body, 1) }]);
    expect((await stored(placeOf(body, 1)))['hasMember']).toEqual([{ reference: placeOf(body, 0) }]);
  });

  test('a uri, a url and the links of a narrative are rewritten', async () => {
    const { body } = await transact(
      postPatient(1),
      postObservation(2, {
        text: {
          status: 'generated',
          div: `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${aUrn(1)}">who</a></div>`,
        },
        extension: [
          { url: 'urn:example:uri', valueUri: aUrn(1) },
          { url: 'urn:example:url', valueUrl: aUrn(1) },
        ],
      }),
    );
    const observation = await stored(placeOf(body, 1));
    expect(observation['text']).toEqual({
      status: 'generated',
      div: `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${placeOf(body, 0)}">who</a></div>`,
    });
    expect(observation['extension']).toEqual([
      { url: 'urn:example:uri', valueUri: placeOf(body, 0) },
      { url: 'urn:example:url', valueUrl: placeOf(body, 0) },
    ]);
  });

  test('text, identifier values and canonicals that hold a urn are left as they were', async () => {
    const kept = {
      identifier: [{ system: 'urn:ietf:rfc:3986', value: aUrn(1) }],
      note: [{ text: aUrn(1) }],
      extension: [{ url: 'urn:example:canonical', valueCanonical: aUrn(1) }],
    };
    const { status, body } = await transact(postPatient(1), postObservation(2, kept));
    expect(status).toBe(200);
    expect(await stored(placeOf(body, 1))).toMatchObject(kept);
  });

  test('an absolute fullUrl is rewritten too', async () => {
    const fullUrl = 'http://elsewhere.example/fhir/Patient/77';
    const { body } = await transact(
      anEntry('POST', 'Patient', { fullUrl, resource: aPatient('x') }),
      postObservation(2, { subject: { reference: fullUrl } }),
    );
    expect((await stored(placeOf(body, 1)))['subject']).toEqual({ reference: placeOf(body, 0) });
  });

  test('a reference to an entry that was there already goes to what was there', async () => {
    await put('a', 'x');
    const { body } = await transact(
      postPatient(1, {}, ifNoneExist('x')),
      postObservation(3, { subject: { reference: aUrn(1) } }),
    );
    expect((await stored(placeOf(body, 1)))['subject']).toEqual({ reference: 'Patient/a' });
  });

  test('a reference to an entry that a conditional PUT updates goes to its match', async () => {
    await put('a', 'x');
    const { body } = await transact(
      postObservation(2, { subject: { reference: aUrn(1) } }),
      anEntry('PUT', `Patient?identifier=${MRN}|x`, { fullUrl: aUrn(1), resource: aPatient('x') }),
    );
    expect((await stored(placeOf(body, 0)))['subject']).toEqual({ reference: 'Patient/a' });
  });

  test('a conditional reference goes to its one match', async () => {
    await put('a', 'x');
    await put('b', 'y');
    const { body } = await transact(
      postObservation(1, {
        subject: { reference: `Patient?identifier=${MRN}|x` },
        performer: [{ reference: `Patient?identifier=${MRN}|y` }],
      }),
    );
    expect(await stored(placeOf(body, 0))).toMatchObject({
      subject: { reference: 'Patient/a' },
      performer: [{ reference: 'Patient/b' }],
    });
  });

  test('a conditional reference finds what its transaction creates', async () => {
    const { body } = await transact(
      postObservation(2, { subject: { reference: `Patient?identifier=${MRN}|new-1` } }),
      postPatient(1),
    );
    expect((await stored(placeOf(body, 0)))['subject']).toEqual({ reference: placeOf(body, 1) });
  });

  test.each([
    ['none', 'nobody'],
    ['many', 'twin'],
  ])('a conditional reference with %s as its match fails the whole transaction', async (_what, value) => {
    await put('a', 'twin');
    await put('b', 'twin');
    const refused = await transact(
      postPatient(1),
      postObservation(2, { subject: { reference: `Patient?identifier=${MRN}|${value}` } }),
    );
    expect([400, 404, 412]).toContain(refused.status);
    expect([refused.body.resourceType, writes().length]).toEqual(['OperationOutcome', 2]);
  });
});

describe('a conditional reference fails the whole transaction', () => {
  test('where one match was there and another is created', async () => {
    await put('a', 'new-1');
    const refused = await transact(
      postPatient(1),
      postObservation(2, { subject: { reference: `Patient?identifier=${MRN}|new-1` } }),
    );
    expect([refused.status >= 400 && refused.status < 500, writes().length]).toEqual([true, 1]);
  });

  test('where its match is deleted', async () => {
    await put('a', 'x');
    const refused = await transact(
      anEntry('DELETE', 'Patient/a'),
      postObservation(2, { subject: { reference: `Patient?identifier=${MRN}|x` } }),
    );
    expect([refused.status >= 400 && refused.status < 500, writes().length]).toEqual([true, 1]);
  });
});

describe('a refused transaction changes nothing', () => {
  const cases: [string, number[], () => Entry[]][] = [
    ['an entry of the wrong type', [400], () => [anEntry('POST', 'Patient', { resource: anObservation('x') })]],
    [
      'an entry of an unknown type',
      [400, 404],
      () => [anEntry('POST', 'Starship', { resource: { resourceType: 'Starship' } })],
    ],
    ['an entry without a resource', [400], () => [anEntry('POST', 'Patient')]],
    ['an entry without a request', [400], () => [{ resource: aPatient('x') }]],
    ['an entry with an unknown method', [400], () => [anEntry('BREW', 'Patient', { resource: aPatient('x') })]],
    [
      'a PUT whose id is not that of its resource',
      [400],
      () => [anEntry('PUT', 'Patient/x', { resource: aPatient('x', { id: 'y' }) })],
    ],
    ['a stale ifMatch', [412], () => [putPatient('a', 'x', { ifMatch: 'W/"7"' })]],
    ['an ifNoneExist with many matches', [412], () => [postPatient(3, {}, ifNoneExist('twin'))]],
    [
      'a conditional PUT with many matches',
      [412],
      () => [anEntry('PUT', `Patient?identifier=${MRN}|twin`, { resource: aPatient('twin') })],
    ],
    ['a urn that no entry has', [400], () => [postObservation(3, { subject: { reference: aUrn(99) } })]],
    [
      'a nested urn that no entry has',
      [400],
      () => [
        postObservation(3, { component: [{ extension: [{ url: 'urn:x', valueReference: { reference: aUrn(99) } }] }] }),
      ],
    ],
    ['a search that cannot be done', [400], () => [anEntry('GET', 'Patient?birthdate=yesterday')]],
    ['a read of an unknown type', [400, 404], () => [anEntry('GET', 'Starship/1')]],
    ['the same id twice', [400], () => [putPatient('a', 'x'), putPatient('a', 'y')]],
    ['the same new id twice', [400], () => [putPatient('n', 'x'), putPatient('n', 'y')]],
    ['an update and a deletion of the same', [400], () => [putPatient('a', 'x'), anEntry('DELETE', 'Patient/a')]],
    [
      'an id and a condition that finds it',
      [400],
      () => [
        putPatient('s', 'x'),
        anEntry('PUT', `Patient?identifier=${MRN}|single`, { resource: aPatient('single') }),
      ],
    ],
    [
      'the same condition twice',
      [400],
      () => [1, 2].map(() => anEntry('PUT', `Patient?identifier=${MRN}|fresh`, { resource: aPatient('fresh') })),
    ],
    ['the same fullUrl twice', [400], () => [postPatient(5), postPatient(5)]],
  ];

  test.each(cases)('%s', async (_what, statuses, bad) => {
    await put('a', 'twin');
    await put('b', 'other');
    await put('c', 'twin');
    await put('s', 'single');
    const refused = await transact(postPatient(1), anEntry('DELETE', 'Patient/b'), ...bad(), postPatient(2));
    expect(statuses).toContain(refused.status);
    expect([refused.body.resourceType, writes().map(writeOf)]).toEqual([
      'OperationOutcome',
      ['create Patient/a 1', 'create Patient/b 1', 'create Patient/c 1', 'create Patient/s 1'],
    ]);
    expect((await stored('Patient')).total).toBe(4);
    expect((await stored(`Patient?identifier=${MRN}|new-1`)).total).toBe(0);
  });

  test.each([
    ['a Bundle of another type', { resourceType: 'Bundle', type: 'collection', entry: [] }],
    ['a Bundle without a type', { resourceType: 'Bundle', entry: [] }],
    ['something that is no Bundle', aPatient('x')],
    ['entries that are no list', { resourceType: 'Bundle', type: 'transaction', entry: {} }],
    ['entries that are no objects', { resourceType: 'Bundle', type: 'transaction', entry: [null, 'x'] }],
    ['no JSON', '{"resourceType":"Bundle"'],
  ])('%s sent to the base is 400', async (_what, body) => {
    const refused = await ask('POST', '', { body });
    expect([refused.status, refused.body.resourceType, writes()]).toEqual([400, 'OperationOutcome', []]);
  });
});

test('transactions that come together are carried out one after another', async () => {
  await Promise.all(
    Array.from({ length: 20 }, () =>
      transact(putPatient('a', 'x'), putPatient('b', 'x'), postPatient(1, {}, ifNoneExist('new-1'))),
    ),
  );
  const blocks = Map.groupBy(writes(), (write) => write.requestId);
  const order = writes().map((write) => write.requestId);
  expect(order).toEqual([...blocks.keys()].flatMap((id) => must(blocks.get(id)).map(() => id)));
  expect((await stored('Patient')).total).toBe(3);
  expect((await stored('Patient/a')).meta?.versionId).toBe('20');
});
