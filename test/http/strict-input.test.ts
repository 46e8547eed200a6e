import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { toCursor, toFilteredCursor } from '../../src/admin/cursor.ts';
import { CLIENT, aStepsEvent } from '../support/payloads/index.ts';
import { outcome, startHookGateway, type HookGateway } from './webhooks/hook-gateway.ts';

const TOKEN = 'admin-token-0123456789abcdef0123456789';
let hooks: HookGateway;
beforeAll(async () => void (hooks = await startHookGateway({ CHARTGATE_BODY_LIMIT_MB: '5' })));
afterAll(() => hooks.stop());

async function call(method: string, path: string, body?: string | Buffer) {
  const answer = await fetch(`http://127.0.0.1:${hooks.port}/admin/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body as string)) }),
  });
  if (answer.ok) return [answer.status];
  const { code, at } = (await answer.json()) as { code: string; at?: string };
  return [answer.status, code, at];
}

/** Every route that reads JSON, with a field that takes a text, and whether more would be needed for a good request. */
const JSON_ROUTES: readonly (readonly [method: string, path: string, field: string])[] = [
  ['PUT', 'links/strict', 'mrn'],
  ['POST', 'deliveries/dlv_x/discard', 'reason'],
  ['POST', 'deliveries/dlv_x/decide', 'decision'],
  ['POST', 'deliveries/dlv_x/notes', 'text'],
  ['PUT', 'deliveries/dlv_x/assignment', 'operator'],
  ['POST', 'jobs/preview', 'act'],
  ['POST', 'jobs', 'preview'],
  ['POST', 'clients', 'name'],
  ['POST', 'accounts', 'username'],
  ['PUT', 'clients/app_x', 'name'],
  ['POST', 'accounts/usr_x/reset', 'password'],
  ['POST', 'launches', 'mrn'],
  ['POST', 'operators', 'name'],
  ['PUT', 'operators/opr_x/roles', 'roles'],
  ['POST', 'keys', 'name'],
  ['POST', 'shadow/leave', 'confirm'],
  ['POST', 'patients/strict/connections/RingWearable', 'redirect_url'],
  ['POST', 'patients/strict/binding', 'client_name'],
  ['PUT', 'patients/strict/monitoring-rules', 'rule'],
  ['PUT', 'monitoring-rules', 'rule'],
  ['POST', 'handles', 'mrns'],
  ['POST', 'handles/open', 'handles'],
];
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe.each(JSON_ROUTES)('%s %s refuses', (method, path, field) => {
  test.each<[string, string | Buffer]>([
    [
      'a byte that is no UTF-8',
      Buffer.concat([Buffer.from(`{"${field}":"caf`), Buffer.from([0xe9]), Buffer.from('"}')]),
    ],
    ['half of a surrogate pair', `{"${field}":"\\ud800"}`],
    ['half of a surrogate pair in a name', `{"${field}":"x","\\udfff":1}`],
    ['a field twice', `{"${field}":"x","${field}":"y"}`],
    ['nesting deeper than anybody means', `{"${field}":${nested(path === 'shadow/leave' ? 400 : 7_000)}}`],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['null', 'null'],
    ['what is not JSON', '{'],
    ['a NUL', '\0'],
    ['nothing but white space', ' \n'],
  ])('%s', async (_what, body) => {
    expect(await call(method, path, body)).toEqual([400, 'admin.parameter', '']);
  });
});

test('a body that must be there is missed even where none of its fields must be', async () => {
  expect(await call('PUT', 'clients/app_x')).toEqual([400, 'admin.parameter', '']);
  expect(await call('PUT', 'clients/app_x', '{}')).toEqual([404, 'client.not-found', undefined]);
});

test.each(JSON_ROUTES.filter(([, , field]) => field !== 'rule'))(
  '%s %s refuses a field that it does not know',
  async (method, path) => {
    expect((await call(method, path, '{"surprise":1}')).slice(0, 2)).toEqual([400, 'admin.parameter']);
  },
);

describe('a link', () => {
  test.each(['\\ud800', '\\u0000', '\\ufffd', '\\u200b', '.', '..', ' 1', ''])(
    'is not made to the MRN "%s", which nobody could ask for',
    async (mrn) => {
      expect((await call('PUT', 'links/strict', `{"mrn":"${mrn}"}`)).slice(0, 2)).toEqual([400, 'admin.parameter']);
      expect((await hooks.admin('get', 'links?user_id=strict')).body).toMatchObject({ links: [] });
    },
  );

  test('two bytes that are no UTF-8 do not become one MRN', async () => {
    for (const byte of [0xe9, 0xe8]) {
      const body = Buffer.concat([Buffer.from('{"mrn":"caf'), Buffer.from([byte]), Buffer.from('"}')]);
      expect(await call('PUT', 'links/strict', body)).toEqual([400, 'admin.parameter', '']);
      const asked = await call('GET', `links?mrn=caf%${byte.toString(16)}`);
      expect(asked).toEqual([400, 'admin.parameter', '']);
    }
  });
});

