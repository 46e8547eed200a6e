import { describe, expect, test } from '@jest/globals';
import { get } from 'node:http';
import type { Rule, Switches } from '../../index.ts';
import {
  MRN,
  aBundle,
  aPatient,
  anEntry,
  anObservation,
  freshEhr,
  idOf,
  idsOf,
  kindsOf,
  linkOf,
  must,
  statusesOf,
  type Entry,
} from './support.ts';

const server = freshEhr();
const { ask } = server;
const writes = () => server.ehr().log.writes();
const traits = (switches: Switches) => server.ehr().board.setTraits(switches);
const rules = (...list: Rule[]) => server.ehr().board.setRules(list);
const put = (id: string, value = id) => ask('PUT', `Patient/${id}`, { body: aPatient(value, { id }) });
const create = (value = 'x') => ask('POST', 'Patient', { body: aPatient(value) });
const bundle = (type: 'transaction' | 'batch', entry: Entry[]) => ask('POST', '', { body: aBundle(type, entry) });
const postEntry = (value: string, when: Record<string, string> = {}) =>
  anEntry('POST', 'Patient', { resource: aPatient(value), when });
const posts = (count: number, when: Record<string, string> = {}) =>
  Array.from({ length: count }, (_, i) => postEntry(`e${i}`, when));

/** The bytes of an answer as they arrive, up to its end or its cut. */
const receive = (url: string): Promise<{ bytes: number; pieces: number; whole: boolean }> =>
  new Promise((resolve, reject) => {
    get(url, { agent: false }, (answer) => {
      let [bytes, pieces] = [0, 0];
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length;
        pieces += 1;
      });
      answer.on('error', () => undefined);
      answer.on('close', () => resolve({ bytes, pieces, whole: answer.complete }));
    }).on('error', reject);
  });

describe('status', () => {
  test.each([
    ['outcome', /^application\/fhir\+json/, /"OperationOutcome"/],
    ['html', /^text\/html/, /</],
    ['empty', null, /^$/],
  ] as const)('is answered with body %s instead of the work', async (body, type, text) => {
    traits({ status: 503, retryAfter: '7', body });
    const reply = await create();
    expect([reply.status, reply.headers.get('retry-after'), writes()]).toEqual([503, '7', []]);
    expect(reply.text).toMatch(text);
    if (type !== null) expect(reply.headers.get('content-type')).toMatch(type);
  });

  test.each([400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 504])('%i is answered as told', async (status) => {
    traits({ status });
    const reply = await put('a');
    expect([reply.status, reply.headers.get('retry-after'), writes()]).toEqual([status, null, []]);
  });
});

