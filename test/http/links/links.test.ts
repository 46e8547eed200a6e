import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { CLIENT, aStepsEvent } from '../../support/payloads/index.ts';
import { outcome, startHookGateway, type HookGateway } from '../webhooks/hook-gateway.ts';

const TOKEN = 'admin-token-0123456789abcdef0123456789';
let hooks: HookGateway;
beforeAll(async () => void (hooks = await startHookGateway()));
afterAll(() => hooks.stop());

const call = (
  method: 'get' | 'put' | 'delete' | 'post',
  path: string,
  body?: string | object,
  type = 'application/json',
) => {
  const asked = request(`http://127.0.0.1:${hooks.port}`)
    [method](`/admin/api/links${path}`)
    .set('Authorization', `Bearer ${TOKEN}`);
  if (body === undefined) return asked;
  return asked
    .set('Content-Type', type)
    .serialize((one: unknown) => one as string)
    .send(typeof body === 'string' ? body : JSON.stringify(body));
};
const put = (user: string, body: string | object) => call('put', `/${user}`, body);
const csv = (text: string, query = '') => call('post', `/import${query}`, text, 'text/csv');
const problemOf = ({ status, body }: { status: number; body: unknown }) => {
  const { code, at } = body as { code: string; at?: string };
  return [status, code, at];
};
let day = 0;
const deliver = (userId: string) => {
  day += 1;
  return hooks.deliver(
    aStepsEvent({
      userId,
      at: `2026-0${1 + Math.floor(day / 28)}-${String(1 + (day % 28)).padStart(2, '0')}T10:00:00+01:00`,
    }),
  );
};

test('a confirmed link releases what waited, and what comes after it is queued at once', async () => {
  const waiting = await deliver('walker');
  expect(outcome(waiting)).toEqual(['parked', 'unlinked']);
  const answer = await put('walker', { mrn: 'MRN-0012', evidence: 'asked at the desk' });
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      id: expect.stringMatching(/^lnk_/),
      isForeignClient: false,
      status: 'confirmed',
      change: 'confirmed',
      released: 1,
      requeued: 0,
      retracting: 0,
      unrepeatable: 0,
      parked: 0,
      isSettled: true,
    },
  ]);
  expect(outcome(await hooks.read(waiting.id))).toEqual(['queued', 'linked']);
  expect(outcome(await deliver('walker'))).toEqual(['queued', null]);
  expect((await put('walker', { mrn: 'MRN-0012' })).body).toMatchObject({ change: 'unchanged', released: 0 });
  expect((await put('walker', { mrn: '12' })).body).toMatchObject({ change: 'changed', requeued: 2 });
  const shown = await call('get', '/walker');
  expect([shown.status, shown.body]).toMatchObject([
    200,
    {
      isSettled: true,
      links: [
        { mrn: '12', status: 'confirmed', userId: 'walker', clientUuid: CLIENT, actor: 'operator' },
        { mrn: 'MRN-0012', status: 'revoked', evidence: 'asked at the desk' },
      ],
    },
  ]);
  expect((await hooks.ledger()).addsUp).toBe(true);
});

test('a proposal releases nothing', async () => {
  const { id } = await deliver('maybe');
  expect((await put('maybe', { mrn: '7', status: 'proposed' })).body).toMatchObject({
    status: 'proposed',
    released: 0,
  });
  expect(outcome(await hooks.read(id))).toEqual(['parked', 'unlinked']);
});

test('a revoked link parks what was queued', async () => {
  const { id } = await deliver('leaver');
  await put('leaver', { mrn: '8' });
  const answer = await call('delete', '/leaver?reason=moved%20away');
  expect([answer.status, answer.body]).toMatchObject([200, { status: 'revoked', change: 'revoked', parked: 1 }]);
  expect(outcome(await hooks.read(id))).toEqual(['parked', 'unlinked']);
  expect(problemOf(await call('delete', '/leaver'))).toEqual([404, 'link.not-found', undefined]);
});

test('a user of another client is another user', async () => {
  const { id } = await deliver('twin');
  expect((await put('twin', { mrn: '9', client_uuid: 'elsewhere' })).body).toMatchObject({
    change: 'confirmed',
    released: 0,
  });
  expect(outcome(await hooks.read(id))).toEqual(['parked', 'unlinked']);
  expect((await call('get', '/twin')).status).toBe(404);
  expect((await call('get', '/twin?client_uuid=elsewhere')).body).toMatchObject({
    links: [{ clientUuid: 'elsewhere' }],
  });
});

