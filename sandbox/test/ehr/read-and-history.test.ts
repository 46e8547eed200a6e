import { describe, expect, test } from '@jest/globals';
import { aPatient, entriesOf, freshEhr, idOf, must } from './support.ts';

const server = freshEhr();
const { ask } = server;

const outcomeCode = (body: { issue?: { severity: string; code: string }[] }): string | undefined =>
  body.issue?.[0]?.code;

describe('read', () => {
  test('a created resource is read back whole, with its version and time in the headers', async () => {
    const sent = aPatient('1', { active: true, name: [{ family: 'Doe', given: ['Jo', 'Ann'] }] });
    const id = idOf(await ask('POST', 'Patient', { body: sent }));
    const read = await ask('GET', `Patient/${id}`);
    const lastUpdated = must(read.body.meta?.lastUpdated);
    expect(read.status).toBe(200);
    expect(read.body).toEqual({ ...sent, id, meta: { versionId: '1', lastUpdated } });
    expect(read.headers.get('etag')).toBe('W/"1"');
    expect(read.headers.get('content-type')).toMatch(/^application\/fhir\+json/);
    expect(read.headers.get('last-modified')).toBe(new Date(lastUpdated).toUTCString());
  });

  test('an id that never was is 404 with an OperationOutcome', async () => {
    const read = await ask('GET', 'Patient/nobody');
    expect([read.status, read.body.resourceType, outcomeCode(read.body)]).toEqual([
      404,
      'OperationOutcome',
      'not-found',
    ]);
  });

  test('a type that the specification does not know is 404', async () => {
    expect((await ask('GET', 'Starship/1')).status).toBe(404);
    expect((await ask('GET', 'Starship')).status).toBe(404);
    expect((await ask('GET', 'patient/1')).status).toBe(404);
  });

  test('an address that the server does not have is not answered with something else', async () => {
    await ask('PUT', 'Patient/a', { body: aPatient('1', { id: 'a' }) });
    const statuses = [await ask('GET', 'Patient/a/bogus'), await ask('GET', 'Patient/a/_history/1/more')].map(
      (reply) => reply.status,
    );
    expect(statuses.map((status) => status >= 400 && status < 500)).toEqual([true, true]);
  });

  test('an id of another type is 404', async () => {
    await ask('PUT', 'Patient/a', { body: aPatient('1', { id: 'a' }) });
    expect((await ask('GET', 'Observation/a')).status).toBe(404);
  });

  test('a deleted resource is 410 with an OperationOutcome', async () => {
    await ask('PUT', 'Patient/a', { body: aPatient('1', { id: 'a' }) });
    await ask('DELETE', 'Patient/a');
    const read = await ask('GET', 'Patient/a');
    expect([read.status, read.body.resourceType]).toEqual([410, 'OperationOutcome']);
  });

  test('If-None-Match of the current version is 304 without a body', async () => {
    await ask('PUT', 'Patient/a', { body: aPatient('1', { id: 'a' }) });
    const read = await ask('GET', 'Patient/a', { headers: { 'if-none-match': 'W/"1"' } });
    expect([read.status, read.text]).toEqual([304, '']);
  });

  test('If-None-Match of an older version is 200', async () => {
    await ask('PUT', 'Patient/a', { body: aPatient('1', { id: 'a' }) });
    await ask('PUT', 'Patient/a', { body: aPatient('2', { id: 'a' }) });
    expect((await ask('GET', 'Patient/a', { headers: { 'if-none-match': 'W/"1"' } })).status).toBe(200);
  });

  test.each(['Patient/a', 'Patient/a/_history/1', 'Patient/nobody'])(
    'HEAD %s says what GET says, without the body',
    async (path) => {
      await ask('PUT', 'Patient/a', { body: aPatient('1', { id: 'a' }) });
      const [get, head] = [await ask('GET', path), await ask('HEAD', path)];
      const told = (headers: Headers) => ['etag', 'last-modified', 'content-type'].map((name) => headers.get(name));
      expect([head.status, head.text, told(head.headers)]).toEqual([get.status, '', told(get.headers)]);
    },
  );
});

