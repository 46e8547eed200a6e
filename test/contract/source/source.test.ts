import { beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { makeBudget, secret, type Result } from '../../../src/kernel/index.ts';
import { openSource, type Source, type SourceSettings } from '../../../src/source/index.ts';
import { readRetryAfter } from '../../../src/source/exchange.ts';
import { decideRetry } from '../../../src/source/retry.ts';
import { freshService, JPEG, PDF, PNG, USER } from '../../../sandbox/test/service/support.ts';
import { stopAfterTest } from '../../support/stop-after-test.ts';

const server = freshService();
let source: Source;
const settings = (): SourceSettings => {
  const { uuid, secretKey, password, lab } = server.client();
  const { url, labUrl } = server.service();
  return {
    url,
    labUrl,
    clientUuid: uuid,
    secretKey: secret(secretKey),
    password: secret(password),
    lab: { kind: 'bearer', token: secret(lab.token) },
  };
};
/** Closed after the test. */
const open = (more: Partial<SourceSettings> = {}): Source => {
  const opened = openSource({
    settings: { ...settings(), ...more },
    agent: 'chartgate/test',
    budget: makeBudget(64 * 1024 * 1024),
    clock: server.clock(),
    chance: (bytes) => randomBytes(bytes),
  });
  stopAfterTest(() => opened.close());
  return opened;
};
beforeEach(() => void (source = open()));

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
};
const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.fault.code);
async function* bytes(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part);
}
const lab = (on: Source, file: Uint8Array = PDF, timezone = '+01:00') =>
  on.submitLab(USER, { file: bytes(file), kind: 'pdf', timezone });
const BIND = {
  user: USER,
  clientName: 'First Clinic',
  tycUrl: null,
  supportUrl: null,
  completeLogOut: null,
  salt: 'abcd',
};

describe('section 1 through source', () => {
  const rule = { signals: { oxygenation: { threshold_min_float: 90 } } };
  test('a feature that is not activated is a fault until support has activated it', async () => {
    const all = async () => [
      codeOf(await lab(source)),
      codeOf(await source.requestProfile(USER)),
      codeOf(await source.readRule(null)),
      codeOf(await source.replaceRule(USER, rule)),
    ];
    expect(await all()).toEqual([
      'source.not-activated',
      'source.not-activated',
      'source.not-activated',
      'source.not-activated',
    ]);
    server.activate('lab_data', 'user_health_profile', 'health_monitoring');
    expect(await all()).toEqual(['ok', 'ok', 'ok', 'ok']);
  });
  test('Callback URL Setup: the address that was given is where the user goes once it is active', async () => {
    server.activate('callback_url_setup');
    const { authorizationUrl } = must(
      await source.authorizer(USER, 'RingWearable', 'https://clinic.example/back?a=1&b=%20'),
    );
    const page = new URL(authorizationUrl ?? '');
    const done = await server.form(page.pathname, {
      state: page.searchParams.get('state') ?? '',
      account: 'a',
      decision: 'grant',
    });
    expect(done.headers['location']).toBe('https://clinic.example/back?a=1&b=%20');
  });
  test('mobile-based sources are bound, not authorised', async () => {
    expect(codeOf(await source.authorizer(USER, 'IosHealth', null))).toBe('source.data-source');
    expect(codeOf(await source.bind(BIND))).toBe('ok');
  });
  test('the deprecated list is not offered', () => {
    expect(Object.keys(source).sort()).toEqual(
      [
        'authorizer',
        'bind',
        'close',
        'readRule',
        'ready',
        'replaceRule',
        'requestProfile',
        'revoke',
        'submitLab',
      ].sort(),
    );
  });
});

