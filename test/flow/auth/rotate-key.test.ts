import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import { systemClock, type Clock } from '../../../src/kernel/index.ts';
import { ACT, must, startAuth, startScene, type AuthServer, type Scene } from '../../support/auth-server.ts';
import { postgresPlace, type Place } from '../../support/new-store.ts';
import { stopAfterTest } from '../../support/stop-after-test.ts';

let place: Place;
let scene: Scene;
let replica: AuthServer;
let ahead = 0;
/** The gateway's clock, which a test may put forward. */
const clock: Clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + ahead) };

beforeEach(async () => {
  ahead = 0;
  place = await postgresPlace();
  scene = await startScene(place, { clock });
  replica = await startAuth(place, { clock, publicUrl: scene.server.base });
});
afterEach(async () => {
  await replica.stop();
  await scene.server.stop();
  await place.remove();
});

const jwksOf = async (base: string): Promise<JSONWebKeySet> =>
  (await (await fetch(`${base}/auth/jwks`)).json()) as JSONWebKeySet;
const kids = async (base: string): Promise<(string | undefined)[]> => (await jwksOf(base)).keys.map(({ kid }) => kid);
const idToken = async (): Promise<string> => {
  const app = await scene.register();
  return String((await scene.tokensFor(app, { scope: 'openid fhirUser launch/patient patient/*.rs' }))['id_token']);
};

test('the new key signs at once, the old one is shown until its tokens have ended, at every replica', async () => {
  const [first] = await kids(scene.server.base);
  const before = await idToken();
  expect(decodeProtectedHeader(before).kid).toBe(first);

  const rotated = must(await replica.auth.registry.rotateKey(ACT));
  expect(rotated).toMatchObject({ retiring: [{ kid: first }] });
  for (const base of [scene.server.base, replica.base]) expect(await kids(base)).toEqual([rotated.kid, first]);
  const after = await idToken();
  expect(decodeProtectedHeader(after).kid).toBe(rotated.kid);
  const keys = createLocalJWKSet(await jwksOf(replica.base));
  for (const token of [before, after]) await jwtVerify(token, keys, { issuer: scene.server.issuer });

  const [retiring] = rotated.retiring;
  ahead = (retiring?.until.getTime() ?? 0) - systemClock.now().getTime() - 5_000;
  expect(await kids(scene.server.base)).toEqual([rotated.kid, first]);
  expect((retiring?.until.getTime() ?? 0) - clock.now().getTime() + ahead).toBeGreaterThan(3_600_000);
  ahead += 10_000;
  for (const base of [scene.server.base, replica.base]) expect(await kids(base)).toEqual([rotated.kid]);
  const third = must(await scene.server.auth.registry.rotateKey(ACT));
  expect(third.retiring.map(({ kid }) => kid)).toEqual([rotated.kid]);
  // One that starts now makes no key of its own.
  const late = await startAuth(place, { clock, publicUrl: scene.server.base });
  stopAfterTest(() => late.stop());
  expect(await kids(late.base)).toEqual([third.kid, rotated.kid]);
});

test('of many rotations only the keys are left that may still verify something', async () => {
  const [first] = await kids(scene.server.base);
  const signed = await idToken();
  const many = [];
  for (let n = 0; n < 6; n += 1) many.push(must(await replica.auth.registry.rotateKey(ACT)).kid);
  const [last, before] = [many.at(-1), many.at(-2)];
  for (const base of [scene.server.base, replica.base]) expect(await kids(base)).toEqual([last, before, first]);
  const again = await idToken();
  expect(decodeProtectedHeader(again).kid).toBe(last);
  const rotated = must(await scene.server.auth.registry.rotateKey(ACT));
  expect(rotated.retiring.map(({ kid }) => kid)).toEqual([last, first]);
  const keys = createLocalJWKSet(await jwksOf(replica.base));
  for (const token of [signed, again]) await jwtVerify(token, keys, { issuer: scene.server.issuer });
});

test('a key is kept for as long as the last token lives that it may have signed', async () => {
  const [first] = await kids(scene.server.base);
  const mayHaveSigned = () =>
    fetch(`${scene.server.base}/auth/token`, { method: 'POST', body: new URLSearchParams({ code: 'x' }) });
  await mayHaveSigned();
  ahead = 30 * 60_000;
  await mayHaveSigned();
  ahead = 75 * 60_000;
  must(await replica.auth.registry.rotateKey(ACT));
  must(await replica.auth.registry.rotateKey(ACT));
  expect(await kids(scene.server.base)).toContain(first);
  ahead = 105 * 60_000;
  must(await replica.auth.registry.rotateKey(ACT));
  expect(await kids(scene.server.base)).not.toContain(first);
});

test('only public halves are shown', async () => {
  must(await scene.server.auth.registry.rotateKey(ACT));
  for (const key of (await jwksOf(scene.server.base)).keys)
    expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
});

test('an app that remembers the old keys finds the new one by itself', async () => {
  const remembered = createRemoteJWKSet(new URL(`${scene.server.base}/auth/jwks`), { cooldownDuration: 0 });
  await jwtVerify(await idToken(), remembered);
  must(await replica.auth.registry.rotateKey(ACT));
  await jwtVerify(await idToken(), remembered);
});

test('a rotation ends nothing but a key: sessions, grants, tokens and refreshing go on', async () => {
  const app = await scene.register();
  const { code, verifier } = await scene.codeFor(app);
  must(await scene.server.auth.registry.rotateKey(ACT));
  const { body } = await scene.exchange(app, code, verifier);
  const tokens = body as { access_token: string; refresh_token: string };
  must(await scene.server.auth.registry.rotateKey(ACT));
  expect((await scene.verify(tokens.access_token)).ok).toBe(true);
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: app.id };
  expect((await scene.post('token', form)).status).toBe(200);
});

test('rotations at the same moment at two replicas agree on who signs', async () => {
  await Promise.all([scene.server, replica, scene.server, replica].map(({ auth }) => auth.registry.rotateKey(ACT)));
  const seen = [await kids(scene.server.base), await kids(replica.base)];
  expect(seen[0]?.length).toBeGreaterThan(1);
  expect(seen[1]).toEqual(seen[0]);
  expect(decodeProtectedHeader(await idToken()).kid).toBe(seen[0]?.[0]);
});

test('a rotation is in the audit', async () => {
  must(await scene.server.auth.registry.rotateKey(ACT));
  expect((await scene.server.audit()).at(-1)).toMatchObject({
    type: 'admin',
    action: 'U',
    outcome: '0',
    why: 'id-token-key',
    actor: 'operator',
  });
});
