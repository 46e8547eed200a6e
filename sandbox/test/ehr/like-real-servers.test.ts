import { describe, expect, test } from '@jest/globals';
import type { Rule, Switches } from '../../index.ts';
import {
  LOINC,
  MRN,
  aBundle,
  aPatient,
  aUrn,
  anEntry,
  anObservation,
  entriesOf,
  freshEhr,
  idOf,
  idsOf,
  must,
  statusesOf,
  type Entry,
  type Fhir,
  type Reply,
} from './support.ts';
import { systemClock } from '../../../src/kernel/index.ts';

let aheadMs = 0;
const server = freshEhr({ now: systemClock.now, monotonicMs: () => systemClock.monotonicMs() + aheadMs });
const { ask } = server;
const writes = () => server.ehr().log.writes();
const traits = (switches: Switches) => server.ehr().board.setTraits(switches);
const rules = (...list: Rule[]) => server.ehr().board.setRules(list);
const put = (resource: Fhir, headers: Record<string, string> = {}) =>
  ask('PUT', `${resource.resourceType}/${must(resource.id)}`, { body: resource, headers });
const read = async (path: string): Promise<Fhir> => (await ask('GET', path)).body;
const bundle = (type: 'transaction' | 'batch', entry: Entry[], headers: Record<string, string> = {}) =>
  ask('POST', '', { body: aBundle(type, entry), headers });
const tag = (code: string) => ({ system: 'urn:test', code });
const codesOf = ({ meta }: Fhir): unknown[] => (meta?.tag ?? []).map(({ code }) => code);
const REPRESENTATION = { prefer: 'return=representation' };

describe('unionTags', () => {
  const labels = (code: string) => ({
    tag: [tag(code)],
    security: [{ system: 'urn:labels', code }],
    profile: [`http://example.org/${code}`],
  });

  test('an update keeps the tags, labels and profiles that it leaves out', async () => {
    traits({ unionTags: true });
    await put(aPatient('x', { id: 'a', meta: labels('one') }));
    await put(aPatient('y', { id: 'a', meta: labels('two') }));
    const { meta } = await read('Patient/a');
    expect(meta).toMatchObject({
      tag: [tag('one'), tag('two')],
      security: [{ code: 'one' }, { code: 'two' }],
      profile: ['http://example.org/one', 'http://example.org/two'],
    });
  });

  test('a tag that is sent again is not there twice, and one without any keeps them all', async () => {
    traits({ unionTags: true });
    for (const meta of [{ tag: [tag('one')] }, { tag: [tag('one'), tag('two')] }, {}])
      await put(aPatient('x', { id: 'a', meta }));
    expect(codesOf(await read('Patient/a'))).toEqual(['one', 'two']);
  });

  test('without the switch the tags of an update take the place of those before', async () => {
    for (const code of ['one', 'two']) await put(aPatient('x', { id: 'a', meta: { tag: [tag(code)] } }));
    expect(codesOf(await read('Patient/a'))).toEqual(['two']);
  });
});

describe('meta', () => {
  const sent = aPatient('x', {
    id: 'a',
    meta: { tag: [tag('mine')], security: [tag('mine')], profile: ['http://example.org/mine'], source: 'urn:mine' },
  });

  test('dropped: nothing of what the client says of the resource is kept', async () => {
    traits({ meta: 'dropped' });
    await put(sent);
    const { meta } = await read('Patient/a');
    expect(Object.keys(must(meta)).toSorted()).toEqual(['lastUpdated', 'versionId']);
  });

  test("rewritten: the server's own source and tag stand in place of the client's", async () => {
    traits({ meta: 'rewritten' });
    await put(sent, { 'x-request-id': 'req-17' });
    const { meta } = await read('Patient/a');
    expect(meta).toMatchObject({ source: '#req-17', tag: [expect.not.objectContaining(tag('mine'))] });
    expect([meta?.['profile'], meta?.['security']]).toEqual([undefined, undefined]);
  });

  test.each(['dropped', 'rewritten'] as const)('%s: what was not kept is not found by it', async (meta) => {
    traits({ meta });
    await put(sent);
    expect(idsOf(await read('Patient?_tag=urn:test|mine'))).toEqual([]);
  });

  test('what is stored by a person is left as it is', async () => {
    traits({ meta: 'dropped' });
    server.ehr().put(aPatient('x', { id: 'a', meta: { tag: [tag('theirs')] } }) as never);
    expect(codesOf(await read('Patient/a'))).toEqual(['theirs']);
  });
});

