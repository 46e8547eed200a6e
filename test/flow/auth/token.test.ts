import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { newPkce, REDIRECT, SCOPE, startScene, type App, type Scene } from '../../support/auth-server.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

let place: Place;
let scene: Scene;
let app: App;
let other: App;
let keeper: App;
beforeAll(async () => {
  place = await sqlitePlace();
  scene = await startScene(place);
  app = await scene.register();
  other = await scene.register();
  keeper = await scene.register({ kind: 'symmetric' });
});
afterAll(async () => {
  await scene.server.stop();
  await place.remove();
});
const isDead = async (token: string): Promise<boolean> => !(await scene.verify(token)).ok;

describe('a code', () => {
  test('is answered with what SMART asks for, and kept by nobody', async () => {
    const { code, verifier } = await scene.codeFor(app);
    const { status, headers, body } = await scene.exchange(app, code, verifier);
    expect([status, headers.get('cache-control'), headers.get('pragma')]).toEqual([200, 'no-store', 'no-cache']);
    expect(headers.get('content-type')).toContain('application/json');
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: SCOPE, patient: 'pat-1' });
    expect(Object.keys(body).sort()).toEqual(
      [
        'access_token',
        'expires_in',
        'id_token',
        'need_patient_banner',
        'patient',
        'refresh_token',
        'scope',
        'smart_style_url',
        'token_type',
      ].sort(),
    );
    const style = await fetch(String(body['smart_style_url']));
    expect([style.status, style.headers.get('content-type')?.split(';')[0]]).toEqual([200, 'application/json']);
  });

  test.each([
    ['missing', () => ''],
    ['blank', () => ' '],
    ['wrong', () => newPkce().verifier],
    ['the challenge itself', (challenge: string) => challenge],
  ])('with a verifier that is %s is worth nothing', async (name, verifierOf) => {
    const { code, challenge } = await scene.codeFor(app);
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, client_id: app.id };
    const answer = await scene.post(
      'token',
      name === 'missing' ? form : { ...form, code_verifier: verifierOf(challenge) },
    );
    expect([answer.status, 'access_token' in answer.body]).toEqual([400, false]);
    expect(['invalid_grant', 'invalid_request']).toContain(answer.body['error']);
  });

  test.each([
    ['of nobody', { code: 'nix' }],
    ['with another redirect URI', { redirect_uri: 'https://app.example/other' }],
    ['without a redirect URI', { redirect_uri: '' }],
  ])('%s is 400', async (_name, form) => {
    const { code, verifier } = await scene.codeFor(app);
    const answer = await scene.exchange(app, code, verifier, form);
    expect([answer.status, 'access_token' in answer.body]).toEqual([400, false]);
  });

  test('of another client is worth nothing to this one', async () => {
    const { code, verifier } = await scene.codeFor(app);
    const answer = await scene.exchange(other, code, verifier);
    expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_grant']);
  });

  test('that comes twice takes back what the first got', async () => {
    const { code, verifier } = await scene.codeFor(app);
    const { body } = await scene.exchange(app, code, verifier);
    expect(await isDead(String(body['access_token']))).toBe(false);
    const again = await scene.exchange(app, code, verifier);
    expect([again.status, again.body['error']]).toEqual([400, 'invalid_grant']);
    expect(await isDead(String(body['access_token']))).toBe(true);
    const renewed = await scene.post('token', {
      grant_type: 'refresh_token',
      refresh_token: String(body['refresh_token']),
      client_id: app.id,
    });
    expect(renewed.status).toBe(400);
  });

  describe('that comes again after its minute', () => {
    afterEach(() => void jest.useRealTimers());
    /** Only the wall clock moves on; whatever waits waits as before. */
    function goOn(ms: number): void {
      const timers = ['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const;
      const waits = ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const;
      jest.useFakeTimers({ now: Date.now() + ms, doNotFake: [...timers, ...waits] });
    }

    test('takes back what the first got', async () => {
      const { code, verifier } = await scene.codeFor(app);
      const { body } = await scene.exchange(app, code, verifier);
      goOn(600_000);
      expect(await isDead(String(body['access_token']))).toBe(false);
      expect((await scene.exchange(app, code, newPkce().verifier)).status).toBe(400);
      expect(await isDead(String(body['access_token']))).toBe(false);
      const again = await scene.exchange(app, code, verifier);
      expect([again.status, again.body['error']]).toEqual([400, 'invalid_grant']);
      expect(await isDead(String(body['access_token']))).toBe(true);
    });

    test('though it never came before, is worth nothing', async () => {
      const { code, verifier } = await scene.codeFor(app);
      goOn(61_000);
      const late = await scene.exchange(app, code, verifier);
      expect([late.status, late.body['error']]).toEqual([400, 'invalid_grant']);
    });
  });

  test('that comes ten times at once makes at most one token, and none that lasts', async () => {
    const { code, verifier } = await scene.codeFor(app);
    // Alone such a code is worth a token: what is refused below is refused for its repetition.
    const other = await scene.codeFor(app);
    expect((await scene.exchange(app, other.code, other.verifier)).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 10 }, () => scene.exchange(app, code, verifier)));
    const got = answers.filter(({ status }) => status === 200);
    expect(got).toHaveLength(1);
    for (const { body } of answers.filter((one) => !got.includes(one))) expect(body['error']).toBe('invalid_grant');
    for (const { body } of got) expect(await isDead(String(body['access_token']))).toBe(true);
  });
});

