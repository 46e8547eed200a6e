import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import request from 'supertest';
import { authenticateByToken } from '../../src/admin/index.ts';
import { fail, fault, jsonAnswer, ok, type FaultCode, type Route } from '../../src/kernel/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { eventually } from '../support/eventually.ts';
import { appOf } from '../support/gateway.ts';
import { stopAfterTest } from '../support/stop-after-test.ts';

const MARKER = 'MarkerPatient';
const route = (path: string, handle: Route['handle'], method: Route['method'] = 'get'): Route => ({
  method,
  path,
  access: 'open',
  handle,
});
const refusing = (path: string, code: FaultCode): Route =>
  route(path, () => fail(fault(code, { at: 'Patient.name', cause: new Error(MARKER) })));

describe('an answer', () => {
  test('carries a request id of ours, or the caller’s where it is one', async () => {
    const app = appOf([route('/x', () => ok(jsonAnswer(200, {})))]);
    expect((await request(app).get('/x')).headers['x-request-id']).toMatch(/^req_[0-9a-z]{26}$/);
    const theirs = '0af76519-16cd-43dd-8448-eb211c80319c';
    expect((await request(app).get('/x').set('X-Request-Id', theirs)).headers['x-request-id']).toBe(theirs);
    for (const theirOwn of ['r1', 'Ada.Lovelace', 'x'.repeat(128)])
      expect((await request(app).get('/x').set('X-Request-Id', theirOwn)).headers['x-request-id']).toBe(theirOwn);
    for (const odd of ['Ada <ada@example.org>', 'x'.repeat(129), 'Ad\u00e4', ''])
      expect((await request(app).get('/x').set('X-Request-Id', odd)).headers['x-request-id']).toMatch(
        /^req_[0-9a-z]{26}$/,
      );
  });

  test('is never cached, never framed, and says nothing of what made it', async () => {
    const { headers } = await request(appOf([route('/x', () => ok(jsonAnswer(200, {})))])).get('/x');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('etag');
  });

  test('that is a text of bytes is sent byte by byte', async () => {
    const text = JSON.stringify({ name: 'Ådå 😀', long: 'é'.repeat(20_000) });
    const body = Buffer.from(text, 'utf8').toString('latin1');
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };
    const app = appOf([route('/x', () => ok({ status: 200, headers, body, encoding: 'latin1' }))]);
    const answer = await request(app).get('/x');
    expect([answer.text, Number(answer.headers['content-length'])]).toEqual([text, Buffer.byteLength(text)]);
  });

  test('to HEAD is that to GET without its body', async () => {
    const answer = await request(appOf([route('/x', () => ok(jsonAnswer(200, { a: 1 })))])).head('/x');
    expect([answer.status, answer.text]).toEqual([200, undefined]);
  });
});

describe('a fault', () => {
  test('is problem+json, with nothing of its cause', async () => {
    const answer = await request(appOf([refusing('/x', 'store.full')])).get('/x');
    expect(answer.status).toBe(503);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(answer.headers['retry-after']).toBe('120');
    expect(JSON.parse(answer.text)).toEqual({
      type: 'urn:chartgate:fault:store.full',
      title: 'The database cannot take this at the moment, and nothing was stored. Try again after Retry-After.',
      status: 503,
      code: 'store.full',
      at: 'Patient.name',
      request_id: answer.headers['x-request-id'],
    });
  });

  test.each(['/fhir', '/fhir/Patient', '/fhir?x=1'])('under %s is an OperationOutcome', async (path) => {
    const answer = await request(appOf([refusing('/fhir', 'store.full'), refusing('/fhir/Patient', 'store.full')])).get(
      path,
    );
    expect(answer.headers['content-type']).toMatch(/^application\/fhir\+json/);
    expect(JSON.parse(answer.text)).toEqual({
      resourceType: 'OperationOutcome',
      issue: [
        {
          severity: 'error',
          code: 'no-store',
          details: {
            coding: [{ system: 'urn:chartgate:fault', code: 'store.full' }],
            text: expect.any(String) as unknown as string,
          },
          diagnostics: `request ${String(answer.headers['x-request-id'])}`,
          expression: ['Patient.name'],
        },
      ],
    });
    expect(answer.text).not.toContain(MARKER);
  });

  test('with several problems is an issue for each, the place with the first', async () => {
    const problems = ['a takes a number', 'b is no parameter'];
    const route = { method: 'get', path: '/fhir/x', access: 'open' } as const;
    const handle = () => Promise.resolve(fail(fault('read.parameter', { at: 'a', problems })));
    const answer = await request(appOf([{ ...route, handle }])).get('/fhir/x');
    const { issue } = JSON.parse(answer.text) as { issue: { diagnostics: string; expression?: string[] }[] };
    const id = String(answer.headers['x-request-id']);
    expect(issue.map(({ diagnostics, expression }) => [diagnostics, expression])).toEqual([
      [`request ${id}: a takes a number`, ['a']],
      [`request ${id}: b is no parameter`, undefined],
    ]);
  });

  test('is logged once, with its code and the route’s template, never the address', async () => {
    const log = collectLog();
    await request(appOf([refusing('/p/:id', 'store.full')], log)).get(`/p/${MARKER}?name=${MARKER}`);
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0]).toMatchObject({
      level: 'error',
      event: 'request.answered',
      route: '/p/:id',
      status: 503,
      faultCode: 'store.full',
    });
    expect(JSON.stringify(log.lines)).not.toContain(MARKER);
  });
});