describe('lists', () => {
  const LISTS: readonly [list: string, letter: string | null][] = [
    ['deliveries', 'd'],
    ['links', 'l'],
    ['unmapped', 'u'],
    ['shadow/deliveries', 's'],
    ['audit', null],
    ['audit/export', null],
  ];

  test.each(LISTS)('%s: a limit is written in digits', async (list) => {
    for (const limit of ['0x10', '1e2', '1.0', '+5', '%205', '05', '0', '-1', '1001', '', '5_0', '٥'])
      expect([limit, await call('GET', `${list}?limit=${limit}`)]).toEqual([limit, [400, 'admin.parameter', 'limit']]);
    expect(await call('GET', `${list}?limit=5`)).toEqual([200]);
  });

  test.each(LISTS)('%s: a cursor is one that was given out', async (list, letter) => {
    const good =
      letter === null
        ? Buffer.from(JSON.stringify([1, 'ins_x', 1])).toString('base64url')
        : letter === 'd'
          ? toFilteredCursor(letter, { seq: 7, receivedAt: 7 }, {})
          : toCursor(letter, 7);
    expect(await call('GET', `${list}?cursor=${good}`)).toEqual([200]);
    const other = letter === null ? Buffer.from('[1,"ins_x",1 ]') : Buffer.from(`${letter}007`);
    for (const cursor of [`${good}!!!!`, `${good}=`, ` ${good}`, `${good}A`, other.toString('base64url'), ''])
      expect([cursor, await call('GET', `${list}?cursor=${encodeURIComponent(cursor)}`)]).toEqual([
        cursor,
        [400, 'admin.parameter', 'cursor'],
      ]);
  });

  test('the audit knows no day that the calendar has not', async () => {
    for (const day of ['2026-02-30', '2025-02-29', '2026-13-01', '2026-00-01'])
      for (const name of ['from', 'to'])
        expect([day, await call('GET', `audit?${name}=${day}T00:00:00Z`)]).toEqual([
          day,
          [400, 'admin.parameter', name],
        ]);
    expect(await call('GET', 'audit?from=2024-02-29T00:00:00Z')).toEqual([200]);
  });
});

test('an id that nobody can have is nobody’s', async () => {
  expect(await call('DELETE', 'clients/%00')).toEqual([404, 'client.not-found', undefined]);
  expect(await call('DELETE', 'accounts/%00')).toEqual([404, 'account.not-found', undefined]);
  expect(await call('GET', 'deliveries/%00')).toEqual([404, 'delivery.not-found', undefined]);
  expect(await call('PUT', 'links/%00', '{"mrn":"1"}')).toEqual([404, 'link.not-found', undefined]);
});

describe('a source user whom no route can name is quarantined, not parked for ever', () => {
  test.each([
    ['NUL', '\u0000'],
    ['another control character', 'a\u0007'],
    ['half of a surrogate pair', 'a\ud800'],
  ])('%s', async (_what, userId) => {
    const delivery = await hooks.deliver(aStepsEvent({ userId }));
    expect([...outcome(delivery), delivery.userId, delivery.findings]).toEqual([
      'quarantined',
      'shape',
      null,
      ['payload.shape user_id'],
    ]);
    const told = await hooks.notify({
      client_uuid: CLIENT,
      user_id: userId,
      action: 'connected',
      data_source: 'RingWearable',
    });
    expect(outcome(told)).toEqual(['quarantined', 'shape']);
  });

  test('and so is what is of such a client or structure', async () => {
    for (const field of ['client_uuid', 'data_structure']) {
      const delivery = await hooks.deliver({ ...(aStepsEvent({ userId: 'u' }) as object), [field]: 'x\udc00' });
      expect([...outcome(delivery), delivery.findings]).toEqual(['quarantined', 'shape', [`payload.shape ${field}`]]);
    }
  });

  test('a day that does not exist is not taken for another one', async () => {
    const delivery = await hooks.deliver(aStepsEvent({ userId: 'walker', at: '2026-02-30T10:00:00+01:00' }));
    expect(outcome(delivery)).toEqual(['quarantined', 'shape']);
  });
});