describe('the way of the answer', () => {
  test('delayMs holds the answer back', async () => {
    traits({ delayMs: 60 });
    const began = performance.now();
    expect((await create()).status).toBe(201);
    expect(performance.now() - began).toBeGreaterThanOrEqual(55);
  });

  test.each([
    ['before-commit', 0],
    ['after-commit', 1],
  ] as const)('drop %s cuts the connection after %i writes', async (drop, count) => {
    rules({ method: 'POST', drop, times: 1 });
    await expect(create()).rejects.toThrow();
    expect(writes().length).toBe(count);
    expect((await create()).status).toBe(201);
  });

  test.each([
    ['before-commit', 0],
    ['after-commit', 3],
  ] as const)('drop %s of a transaction cuts after all or none of its writes', async (drop, count) => {
    traits({ drop });
    await expect(bundle('transaction', posts(3))).rejects.toThrow();
    expect(writes().length).toBe(count);
  });

  test('hang before-head never answers', async () => {
    traits({ hang: 'before-head' });
    await expect(fetch(`${server.ehr().url}/Patient`, { signal: AbortSignal.timeout(150) })).rejects.toThrow(
      /timeout/i,
    );
  });

  test('hang after-head answers its head and never the end of its body', async () => {
    traits({ hang: 'after-head' });
    const answer = await fetch(`${server.ehr().url}/Patient`, { signal: AbortSignal.timeout(150) });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow(/timeout/i);
  });

  test('a server with hung answers can still be stopped', async () => {
    traits({ hang: 'before-head' });
    const pending = fetch(`${server.ehr().url}/Patient`);
    const outcome = pending.then(
      () => 'answered',
      () => 'cut',
    );
    await ask('GET', '/_control/requests');
    await server.ehr().stop();
    expect(await outcome).toBe('cut');
  });

  test.each([0, 0.25, 0.5, 0.9])('truncate %f sends that share of the bytes and cuts', async (share) => {
    await put('a');
    const url = `${server.ehr().url}/Patient/a`;
    const whole = await receive(url);
    traits({ truncate: share });
    const cut = await receive(url);
    expect([whole.whole, cut.whole]).toEqual([true, false]);
    expect(Math.abs(cut.bytes - whole.bytes * share)).toBeLessThanOrEqual(1);
  });

  test('truncate of an answer to a write does not take the write back', async () => {
    traits({ truncate: 0.5 });
    await expect(create()).rejects.toThrow();
    expect(writes().length).toBe(1);
  });

  test('dripMs sends the whole answer in many pieces', async () => {
    await put('a');
    const url = `${server.ehr().url}/Patient/a`;
    const plain = await receive(url);
    traits({ dripMs: 1 });
    const dripped = await receive(url);
    expect([dripped.whole, dripped.bytes]).toEqual([true, plain.bytes]);
    expect(dripped.pieces).toBeGreaterThan(10);
  });

  test('padBytes makes the answer longer and means the same', async () => {
    await put('a');
    const plain = await ask('GET', 'Patient/a');
    traits({ padBytes: 10_000 });
    const padded = await ask('GET', 'Patient/a');
    expect([padded.text.length, padded.body]).toEqual([plain.text.length + 10_000, plain.body]);
  });

  test('redirect answers 307 to the address and does nothing', async () => {
    traits({ redirect: 'http://elsewhere.example/fhir' });
    const reply = await create();
    expect([reply.status, reply.headers.get('location'), writes()]).toEqual([307, 'http://elsewhere.example/fhir', []]);
  });

  test('contentType names another type for the same answer', async () => {
    await put('a');
    const plain = await ask('GET', 'Patient/a');
    traits({ contentType: 'text/plain' });
    const reply = await ask('GET', 'Patient/a');
    expect([reply.status, reply.headers.get('content-type'), reply.text]).toEqual([200, 'text/plain', plain.text]);
  });
});