describe('a bug', () => {
  test.each([
    [
      'thrown',
      () => {
        throw new Error(MARKER);
      },
    ],
    ['rejected', () => Promise.reject(new Error(MARKER))],
  ] as [string, Route['handle']][])(
    'that is %s answers 500 and tells its place to the log alone',
    async (_how, handle) => {
      const log = collectLog();
      const answer = await request(appOf([route('/x', handle)], log)).get('/x');
      expect(answer.status).toBe(500);
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'internal.bug' });
      expect(answer.text + JSON.stringify(log.lines)).not.toContain(MARKER);
      expect(log.lines[0]?.error?.stack?.[0]).toContain('app.test.ts');
    },
  );
});

describe('a header that cannot be sent', () => {
  const BROKEN = `a\n${MARKER}`;
  test.each([
    ['of the answer', () => ok({ status: 200, headers: { 'X-Broken': BROKEN, 'X-Sound': 'a' }, body: '' })],
    [
      'of whatever is answered',
      ({ setHeader }) => {
        setHeader('X-Broken', BROKEN);
        return ok(jsonAnswer(200, {}));
      },
    ],
  ] as [string, Route['handle']][])('%s is a bug of ours, and answered as one', async (_whose, handle) => {
    const log = collectLog();
    const server = appOf([route('/x', handle)], log).listen(0, '127.0.0.1');
    stopAfterTest(() => server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = address !== null && typeof address !== 'string' ? address.port : 0;
    const answer = await fetch(`http://127.0.0.1:${port}/x`);
    expect([answer.status, answer.statusText, answer.headers.get('x-broken')]).toEqual([
      500,
      'Internal Server Error',
      null,
    ]);
    expect(await answer.json()).toMatchObject({ code: 'internal.bug' });
    expect(log.lines).toMatchObject([{ level: 'error', status: 500, faultCode: 'internal.bug' }]);
    expect(JSON.stringify(log.lines)).not.toContain(MARKER);
  });
});

describe('a header of an answer', () => {
  test('replaces the one of its name, in whatever case, and says how long the body is', async () => {
    const app = appOf([
      route('/x', ({ setHeader }) => {
        setHeader('x-frame-options', 'DENY');
        return ok({ status: 200, headers: { 'cache-control': 'public' }, body: 'é' });
      }),
      route('/nothing', () => ok({ status: 204, body: '' })),
    ]);
    const { headers } = await request(app).get('/x');
    expect([headers['x-frame-options'], headers['cache-control'], headers['content-length']]).toEqual([
      'DENY',
      'public',
      '2',
    ]);
    expect((await request(app).get('/nothing')).headers).not.toHaveProperty('content-length');
    expect((await request(app).head('/x')).headers).not.toHaveProperty('content-length');
  });
});

describe('an address', () => {
  test('that nobody serves is 404', async () => {
    expect((await request(appOf([])).get('/nix')).status).toBe(404);
  });

  test('that cannot be decoded is 400, not a bug', async () => {
    const answer = await request(appOf([refusing('/p/:id', 'store.full')])).get('/p/%E0%A4%A');
    expect([answer.status, (JSON.parse(answer.text) as { code: string }).code]).toEqual([400, 'http.malformed']);
  });

  test('with a method that it does not take is 405 and lists those it takes', async () => {
    const app = appOf([route('/x', () => ok(jsonAnswer(200, {}))), route('/x', () => ok(jsonAnswer(200, {})), 'post')]);
    const answer = await request(app).delete('/x');
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('a caller who goes away before the answer', () => {
  test('is logged as gone, not as answered', async () => {
    const log = collectLog();
    const waiting = Promise.withResolvers<null>();
    const app = appOf([route('/slow', () => waiting.promise.then(() => ok(jsonAnswer(200, {}))))], log);
    const server = app.listen(0, '127.0.0.1');
    stopAfterTest(() => server.close());
    await once(server, 'listening');
    const address = server.address();
    const caller = connect(address !== null && typeof address !== 'string' ? address.port : 0, '127.0.0.1');
    caller.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(server, 'request');
    caller.destroy();
    expect(
      (
        await eventually(
          () => log.lines[0],
          (line) => line !== undefined,
        )
      )?.status,
    ).toBe(499);
    waiting.resolve(null);
  });
});

test('an error that merely carries a status, such as an upstream’s, is a bug of ours', async () => {
  const upstream = (): never => {
    throw Object.assign(new Error('x'), { status: 404 });
  };
  expect((await request(appOf([route('/x', upstream)])).get('/x')).status).toBe(500);
});

test('a path that takes GET says that it takes HEAD, wherever GET stands among its methods', async () => {
  const app = appOf([route('/x', () => ok(jsonAnswer(200, {})), 'put'), route('/x', () => ok(jsonAnswer(200, {})))]);
  expect((await request(app).delete('/x')).headers['allow']).toBe('GET, HEAD, PUT');
});

test('an address in another case is another address', async () => {
  expect((await request(appOf([refusing('/fhir/x', 'store.full')])).get('/FHIR/x')).status).toBe(404);
});

test('what the guard refuses carries the same security headers', async () => {
  const answer = await request(appOf([])).get('/x').set('Upgrade', 'h2c');
  expect([answer.status, answer.headers['x-content-type-options']]).toEqual([400, 'nosniff']);
});

describe('an admin route', () => {
  const admin: Route = {
    method: 'get',
    path: '/admin/api/x',
    access: 'admin',
    permission: 'flow.read',
    handle: ({ caller }) => ok(jsonAnswer(200, { name: caller?.name })),
  };
  const asking = (permissions: readonly string[]) =>
    request(
      appOf([admin], collectLog(), () =>
        Promise.resolve(
          ok({
            kind: 'person',
            id: 'opr_ann',
            name: 'ann',
            roles: [],
            permissions: new Set(permissions),
            isProved: true,
            absent: null,
          }),
        ),
      ),
    ).get('/admin/api/x');

  test('is told who asks', async () => {
    expect((await asking(['flow.read'])).body).toEqual({ name: 'ann' });
  });

  test('is closed to a caller who may other things', async () => {
    const answer = await asking(['audit.read']);
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([403, 'admin.forbidden']);
  });

  test('is closed while no token is configured', async () => {
    expect(
      (
        await request(appOf([admin]))
          .get('/admin/api/x')
          .set('Authorization', 'Bearer anything')
      ).status,
    ).toBe(503);
  });
});

test.each([
  [[], '127.0.0.1'],
  [['loopback'], '192.0.2.8'],
  [['loopback', '192.0.2.0/24'], '198.51.100.1'],
])('with the trusted proxies %j a handler learns that %s asks', async (trusted, address) => {
  const asked = route('/x', ({ remoteAddress }) => ok(jsonAnswer(200, { address: remoteAddress() })));
  const app = appOf([asked], collectLog(), authenticateByToken(null), trusted);
  const server = app.listen(0, '127.0.0.1');
  stopAfterTest(() => server.close());
  await once(server, 'listening');
  const answer = await request(server).get('/x').set('X-Forwarded-For', '203.0.113.9, 198.51.100.1, 192.0.2.8');
  expect(answer.body).toEqual({ address });
});

describe('401', () => {
  test.each([
    [undefined, 'Bearer'],
    ['Basic x', 'Bearer'],
    ['Bearer x', 'Bearer error="invalid_token"'],
    ['bearer x', 'Bearer error="invalid_token"'],
  ])('to Authorization %s has the challenge %s', async (authorization, challenge) => {
    const asked = request(appOf([refusing('/fhir/Patient', 'smart.unauthenticated')])).get('/fhir/Patient');
    const answer = await (authorization === undefined ? asked : asked.set('Authorization', authorization));
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, challenge]);
  });
});

test('an id that may tell of somebody is told to its sender and stands in no log, and ours stands in the body', async () => {
  const log = collectLog();
  const answer = await request(appOf([refusing('/x', 'store.full')], log))
    .get('/x')
    .set('X-Request-Id', 'Ada.Lovelace');
  expect(answer.headers['x-request-id']).toBe('Ada.Lovelace');
  const { request_id: own } = JSON.parse(answer.text) as { request_id: string };
  expect(own).toMatch(/^req_[0-9a-z]{26}$/);
  expect(log.lines.map(({ requestId }) => requestId)).toEqual([own]);
  expect(JSON.stringify(log.lines)).not.toContain('Ada');
});

test('a path that is written out says which methods it takes, though another one would fit it too', async () => {
  const open = (method: 'get' | 'delete', path: string): Route => ({
    method,
    path,
    access: 'open',
    handle: () => ok(jsonAnswer(200, {})),
  });
  const app = request(appOf([open('delete', '/x/:id'), open('get', '/x/data')]));
  expect((await app.options('/x/data')).headers['allow']).toBe('GET, HEAD');
  expect((await app.options('/x/other')).headers['allow']).toBe('DELETE');
});
