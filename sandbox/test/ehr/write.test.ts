import { describe, expect, test } from '@jest/globals';
import { aPatient, freshEhr, idOf, must, writeOf } from './support.ts';

const server = freshEhr();
const { ask } = server;
const writes = () => server.ehr().log.writes();

describe('create', () => {
  test('answers 201 with the stored resource, its versioned Location, its ETag and its time', async () => {
    const created = await ask('POST', 'Patient', { body: aPatient('1') });
    const id = idOf(created);
    expect(created.status).toBe(201);
    expect(id).toMatch(/^[A-Za-z0-9\-.]{1,64}$/);
    expect(created.headers.get('location')).toBe(`${server.ehr().url}/Patient/${id}/_history/1`);
    expect(created.headers.get('etag')).toBe('W/"1"');
    expect(created.headers.get('last-modified')).toBe(new Date(must(created.body.meta?.lastUpdated)).toUTCString());
    expect(created.body).toEqual(
      aPatient('1', { id, meta: { versionId: '1', lastUpdated: created.body.meta?.lastUpdated } }),
    );
  });

  test('the id, version and time are the server’s own, whatever was sent; tags are kept', async () => {
    const tag = [{ system: 'urn:example:tag', code: 'x' }];
    const sent = aPatient('1', { id: 'mine', meta: { versionId: '77', lastUpdated: '1999-01-01T00:00:00Z', tag } });
    const created = await ask('POST', 'Patient', { body: sent });
    expect(created.status).toBe(201);
    expect(created.body.id).not.toBe('mine');
    expect(created.body.meta).toEqual({ versionId: '1', lastUpdated: created.body.meta?.lastUpdated, tag });
    expect(created.body.meta?.lastUpdated).not.toMatch(/^1999/);
    expect((await ask('GET', 'Patient/mine')).status).toBe(404);
  });

  test('two creates of the same content are two resources', async () => {
    const [a, b] = [
      await ask('POST', 'Patient', { body: aPatient('1') }),
      await ask('POST', 'Patient', { body: aPatient('1') }),
    ];
    expect(idOf(a)).not.toBe(idOf(b));
  });
});

describe('update', () => {
  test('of a resource that is there answers 200 with the next version', async () => {
    await ask('PUT', 'Patient/a', { body: aPatient('1', { id: 'a' }) });
    const updated = await ask('PUT', 'Patient/a', { body: aPatient('2', { id: 'a' }) });
    expect([updated.status, updated.headers.get('etag')]).toEqual([200, 'W/"2"']);
    expect(updated.body).toEqual(
      aPatient('2', { id: 'a', meta: { versionId: '2', lastUpdated: updated.body.meta?.lastUpdated } }),
    );
    expect((await ask('GET', 'Patient/a')).body).toEqual(updated.body);
  });

  test('to an id of the client’s choice answers 201 with a versioned Location', async () => {
    const created = await ask('PUT', 'Patient/a-1.B', { body: aPatient('1', { id: 'a-1.B' }) });
    expect([created.status, created.headers.get('location'), created.headers.get('etag')]).toEqual([
      201,
      `${server.ehr().url}/Patient/a-1.B/_history/1`,
      'W/"1"',
    ]);
  });

  test('brings a deleted resource back as its next version', async () => {
    await ask('PUT', 'Patient/a', { body: aPatient('1', { id: 'a' }) });
    await ask('DELETE', 'Patient/a');
    const back = await ask('PUT', 'Patient/a', { body: aPatient('2', { id: 'a' }) });
    expect(back.body.meta?.versionId).toBe('3');
    expect((await ask('GET', 'Patient/a')).status).toBe(200);
  });

  test('with If-Match of the current version is done', async () => {
    await ask('PUT', 'Patient/a', { body: aPatient('1', { id: 'a' }) });
    const updated = await ask('PUT', 'Patient/a', {
      body: aPatient('2', { id: 'a' }),
      headers: { 'if-match': 'W/"1"' },
    });
    expect([updated.status, updated.body.meta?.versionId]).toEqual([200, '2']);
  });

  test.each([
    ['a stale version', 'Patient/a', 'a', 'W/"1"'],
    ['a version to come', 'Patient/a', 'a', 'W/"3"'],
    ['a resource that is not there', 'Patient/b', 'b', 'W/"1"'],
  ])('with If-Match of %s is 412 and changes nothing', async (_what, path, id, etag) => {
    await ask('PUT', 'Patient/a', { body: aPatient('1', { id: 'a' }) });
    await ask('PUT', 'Patient/a', { body: aPatient('2', { id: 'a' }) });
    const refused = await ask('PUT', path, { body: aPatient('3', { id }), headers: { 'if-match': etag } });
    expect([refused.status, refused.body.resourceType, writes().length]).toEqual([412, 'OperationOutcome', 2]);
  });
});

