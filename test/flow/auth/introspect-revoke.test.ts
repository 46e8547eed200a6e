import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SCOPE, startScene, type App, type Scene } from '../../support/auth-server.ts';
import { eventually } from '../../support/eventually.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

let place: Place;
let scene: Scene;
let app: App;
let keeper: App;
beforeAll(async () => {
  place = await sqlitePlace();
  scene = await startScene(place);
  app = await scene.register();
  keeper = await scene.register({ kind: 'symmetric' });
});
afterAll(async () => {
  await scene.server.stop();
  await place.remove();
});

test('a token is told with its scope and launch context, to its client and to whoever holds one of its tokens', async () => {
  const tokens = await scene.tokensFor(app, {}, { patient: 'pat-5' });
  const expected = {
    active: true,
    scope: SCOPE,
    client_id: app.id,
    exp: expect.any(Number),
    iss: scene.server.issuer,
    sub: expect.stringMatching(/^usr_/),
    patient: 'pat-5',
    need_patient_banner: true,
    fhirUser: `${scene.server.fhir}/Practitioner/prac-1`,
  };
  const form = { token: tokens.access_token };
  for (const answer of [
    await scene.post('introspect', { ...form, client_id: app.id }),
    await scene.post('introspect', form, scene.basic(keeper)),
    await scene.post('introspect', form, { authorization: `Bearer ${tokens.access_token}` }),
  ]) {
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject(expected);
    expect(Number.isInteger(answer.body['exp'])).toBe(true);
  }
});

test('what is not active is told by that word alone', async () => {
  const mine = await scene.tokensFor(app);
  const theirs = await scene.tokensFor(keeper);
  const bearer = { authorization: `Bearer ${mine.access_token}` };
  for (const answer of [
    await scene.post('introspect', { token: 'nix' }, scene.basic(keeper)),
    await scene.post('introspect', { token: 'nix' }, bearer),
    await scene.post('introspect', { token: theirs.access_token }, bearer),
    await scene.post('introspect', { token: theirs.access_token, client_id: app.id }),
  ])
    expect([answer.status, answer.body]).toEqual([200, { active: false }]);
});

test('an id token, or any other JWT, is not active, and a stranger still is one', async () => {
  const { id_token: given, access_token: token } = await scene.tokensFor(app);
  const idToken = String(given);
  expect(idToken.split('.')).toHaveLength(3);
  for (const jwt of [idToken, idToken.slice(0, -2), `${idToken.split('.')[0] ?? ''}..`])
    for (const answer of [
      await scene.post('introspect', { token: jwt, client_id: app.id }),
      await scene.post('introspect', { token: jwt, token_type_hint: 'id_token' }, scene.basic(keeper)),
      await scene.post('introspect', { token: jwt }, { authorization: `Bearer ${token}` }),
    ])
      expect([answer.status, answer.body]).toEqual([200, { active: false }]);
  expect((await scene.post('introspect', { token: idToken })).status).toBe(400);
  expect((await scene.post('introspect', { token: idToken }, scene.basic({ id: keeper.id, secret: 'x' }))).status).toBe(
    401,
  );
});

test('a stranger is told nothing', async () => {
  const { access_token: token } = await scene.tokensFor(app);
  expect((await scene.post('introspect', { token })).status).toBe(400);
  expect((await scene.post('introspect', { token }, { authorization: `Bearer ${'x'.repeat(43)}` })).status).toBe(401);
  expect((await scene.post('introspect', { token }, scene.basic({ id: keeper.id, secret: 'x' }))).status).toBe(401);
});

test.each(['access_token', 'refresh_token'] as const)(
  'a revoked %s is dead at once, and its companion with it',
  async (which) => {
    const tokens = await scene.tokensFor(app);
    const answer = await scene.post('revoke', { token: tokens[which], client_id: app.id });
    expect(answer.status).toBe(200);
    expect(await scene.verify(tokens.access_token)).toMatchObject({
      ok: false,
      fault: { code: 'smart.unauthenticated' },
    });
    const renewed = await scene.post('token', {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: app.id,
    });
    expect([400, 401]).toContain(renewed.status);
    expect((await scene.post('introspect', { token: tokens.access_token }, scene.basic(keeper))).body).toEqual({
      active: false,
    });
  },
);

test('what nobody knows is revoked without a word, and what is another’s stays', async () => {
  expect((await scene.post('revoke', { token: 'nix', client_id: app.id })).status).toBe(200);
  const theirs = await scene.tokensFor(keeper);
  await scene.post('revoke', { token: theirs.access_token, client_id: app.id });
  expect((await scene.verify(theirs.access_token)).ok).toBe(true);
});

test('every reason for a refusal looks the same, and the audit tells them apart', async () => {
  const tokens = await scene.tokensFor(app);
  await scene.post('revoke', { token: tokens.access_token, client_id: app.id });
  const heads = [
    undefined,
    '',
    'Bearer',
    'Bearer nix',
    `Bearer ${'a'.repeat(43)}`,
    `Bearer ${tokens.access_token}`,
    `Basic ${tokens.access_token}`,
    `Bearer ${tokens.refresh_token}`,
  ];
  for (const head of heads)
    expect(await scene.server.auth.verifyToken(head)).toEqual({
      ok: false,
      fault: { kind: 'unauthenticated', code: 'smart.unauthenticated' },
    });
  const wanted = ['no-token', 'not-a-token', 'unknown-token'];
  const isThere = (records: readonly Record<string, unknown>[]): boolean =>
    wanted.every((why) => records.some((one) => one['type'] === 'auth.reject' && one['why'] === why));
  // Refusals are written behind the answer.
  const audited = await eventually(() => scene.server.audit(), isThere);
  expect(isThere(audited)).toBe(true);
  expect(JSON.stringify(audited)).not.toMatch(/pat-\d|Test Person|drsmith|correct horse/);
  expect(new Set(audited.map(({ type }) => type))).toEqual(
    new Set(['admin', 'auth.sign-in', 'auth.grant', 'auth.reject', 'fhir.read', 'fhir.search']),
  );
  // Whom the pages showed, each by a name of its own: the list first, then the one who was chosen.
  const shown = audited.filter(({ type }) => type === 'fhir.search' || type === 'fhir.read');
  expect(new Set(shown.map(({ why }) => why))).toEqual(new Set(['picker', 'consent']));
  expect(shown.every(({ chartHash }) => typeof chartHash === 'string')).toBe(true);
});