describe('section 3 through source', () => {
  const isAuthorized = async (on = source, dataSource = 'RingWearable') =>
    must(await on.authorizer(USER, dataSource, null)).authorized;
  test('not authorized, authorized, disconnected from all, authorized again', async () => {
    expect(await isAuthorized()).toBe(false);
    await server.grant();
    await server.grant('GpsWatch');
    expect([await isAuthorized(), await isAuthorized(source, 'GpsWatch')]).toEqual([true, true]);
    must(await source.revoke(USER));
    expect([await isAuthorized(), await isAuthorized(source, 'GpsWatch')]).toEqual([false, false]);
    await server.grant();
    expect(await isAuthorized()).toBe(true);
  });
  test('other clients that share the account keep access', async () => {
    const other = server.service().putClient({ uuid: 'client-2' });
    const theirs = open({ clientUuid: other.uuid, secretKey: secret(other.secretKey) });
    await server.grant();
    await server.grant('RingWearable', USER, 'client-2');
    must(await source.revoke(USER));
    expect([await isAuthorized(), await isAuthorized(theirs)]).toEqual([false, true]);
  });
  test('revocation at the provider', async () => {
    await server.grant();
    const connection = JSON.stringify(['client-1', USER, 'RingWearable']);
    await server.form('/provider/RingWearable/access', { connection });
    expect(await isAuthorized()).toBe(false);
  });
  test('lab document: none to received', async () => {
    server.activate('lab_data');
    expect(must(await lab(source)).documentId).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('section 4 through source', () => {
  test('4.1 authorizer, before and after', async () => {
    const before = must(await source.authorizer(USER, 'RingWearable', 'https://clinic.example/back'));
    expect(before).toEqual({ dataSource: 'RingWearable', authorized: false, authorizationUrl: expect.any(String) });
    expect(server.service().state.pending.all()[0]?.[1].redirectUrl).toBe('https://clinic.example/back');
    await server.grant();
    expect(must(await source.authorizer(USER, 'RingWearable', null))).toEqual({
      dataSource: 'RingWearable',
      authorized: true,
      authorizationUrl: null,
    });
  });
  test('4.3 revoke', async () => {
    await server.grant();
    must(await source.revoke(USER));
    expect((await server.authorizer()).body['authorized']).toBe(false);
  });
  test('4.4 lab document, in parts, by bearer token and by password', async () => {
    server.activate('lab_data');
    const { username, password } = server.client().lab;
    const other = open({ lab: { kind: 'basic', username, password: secret(password) } });
    for (const one of [source, other]) {
      const file = bytes(JPEG, Buffer.alloc(70_000), Buffer.alloc(70_000));
      const { documentId } = must(await one.submitLab(USER, { file, kind: 'jpeg', timezone: 'Z' }));
      expect(server.service().state.labDocuments.get(documentId)).toMatchObject({
        kind: 'jpeg',
        bytes: JPEG.length + 140_000,
        timezone: 'Z',
      });
    }
  });
  test('4.5 profile', async () => {
    server.activate('user_health_profile');
    const { requestId } = must(await source.requestProfile(USER));
    expect(server.service().state.profileRequests.get(requestId)?.user).toBe(USER);
  });
  test('4.6 rules, general and of one user', async () => {
    server.activate('health_monitoring');
    expect(must(await source.readRule(null))).toBeNull();
    const rule = { signals: { oxygenation: { threshold_min_float: 90 } } };
    expect(must(await source.replaceRule(USER, rule))).toMatchObject({ user_id: USER, ...rule });
    expect(must(await source.readRule(USER))).toMatchObject(rule);
    expect(must(await source.readRule(null))).toBeNull();
  });
  test('4.7 binding', async () => {
    const bound = must(await source.bind({ ...BIND, tycUrl: 'https://clinic.example/t', completeLogOut: true }));
    expect(bound).toEqual({
      qrCode: expect.stringMatching(/^data:image\/png;base64,/),
      universalLink: expect.stringContaining('/app/bind/'),
    });
  });
  test('any user id arrives as it is, and none leads elsewhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), async (user) => {
        const done = await source.authorizer(user, 'GpsWatch', null);
        if (/\p{Cc}|[\uD800-\uDFFF]/u.test(user) || user === '.' || user === '..') return;
        expect(codeOf(done)).toBe('ok');
        expect(
          server
            .service()
            .state.pending.all()
            .some(([, one]) => one.user === user),
        ).toBe(true);
      }),
      { numRuns: 40 },
    );
    for (const user of ['', '.', '..'])
      expect(codeOf(await source.authorizer(user, 'GpsWatch', null))).toBe('source.rejected');
  });
});

describe('section 5 through source', () => {
  test('what is not configured is said, and nothing is sent', async () => {
    const bare = open({ secretKey: null, password: null, lab: { kind: 'none' } });
    const all = [
      await bare.authorizer(USER, 'GpsWatch', null),
      await bare.revoke(USER),
      await bare.bind(BIND),
      await bare.requestProfile(USER),
      await bare.readRule(null),
      await bare.replaceRule(null, {}),
      await lab(bare),
    ];
    expect(all.map(codeOf)).toEqual(all.map(() => 'source.not-configured'));
    expect([codeOf(bare.ready('access')), codeOf(bare.ready('lab'))]).toEqual([
      'source.not-configured',
      'source.not-configured',
    ]);
    expect([codeOf(source.ready('access')), codeOf(source.ready('lab'))]).toEqual(['ok', 'ok']);
  });
  test('credentials that are refused', async () => {
    const wrong = open({ secretKey: secret('x'), password: secret('x'), lab: { kind: 'bearer', token: secret('x') } });
    const all = [
      await wrong.authorizer(USER, 'GpsWatch', null),
      await wrong.revoke(USER),
      await wrong.bind(BIND),
      await wrong.requestProfile(USER),
      await wrong.readRule(null),
      await lab(wrong),
    ];
    expect(all.map(codeOf)).toEqual(all.map(() => 'source.unauthorized'));
  });
});

