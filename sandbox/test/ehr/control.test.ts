import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { aBundle, aPatient, anEntry, freshEhr, idOf, kindsOf, must, writeOf } from './support.ts';

const server = freshEhr();
const { ask } = server;
const log = () => server.ehr().log;
const put = (id: string, value: string) => ask('PUT', `Patient/${id}`, { body: aPatient(value, { id }) });

describe('the log of writes', () => {
  test('tells every write in the order of its commit, as it was stored', async () => {
    await put('a', 'one');
    const id = idOf(await ask('POST', 'Patient', { body: aPatient('two') }));
    await put('a', 'three');
    await ask('DELETE', 'Patient/a');
    const writes = log().writes();
    expect(writes.map(writeOf)).toEqual([
      'create Patient/a 1',
      `create Patient/${id} 1`,
      'update Patient/a 2',
      'delete Patient/a 3',
    ]);
    expect(writes.map((write) => write.n)).toEqual([1, 2, 3, 4]);
    expect(writes.map((write) => write.json)).toEqual([
      (await ask('GET', 'Patient/a/_history/1')).text,
      (await ask('GET', `Patient/${id}`)).text,
      (await ask('GET', 'Patient/a/_history/2')).text,
      null,
    ]);
    expect(writes.map((write) => new Date(write.at).toISOString())).toEqual(writes.map((write) => write.at));
    expect(new Set(writes.map((write) => write.requestId)).size).toBe(4);
  });

  test('reads, searches and refused requests leave no trace in it', async () => {
    await put('a', 'one');
    await ask('GET', 'Patient/a');
    await ask('GET', 'Patient?_id=a');
    await ask('PUT', 'Patient/a', { body: aPatient('x', { id: 'b' }) });
    await ask('POST', 'Patient', { body: aPatient('one'), headers: { 'if-none-exist': '_id=a' } });
    expect(log().writes().map(writeOf)).toEqual(['create Patient/a 1']);
  });

  test('can be read from a number on', async () => {
    await put('a', 'one');
    await put('b', 'two');
    await put('c', 'three');
    expect(
      log()
        .writes(1)
        .map((write) => write.n),
    ).toEqual([2, 3]);
    expect(log().writes(3)).toEqual([]);
  });

  test('what a person writes stands in it too, and passes all switches', async () => {
    server.ehr().board.setTraits({ status: 503 });
    server.ehr().put(aPatient('one', { id: 'a' }) as ReturnType<typeof aPatient> & { id: string });
    server.ehr().board.setTraits({});
    expect(log().writes().map(writeOf)).toEqual(['create Patient/a 1']);
    expect((await ask('GET', 'Patient/a')).body.meta?.versionId).toBe('1');
  });

  test('what was handed out does not change later', async () => {
    await put('a', 'one');
    const before = log().writes();
    await put('b', 'two');
    expect([kindsOf(before), kindsOf(log().writes())]).toEqual([
      ['create Patient'],
      ['create Patient', 'create Patient'],
    ]);
  });
});

describe('the log of requests', () => {
  test('tells every request with its answer, in the order of arrival', async () => {
    await put('a', 'one');
    await ask('GET', 'Patient/nobody');
    const seen = log().requests();
    expect(seen.map(({ method, path, status }) => [method, path, status])).toEqual([
      ['PUT', '/fhir/Patient/a', 201],
      ['GET', '/fhir/Patient/nobody', 404],
    ]);
    const times = seen.flatMap(({ began, ended }) => [began, must(ended)]);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(must(seen[0]).requestId).toBe(must(log().writes()[0]).requestId);
  });
});