describe('what the server lacks', () => {
  test('silentBatch does the good entries of a bad transaction and still says transaction-response', async () => {
    traits({ silentBatch: true });
    const { status, body } = await bundle('transaction', [
      postEntry('x'),
      anEntry('POST', 'Patient', { resource: anObservation('wrong') }),
      postEntry('y'),
    ]);
    expect([status, body.type, statusesOf(body), writes().length]).toEqual([
      200,
      'transaction-response',
      ['201', '400', '201'],
      2,
    ]);
  });

  test('refuseConditional refuses all conditions and takes plain writes', async () => {
    traits({ refuseConditional: true });
    const when = { ifNoneExist: `identifier=${MRN}|x` };
    const refused = [
      await ask('POST', 'Patient', { body: aPatient('x'), headers: { 'if-none-exist': when.ifNoneExist } }),
      await ask('PUT', `Patient?${when.ifNoneExist}`, { body: aPatient('x') }),
      await bundle('transaction', [postEntry('y'), postEntry('x', when)]),
      await bundle('transaction', [
        postEntry('y'),
        anEntry('PUT', `Patient?${when.ifNoneExist}`, { resource: aPatient('x') }),
      ]),
    ];
    expect(refused.map((reply) => reply.status >= 400 && reply.status < 500)).toEqual([true, true, true, true]);
    expect(writes()).toEqual([]);
    expect([(await create()).status, (await put('a')).status, (await bundle('transaction', posts(1))).status]).toEqual([
      201, 201, 200,
    ]);
  });

  test.each(['transaction', 'batch'] as const)('maxEntries refuses a larger %s whole', async (type) => {
    traits({ maxEntries: 2 });
    const refused = await bundle(type, posts(3));
    expect([refused.status >= 400 && refused.status < 500, refused.body.resourceType, writes()]).toEqual([
      true,
      'OperationOutcome',
      [],
    ]);
    expect([(await bundle(type, posts(2))).status, writes().length]).toEqual([200, 2]);
  });

  test('maxConditionalEntries bounds conditional entries only', async () => {
    traits({ maxConditionalEntries: 2 });
    const conditional = (count: number) =>
      Array.from({ length: count }, (_, i) => postEntry(`c${i}`, { ifNoneExist: `identifier=${MRN}|c${i}` }));
    const refused = await bundle('transaction', conditional(3));
    expect([refused.status >= 400 && refused.status < 500, writes()]).toEqual([true, []]);
    expect([
      (await bundle('transaction', conditional(2))).status,
      (await bundle('transaction', posts(5))).status,
    ]).toEqual([200, 200]);
  });

  test('noClientIds refuses an update of what is not there, alone and in a transaction', async () => {
    const id = idOf(await create());
    traits({ noClientIds: true });
    const inside = await bundle('transaction', [
      postEntry('y'),
      anEntry('PUT', 'Patient/mine', { resource: aPatient('x', { id: 'mine' }) }),
    ]);
    expect([(await put('mine')).status, inside.status >= 400, writes().length]).toEqual([405, true, 1]);
    expect((await put(id)).status).toBe(200);
  });

  test.each([
    ['noTransactions', 'transaction', 'batch'],
    ['noBatch', 'batch', 'transaction'],
  ] as const)('%s refuses a %s and takes a %s', async (name, refused, taken) => {
    traits({ [name]: true });
    const reply = await bundle(refused, posts(2));
    expect([reply.status >= 400 && reply.status < 500, reply.body.resourceType, writes()]).toEqual([
      true,
      'OperationOutcome',
      [],
    ]);
    expect((await bundle(taken, posts(2))).status).toBe(200);
  });

  test('ignoreParams makes a parameter one that the server does not know', async () => {
    await put('a');
    await put('b');
    traits({ ignoreParams: ['identifier'] });
    const found = await ask('GET', 'Patient?identifier=a&_sort=_id');
    expect([idsOf(found.body), new URL(must(linkOf(found.body, 'self'))).searchParams.has('identifier')]).toEqual([
      ['a', 'b'],
      false,
    ]);
    expect((await ask('GET', 'Patient?identifier=a', { headers: { prefer: 'handling=strict' } })).status).toBe(400);
    expect(idsOf((await ask('GET', 'Patient?_id=a')).body)).toEqual(['a']);
  });

  test('requireIfMatch refuses an update without If-Match, and a stale one by 409', async () => {
    await put('a');
    traits({ requireIfMatch: true });
    const update = (etag: string) =>
      ask('PUT', 'Patient/a', { body: aPatient('b', { id: 'a' }), headers: { 'if-match': etag } });
    const without = await put('a');
    expect([without.status >= 400 && without.status < 500, (await update('W/"9"')).status, writes().length]).toEqual([
      true,
      409,
      1,
    ]);
    expect((await update('W/"1"')).status).toBe(200);
  });

  test('unsaidVersions leaves versions out of the CapabilityStatement, and has them all the same', async () => {
    const said = async (): Promise<string> => (await ask('GET', 'metadata')).text;
    expect(await said()).toContain('"versioning"');
    traits({ unsaidVersions: true });
    expect(await said()).not.toContain('"versioning"');
    expect((await put('a')).headers.get('etag')).toBe('W/"1"');
  });

  test('vitalSignsByPractitioner refuses a vital sign by somebody else, and takes everything else', async () => {
    traits({ vitalSignsByPractitioner: true });
    const create = async (category: string, performer: object): Promise<number> => {
      const coding = [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: category }];
      const body = { resourceType: 'Observation', status: 'final', category: [{ coding }], code: { text: 'x' } };
      return (await ask('POST', 'Observation', { body: { ...body, ...performer } })).status;
    };
    const by = (reference: string) => ({ performer: [{ reference }] });
    expect([
      await create('vital-signs', {}),
      await create('vital-signs', by('Patient/1')),
      await create('vital-signs', by('Practitioner/1')),
      await create('laboratory', {}),
    ]).toEqual([422, 422, 201, 201]);
  });

  test('writableTypes refuses writes of all other types and lets them be read', async () => {
    await put('a');
    traits({ writableTypes: ['Observation'] });
    const refused = [
      await create(),
      await put('a'),
      await ask('DELETE', 'Patient/a'),
      await bundle('transaction', posts(1)),
    ];
    expect(refused.map((reply) => reply.status >= 400 && reply.status < 500)).toEqual([true, true, true, true]);
    expect([(await ask('GET', 'Patient/a')).status, writes().length]).toEqual([200, 1]);
    expect((await ask('POST', 'Observation', { body: anObservation('x') })).status).toBe(201);
  });

  test('bareCreate answers a create without a body and without a version in its Location', async () => {
    traits({ bareCreate: true });
    const reply = await create();
    expect([reply.status, reply.text, reply.headers.get('location')]).toEqual([
      201,
      '',
      `${server.ehr().url}/Patient/${must(writes()[0]).id}`,
    ]);
  });

  test('failEntries fails those entries of a batch and no others', async () => {
    traits({ failEntries: [1] });
    const { status, body } = await bundle('batch', posts(3));
    const statuses = statusesOf(body).map((code) => Number(code) < 400);
    expect([status, statuses, writes().length]).toEqual([200, [true, false, true], 2]);
  });

  test('failEntries fails a transaction as a whole', async () => {
    traits({ failEntries: [1] });
    const { status } = await bundle('transaction', posts(3));
    expect([status >= 400, writes()]).toEqual([true, []]);
    expect((await bundle('transaction', posts(1))).status).toBe(200);
  });
});

