import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import * as client from 'openid-client';
import { startAuth, startScene, type App, type AuthServer, type Scene } from '../../support/auth-server.ts';
import { allowPlainHttp } from '../../support/plain-http.ts';
import { PLACES, type Place } from '../../support/new-store.ts';

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

interface Keys {
  readonly privateKey: CryptoKey;
  readonly jwk: Record<string, unknown>;
}
const keysOf = async (alg: 'RS384' | 'ES384', kid: string): Promise<Keys> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' } };
};

describe.each(PLACES)('clients that sign, on %s', (_engine, makePlace) => {
  let place: Place;
  let scene: Scene;
  let replica: AuthServer;
  let es: Keys;
  let rs: Keys;
  let twin: Keys;
  let backend: App;
  let hosted: App;
  let keyHost: Server;
  let keyUrl = '';
  beforeAll(async () => {
    [es, rs, twin] = await Promise.all([keysOf('ES384', 'k-es'), keysOf('RS384', 'k-rs'), keysOf('ES384', 'k-es')]);
    keyHost = createServer((_req, res) =>
      res.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [es.jwk, rs.jwk] })),
    );
    await new Promise<void>((resolve) => keyHost.listen(0, '127.0.0.1', resolve));
    keyUrl = `http://127.0.0.1:${(keyHost.address() as AddressInfo).port}/jwks.json`;
    place = await makePlace();
    scene = await startScene(place);
    // SQLite has one writer: a second process could not open it.
    replica = _engine === 'postgres' ? await startAuth(place, { publicUrl: scene.server.base }) : scene.server;
    backend = await scene.register({
      kind: 'backend',
      scope: 'system/*.rs',
      redirectUris: [],
      jwks: { keys: [es.jwk, rs.jwk] },
    });
    hosted = await scene.register({
      kind: 'backend',
      scope: 'system/Observation.rs',
      redirectUris: [],
      jwksUri: keyUrl,
    });
  });
  afterAll(async () => {
    if (replica !== scene.server) await replica.stop();
    await scene.server.stop();
    await place.remove();
    keyHost.close();
  });

  interface Told {
    readonly header?: Record<string, unknown>;
    readonly claims?: Record<string, unknown>;
    readonly keys?: Keys;
    readonly alg?: string;
  }
  async function assertionOf(app: App, told: Told = {}): Promise<string> {
    const keys = told.keys ?? es;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: app.id,
      sub: app.id,
      aud: `${scene.server.issuer}/token`,
      exp: now + 300,
      jti: randomUUID(),
      ...told.claims,
    };
    return new SignJWT(claims)
      .setProtectedHeader({
        alg: told.alg ?? (keys.jwk['kty'] === 'RSA' ? 'RS384' : 'ES384'),
        kid: String(keys.jwk['kid']),
        typ: 'JWT',
        ...told.header,
      })
      .sign(keys.privateKey);
  }
  const ask = (assertion: string, form: Record<string, string> = {}) =>
    scene.post('token', {
      grant_type: 'client_credentials',
      scope: 'system/Observation.rs',
      client_assertion_type: TYPE,
      client_assertion: assertion,
      ...form,
    });

  test.each([
    ['ES384', () => es],
    ['RS384', () => rs],
  ])('a backend gets a short token for itself with %s', async (_alg, keys) => {
    const { status, body } = await ask(await assertionOf(backend, { keys: keys() }));
    expect([status, body['expires_in'], body['scope'], 'refresh_token' in body, 'patient' in body]).toEqual([
      200,
      300,
      'system/Observation.rs',
      false,
      false,
    ]);
    const grant = await replica.auth.verifyToken(`Bearer ${String(body['access_token'])}`);
    expect(grant).toMatchObject({ ok: true, value: { subject: backend.id, patient: null, fhirUser: null } });
  });

  test('openid-client, which names the issuer as the audience, is understood', async () => {
    const config = await client.discovery(
      new URL(scene.server.issuer),
      backend.id,
      undefined,
      client.PrivateKeyJwt({ key: es.privateKey, kid: 'k-es' }),
      {
        execute: [allowPlainHttp],
      },
    );
    const tokens = await client.clientCredentialsGrant(config, { scope: 'system/*.rs' });
    expect(tokens.scope).toBe('system/*.rs');
  });

  test('keys behind an address are fetched, and its jku is taken', async () => {
    const { status } = await ask(await assertionOf(hosted, { header: { jku: keyUrl } }));
    expect(status).toBe(200);
  });

  const now = (): number => Math.floor(Date.now() / 1000);
  test.each<[string, () => Told]>([
    ['an exp too far ahead', () => ({ claims: { exp: now() + 600 } })],
    ['an exp that is over', () => ({ claims: { exp: now() - 120 } })],
    ['no exp', () => ({ claims: { exp: undefined } })],
    ['no jti', () => ({ claims: { jti: undefined } })],
    ['another issuer', () => ({ claims: { iss: 'app_other' } })],
    ['another subject', () => ({ claims: { sub: 'app_other' } })],
    ['the audience of another server', () => ({ claims: { aud: 'https://other.example/token' } })],
    ['two audiences', () => ({ claims: { aud: [`${scene.server.issuer}/token`, 'https://other.example/token'] } })],
    ['a jku of its own', () => ({ header: { jku: 'https://evil.example/jwks.json' } })],
    ['a kid of no key', () => ({ header: { kid: 'k-none' } })],
    ['no kid', () => ({ header: { kid: undefined } })],
    ['a key that is not registered', () => ({ keys: twin })],
    ['not yet valid', () => ({ claims: { nbf: now() + 300 } })],
  ])('%s is invalid_client', async (_name, told) => {
    const { status, body } = await ask(await assertionOf(backend, told()));
    expect([status, body['error'], 'access_token' in body]).toEqual([401, 'invalid_client', false]);
  });

  test('a kid of two keys is invalid_client, although one of them would do', async () => {
    const doubled = await scene.register({
      kind: 'backend',
      scope: 'system/*.rs',
      redirectUris: [],
      jwks: { keys: [es.jwk, twin.jwk] },
    });
    const { status, body } = await ask(await assertionOf(doubled));
    expect([status, body['error']]).toEqual([401, 'invalid_client']);
  });

  test('an assertion is taken once, on whichever replica', async () => {
    const assertion = await assertionOf(backend);
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'system/*.rs',
      client_assertion_type: TYPE,
      client_assertion: assertion,
    });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        fetch(`${(i % 2 === 0 ? scene.server : replica).base}/auth/token`, { method: 'POST', body: form }).then(
          (answer) => answer.status,
        ),
      ),
    );
    expect(answers.filter((status) => status === 200)).toHaveLength(1);
    expect(answers.filter((status) => status === 401)).toHaveLength(7);
  });

  test('a refresh token that comes to two replicas at once leaves no token alive but by one', async () => {
    const app = await scene.register();
    const { refresh_token: token } = await scene.tokensFor(app);
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token, client_id: app.id });
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const answer = await fetch(`${(i % 2 === 0 ? scene.server : replica).base}/auth/token`, {
          method: 'POST',
          body: form,
        });
        return { status: answer.status, body: (await answer.json()) as Record<string, string> };
      }),
    );
    const got = answers.filter(({ status }) => status === 200);
    expect(got.length).toBeLessThanOrEqual(1);
    // Somebody has a copy, so that even the one is worth nothing.
    for (const { body } of got) {
      expect((await scene.verify(body['access_token'] ?? '')).ok).toBe(false);
      const next = { grant_type: 'refresh_token', refresh_token: body['refresh_token'] ?? '', client_id: app.id };
      expect((await scene.post('token', next)).status).toBe(400);
    }
  });

  test('a backend whose keys cannot be fetched is invalid_client', async () => {
    const away = await scene.register({
      kind: 'backend',
      scope: 'system/*.rs',
      redirectUris: [],
      jwksUri: 'http://127.0.0.1:1/jwks',
    });
    const { status, body } = await ask(await assertionOf(away));
    expect([status, body['error']]).toEqual([401, 'invalid_client']);
  });

  test('what is wrong with the asking is said in the words of RFC 6749', async () => {
    const wrong = await ask(await assertionOf(backend), { client_assertion_type: 'nix' });
    expect([400, 401]).toContain(wrong.status);
    expect((await ask(await assertionOf(backend), { grant_type: 'nix' })).body['error']).toBe('unsupported_grant_type');
    expect((await ask('not.a.jwt')).status).toBeGreaterThanOrEqual(400);
    for (const scope of ['patient/Observation.rs', 'user/*.rs', 'openid', '', 'system/Observation.cud'])
      expect((await ask(await assertionOf(backend), { scope })).body['error']).toBe('invalid_scope');
    expect((await ask(await assertionOf(hosted), { scope: 'system/Patient.rs' })).body['error']).toBe('invalid_scope');
    expect(
      (await ask(await assertionOf(hosted), { scope: 'system/Patient.rs system/Observation.cruds' })).body['scope'],
    ).toBe('system/Observation.rs');
  });

  test('a client that does not sign is no backend', async () => {
    const keeper = await scene.register({ kind: 'symmetric' });
    const answer = await scene.post(
      'token',
      { grant_type: 'client_credentials', scope: 'system/*.rs' },
      scene.basic(keeper),
    );
    expect([answer.status, 'access_token' in answer.body]).toEqual([400, false]);
  });

  test('an app with a user signs for its code and its refresh token', async () => {
    const app = await scene.register({ kind: 'asymmetric', jwks: { keys: [es.jwk] } });
    const { code, verifier } = await scene.codeFor(app);
    const signed = async () => ({ client_assertion_type: TYPE, client_assertion: await assertionOf(app) });
    const form = {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: 'https://app.example/callback',
    };
    expect((await scene.post('token', { ...form, client_id: app.id })).status).toBe(401);
    const { status, body } = await scene.post('token', { ...form, ...(await signed()) });
    expect([status, body['patient'], typeof body['id_token']]).toEqual([200, 'pat-1', 'string']);
    const renewed = await scene.post('token', {
      grant_type: 'refresh_token',
      refresh_token: String(body['refresh_token']),
      ...(await signed()),
    });
    expect(renewed.status).toBe(200);
  });
});