describe('vread', () => {
  test('every version stays readable as it was', async () => {
    await ask('PUT', 'Patient/a', { body: aPatient('one', { id: 'a' }) });
    await ask('PUT', 'Patient/a', { body: aPatient('two', { id: 'a' }) });
    await ask('DELETE', 'Patient/a');
    const first = await ask('GET', 'Patient/a/_history/1');
    const second = await ask('GET', 'Patient/a/_history/2');
    expect(first.body).toEqual(aPatient('one', { id: 'a', meta: first.body.meta }));
    expect(second.body).toEqual(aPatient('two', { id: 'a', meta: second.body.meta }));
    expect([first.status, first.body.meta?.versionId, first.headers.get('etag')]).toEqual([200, '1', 'W/"1"']);
    expect([second.status, second.body.meta?.versionId, second.headers.get('etag')]).toEqual([200, '2', 'W/"2"']);
  });

  test('the version that is a deletion is 410', async () => {
    await ask('PUT', 'Patient/a', { body: aPatient('one', { id: 'a' }) });
    await ask('DELETE', 'Patient/a');
    expect((await ask('GET', 'Patient/a/_history/2')).status).toBe(410);
  });

  test.each(['Patient/a/_history/2', 'Patient/a/_history/0', 'Patient/a/_history/x', 'Patient/b/_history/1'])(
    '%s, which never was, is 404',
    async (path) => {
      await ask('PUT', 'Patient/a', { body: aPatient('one', { id: 'a' }) });
      expect((await ask('GET', path)).status).toBe(404);
    },
  );
});

describe('history', () => {
  test('all versions are told, the newest first, a deletion without a resource', async () => {
    await ask('PUT', 'Patient/a', { body: aPatient('one', { id: 'a' }) });
    await ask('PUT', 'Patient/a', { body: aPatient('two', { id: 'a' }) });
    await ask('DELETE', 'Patient/a');
    await ask('PUT', 'Patient/a', { body: aPatient('four', { id: 'a' }) });
    const history = await ask('GET', 'Patient/a/_history');
    expect([history.status, history.body.resourceType, history.body.type, history.body.total]).toEqual([
      200,
      'Bundle',
      'history',
      4,
    ]);
    const told = entriesOf(history.body).map((e) => [
      e.request?.['method'],
      e.resource?.meta?.versionId,
      e.resource?.['identifier'],
    ]);
    expect(told).toEqual([
      ['PUT', '4', [{ system: 'urn:example:mrn', value: 'four' }]],
      ['DELETE', undefined, undefined],
      ['PUT', '2', [{ system: 'urn:example:mrn', value: 'two' }]],
      ['PUT', '1', [{ system: 'urn:example:mrn', value: 'one' }]],
    ]);
  });

  test('every entry has its full address, its request and its response', async () => {
    const id = idOf(await ask('POST', 'Patient', { body: aPatient('one') }));
    await ask('PUT', `Patient/${id}`, { body: aPatient('two', { id }) });
    const { body } = await ask('GET', `Patient/${id}/_history`);
    expect(
      entriesOf(body).map((e) => [e.fullUrl, e.request, e.response?.etag, e.response?.status?.slice(0, 3)]),
    ).toEqual([
      [`${server.ehr().url}/Patient/${id}`, { method: 'PUT', url: `Patient/${id}` }, 'W/"2"', '200'],
      [`${server.ehr().url}/Patient/${id}`, { method: 'POST', url: 'Patient' }, 'W/"1"', '201'],
    ]);
  });

  test('the history of a resource that never was is 404', async () => {
    expect((await ask('GET', 'Patient/nobody/_history')).status).toBe(404);
  });
});