describe('section 7 through source', () => {
  test('403 not activated', async () => {
    expect([
      codeOf(await lab(source)),
      codeOf(await source.requestProfile(USER)),
      codeOf(await source.readRule(null)),
    ]).toEqual(['source.not-activated', 'source.not-activated', 'source.not-activated']);
  });
  test('400 and 422 are refusals, and are not repeated', async () => {
    server.activate('lab_data', 'health_monitoring');
    expect(codeOf(await source.authorizer(USER, 'gpswatch', null))).toBe('source.data-source');
    expect(codeOf(await lab(source, PDF, 'UTC'))).toBe('source.rejected');
    expect(codeOf(await lab(source, Buffer.from('text')))).toBe('source.rejected');
    expect(codeOf(await source.replaceRule(null, { signals: { weight: {} } }))).toBe('source.rule');
    expect(codeOf(await source.bind({ ...BIND, salt: 'abc' }))).toBe('source.rejected');
  });
  test('413', async () => {
    server.activate('lab_data');
    const file = Buffer.concat([PDF, Buffer.alloc(10 * 1024 * 1024)]);
    expect(codeOf(await lab(source, file))).toBe('source.too-large');
  });
  test('500 is tried again where that is safe, and is a fault where it is not', async () => {
    server.activate('lab_data', 'user_health_profile');
    const once = (path: string) => server.service().faults.set([{ path, status: 500, times: 1 }]);
    once('/api/v1');
    expect(codeOf(await source.authorizer(USER, 'GpsWatch', null))).toBe('ok');
    once('/api/v2');
    expect(codeOf(await source.requestProfile(USER))).toBe('ok');
    once('/lab');
    expect(codeOf(await lab(source))).toBe('ok');
  });
  test('an answer that is lost: asked again where nothing is done twice', async () => {
    server.activate('user_health_profile');
    const drop = (path: string) => server.service().faults.set([{ path, drop: 'after', times: 1 }]);
    drop('/api/v1');
    expect(codeOf(await source.revoke(USER))).toBe('ok');
    drop('/api/v2');
    expect(codeOf(await source.requestProfile(USER))).toBe('source.cut');
    expect(server.service().state.profileRequests.all()).toHaveLength(1);
  });
  test('nobody there', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    const nowhere = open({ url: `http://127.0.0.1:${port}` });
    expect(codeOf(await nowhere.authorizer(USER, 'GpsWatch', null))).toBe('source.unreachable');
  });
  test('a redirect is not followed, and an answer of another kind is not believed', async () => {
    server.service().faults.set([{ path: '/api/v1', status: 302 }]);
    expect(codeOf(await source.authorizer(USER, 'GpsWatch', null))).toBe('source.rejected');
    const elsewhere = open({ url: `${server.service().url}/style.css` });
    expect(codeOf(await elsewhere.authorizer(USER, 'GpsWatch', null))).toBe('source.rejected');
  });
});