describe('versionIds', () => {
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

  test('uuid: every version has a name of its own by which it is read, listed and matched', async () => {
    traits({ versionIds: 'uuid' });
    const first = await put(aPatient('x', { id: 'a' }));
    const name = must(first.body.meta?.versionId);
    expect(name).toMatch(UUID);
    expect([first.headers.get('etag'), first.headers.get('location')]).toEqual([
      `W/"${name}"`,
      `${server.ehr().url}/Patient/a/_history/${name}`,
    ]);
    const second = await put(aPatient('y', { id: 'a' }), { 'if-match': `W/"${name}"` });
    expect(second.status).toBe(200);
    expect((await put(aPatient('z', { id: 'a' }), { 'if-match': `W/"${name}"` })).status).toBe(412);
    expect((await put(aPatient('z', { id: 'a' }), { 'if-match': 'W/"2"' })).status).toBe(412);
    expect((await read(`Patient/a/_history/${name}`)).meta?.versionId).toBe(name);
    const listed = entriesOf(await read('Patient/a/_history')).map(({ response }) => response?.etag);
    expect(listed).toEqual([second.headers.get('etag'), `W/"${name}"`]);
  });

  test('uuid: the entries of a Bundle tell those names', async () => {
    traits({ versionIds: 'uuid' });
    for (const type of ['transaction', 'batch'] as const) {
      const { body } = await bundle(type, [
        anEntry('PUT', `Patient/${type}`, { resource: aPatient('x', { id: type }) }),
      ]);
      const name = must((await read(`Patient/${type}`)).meta?.versionId);
      expect(body.entry?.[0]?.response).toMatchObject({
        etag: `W/"${name}"`,
        location: `${server.ehr().url}/Patient/${type}/_history/${name}`,
      });
    }
  });

  test('absent: no version in the resource, the ETag, the Location or the entries of a Bundle', async () => {
    traits({ versionIds: 'absent' });
    const created = await put(aPatient('x', { id: 'a', meta: { versionId: '7' } }));
    expect([created.body.meta?.versionId, created.headers.get('etag'), created.headers.get('location')]).toEqual([
      undefined,
      null,
      `${server.ehr().url}/Patient/a`,
    ]);
    expect(created.body.meta?.lastUpdated).toEqual(expect.any(String));
    expect((await ask('GET', 'Patient/a')).headers.get('etag')).toBeNull();
    for (const type of ['transaction', 'batch'] as const) {
      const { body } = await bundle(type, [anEntry('PUT', 'Patient/a', { resource: aPatient('y', { id: 'a' }) })]);
      expect([body.entry?.[0]?.response?.status, body.entry?.[0]?.response?.etag]).toEqual(['200', undefined]);
    }
  });

  test('absent: If-Match is not compared with anything, and there is no history', async () => {
    traits({ versionIds: 'absent', requireIfMatch: true });
    await put(aPatient('x', { id: 'a' }));
    expect((await put(aPatient('y', { id: 'a' }), { 'if-match': 'W/"9"' })).status).toBe(200);
    expect((await put(aPatient('z', { id: 'a' }))).status).toBe(200);
    expect([
      (await ask('GET', 'Patient/a/_history')).status,
      (await ask('GET', 'Patient/a/_history/1')).status,
    ]).toEqual([404, 404]);
  });

  test('absent: what a person stores has no version either', async () => {
    traits({ versionIds: 'absent' });
    server.ehr().put(aPatient('x', { id: 'a' }) as never);
    expect((await read('Patient/a')).meta?.versionId).toBeUndefined();
  });
});

