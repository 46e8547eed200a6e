import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey } from 'jose';
import { secret } from '../../../src/kernel/index.ts';
import { ACT, EHR_BASE, must, startAuth, type AuthServer } from '../../support/auth-server.ts';
import { eventually } from '../../support/eventually.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

const ISSUER_PATH = '/realm';
const PUBLIC = 'https://gateway.example';
const FHIR = `${PUBLIC}/fhir`;
const refused = { ok: false, fault: { kind: 'unauthenticated', code: 'smart.unauthenticated' } };

/** An issuer that serves keys and answers introspections as it is told. */
let host: Server;
let issuer = '';
let key: CryptoKey;
let foreign: CryptoKey;
let jwks: unknown;
let told: unknown;
let asked: string[] = [];
let status = 200;
beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  key = pair.privateKey;
  foreign = (await generateKeyPair('ES256')).privateKey;
  jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] };
  host = createServer((req, res) => {
    asked.push(`${req.method ?? ''} ${req.url ?? ''} ${req.headers.authorization ?? ''}`);
    res.statusCode = status;
    res.setHeader('content-type', 'application/json');
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/a`,
      token_endpoint: `${issuer}/t`,
      jwks_uri: `${issuer}/jwks`,
    };
    res.end(JSON.stringify(req.url?.endsWith('/jwks') ? jwks : req.url?.includes('well-known') ? metadata : told));
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(host.address() as AddressInfo).port}${ISSUER_PATH}`;
});
afterAll(() => void host.close());
beforeEach(() => {
  asked = [];
  status = 200;
});

