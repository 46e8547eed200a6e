import { describe, expect, test } from '@jest/globals';
import { MRN, aPatient, freshEhr, idOf, query, writeOf } from './support.ts';

const server = freshEhr();
const { ask } = server;
const writes = () => server.ehr().log.writes();

const criteria = (value: string): string => query(['identifier', `${MRN}|${value}`]);
const put = (id: string, value: string) => ask('PUT', `Patient/${id}`, { body: aPatient(value, { id }) });

describe('conditional create', () => {
  const create = (value: string, condition = criteria(value)) =>
    ask('POST', 'Patient', { body: aPatient(value), headers: { 'if-none-exist': condition } });

  test('without a match creates', async () => {
    await put('a', 'other');
    const reply = await create('x');
    expect([reply.status, reply.body.meta?.versionId, writes().length]).toEqual([201, '1', 2]);
  });

  test('with one match answers 200 and writes nothing', async () => {
    await put('a', 'x');
    const reply = await create('x');
    expect([reply.status, writes().map(writeOf)]).toEqual([200, ['create Patient/a 1']]);
    expect(reply.headers.get('etag')).toBe('W/"1"');
  });

  test('with many matches is 412 and writes nothing', async () => {
    await put('a', 'x');
    await put('b', 'x');
    const reply = await create('x');
    expect([reply.status, reply.body.resourceType, writes().length]).toEqual([412, 'OperationOutcome', 2]);
  });

  test('done twice creates once', async () => {
    const [first, second] = [await create('x'), await create('x')];
    expect([first.status, second.status, writes().length]).toEqual([201, 200, 1]);
  });

  test('done twenty times at once creates once', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => create('x')));
    expect(replies.filter((reply) => reply.status === 201).length).toBe(1);
    expect(writes().length).toBe(1);
  });

  test('creates again after a deletion', async () => {
    await put('a', 'x');
    await ask('DELETE', 'Patient/a');
    expect((await create('x')).status).toBe(201);
  });

  test('reads escaped values', async () => {
    await put('a', 'x,y');
    await put('b', 'x');
    expect([(await create('x,y', criteria('x\\,y'))).status, writes().length]).toEqual([200, 2]);
  });

  test('with a condition that cannot be read is refused and writes nothing', async () => {
    const reply = await create('x', '_lastUpdated=yesterday');
    expect([reply.status, writes()]).toEqual([400, []]);
  });
});

// https://hl7.org/fhir/R4/http.html#cond-update
describe('conditional update', () => {
  const update = (value: string, more: Record<string, unknown> = {}) =>
    ask('PUT', `Patient?${criteria(value)}`, { body: aPatient(value, more) });

  test('without a match and without an id creates under an id of the server', async () => {
    const reply = await update('x');
    expect([reply.status, reply.headers.get('location')]).toEqual([
      201,
      `${server.ehr().url}/Patient/${idOf(reply)}/_history/1`,
    ]);
  });

  test('without a match and with a new id creates under that id', async () => {
    const reply = await update('x', { id: 'mine' });
    expect([reply.status, reply.body.id]).toEqual([201, 'mine']);
  });

  test('with one match updates it', async () => {
    await put('a', 'x');
    const reply = await update('x', { active: true });
    expect([reply.status, reply.body.id, reply.body.meta?.versionId, reply.body['active']]).toEqual([
      200,
      'a',
      '2',
      true,
    ]);
    expect(writes().map(writeOf)).toEqual(['create Patient/a 1', 'update Patient/a 2']);
  });

  test('with one match and its id updates it', async () => {
    await put('a', 'x');
    const reply = await update('x', { id: 'a' });
    expect([reply.status, reply.body.meta?.versionId]).toEqual([200, '2']);
  });

  test('with one match and another id is 400 and writes nothing', async () => {
    await put('a', 'x');
    expect([(await update('x', { id: 'b' })).status, writes().length]).toEqual([400, 1]);
  });

  test('with many matches is 412 and writes nothing', async () => {
    await put('a', 'x');
    await put('b', 'x');
    expect([(await update('x')).status, writes().length]).toEqual([412, 2]);
  });

  test('done twenty times at once creates once and updates after', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => update('x')));
    expect(new Set(replies.map(idOf)).size).toBe(1);
    expect(writes().map((write) => [write.kind, write.versionId])).toEqual(
      Array.from({ length: 20 }, (_, i) => [i === 0 ? 'create' : 'update', i + 1]),
    );
  });
});