describe('transactionAsBatch', () => {
  test('the good entries of a bad transaction are done, each has its own status, and it says batch-response', async () => {
    traits({ transactionAsBatch: true });
    await put(aPatient('x', { id: 'a' }));
    const { status, body } = await bundle('transaction', [
      anEntry('POST', 'Patient', { resource: aPatient('y') }),
      anEntry('PUT', 'Patient/a', { resource: aPatient('z', { id: 'a' }), when: { ifMatch: 'W/"9"' } }),
      anEntry('POST', 'Patient', { resource: anObservation('wrong') }),
      anEntry('PUT', 'Patient/a', { resource: aPatient('z', { id: 'a' }), when: { ifMatch: 'W/"1"' } }),
    ]);
    expect([status, body.type, statusesOf(body)]).toEqual([200, 'batch-response', ['201', '412', '400', '200']]);
    expect(writes().length).toBe(3);
  });

  test('entries find each other by their fullUrl', async () => {
    traits({ transactionAsBatch: true });
    const subject = { reference: aUrn(1) };
    const { body } = await bundle('transaction', [
      anEntry('POST', 'Observation', { resource: anObservation('o', { subject }) }),
      anEntry('POST', 'Patient', { fullUrl: aUrn(1), resource: aPatient('x') }),
    ]);
    expect(statusesOf(body)).toEqual(['201', '201']);
    const [patient] = idsOf(await read('Patient'));
    expect((await read('Observation')).entry?.[0]?.resource).toMatchObject({
      subject: { reference: `Patient/${must(patient)}` },
    });
  });

  test('the CapabilityStatement offers transactions all the same', async () => {
    traits({ transactionAsBatch: true });
    expect(JSON.stringify(await read('metadata'))).toContain('"code":"transaction"');
  });
});

describe('maxConditionalEntries', () => {
  const conditional = (n: number) =>
    anEntry('POST', 'Patient', { resource: aPatient(`c${n}`), when: { ifNoneExist: `identifier=${MRN}|c${n}` } });
  const plain = (count: number) =>
    Array.from({ length: count }, (_, n) => anEntry('POST', 'Patient', { resource: aPatient(`p${n}`) }));

  test('a transaction of nine of which one is conditional is an ordinary bad request, and nothing of it is done', async () => {
    traits({ maxConditionalEntries: 8 });
    const refused = await bundle('transaction', [...plain(8), conditional(1)]);
    expect([refused.status, refused.body.issue?.[0]?.code, writes()]).toEqual([400, 'invalid', []]);
  });

  test('eight of which one is conditional are taken, and any number without a condition', async () => {
    traits({ maxConditionalEntries: 8 });
    expect((await bundle('transaction', [...plain(7), conditional(1)])).status).toBe(200);
    expect((await bundle('transaction', plain(20))).status).toBe(200);
  });

  test('a batch is not bounded by it', async () => {
    traits({ maxConditionalEntries: 8 });
    expect((await bundle('batch', [...plain(8), conditional(1)])).status).toBe(200);
  });
});

describe('normaliseNumbers', () => {
  const sent = `{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},
    "valueQuantity":{"value":70.10},"component":[{"valueQuantity":{"value":5.0}}],"note":[{"text":"70.10"}]}`;
  const numbers = ({ text }: Reply): string[] =>
    [...text.matchAll(/"value":([\d.]+)/g)].map(([, digits = '']) => digits);

  test('decimals lose their trailing zeros in every answer, and texts do not', async () => {
    traits({ normaliseNumbers: true });
    const written = await ask('PUT', 'Observation/o', { body: sent });
    const answers = [written, await ask('GET', 'Observation/o'), await ask('GET', 'Observation?_id=o')];
    expect(answers.map(numbers)).toEqual([
      ['70.1', '5'],
      ['70.1', '5'],
      ['70.1', '5'],
    ]);
    expect(written.text).toContain('"text":"70.10"');
  });

  test('without the switch their digits stay', async () => {
    expect(numbers(await ask('PUT', 'Observation/o', { body: sent }))).toEqual(['70.10', '5.0']);
  });
});