describe('delete', () => {
  test('answers 204, a second time too, and only the first is a write', async () => {
    await ask('PUT', 'Patient/a', { body: aPatient('1', { id: 'a' }) });
    const [first, second] = [await ask('DELETE', 'Patient/a'), await ask('DELETE', 'Patient/a')];
    expect([first.status, second.status, first.text]).toEqual([204, 204, '']);
    expect(writes().map(writeOf)).toEqual(['create Patient/a 1', 'delete Patient/a 2']);
  });
});

// https://hl7.org/fhir/R4/http.html#delete: "or if the resource does not exist at all".
test('delete of what never was answers 204 and writes nothing', async () => {
  expect([(await ask('DELETE', 'Patient/nobody')).status, writes()]).toEqual([204, []]);
});

describe('refused writes', () => {
  test.each([
    ['another id in the body', 'PUT', 'Patient/a', aPatient('1', { id: 'b' }), 400],
    ['no id in the body of an update', 'PUT', 'Patient/a', aPatient('1'), 400],
    ['another resourceType than the path of a create', 'POST', 'Patient', { resourceType: 'Observation' }, 400],
    [
      'another resourceType than the path of an update',
      'PUT',
      'Patient/a',
      { resourceType: 'Observation', id: 'a' },
      400,
    ],
    ['no resourceType', 'POST', 'Patient', { id: 'a' }, 400],
    ['no JSON', 'POST', 'Patient', '{"resourceType":"Patient",', 400],
    ['no JSON in an update', 'PUT', 'Patient/a', 'resourceType=Patient', 400],
    ['an empty body', 'POST', 'Patient', '', 400],
    ['two JSON values', 'POST', 'Patient', '{"resourceType":"Patient"}{"resourceType":"Patient"}', 400],
    ['a list', 'POST', 'Patient', '[{"resourceType":"Patient"}]', 400],
    ['null', 'POST', 'Patient', 'null', 400],
    ['a number with a leading zero', 'POST', 'Patient', '{"resourceType":"Patient","multipleBirthInteger":01}', 400],
    ['a comma too many', 'POST', 'Patient', '{"resourceType":"Patient","active":true,}', 400],
    ['an id with an underscore', 'PUT', 'Patient/a_b', aPatient('1', { id: 'a_b' }), 400],
    ['an id of 65 characters', 'PUT', `Patient/${'x'.repeat(65)}`, aPatient('1', { id: 'x'.repeat(65) }), 400],
    ['a type that nobody knows', 'POST', 'Starship', { resourceType: 'Starship' }, 404],
    ['an update of a type that nobody knows', 'PUT', 'Starship/a', { resourceType: 'Starship', id: 'a' }, 404],
  ])('%s is refused with an OperationOutcome and nothing is written', async (_what, method, path, body, status) => {
    const refused = await ask(method, path, { body });
    expect([refused.status, refused.body.resourceType, refused.body.issue?.[0]?.severity]).toEqual([
      status,
      'OperationOutcome',
      'error',
    ]);
    expect(writes()).toEqual([]);
  });
});

test('a create at the address of a resource is refused and writes nothing', async () => {
  const refused = await ask('POST', 'Patient/a', { body: aPatient('1') });
  expect([refused.status >= 400 && refused.status < 500, writes()]).toEqual([true, []]);
});

describe('Prefer', () => {
  test.each([
    ['POST', 'Patient', aPatient('1'), 201],
    ['PUT', 'Patient/a', aPatient('1', { id: 'a' }), 201],
  ])('return=minimal answers %s %s with headers only', async (method, path, body, status) => {
    const reply = await ask(method, path, { body, headers: { prefer: 'return=minimal' } });
    expect([reply.status, reply.text, reply.headers.get('etag')]).toEqual([status, '', 'W/"1"']);
    expect(reply.headers.get('location')).toMatch(/\/Patient\/[^/]+\/_history\/1$/);
  });

  test('return=representation answers with the stored resource', async () => {
    const reply = await ask('POST', 'Patient', { body: aPatient('1'), headers: { prefer: 'return=representation' } });
    expect([reply.body.resourceType, reply.body.meta?.versionId]).toEqual(['Patient', '1']);
  });
});