describe('over HTTP', () => {
  test('GET /_control/writes tells the log of writes, from a number on where one is given', async () => {
    await put('a', 'one');
    await put('b', 'two');
    const all = await ask('GET', '/_control/writes');
    const later = await ask('GET', '/_control/writes?after=1');
    expect([all.status, all.body, later.body]).toEqual([200, log().writes(), log().writes(1)]);
  });

  test('GET /_control/requests tells the log of requests, itself not among them', async () => {
    await put('a', 'one');
    const { status, body } = await ask('GET', '/_control/requests');
    expect([status, body, log().requests().length]).toEqual([200, log().requests(), 1]);
  });

  test.each([
    ['traits', { noBatch: true, maxEntries: 2 }, {}],
    ['rules', [{ method: 'POST', path: 'Patient', times: 1, status: 503 }], []],
  ])('PUT, GET and DELETE of /_control/%s set, tell and clear them', async (name, value, none) => {
    const path = `/_control/${name}`;
    const told = () => (name === 'traits' ? server.ehr().board.traits() : server.ehr().board.rules());
    expect((await ask('PUT', path, { body: value })).status).toBe(200);
    expect([(await ask('GET', path)).body, told()]).toEqual([value, value]);
    await ask('DELETE', path);
    expect([(await ask('GET', path)).body, told()]).toEqual([none, none]);
  });

  test.each(['traits', 'rules'])('what cannot be read as %s is 400 and changes nothing', async (name) => {
    server.ehr().board.setTraits({ noBatch: true });
    server.ehr().board.setRules([{ path: 'Starship', status: 503 }]);
    expect((await ask('PUT', `/_control/${name}`, { body: '{"noBatch":' })).status).toBe(400);
    expect([server.ehr().board.traits(), server.ehr().board.rules()]).toEqual([
      { noBatch: true },
      [{ path: 'Starship', status: 503 }],
    ]);
  });

  test('the control stays reachable whatever the switches are', async () => {
    server.ehr().board.setTraits({ status: 503, drop: 'before-commit' });
    server.ehr().board.setRules([{ status: 500 }]);
    expect((await ask('GET', '/_control/writes')).status).toBe(200);
    await ask('DELETE', '/_control/traits');
    await ask('DELETE', '/_control/rules');
    expect((await put('a', 'one')).status).toBe(201);
  });

  test('a rule that was set over HTTP acts', async () => {
    await ask('PUT', '/_control/rules', { body: [{ method: 'POST', times: 1, status: 503 }] });
    const bundle = aBundle('transaction', [anEntry('POST', 'Patient', { resource: aPatient('x') })]);
    const statuses = [await ask('POST', '', { body: bundle }), await ask('POST', '', { body: bundle })].map(
      (reply) => reply.status,
    );
    expect([statuses, log().writes().length]).toEqual([[503, 200], 1]);
  });
});

describe('a page of another site cannot use the control', () => {
  const body = [{ status: 503 }];
  const own = () => new URL(server.ehr().url);

  test.each<[string, Record<string, string>]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of no origin', { origin: 'null' }],
    ['of another port', { origin: 'http://localhost:1' }],
    ['of another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['of the same site', { 'sec-fetch-site': 'same-site' }],
  ])('%s', async (_, headers) => {
    for (const method of ['PUT', 'POST', 'DELETE'])
      expect((await ask(method, '/_control/rules', { body, headers })).status).toBe(403);
    expect(server.ehr().board.rules()).toEqual([]);
  });

  test('under a name that leads to this machine', async () => {
    const { port } = own();
    const asUnder = (host: string, method: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const path = '/_control/rules';
        const asked = request({ host: '127.0.0.1', port, path, method, headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        asked.once('error', reject).end(method === 'PUT' ? JSON.stringify(body) : '');
      });
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'ehr',
    ])
      for (const method of ['GET', 'PUT']) expect([host, await asUnder(host, method)]).toEqual([host, 403]);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, '192.0.2.1'])
      expect([host, await asUnder(host, 'GET')]).toEqual([host, 200]);
  });

  test('and its own page, or a command, can', async () => {
    expect(
      (
        await ask('PUT', '/_control/rules', {
          body: [],
          headers: { origin: own().origin, 'sec-fetch-site': 'same-origin' },
        })
      ).status,
    ).toBe(200);
    expect((await ask('PUT', '/_control/rules', { body: [] })).status).toBe(200);
  });
});