test.each<[string, string | object, string]>([
  ['no JSON', '{', ''],
  ['no object', '[]', ''],
  ['no MRN', {}, 'mrn'],
  ['a number', { mrn: 12 }, 'mrn'],
  ['blanks around it', { mrn: ' 12' }, 'mrn'],
  ['a status that is none', { mrn: '1', status: 'revoked' }, 'status'],
  ['evidence that is no text', { mrn: '1', evidence: 1 }, 'evidence'],
  ['a client that is none', { mrn: '1', client_uuid: '' }, 'client_uuid'],
  ['a field that does not exist', { mrn: '1', mnr: '2' }, ''],
])('a link with %s is refused', async (_what, body, at) => {
  const answer = await put('refused', body);
  expect(problemOf(answer).slice(0, 2)).toEqual([400, 'admin.parameter']);
  expect((answer.body as { at?: string }).at ?? '').toBe(at);
  expect((await call('get', '/refused')).status).toBe(404);
});

test('what cannot be a user id is not found, and too much is too much', async () => {
  expect(problemOf(await put('x'.repeat(51), { mrn: '1' }))).toEqual([404, 'link.not-found', undefined]);
  expect((await put('', { mrn: '1' })).status).toBe(404);
  for (const user of ['', 'x'.repeat(51)])
    expect(problemOf(await call('get', `?user_id=${user}`))).toEqual([400, 'admin.parameter', 'user_id']);
  expect((await put('big', { mrn: '1', evidence: 'x'.repeat(20_000) })).status).toBe(413);
});

describe('the list', () => {
  test('is seen whole by pages, newest first, and by its filters', async () => {
    for (let i = 0; i < 5; i += 1) await put(`paged${i}`, { mrn: i < 2 ? 'shared' : `p${i}` });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await call('get', `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      const { links, next } = page.body as { links: { userId: string }[]; next: string | null };
      seen.push(...links.map(({ userId }) => userId));
      cursor = next;
    }
    expect(seen.slice(0, 5)).toEqual(['paged4', 'paged3', 'paged2', 'paged1', 'paged0']);
    const users = async (query: string) =>
      ((await call('get', query)).body as { links: { userId: string }[] }).links.map(({ userId }) => userId);
    expect(await users('?mrn=shared')).toEqual(['paged1', 'paged0']);
    expect(await users('?user_id=paged3')).toEqual(['paged3']);
    expect(await users('?status=proposed')).toEqual(['maybe']);
  });
});

describe('an import', () => {
  test('applies good rows, tells every bad one, and can be repeated', async () => {
    const { id } = await deliver('imported1');
    const text =
      'mrn,user_id,evidence\r\n100,imported1,"list, 2026"\r\n,imported2,\r\n101,imported3,\r\n102,imported3,\r\n';
    const dry = await csv(text, '?dry_run=true');
    expect(dry.body).toMatchObject({ dryRun: true, rows: 4, confirmed: 1, released: 0 });
    expect((await call('get', '/imported1')).status).toBe(404);
    const answer = await csv(text);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        dryRun: false,
        rows: 4,
        confirmed: 1,
        changed: 0,
        proposed: 0,
        unchanged: 0,
        released: 1,
        requeued: 0,
        retracting: 0,
        unrepeatable: 0,
        unsettled: 0,
        bad: [
          { line: 3, code: 'row.mrn' },
          { line: 4, code: 'row.repeated' },
          { line: 5, code: 'row.repeated' },
        ],
      },
    ]);
    expect(outcome(await hooks.read(id))).toEqual(['queued', 'linked']);
    expect((await csv(text)).body).toMatchObject({ confirmed: 0, unchanged: 1 });
    expect((await csv('user_id,mrn\nimported1,200')).body).toMatchObject({ changed: 1, requeued: 1 });
  });
  test('of many rows gives as many links', async () => {
    const rows = Array.from({ length: 300 }, (_, i) => `many${i},m${i}\n`).join('');
    expect((await csv(`user_id,mrn\n${rows}`)).body).toMatchObject({ rows: 300, confirmed: 300, bad: [] });
  });
  test('that cannot be read is refused whole', async () => {
    expect(problemOf(await csv('user,mrn\nu,1\n'))).toEqual([400, 'links.csv', 'line 1']);
    expect(problemOf(await csv('user_id,mrn\nu,1\n', '?dry_run=yes'))).toEqual([400, 'admin.parameter', 'dry_run']);
    expect(problemOf(await csv(`user_id,mrn\n${'u,1\n'.repeat(100_001)}`))).toEqual([413, 'links.too-many', undefined]);
    const answer = await fetch(`http://127.0.0.1:${hooks.port}/admin/api/links/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/csv' },
      body: Buffer.from([0xff, 0xfe, 0x31]),
    });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'links.csv']);
  });
});

test('no line of the log names a user, an MRN or what is known of them', () => {
  const lines = JSON.stringify(hooks.log.lines);
  for (const marker of ['walker', 'MRN-0012', 'asked at the desk', 'imported1']) expect(lines).not.toContain(marker);
});
