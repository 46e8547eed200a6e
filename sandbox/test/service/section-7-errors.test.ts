import { describe, expect, test } from '@jest/globals';
import { basic, freshService, JPEG, labParts, PDF, PROFILE, USER } from './support.ts';

const { activate, ask, client, lab, profile, service, signed } = freshService();
const bodyOf = (status: string, exception: unknown) => ({ error: status, exception, path: PROFILE, method: 'POST' });

describe('section 7, lab document submission', () => {
  test('200 received', async () => {
    activate('lab_data');
    const { status, body } = await lab(labParts());
    expect([status, body['status']]).toEqual([200, 'received']);
  });
  test.each([
    ['no file', [labParts()[1]]],
    ['no timezone', [labParts()[0]]],
    ['neither', []],
    ['a file that is no PDF, JPEG or PNG', labParts(Buffer.from('GIF89a'))],
    ['an empty file', labParts(Buffer.alloc(0))],
    ['a malformed timezone', labParts(PDF, 'UTC')],
  ])('400 %s', async (_what, parts) => {
    activate('lab_data');
    expect((await lab(parts as never)).status).toBe(400);
  });
  test('an empty file is told to be empty', async () => {
    activate('lab_data');
    expect((await lab(labParts(Buffer.alloc(0)))).body).toMatchObject({ exception: 'file is empty' });
  });
  test('400 a form that ends too soon, or names no boundary', async () => {
    activate('lab_data');
    const type = 'multipart/form-data; boundary=b';
    const cut = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-';
    expect((await lab({ headers: { 'content-type': type }, body: cut })).status).toBe(400);
    expect((await lab({ headers: { 'content-type': 'multipart/form-data' }, body: 'x' })).status).toBe(400);
  });
  test('400 a user_id of 0 or 51 characters', async () => {
    activate('lab_data');
    const bearer = { authorization: `Bearer ${client().lab.token}` };
    for (const user of ['', 'x'.repeat(51)]) expect((await lab(labParts(), bearer, user)).status).toBe(400);
  });
  test('401 authentication failed', async () => {
    activate('lab_data');
    expect((await lab(labParts(), { authorization: 'Bearer nobody' })).status).toBe(401);
  });
  test('403 Lab Data not activated', async () => expect((await lab(labParts())).status).toBe(403));
  test('413 a file of 10 MB and one byte; 10 MB are taken', async () => {
    activate('lab_data');
    const of = (bytes: number): Buffer => Buffer.concat([JPEG, Buffer.alloc(bytes - JPEG.length)]);
    expect((await lab(labParts(of(10 * 1024 * 1024)))).status).toBe(200);
    expect((await lab(labParts(of(10 * 1024 * 1024 + 1)))).status).toBe(413);
  });
  test.each(['application/json', 'application/pdf', 'application/x-www-form-urlencoded', ''])(
    '415 %p',
    async (type) => {
      activate('lab_data');
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
      expect((await lab({ headers, body: '{}' })).status).toBe(415);
    },
  );
  test('500 an unexpected error', async () => {
    activate('lab_data');
    service().faults.set([{ path: '/lab/', status: 500, times: 1 }]);
    expect((await lab(labParts())).status).toBe(500);
    expect((await lab(labParts())).status).toBe(200);
  });
});

describe('section 7, user profile request', () => {
  test('202 queued', async () => {
    activate('user_health_profile');
    expect((await profile()).status).toBe(202);
  });
  test.each([
    ['not valid JSON', '{', expect.any(String)],
    ['an empty body', '', expect.any(String)],
    ['no user_id', {}, expect.stringContaining('user_id')],
    ['an empty user_id', { user_id: '' }, expect.stringContaining('user_id')],
  ])('400 %s', async (_what, body, exception) => {
    activate('user_health_profile');
    const answer = await profile(body);
    expect([answer.status, answer.body]).toEqual([400, bodyOf('Bad Request', exception)]);
  });
  test('401 no header, or credentials that are not valid', async () => {
    activate('user_health_profile');
    for (const headers of [{}, { authorization: basic('client-1', 'wrong') }]) {
      const { status, body } = await profile({ user_id: USER }, headers);
      expect([status, body]).toEqual([401, bodyOf('Unauthorized', 'The client_uuid or password are incorrect')]);
    }
  });
  test('401 an unsupported scheme', async () => {
    const { status, body } = await profile({ user_id: USER }, { authorization: 'Bearer x' });
    expect([status, body]).toEqual([401, bodyOf('Unauthorized', 'Unsupported authorization type')]);
  });
  test('403 not activated', async () => {
    const { status, body } = await profile();
    expect([status, body]).toEqual([403, bodyOf('Forbidden', 'feature_not_included')]);
  });
  test.each(['[]', '"user-1"', '7', 'null', 'true'])('422 %s is not an object', async (body) => {
    activate('user_health_profile');
    const answer = await profile(body);
    expect([answer.status, answer.body]).toEqual([
      422,
      bodyOf('Unprocessable Entity', 'request body must be a JSON object'),
    ]);
  });
  test.each([7, null, true, ['x'], { a: 1 }])('422 a user_id of %p is not a string', async (user) => {
    activate('user_health_profile');
    const answer = await profile({ user_id: user });
    expect([answer.status, answer.body]).toEqual([422, bodyOf('Unprocessable Entity', 'user_id must be a string')]);
  });
  test('429 rate limit exceeded', async () => {
    activate('user_health_profile');
    for (let i = 0; i < 3; i += 1) await profile();
    const { status, body } = await profile();
    expect([status, body]).toEqual([429, bodyOf('Too Many Requests', 'rate_limit_exceeded')]);
  });
  test('500 internal error', async () => {
    activate('user_health_profile');
    service().faults.set([{ path: PROFILE, status: 500, times: 1 }]);
    const { status, body } = await profile();
    expect([status, body]).toEqual([500, bodyOf('Internal Server Error', expect.any(String))]);
  });
});

test('section 7, other endpoints refuse in the same form', async () => {
  const { body } = await ask('GET', '/api/v1/user_id/u/data_source/none/authorizer', { headers: signed('secretKey') });
  expect(body).toEqual({
    error: 'Bad Request',
    exception: expect.any(String),
    path: '/api/v1/user_id/u/data_source/none/authorizer',
    method: 'GET',
  });
});
