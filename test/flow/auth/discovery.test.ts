import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { REDIRECT, startScene, type App, type Scene } from '../../support/auth-server.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

let place: Place;
let scene: Scene;
let app: App;
beforeAll(async () => {
  place = await sqlitePlace();
  scene = await startScene(place);
  app = await scene.register({ origins: ['https://other.example'] });
});
afterAll(async () => {
  await scene.server.stop();
  await place.remove();
});
const smart = (headers: Record<string, string> = {}) =>
  fetch(`${scene.server.fhir}/.well-known/smart-configuration`, { headers });

test.each(['application/json', 'application/fhir+xml', 'text/html', '*/*'])(
  'the SMART configuration is JSON for %s',
  async (accept) => {
    const answer = await smart({ accept, origin: 'https://any.example' });
    expect([
      answer.status,
      answer.headers.get('content-type')?.split(';')[0],
      answer.headers.get('access-control-allow-origin'),
    ]).toEqual([200, 'application/json', '*']);
  },
);

test('the SMART configuration has what SMART and Inferno ask for', async () => {
  const found = (await (await smart()).json()) as Record<string, unknown>;
  const endpoints = [
    'issuer',
    'jwks_uri',
    'authorization_endpoint',
    'token_endpoint',
    'introspection_endpoint',
    'revocation_endpoint',
    'management_endpoint',
  ];
  for (const name of endpoints) expect(URL.canParse(String(found[name]))).toBe(true);
  expect(found['code_challenge_methods_supported']).toEqual(['S256']);
  expect(found['grant_types_supported']).toEqual(expect.arrayContaining(['authorization_code', 'client_credentials']));
  expect(found['token_endpoint_auth_methods_supported']).toContain('private_key_jwt');
  expect(found['token_endpoint_auth_signing_alg_values_supported']).toEqual(['RS384', 'ES384']);
  const scopes = found['scopes_supported'] as string[];
  expect(scopes.some((one) => /^(patient|user|system)\/[a-zA-Z*]+\.[cruds]+$/.test(one))).toBe(true);
  expect(found['capabilities']).toEqual(
    expect.arrayContaining(
      'launch-ehr launch-standalone authorize-post client-public client-confidential-symmetric client-confidential-asymmetric sso-openid-connect context-banner context-style context-ehr-patient context-ehr-encounter context-standalone-patient context-standalone-encounter permission-offline permission-patient permission-user permission-v1 permission-v2'.split(
        ' ',
      ),
    ),
  );
  expect(found).not.toHaveProperty('registration_endpoint');
});

test('the OpenID configuration agrees with it, and its keys are bare RSA keys with a name', async () => {
  const found = (await (await smart()).json()) as Record<string, unknown>;
  const openid = (await (await fetch(`${scene.server.issuer}/.well-known/openid-configuration`)).json()) as Record<
    string,
    unknown
  >;
  for (const name of [
    'issuer',
    'jwks_uri',
    'authorization_endpoint',
    'token_endpoint',
    'introspection_endpoint',
    'revocation_endpoint',
    'code_challenge_methods_supported',
  ])
    expect([name, openid[name]]).toEqual([name, found[name]]);
  expect(openid['id_token_signing_alg_values_supported']).toEqual(['RS256']);
  expect(openid['subject_types_supported']).toEqual(['public']);
  expect(openid['response_types_supported']).toEqual(['code']);
  const { keys } = (await (await fetch(String(openid['jwks_uri']))).json()) as { keys: Record<string, unknown>[] };
  expect(keys.map(({ kty, kid, d }) => [kty, typeof kid, d])).toEqual([['RSA', 'string', undefined]]);
});

test('a browser may call the token endpoint from a registered origin, and reads its errors too', async () => {
  const { code, verifier } = await scene.codeFor(app);
  const ask = (origin: string, code_: string) =>
    scene.post(
      'token',
      {
        grant_type: 'authorization_code',
        code: code_,
        redirect_uri: REDIRECT,
        code_verifier: verifier,
        client_id: app.id,
      },
      { origin },
    );
  const foreign = await ask('https://evil.example', code);
  expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([400, null]);
  const wrong = await ask('https://app.example', 'nix');
  expect([wrong.status, wrong.headers.get('access-control-allow-origin')]).toEqual([400, 'https://app.example']);
  const good = await ask('https://other.example', code);
  expect([good.status, good.headers.get('access-control-allow-origin')]).toEqual([200, 'https://other.example']);
  const preflight = await fetch(`${scene.server.issuer}/token`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'POST']);
});

test('an origin is one where a registered app lives', async () => {
  const { isOrigin } = scene.server.auth;
  expect(
    await Promise.all(['https://app.example', 'https://other.example', 'https://evil.example', 'null'].map(isOrigin)),
  ).toEqual([true, true, false, false]);
});

test('an address that is not there is 404', async () => {
  for (const path of ['reg', 'me', 'request', 'device', 'nix'])
    expect((await fetch(`${scene.server.issuer}/${path}`)).status).toBe(404);
});