describe('an answer that is no token', () => {
  test.each([
    ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['no grant type', {}, 400, 'invalid_request'],
    [
      'an unknown client',
      { grant_type: 'authorization_code', code: 'x', client_id: 'app_none' },
      401,
      'invalid_client',
    ],
  ])('%s', async (_name, form, status, error) => {
    const answer = await scene.post('token', { client_id: app.id, ...(form as Record<string, string>) });
    expect([answer.status, answer.body['error']]).toEqual([status, error]);
  });

  test('a wrong secret is 401 and says how to try', async () => {
    const answer = await scene.post(
      'token',
      { grant_type: 'refresh_token', refresh_token: 'x' },
      scene.basic({ id: keeper.id, secret: 'wrong' }),
    );
    expect([answer.status, answer.body['error'], answer.headers.get('www-authenticate')?.split(' ')[0]]).toEqual([
      401,
      'invalid_client',
      'Basic',
    ]);
  });

  test('a secret in the body is as good as one in the header, a wrong one is not', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: keeper.id };
    const ask = (secret: string) => scene.post('token', { ...form, client_secret: secret });
    const [right, wrong] = [await ask(keeper.secret ?? ''), await ask('wrong')];
    expect([right.status, right.body['error']]).toEqual([400, 'invalid_grant']);
    expect([wrong.status, wrong.body['error']]).toEqual([401, 'invalid_client']);
  });

  test('a parameter twice is 400', async () => {
    const answer = await fetch(`${scene.server.issuer}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=authorization_code&code=a&code=b&client_id=${app.id}`,
    });
    expect(answer.status).toBe(400);
  });

  test('a body of another kind is 400', async () => {
    const answer = await fetch(`${scene.server.issuer}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(400);
  });
});

describe('a refresh token', () => {
  const renew = (client: App, token: string, form: Record<string, string> = {}) =>
    scene.post(
      'token',
      {
        grant_type: 'refresh_token',
        refresh_token: token,
        ...(client.secret === null ? { client_id: client.id } : {}),
        ...form,
      },
      scene.basic(client),
    );

  test('is exchanged for the next, with the same scope where none is asked for or the same is', async () => {
    const first = await scene.tokensFor(keeper);
    const second = await renew(keeper, first.refresh_token);
    expect(second.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: SCOPE, patient: 'pat-1' });
    expect([second.headers.get('cache-control'), second.headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
    expect(second.body['refresh_token']).not.toBe(first.refresh_token);
    const third = await renew(keeper, String(second.body['refresh_token']), { scope: SCOPE });
    expect(third.body['scope']).toBe(SCOPE);
  });

  test('gives fewer scopes where fewer are asked for, and never more', async () => {
    const { refresh_token: token } = await scene.tokensFor(app);
    const fewer = await renew(app, token, { scope: 'patient/Observation.read openid' });
    expect(new Set(String(fewer.body['scope']).split(' '))).toEqual(new Set(['patient/Observation.read', 'openid']));
    expect(must(await scene.verify(String(fewer.body['access_token'])))).toEqual(['patient/Observation.read']);
    const more = await renew(app, String(fewer.body['refresh_token']), { scope: 'system/*.rs' });
    expect([more.status, more.body['error']]).toEqual([400, 'invalid_scope']);
    const whole = await renew(app, String(fewer.body['refresh_token']));
    expect(whole.body['scope']).toBe(SCOPE);
  });

  test.each([
    ['patient/Patient.rs', 'patient/Patient.rs'],
    ['patient/Patient.r openid', 'patient/Patient.r openid'],
    ['patient/*.s patient/Observation.read', 'patient/*.s patient/Observation.read'],
    ['patient/Observation.rs?category=http://x|lab', 'patient/Observation.rs?category=http://x|lab'],
  ])('gives %s, which lies within what was granted, and the next all again', async (asked, granted) => {
    const { refresh_token: token } = await scene.tokensFor(app);
    const fewer = await renew(app, token, { scope: asked });
    expect([fewer.status, fewer.body['scope'], fewer.body['patient']]).toEqual([200, granted, 'pat-1']);
    expect('id_token' in fewer.body).toBe(asked.includes('openid'));
    const resources = granted.split(' ').filter((one) => one.includes('.'));
    expect(must(await scene.verify(String(fewer.body['access_token'])))).toEqual(resources);
    const whole = await renew(app, String(fewer.body['refresh_token']));
    expect(whole.body['scope']).toBe(SCOPE);
    expect(must(await scene.verify(String(whole.body['access_token'])))).toContain('patient/*.rs');
  });

  test.each([
    'user/Patient.rs',
    'patient/*.rs user/*.rs',
    'patient/Patient.rs system/Patient.rs',
    'patient/Patient.cruds',
    'patient/Foo.rs',
    'patient/AuditEvent.rs',
    'patient/Patient.rs launch',
    'patient/Patient.rs online_access',
  ])('does not give %s', async (asked) => {
    const { refresh_token: token } = await scene.tokensFor(app);
    const more = await renew(app, token, { scope: asked });
    expect([more.status, more.body['error']]).toEqual([400, 'invalid_scope']);
  });

  test('of another app is not narrowed for this one', async () => {
    const { refresh_token: token } = await scene.tokensFor(app);
    const answer = await renew(other, token, { scope: 'patient/Patient.rs' });
    expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_grant']);
  });

  test('begins a family of 92 days, which no renewal makes longer', async () => {
    const endOf = async (token: string): Promise<number> =>
      Number((await scene.post('introspect', { token, client_id: app.id })).body['exp']) * 1000;
    const from = Date.now();
    const first = await scene.tokensFor(app);
    const end = await endOf(first.refresh_token);
    expect(end).toBeGreaterThanOrEqual(from + 92 * 86_400_000 - 1_000);
    expect(end).toBeLessThanOrEqual(Date.now() + 92 * 86_400_000 + 1_000);
    const second = await renew(app, first.refresh_token);
    expect(await endOf(String(second.body['refresh_token']))).toBeLessThanOrEqual(end + 1_000);
  });

  test('that was used takes its whole family with it', async () => {
    const first = await scene.tokensFor(app);
    const second = await renew(app, first.refresh_token);
    const again = await renew(app, first.refresh_token);
    expect([again.status, again.body['error']]).toEqual([400, 'invalid_grant']);
    expect(await isDead(String(second.body['access_token']))).toBe(true);
    expect(await isDead(first.access_token)).toBe(true);
    expect((await renew(app, String(second.body['refresh_token']))).status).toBe(400);
  });

  test('that comes ten times at once leaves no token alive but by one', async () => {
    const first = await scene.tokensFor(app);
    const alone = await scene.tokensFor(app);
    expect((await renew(app, alone.refresh_token)).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 10 }, () => renew(app, first.refresh_token)));
    const got = answers.filter(({ status }) => status === 200);
    expect(got.length).toBeLessThanOrEqual(1);
    for (const { body } of answers.filter((one) => !got.includes(one))) expect(body['error']).toBe('invalid_grant');
    expect(await isDead(first.access_token)).toBe(true);
    for (const { body } of got) expect(await isDead(String(body['access_token']))).toBe(true);
  });

  test('of one client is worth nothing to another', async () => {
    const { refresh_token: token } = await scene.tokensFor(app);
    expect((await renew(other, token)).status).toBe(400);
    expect((await renew(app, token)).status).toBe(200);
  });

  test('of a public app finds its client by itself, and of no other', async () => {
    const { refresh_token: token } = await scene.tokensFor(app);
    const silent = await scene.post('token', { grant_type: 'refresh_token', refresh_token: token });
    expect([silent.status, silent.body['scope']]).toEqual([200, SCOPE]);
    const { refresh_token: kept } = await scene.tokensFor(keeper);
    expect((await scene.post('token', { grant_type: 'refresh_token', refresh_token: kept })).status).toBe(400);
    expect((await scene.post('token', { grant_type: 'refresh_token', refresh_token: 'nix' })).status).toBe(400);
  });

  test('comes with online_access too, and only where the person left it ticked', async () => {
    const online = await scene.tokensFor(app, { scope: 'online_access patient/*.rs' });
    expect([typeof online.refresh_token, online.scope]).toEqual(['string', 'online_access patient/*.rs']);
    expect(await isDead(online.access_token)).toBe(false);
    const without = await scene.tokensFor(app, {}, { scopes: ['patient/*.rs'] });
    expect(['refresh_token' in without, without.scope.includes('offline_access')]).toEqual([false, false]);
  });
});

test('what is done for an app after its token lasts no longer than the person allowed', async () => {
  const { askStanding } = scene.server.auth;
  const standingOf = async (scope: string) => {
    const { access_token: token } = await scene.tokensFor(app, { scope });
    const verified = await scene.verify(token);
    if (!verified.ok || verified.value.standing === undefined) throw new Error('not verified');
    return { standing: verified.value.standing, endsAt: verified.value.expiresAt.getTime() };
  };
  const plain = await standingOf('launch/patient patient/*.rs');
  expect([plain.standing.untilMs, plain.standing.sessionUid]).toEqual([plain.endsAt, null]);
  expect(await askStanding(plain.standing)).toMatchObject({ ok: true, value: { patient: 'pat-1' } });
  expect(await askStanding({ ...plain.standing, untilMs: Date.now() - 1 })).toEqual({ ok: true, value: 'token-ended' });
  const offline = await standingOf('launch/patient offline_access patient/*.rs');
  expect([offline.standing.untilMs, offline.standing.sessionUid]).toEqual([null, null]);
  const online = await standingOf('launch/patient online_access patient/*.rs');
  expect([online.standing.untilMs, typeof online.standing.sessionUid]).toEqual([null, 'string']);
});

function must(result: Awaited<ReturnType<Scene['verify']>>): string[] {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value.scopes.map(({ text }) => text);
}

test('an account or a client that is removed takes its tokens with it, at once', async () => {
  const gone = await scene.register();
  const { access_token: token, refresh_token: refresh } = await scene.tokensFor(gone);
  expect(await isDead(token)).toBe(false);
  await scene.server.auth.registry.removeClient({ requestId: 'req_x', actor: 'operator' }, gone.id);
  expect(await isDead(token)).toBe(true);
  expect(
    (await scene.post('token', { grant_type: 'refresh_token', refresh_token: refresh, client_id: gone.id })).status,
  ).toBe(401);
});