describe('what is added and moved', () => {
  test('addNarrative: what has no text gets a generated one, and a text that was sent stays', async () => {
    traits({ addNarrative: true });
    const own = { status: 'additional', div: '<div xmlns="http://www.w3.org/1999/xhtml">mine</div>' };
    expect((await put(anObservation('x', { id: 'a' }))).body['text']).toMatchObject({
      status: 'generated',
      div: expect.stringContaining('xhtml'),
    });
    expect((await put(anObservation('x', { id: 'b', text: own }))).body['text']).toEqual(own);
  });

  test('reorderIdentifiers: identifiers come back in the opposite order and are found by each', async () => {
    traits({ reorderIdentifiers: true });
    const identifier = ['1', '2', '3'].map((value) => ({ system: MRN, value }));
    await put(aPatient('x', { id: 'a', identifier }));
    expect((await read('Patient/a'))['identifier']).toEqual(identifier.toReversed());
    expect(idsOf(await read(`Patient?identifier=${MRN}|2`))).toEqual(['a']);
  });

  test('addDisplay: codings and references get a display where they have none; tags and values do not', async () => {
    traits({ addDisplay: true });
    await put(
      anObservation('x', {
        id: 'a',
        meta: { tag: [tag('mine')] },
        code: {
          coding: [
            { system: LOINC, code: '1-1' },
            { system: LOINC, code: '2-2', display: 'Own' },
          ],
        },
        subject: { reference: 'Patient/p' },
        valueQuantity: { value: 1, code: 'kg' },
      }),
    );
    expect(await read('Observation/a')).toMatchObject({
      meta: { tag: [tag('mine')] },
      code: {
        coding: [
          { code: '1-1', display: expect.any(String) },
          { code: '2-2', display: 'Own' },
        ],
      },
      subject: { reference: 'Patient/p', display: expect.any(String) },
      valueQuantity: { value: 1, code: 'kg' },
    });
    expect(JSON.stringify((await read('Observation/a'))['valueQuantity'])).not.toContain('display');
  });

  test('absoluteReferences: references to this server come back absolute, and are searched for as ever', async () => {
    traits({ absoluteReferences: true });
    const there = `${server.ehr().url}/Patient/p`;
    const resource = anObservation('x', {
      id: 'a',
      subject: { reference: 'Patient/p' },
      performer: [{ reference: 'http://elsewhere.example/fhir/Practitioner/1' }],
    });
    const written = await put(resource);
    const { body } = await bundle('transaction', [anEntry('PUT', 'Observation/a', { resource })], REPRESENTATION);
    const shown = [
      written.body,
      await read('Observation/a'),
      await read('Observation/a/_history/1'),
      must((await read('Observation?subject=Patient/p')).entry?.[0]?.resource),
      must((await read(`Observation?subject=${there}`)).entry?.[0]?.resource),
      must(body.entry?.[0]?.resource),
    ];
    expect(new Set(shown.map((one) => (one['subject'] as { reference: string }).reference))).toEqual(new Set([there]));
    expect(written.body['performer']).toEqual(resource['performer']);
    expect(must(writes()[0]).json).toContain('"reference":"Patient/p"');
  });
});

describe('searchLagMs', () => {
  const LAG_MS = 3_600_000;
  const byName = (value: string) => `identifier=${MRN}|${value}`;
  const found = async (value: string): Promise<string[]> => idsOf(await read(`Patient?${byName(value)}`));

  test('a new resource is read at once and found later', async () => {
    traits({ searchLagMs: LAG_MS });
    await put(aPatient('x', { id: 'a' }));
    expect([(await ask('GET', 'Patient/a')).status, await found('x'), idsOf(await read('Patient'))]).toEqual([
      200,
      [],
      [],
    ]);
    aheadMs += LAG_MS;
    expect([await found('x'), idsOf(await read('Patient'))]).toEqual([['a'], ['a']]);
  });

  test('until then a changed or deleted one is found as it was', async () => {
    await put(aPatient('x', { id: 'a' }));
    await put(aPatient('y', { id: 'b' }));
    traits({ searchLagMs: LAG_MS });
    await put(aPatient('z', { id: 'a' }));
    await ask('DELETE', 'Patient/b');
    expect([await found('x'), await found('z'), await found('y')]).toEqual([['a'], [], ['b']]);
    expect((await read(`Patient?${byName('x')}`)).entry?.[0]?.resource?.meta?.versionId).toBe('1');
    aheadMs += LAG_MS;
    expect([await found('x'), await found('z'), await found('y')]).toEqual([[], ['a'], []]);
  });

  test('conditions go by the same index, so that one thing is created twice', async () => {
    traits({ searchLagMs: LAG_MS });
    const create = () => ask('POST', 'Patient', { body: aPatient('x'), headers: { 'if-none-exist': byName('x') } });
    const update = () => ask('PUT', `Patient?${byName('x')}`, { body: aPatient('x') });
    expect([(await create()).status, (await create()).status, (await update()).status]).toEqual([201, 201, 201]);
    aheadMs += LAG_MS;
    expect((await create()).status).toBe(412);
  });

  test('a rule makes single writes late', async () => {
    rules({ method: 'PUT', times: 1, searchLagMs: 60_000 });
    await put(aPatient('x', { id: 'a' }));
    await put(aPatient('x', { id: 'b' }));
    expect(await found('x')).toEqual(['b']);
  });

  test('what a person stores is found at once', async () => {
    traits({ searchLagMs: 60_000 });
    server.ehr().put(aPatient('x', { id: 'a' }) as never);
    expect(await found('x')).toEqual(['a']);
  });
});

