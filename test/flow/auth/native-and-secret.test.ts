import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { approve, newPkce, REDIRECT, startScene, type Scene } from '../../support/auth-server.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

let place: Place;
let scene: Scene;
beforeAll(async () => {
  place = await sqlitePlace();
  scene = await startScene(place);
});
afterAll(async () => {
  await scene.server.stop();
  await place.remove();
});

test('a native app is led back to the port that it has today, and its code is good for that address alone', async () => {
  const app = await scene.register({ redirectUris: ['http://127.0.0.1/cb', 'http://[::1]/cb'] });
  for (const redirect of ['http://127.0.0.1:51004/cb', 'http://[::1]:51005/cb']) {
    const { verifier, challenge } = newPkce();
    const back = await approve(scene.authorizeUrl(app, challenge, { redirect_uri: redirect }));
    expect(back.href.startsWith(`${redirect}?code=`)).toBe(true);
    const code = back.searchParams.get('code') ?? '';
    const elsewhere = await scene.exchange(app, code, verifier, { redirect_uri: 'http://127.0.0.1:51006/cb' });
    expect(elsewhere.body['error']).toBe('invalid_grant');
    const again = await approve(scene.authorizeUrl(app, challenge, { redirect_uri: redirect }));
    const good = await scene.exchange(app, again.searchParams.get('code') ?? '', verifier, { redirect_uri: redirect });
    expect(good.body['access_token']).toBeDefined();
  }
  for (const redirect of ['http://127.0.0.1:80@evil.example/cb', 'http://localhost:51004/cb']) {
    const url = scene.authorizeUrl(app, newPkce().challenge, { redirect_uri: redirect });
    const answer = await fetch(url, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
  }
});

test('a secret is taken from the body as from the header, from one of them, and of its own app', async () => {
  const app = await scene.register({ kind: 'symmetric' });
  const other = await scene.register({ kind: 'symmetric' });
  const ask = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
    const { code, verifier } = await scene.codeFor(app);
    const asked = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: verifier, ...form };
    const { status, body } = await scene.post('token', asked, headers);
    return [status, body['error'] ?? 'ok'];
  };
  const secret = app.secret ?? '';
  expect(await ask({ client_id: app.id, client_secret: secret })).toEqual([200, 'ok']);
  expect(await ask({}, scene.basic(app))).toEqual([200, 'ok']);
  expect(await ask({ client_id: app.id, client_secret: `${secret}x` })).toEqual([401, 'invalid_client']);
  expect(await ask({ client_id: other.id, client_secret: other.secret ?? '' })).toEqual([400, 'invalid_grant']);
  expect(await ask({ client_id: app.id })).toEqual([401, 'invalid_client']);
  // Both at once, and the secret in an address.
  expect(await ask({ client_secret: secret }, scene.basic(app))).toEqual([400, 'invalid_request']);
  const inAddress = await scene.post(`token?client_secret=${secret}`, {
    grant_type: 'refresh_token',
    client_id: app.id,
  });
  expect(inAddress.body['error']).toBe('invalid_client');
  // Of an app that signs, or that has no secret, none is taken.
  const open = await scene.register();
  expect(await ask({ client_id: open.id, client_secret: 'anything' })).toEqual([401, 'invalid_client']);
});

test('both discovery documents name both ways of giving a secret', async () => {
  for (const at of [
    `${scene.server.fhir}/.well-known/smart-configuration`,
    `${scene.server.issuer}/.well-known/openid-configuration`,
  ]) {
    const { token_endpoint_auth_methods_supported: methods } = (await (await fetch(at)).json()) as Record<
      string,
      string[]
    >;
    expect(methods).toEqual(
      expect.arrayContaining(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']),
    );
  }
});