describe('section 8 through source', () => {
  test.each([
    [1, 'ok'],
    [50, 'ok'],
    [51, 'source.rejected'],
    [0, 'source.rejected'],
  ])('a user_id of %i characters: %s', async (length, code) => {
    for (const letter of ['x', 'é', '😀'])
      expect(codeOf(await source.authorizer(letter.repeat(length), 'GpsWatch', null))).toBe(code);
  });
  test.each([
    [3, 'source.rejected'],
    [4, 'ok'],
    [6, 'ok'],
    [7, 'source.rejected'],
  ])('a salt of %i characters: %s', async (length, code) => {
    expect(codeOf(await source.bind({ ...BIND, salt: 's'.repeat(length) }))).toBe(code);
  });
  test('10 MB are taken, one byte more is not', async () => {
    server.activate('lab_data');
    const of = (size: number) => Buffer.concat([PDF, Buffer.alloc(size - PDF.length)]);
    expect(codeOf(await lab(source, of(10 * 1024 * 1024)))).toBe('ok');
    expect(codeOf(await lab(source, of(10 * 1024 * 1024 + 1)))).toBe('source.too-large');
  });
  test.each([
    ['pdf', PDF],
    ['jpeg', JPEG],
    ['png', PNG],
  ] as const)('%s is taken', async (kind, file) => {
    server.activate('lab_data');
    must(await source.submitLab(USER, { file: bytes(file), kind, timezone: 'Z' }));
    expect(server.service().state.labDocuments.all()[0]?.[1].kind).toBe(kind);
  });
  test('30 profiles in 24 hours', async () => {
    server.activate('user_health_profile');
    for (let hour = 0; hour < 10; hour += 1) {
      for (let i = 0; i < 3; i += 1) must(await source.requestProfile(USER));
      server.clock().advance(3_600_000);
    }
    expect(await source.requestProfile(USER)).toMatchObject({
      fault: { code: 'source.too-many', retryAfterMs: 14 * 3_600_000 },
    });
  });
  test('429 says how long to wait, and nothing is sent meanwhile', async () => {
    server.activate('user_health_profile');
    for (let i = 0; i < 3; i += 1) must(await source.requestProfile(USER));
    const refused = await source.requestProfile(USER);
    expect(refused).toMatchObject({ fault: { code: 'source.too-many', retryAfterMs: 3_600_000 } });
    server.service().faults.set([{ path: '/api/v2', status: 500 }]);
    server.clock().advance(1_000);
    expect(await source.requestProfile(USER)).toMatchObject({
      fault: { code: 'source.too-many', retryAfterMs: 3_599_000 },
    });
    server.service().faults.set([]);
    server.clock().advance(3_599_000);
    expect(codeOf(await source.requestProfile(USER))).toBe('ok');
  });
  test('Retry-After of a 503 is waited for when it is short, and told when it is long', async () => {
    server.service().faults.set([{ path: '/api/v1', status: 503, retryAfter: '1', times: 1 }]);
    const from = performance.now();
    expect(codeOf(await source.authorizer(USER, 'GpsWatch', null))).toBe('ok');
    expect(performance.now() - from).toBeGreaterThanOrEqual(990);
    server.service().faults.set([{ path: '/api/v1', status: 503, retryAfter: '90' }]);
    expect(await source.authorizer(USER, 'GpsWatch', null)).toMatchObject({
      fault: { code: 'source.failed', retryAfterMs: 90_000 },
    });
  });
  test('Retry-After in every form', () => {
    const now = Date.parse('2026-01-02T03:04:05Z');
    expect(readRetryAfter('7', now)).toBe(7_000);
    expect(readRetryAfter('Fri, 02 Jan 2026 03:05:05 GMT', now)).toBe(60_000);
    expect(readRetryAfter('Fri, 02 Jan 2026 03:00:00 GMT', now)).toBe(0);
    for (const text of [undefined, '', '-1', 'soon', '1.5']) expect(readRetryAfter(text, now)).toBeNull();
  });
  test('no request is tried more than three times', () => {
    const failed = { kind: 'answered', status: 500, retryAfterMs: null, value: null } as const;
    expect([1, 2, 3].map((tries) => decideRetry(failed, 'any', tries, 0))).toEqual([100, 500, null]);
    expect(decideRetry({ ...failed, status: 429 }, 'any', 1, 0)).toBeNull();
    expect(decideRetry({ kind: 'silent', because: 'cut', cause: null }, 'refused', 1, 0)).toBeNull();
    expect(decideRetry({ kind: 'silent', because: 'unsent', cause: null }, 'refused', 1, 0)).toBe(100);
  });
});

test('section 9 through source: v1 for authorization, revocation and binding, v2 for profile and rules', async () => {
  const paths: string[] = [];
  const ear = createHttpServer((request, response) => {
    paths.push(`${request.method ?? ''} ${(request.url ?? '').split('?')[0] ?? ''}`);
    response.writeHead(400).end();
  }).listen(0, '127.0.0.1');
  stopAfterTest(() => {
    ear.closeAllConnections();
    ear.close();
  });
  await once(ear, 'listening');
  const url = `http://127.0.0.1:${(ear.address() as AddressInfo).port}/base/`;
  const listened = open({ url, labUrl: url });
  for (const done of [
    listened.authorizer(USER, 'GpsWatch', null),
    listened.revoke(USER),
    listened.bind(BIND),
    listened.requestProfile(USER),
    listened.readRule(USER),
    listened.replaceRule(null, {}),
    lab(listened),
  ])
    expect(['source.rejected', 'source.rule']).toContain(codeOf(await done));
  expect(paths.sort()).toEqual(
    [
      `GET /base/api/v1/user_id/${USER}/data_source/GpsWatch/authorizer`,
      `POST /base/api/v1/user_id/${USER}/data_sources/revoke_auth`,
      'POST /base/api/v1/extraction_app/binding/',
      'POST /base/api/v2/user_profile',
      'GET /base/api/v2/health_monitoring/rules',
      'PUT /base/api/v2/health_monitoring/rules',
      `POST /base/client_uuid/client-1/user_id/${USER}`,
    ].sort(),
  );
});