describe('rules', () => {
  const statuses = async (count: number): Promise<number[]> => {
    const found: number[] = [];
    for (let i = 0; i < count; i += 1) found.push((await create()).status);
    return found;
  };

  test.each([
    ['without counts acts always', {}, [503, 503, 503, 503, 503]],
    ['with times acts that often', { times: 2 }, [503, 503, 201, 201, 201]],
    ['with after skips that many', { after: 2 }, [201, 201, 503, 503, 503]],
    ['with both skips and then acts', { after: 1, times: 2 }, [201, 503, 503, 201, 201]],
    ['with times 0 never acts', { times: 0 }, [201, 201, 201, 201, 201]],
  ])('a rule %s', async (_what, counts, expected) => {
    rules({ status: 503, ...counts });
    expect(await statuses(5)).toEqual(expected);
  });

  test('only requests that match act or count', async () => {
    rules({ method: 'POST', path: '/Patient', after: 1, times: 1, status: 503 });
    const got = [
      (await create()).status,
      (await ask('GET', 'Patient')).status,
      (await ask('POST', 'Observation', { body: anObservation('x') })).status,
      (await create()).status,
      (await create()).status,
    ];
    expect(got).toEqual([201, 200, 201, 503, 201]);
  });

  test('a rule for a path acts on what is beneath it', async () => {
    await put('a');
    rules({ path: 'Patient/a', status: 500 });
    expect([
      (await ask('GET', 'Patient/a')).status,
      (await ask('GET', 'Patient/a/_history')).status,
      (await ask('GET', 'Patient')).status,
    ]).toEqual([500, 500, 200]);
  });

  test('a rule with exceptPath leaves those requests alone and does not count them', async () => {
    rules({ method: 'POST', exceptPath: '_search', times: 1, status: 503 });
    expect([
      (await ask('POST', 'Patient/_search', { body: '' })).status,
      (await create()).status,
      (await create()).status,
    ]).toEqual([200, 503, 201]);
  });

  test('rules that are set again count anew', async () => {
    rules({ times: 1, status: 503 });
    expect(await statuses(2)).toEqual([503, 201]);
    rules({ times: 1, status: 503 });
    expect(await statuses(2)).toEqual([503, 201]);
  });

  test('a rule overrules the traits while it acts', async () => {
    traits({ status: 500 });
    rules({ times: 1, status: 503 });
    expect(await statuses(2)).toEqual([503, 500]);
  });

  test('two rules for different requests act each for its own', async () => {
    rules({ method: 'POST', status: 503, times: 1 }, { method: 'GET', status: 500, times: 1 });
    expect([
      (await ask('GET', 'Patient')).status,
      (await create()).status,
      (await ask('GET', 'Patient')).status,
    ]).toEqual([500, 503, 200]);
    expect(kindsOf(writes())).toEqual([]);
  });
});