describe('noHistory', () => {
  test.each(['Patient/a/_history', 'Patient/a/_history/1', 'Patient/_history'])('%s is not there', async (path) => {
    traits({ noHistory: true });
    await put(aPatient('x', { id: 'a' }));
    const reply = await ask('GET', path);
    expect([reply.status, reply.body.resourceType, reply.body.issue?.[0]?.code]).toEqual([
      404,
      'OperationOutcome',
      'not-supported',
    ]);
  });

  test('versions are still named and matched', async () => {
    traits({ noHistory: true });
    expect((await put(aPatient('x', { id: 'a' }))).headers.get('etag')).toBe('W/"1"');
    expect((await put(aPatient('y', { id: 'a' }), { 'if-match': 'W/"7"' })).status).toBe(412);
  });
});

describe('staleAnswers', () => {
  test('a PUT is done, and answered with the version before it', async () => {
    await put(aPatient('x', { id: 'a' }));
    traits({ staleAnswers: true });
    const reply = await put(aPatient('y', { id: 'a' }));
    expect([reply.status, reply.headers.get('etag'), reply.body.meta?.versionId]).toEqual([200, 'W/"1"', '1']);
    expect(reply.body['identifier']).toEqual([{ system: MRN, value: 'x' }]);
    expect(await read('Patient/a')).toMatchObject({ meta: { versionId: '2' }, identifier: [{ value: 'y' }] });
  });

  test.each(['transaction', 'batch'] as const)('the entries of a %s are answered so, too', async (type) => {
    await put(aPatient('x', { id: 'a' }));
    traits({ staleAnswers: true });
    const entry = anEntry('PUT', 'Patient/a', { resource: aPatient('y', { id: 'a' }) });
    const { body } = await bundle(type, [entry], REPRESENTATION);
    expect(body.entry?.[0]).toMatchObject({
      response: { status: '200', etag: 'W/"1"' },
      resource: { identifier: [{ value: 'x' }] },
    });
    expect((await read('Patient/a')).meta?.versionId).toBe('2');
  });

  test('what was not there before is answered as it is', async () => {
    traits({ staleAnswers: true });
    const reply = await put(aPatient('x', { id: 'a' }));
    expect([reply.status, reply.headers.get('etag'), reply.body.id]).toEqual([201, 'W/"1"', 'a']);
  });

  test('a rule makes one answer stale', async () => {
    await put(aPatient('x', { id: 'a' }));
    rules({ method: 'PUT', times: 1, staleAnswers: true });
    const etags = [await put(aPatient('y', { id: 'a' })), await put(aPatient('z', { id: 'a' }))].map(({ headers }) =>
      headers.get('etag'),
    );
    expect(etags).toEqual(['W/"1"', 'W/"3"']);
  });
});

describe('Prefer', () => {
  const minimal = { prefer: 'return=minimal' };

  test('return=minimal: no body after a create, an update and a condition that was met already', async () => {
    const created = await ask('POST', 'Patient', { body: aPatient('x'), headers: minimal });
    const replies = [
      created,
      await put(aPatient('y', { id: 'a' }), minimal),
      await put(aPatient('z', { id: 'a' }), minimal),
      await ask('POST', 'Patient', {
        body: aPatient('x'),
        headers: { ...minimal, 'if-none-exist': `identifier=${MRN}|x` },
      }),
    ];
    expect(replies.map(({ status, text }) => [status, text])).toEqual([
      [201, ''],
      [201, ''],
      [200, ''],
      [200, ''],
    ]);
    expect(created.headers.get('location')).toMatch(/_history\/1$/);
  });

  test('return=representation: the resource as it was stored', async () => {
    traits({ normaliseNumbers: true, addNarrative: true });
    const body = '{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":70.10}}';
    const created = await ask('POST', 'Observation', { body, headers: REPRESENTATION });
    expect(created.text).toBe((await ask('GET', `Observation/${idOf(created)}`)).text);
  });

  test.each(['transaction', 'batch'] as const)(
    'return=representation of a %s: every write shows its resource',
    async (type) => {
      await put(aPatient('there', { id: 'there' }));
      await put(aPatient('gone', { id: 'gone' }));
      const entry = [
        anEntry('DELETE', 'Patient/gone'),
        anEntry('POST', 'Patient', { resource: aPatient('new') }),
        anEntry('PUT', 'Patient/there', { resource: aPatient('changed', { id: 'there' }) }),
        anEntry('POST', 'Patient', { resource: aPatient('x'), when: { ifNoneExist: `_id=there` } }),
      ];
      const { body } = await bundle(type, entry, REPRESENTATION);
      const shown = entriesOf(body).map(
        ({ resource }) => (resource?.['identifier'] as { value: string }[] | undefined)?.[0]?.value,
      );
      expect(shown).toEqual([undefined, 'new', 'changed', 'changed']);
      expect(body.entry?.[2]?.resource?.meta?.versionId).toBe('2');
    },
  );

  test.each(['return=minimal', null])('%s: the entries of a Bundle show no resource', async (prefer) => {
    for (const type of ['transaction', 'batch'] as const) {
      const entry = [anEntry('POST', 'Patient', { resource: aPatient('x') })];
      const { body } = await bundle(type, entry, prefer === null ? {} : { prefer });
      expect([statusesOf(body), 'resource' in must(body.entry?.[0])]).toEqual([['201'], false]);
    }
  });

  test('return=representation: an entry that was refused shows its outcome and nothing else', async () => {
    const { body } = await bundle(
      'batch',
      [anEntry('POST', 'Patient', { resource: anObservation('wrong') })],
      REPRESENTATION,
    );
    const entry = must(body.entry?.[0]);
    expect(['resource' in entry, entry.response?.outcome?.resourceType]).toEqual([false, 'OperationOutcome']);
  });
});