describe('an issuer elsewhere whose tokens are JWTs', () => {
  let place: Place;
  let server: AuthServer;
  let wallMs: number | null = null;
  let monotonicMs: number | null = null;
  beforeAll(async () => {
    place = await sqlitePlace();
    const from = Date.now();
    server = await startAuth(place, {
      publicUrl: PUBLIC,
      external: {
        issuer,
        origins: ['https://app.example'],
        userClaim: 'fhirUser',
        check: { by: 'keys', jwksUrl: `${issuer}/jwks` },
      },
      clock: { now: () => new Date(wallMs ?? Date.now()), monotonicMs: () => monotonicMs ?? Date.now() - from },
    });
  });
  afterAll(async () => {
    await server.stop();
    await place.remove();
  });

  const now = (): number => Math.floor(Date.now() / 1000);
  const claims = () => ({
    iss: issuer,
    aud: FHIR,
    sub: 'u1',
    client_id: 'c1',
    jti: 'j1',
    scope: 'openid patient/Observation.rs launch/patient',
    patient: 'p1',
    encounter: 'e1',
    fhirUser: `${FHIR}/Practitioner/x`,
    iat: now(),
    exp: now() + 600,
  });
  const sign = (more: Record<string, unknown> = {}, header: Record<string, unknown> = {}, by = key): Promise<string> =>
    new SignJWT({ ...claims(), ...more })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt', ...header })
      .sign(by);
  const verify = (token: string, requestId = 'req_0') =>
    server.auth.verifyToken(`Bearer ${token}`, { requestId, remoteAddress: '203.0.113.1' });

  /** Request and reason of every token that lost scopes. */
  const lostScopes = async (): Promise<readonly (readonly unknown[])[]> =>
    (await server.audit())
      .filter(({ type, why }) => type === 'auth.reject' && String(why).startsWith('user-scope:'))
      .map(({ requestId, why }) => [requestId, why]);

  test('gives what its claims say', async () => {
    expect(await verify(await sign())).toMatchObject({
      ok: true,
      value: {
        issuer,
        subject: 'u1',
        clientId: 'c1',
        patient: 'p1',
        encounter: 'e1',
        fhirUser: 'Practitioner/x',
        words: ['openid', 'launch/patient'],
        origins: ['https://app.example'],
      },
    });
    expect(await verify(await sign({ aud: [FHIR], fhirUser: 'Practitioner/y' }))).toMatchObject({
      value: { fhirUser: 'Practitioner/y' },
    });
    expect(await verify(await sign({ patient: '..' }))).toMatchObject({ value: { patient: null } });
    expect(await verify(await sign({ patient: 'a/b', fhirUser: 'https://evil.example/Organization/1' }))).toMatchObject(
      {
        value: { patient: null, fhirUser: null },
      },
    );
  });

  test.each<[string, () => Promise<string>]>([
    ['another key', () => sign({}, {}, foreign)],
    ['no signature', () => Promise.resolve(new UnsecuredJWT(claims() as never).encode())],
    ['another issuer', () => sign({ iss: 'https://evil.example' })],
    ['another audience', () => sign({ aud: 'https://other.example/fhir' })],
    ['two audiences', () => sign({ aud: [FHIR, 'https://other.example/fhir'] })],
    ['an id token', () => sign({}, { typ: 'JWT' })],
    ['no type', () => sign({}, { typ: undefined })],
    ['no expiry', () => sign({ exp: undefined })],
    ['expired', () => sign({ iat: now() - 600, exp: now() - 10 })],
    ['too long a life', () => sign({ exp: now() + 3_700 })],
    ['too old', () => sign({ iat: now() - 3_700, exp: now() + 100 })],
    ['no scope', () => sign({ scope: undefined })],
    ['no client', () => sign({ client_id: undefined })],
    ['no jti', () => sign({ jti: undefined })],
    ['not yet', () => sign({ nbf: now() + 100 })],
    ['an unknown kid', () => sign({}, { kid: 'k2' })],
    ['too long', () => sign({ pad: 'x'.repeat(9_000) })],
    ['a critical header', () => sign({}, { crit: ['x'], x: 1 }).catch(() => 'x.y.z')],
    ['cut', async () => (await sign()).slice(0, -3)],
    ['nothing', () => Promise.resolve('')],
  ])('refuses a token with %s, and does not say why', async (_name, make) => {
    expect(await verify(await make())).toEqual(refused);
  });

  test.each([
    'Practitioner/x',
    'PractitionerRole/x',
    `Practitioner/${'x'.repeat(64)}`,
    `${FHIR}/Practitioner/x`,
    `${EHR_BASE}/PractitionerRole/x`,
  ])('the clinician %s has `user/` scopes', async (fhirUser) => {
    const { scopes } = must(await verify(await sign({ scope: 'user/*.rs patient/*.rs', fhirUser })));
    expect(scopes.map(({ text }) => text)).toEqual(['user/*.rs', 'patient/*.rs']);
  });

  test.each<[unknown, string]>([
    ['Patient/p1', 'not-a-clinician'],
    ['RelatedPerson/r1', 'not-a-clinician'],
    ['Person/q1', 'not-a-clinician'],
    [`${FHIR}/Patient/p1`, 'not-a-clinician'],
    [undefined, 'no-user'],
    [null, 'no-user'],
    ['', 'no-user'],
    ['Patient/x/', 'not-a-reference'],
    ['Patient/x/_history/1', 'not-a-reference'],
    ['Patient/x?x=1', 'not-a-reference'],
    [`Patient/${'x'.repeat(65)}`, 'not-a-reference'],
    [{ reference: 'Practitioner/x' }, 'not-a-reference'],
    [['Practitioner/x'], 'not-a-reference'],
    [1, 'not-a-reference'],
    ['Practitioner/x/', 'not-a-reference'],
    ['Practitioner/x/_history/1', 'not-a-reference'],
    ['Practitioner/x?x=1', 'not-a-reference'],
    ['Practitioner/x#y', 'not-a-reference'],
    ['Practitioner/x\n', 'not-a-reference'],
    [' Practitioner/x', 'not-a-reference'],
    ['/Practitioner/x', 'not-a-reference'],
    ['practitioner/x', 'not-a-reference'],
    ['Practitioner/', 'not-a-reference'],
    ['Practitioner/..', 'not-a-reference'],
    [`Practitioner/${'x'.repeat(65)}`, 'not-a-reference'],
    ['Patient/x/Practitioner/y', 'not-a-reference'],
    [`${FHIR}/Patient/x/Practitioner/y`, 'not-a-reference'],
    [`${FHIR}//Practitioner/y`, 'not-a-reference'],
    ['https://evil.example/Practitioner/x', 'not-a-reference'],
    [`https://evil.example/?${FHIR}/Practitioner/x`, 'not-a-reference'],
    ['Organization/1', 'not-a-reference'],
  ])('%j loses its `user/` scopes, and the audit says %s', async (fhirUser, why) => {
    const scope = 'user/*.rs user/Patient.r patient/*.rs system/*.rs openid';
    const jti = randomUUID();
    for (const requestId of [`req_${jti}`, 'req_again']) {
      const { scopes, words } = must(await verify(await sign({ scope, fhirUser, jti }), requestId));
      expect(scopes.map(({ text }) => text)).toEqual(['patient/*.rs', 'system/*.rs']);
      expect(words).toEqual(['openid']);
    }
    const lost = await eventually(lostScopes, (found) => found.some(([requestId]) => requestId === `req_${jti}`));
    expect(lost.filter(([requestId]) => requestId === `req_${jti}`)).toEqual([[`req_${jti}`, `user-scope:${why}`]]);
    expect(lost.filter(([requestId]) => requestId === 'req_again')).toEqual([]);
  });

  test('a token without `user/` scopes loses none, whoever its user is', async () => {
    expect(must(await verify(await sign({ fhirUser: undefined, jti: randomUUID() }), 'req_none')).scopes).toHaveLength(
      1,
    );
    expect((await lostScopes()).filter(([requestId]) => requestId === 'req_none')).toEqual([]);
  });

  test('the claim that says who the user is can be another', async () => {
    const own = await sqlitePlace();
    const keys = { by: 'keys', jwksUrl: `${issuer}/jwks` } as const;
    const other = await startAuth(own, {
      publicUrl: PUBLIC,
      external: { issuer, origins: [], userClaim: 'https://idp.example/who', check: keys },
    });
    const scopesOf = async (more: Record<string, unknown>) =>
      must(await other.auth.verifyToken(`Bearer ${await sign({ scope: 'user/*.rs', ...more })}`)).scopes.length;
    try {
      expect(await scopesOf({ fhirUser: 'Practitioner/x' })).toBe(0);
      expect(await scopesOf({ fhirUser: 'Patient/x', 'https://idp.example/who': 'Practitioner/x' })).toBe(1);
    } finally {
      await other.stop();
      await own.remove();
    }
  });

  test('a clock that is set back brings no token back', async () => {
    const token = await sign({ exp: now() + 60 });
    const start = Date.now();
    expect((await verify(token)).ok).toBe(true);
    monotonicMs = 3_600_000;
    wallMs = start - 86_400_000;
    expect(await verify(token)).toEqual(refused);
    wallMs = null;
    monotonicMs = null;
  });

  test('makes no token of ours: no pages, no registry; the configuration leads to the issuer', async () => {
    expect((await fetch(`${server.base}/auth/authorize`)).status).toBe(404);
    expect(await server.auth.registry.addClient(ACT, {})).toMatchObject({ fault: { code: 'auth.external' } });
    const found = (await (await fetch(`${server.base}/fhir/.well-known/smart-configuration`)).json()) as Record<
      string,
      unknown
    >;
    expect(found).toMatchObject({ issuer, token_endpoint: `${issuer}/t` });
    expect(await server.auth.oauthUris()).toMatchObject({ authorize: `${issuer}/a`, token: `${issuer}/t` });
    expect([
      await server.auth.isOrigin('https://app.example'),
      await server.auth.isOrigin('https://evil.example'),
    ]).toEqual([true, false]);
  });
});