describe('the CapabilityStatement tells', () => {
  type Row = { type: string; versioning: string; readHistory: boolean; interaction: { code: string }[] };
  const rowOf = async (switches: Switches): Promise<Row> => {
    traits(switches);
    const statement = (await read('metadata')) as unknown as { rest: { resource: Row[] }[] };
    return must(statement.rest[0]?.resource.find(({ type }) => type === 'Observation'));
  };
  const ofVersions = ({ interaction }: Row): string[] =>
    interaction.map(({ code }) => code).filter((code) => code === 'vread' || code.startsWith('history'));

  test('versionIds absent: no versions and no history', async () => {
    const row = await rowOf({ versionIds: 'absent' });
    expect([row.versioning, row.readHistory, ofVersions(row)]).toEqual(['no-version', false, []]);
  });

  test('versionIds uuid: versions as ever', async () => {
    const row = await rowOf({ versionIds: 'uuid' });
    expect([row.versioning, row.readHistory, ofVersions(row)]).toEqual([
      'versioned-update',
      true,
      ['vread', 'history-instance'],
    ]);
  });

  test('noHistory: versions, and no history of them', async () => {
    const row = await rowOf({ noHistory: true });
    expect([row.versioning, row.readHistory, ofVersions(row)]).toEqual(['versioned-update', false, []]);
  });
});

describe('as Medplum answers', () => {
  const entry = (id: string, ifMatch?: string): Entry => ({
    resource: anObservation('1', { id }),
    request: { method: 'PUT', url: `Observation/${id}`, ...(ifMatch === undefined ? {} : { ifMatch }) },
  });

  test('emptyMinimal: the answer to a Bundle is empty where a minimal one was asked for', async () => {
    traits({ emptyMinimal: true });
    const minimal = await bundle('transaction', [entry('a')], { prefer: 'return=minimal' });
    expect([minimal.status, minimal.text]).toEqual([200, '']);
    expect(statusesOf((await bundle('transaction', [entry('b')], REPRESENTATION)).body)).toEqual(['201']);
  });

  test('resurrectDeleted: an update brings back what was deleted, whatever If-Match says', async () => {
    await put(anObservation('1', { id: 'a' }));
    await ask('DELETE', 'Observation/a');
    expect((await put(anObservation('1', { id: 'a' }), { 'if-match': 'W/"1"' })).status).toBe(412);
    traits({ resurrectDeleted: true });
    expect((await put(anObservation('1', { id: 'a' }), { 'if-match': 'W/"1"' })).status).toBe(200);
  });

  test('bareEntries: entries name no ETag and no version, and the resource that is shown does', async () => {
    traits({ bareEntries: true });
    for (const type of ['transaction', 'batch'] as const) {
      const [shown] = entriesOf((await bundle(type, [entry(type)], REPRESENTATION)).body);
      expect(shown?.response).not.toHaveProperty('etag');
      expect(shown?.response?.location).not.toContain('_history');
      expect(shown?.resource?.meta?.versionId).toBe('1');
    }
  });
});