describe('an issuer elsewhere that is asked', () => {
  let place: Place;
  let server: AuthServer;
  beforeAll(async () => {
    place = await sqlitePlace();
    server = await startAuth(place, {
      publicUrl: PUBLIC,
      external: {
        issuer,
        origins: [],
        userClaim: 'fhirUser',
        check: {
          by: 'introspection',
          url: `${issuer}/introspect`,
          clientId: 'us',
          secret: secret('s3:cret'),
          audience: 'required',
        },
      },
    });
  });
  afterAll(async () => {
    await server.stop();
    await place.remove();
  });
  const active = () => ({
    active: true,
    iss: issuer,
    aud: FHIR,
    client_id: 'c1',
    sub: 'u1',
    scope: 'patient/*.rs',
    exp: Math.floor(Date.now() / 1000) + 60,
    patient: 'p1',
  });

  test('a user whom it does not name has no `user/` scope', async () => {
    told = { ...active(), scope: 'user/*.rs' };
    expect(await server.auth.verifyToken('Bearer opaque')).toMatchObject({ ok: true, value: { scopes: [] } });
    told = { ...active(), scope: 'user/*.rs', fhirUser: 'Practitioner/x' };
    expect(await server.auth.verifyToken('Bearer opaque')).toMatchObject({
      value: { scopes: [{ text: 'user/*.rs' }] },
    });
  });

  test('gives what it says', async () => {
    told = active();
    expect(await server.auth.verifyToken('Bearer opaque')).toMatchObject({
      ok: true,
      value: { clientId: 'c1', patient: 'p1', subject: 'u1' },
    });
    expect(asked).toEqual([`POST ${ISSUER_PATH}/introspect Basic ${Buffer.from('us:s3%3Acret').toString('base64')}`]);
  });

  test.each([
    [{ active: false }],
    [{ active: 'true' }],
    [{ iss: 'https://evil.example' }],
    [{ aud: 'https://other.example' }],
    [{ aud: [FHIR, 'https://other.example'] }],
    [{ aud: undefined }],
    [{ token_type: 'refresh_token' }],
    [{ exp: 1 }],
    [{ exp: undefined }],
    [{ scope: undefined }],
    [{ client_id: undefined }],
  ])('refuses %j', async (more) => {
    told = { ...active(), ...more };
    expect(await server.auth.verifyToken('Bearer opaque')).toEqual(refused);
  });

  test('takes an answer without an audience where the operator says so', async () => {
    const own = await sqlitePlace();
    const lenient = await startAuth(own, {
      publicUrl: PUBLIC,
      external: {
        issuer,
        origins: [],
        userClaim: 'fhirUser',
        check: {
          by: 'introspection',
          url: `${issuer}/introspect`,
          clientId: 'us',
          secret: secret('s'),
          audience: 'if-sent',
        },
      },
    });
    try {
      told = { ...active(), aud: undefined };
      expect(await lenient.auth.verifyToken('Bearer opaque')).toMatchObject({ ok: true });
      told = { ...active(), aud: 'https://other.example' };
      expect(await lenient.auth.verifyToken('Bearer opaque')).toEqual(refused);
    } finally {
      await lenient.stop();
      await own.remove();
    }
  });

  test('asks the issuer for its metadata once, however many want it, and not again at once where it failed', async () => {
    status = 500;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${server.base}/fhir/.well-known/smart-configuration`)),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([503]));
    expect((await fetch(`${server.base}/fhir/.well-known/smart-configuration`)).status).toBe(503);
    expect(asked.filter((line) => line.includes('well-known'))).toHaveLength(1);
  });

  test('asks about no more than so many tokens at once', async () => {
    told = active();
    const answers = await Promise.all(
      Array.from({ length: 200 }, async () => server.auth.verifyToken('Bearer opaque')),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(64);
    expect(asked).toHaveLength(64);
  });

  test('says that it could not ask where it could not', async () => {
    for (const wrong of [500, 401]) {
      status = wrong;
      expect(await server.auth.verifyToken('Bearer opaque')).toMatchObject({
        ok: false,
        fault: { code: 'auth.issuer' },
      });
    }
    status = 200;
    for (const nothing of [null, 'active', ['active'], 1]) {
      told = nothing;
      expect(await server.auth.verifyToken('Bearer opaque')).toMatchObject({
        ok: false,
        fault: { code: 'auth.issuer' },
      });
    }
    told = 'x'.repeat(70_000);
    expect(await server.auth.verifyToken('Bearer opaque')).toMatchObject({ ok: false, fault: { code: 'auth.issuer' } });
  });
});
