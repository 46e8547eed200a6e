import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  ACT,
  approve,
  Browser,
  must,
  newPkce,
  PASSWORD,
  REDIRECT,
  SCOPE,
  startScene,
  type App,
  type Scene,
} from '../../support/auth-server.ts';
import { eventually } from '../../support/eventually.ts';
import { PLACES, type Place } from '../../support/new-store.ts';

// Comparing a password is slow by design, and slower on a busy machine.
jest.setTimeout(120_000);

const OTHER_PASSWORD = 'another sentence altogether';

describe.each(PLACES)('what is taken back on %s', (_engine, makePlace) => {
  let place: Place;
  let scene: Scene;
  beforeAll(async () => {
    place = await makePlace();
    scene = await startScene(place);
  });
  afterAll(async () => {
    await scene.server.stop();
    await place.remove();
  });
  const registry = () => scene.server.auth.registry;
  const isDead = async (token: string): Promise<boolean> => !(await scene.verify(token)).ok;
  const renew = (app: App, token: string) =>
    scene.post(
      'token',
      { grant_type: 'refresh_token', refresh_token: token, ...(app.secret === null ? { client_id: app.id } : {}) },
      scene.basic(app),
    );
  let people = 0;
  /** Somebody of their own for each test: passwords are tried by name. */
  const newPerson = async () => {
    people += 1;
    const username = `person${people}`;
    const given = { username, name: username, fhirUser: `Practitioner/p${people}`, password: PASSWORD };
    return { username, id: must(await registry().addAccount(ACT, given)).id };
  };
  const grantsOf = async (kind: 'client' | 'account', id: string) =>
    must(await registry().grants({ of: { kind, id }, cursor: undefined, limit: 50 })).grants;
  /** What the server answers to a new request of the app, by a browser that may know the person already. */
  const ask = async (app: App, browser = new Browser()) =>
    browser.go(scene.authorizeUrl(app, newPkce().challenge)).then(({ status }) => status);

  describe('a disabled app', () => {
    test('gets nothing by anything that it has or could ask for', async () => {
      const app = await scene.register({ origins: ['https://only-here.example'] });
      const asker = await scene.register({ kind: 'symmetric' });
      const { access_token: access, refresh_token: refresh } = await scene.tokensFor(app);
      const { code, verifier } = await scene.codeFor(app);
      expect([await isDead(access), await ask(app)]).toEqual([false, 303]);
      must(await registry().setClientState(ACT, app.id, 'disabled'));
      expect(await isDead(access)).toBe(true);
      expect((await renew(app, refresh)).body['error']).toBe('invalid_client');
      expect((await scene.post('token', { grant_type: 'refresh_token', refresh_token: refresh })).status).toBe(400);
      expect((await scene.exchange(app, code, verifier)).body['error']).toBe('invalid_client');
      expect(await ask(app)).toBe(400);
      expect((await scene.post('introspect', { token: access }, scene.basic(asker))).body).toEqual({ active: false });
      expect(await registry().addLaunch(ACT, { patient: 'pat-1', clientId: app.id })).toMatchObject({
        fault: { code: 'client.not-found' },
      });
      expect(await scene.server.auth.isOrigin('https://only-here.example')).toBe(false);
      expect(must(await registry().clients()).find(({ id }) => id === app.id)?.state).toBe('disabled');
    });

    test('begins anew when it is enabled: what it had before stays worth nothing', async () => {
      const app = await scene.register({ kind: 'symmetric' });
      const { access_token: access, refresh_token: refresh } = await scene.tokensFor(app);
      const { code, verifier } = await scene.codeFor(app);
      must(await registry().setClientState(ACT, app.id, 'disabled'));
      must(await registry().setClientState(ACT, app.id, 'active'));
      expect([await isDead(access), (await renew(app, refresh)).status]).toEqual([true, 400]);
      expect((await scene.exchange(app, code, verifier)).status).toBe(400);
      expect(await isDead((await scene.tokensFor(app)).access_token)).toBe(false);
    });

    test('cannot finish what a person was about to allow', async () => {
      const app = await scene.register();
      const browser = new Browser();
      // As far as the consent page, which stays open.
      await expect(
        approve(scene.authorizeUrl(app, newPkce().challenge), { scopes: [], patient: 'pat-1' }, browser),
      ).rejects.toThrow();
      must(await registry().setClientState(ACT, app.id, 'disabled'));
      await expect(approve(scene.authorizeUrl(app, newPkce().challenge), {}, browser)).rejects.toThrow();
      expect(await grantsOf('client', app.id)).toEqual([]);
    });
  });

  test('an app of a removed one’s id finds nothing that the other was given', async () => {
    const first = await scene.register({ id: 'same-id' });
    const { access_token: access, refresh_token: refresh } = await scene.tokensFor(first);
    must(await registry().removeClient(ACT, 'same-id'));
    const second = await scene.register({ id: 'same-id' });
    expect([await isDead(access), (await renew(second, refresh)).status]).toEqual([true, 400]);
  });

  describe('a disabled person', () => {
    test('gets nothing by tokens, codes, an open session or the right password, and learns not why', async () => {
      const app = await scene.register();
      const { username, id } = await newPerson();
      const browser = new Browser();
      const { verifier, challenge } = newPkce();
      const back = await approve(scene.authorizeUrl(app, challenge), { username }, browser);
      const code = back.searchParams.get('code') ?? '';
      const { access_token: access, refresh_token: refresh } = await scene.tokensFor(app, {}, { username });
      expect(await isDead(access)).toBe(false);
      must(await registry().setAccountState(ACT, id, 'disabled'));
      expect(await isDead(access)).toBe(true);
      expect((await renew(app, refresh)).body['error']).toBe('invalid_grant');
      expect((await scene.exchange(app, code, verifier)).body['error']).toBe('invalid_grant');
      const fresh = () => scene.authorizeUrl(app, newPkce().challenge);
      // The session is of nobody: the page asks who is there, and takes the right password for a wrong one.
      for (const one of [browser, new Browser()])
        await expect(approve(fresh(), { username }, one)).rejects.toThrow('not signed in');
      const whys = (await scene.server.audit()).filter(({ type, actor }) => type === 'auth.sign-in' && actor === id);
      expect(whys.map(({ why }) => why).slice(-2)).toEqual(['disabled', 'disabled']);
      must(await registry().setAccountState(ACT, id, 'active'));
      expect([await isDead(access), (await renew(app, refresh)).status]).toEqual([true, 400]);
      expect(await isDead((await scene.tokensFor(app, {}, { username })).access_token)).toBe(false);
    });

    test('cannot allow anything on a page that was open before, as others can', async () => {
      const app = await scene.register();
      /** Opens the page, lets something happen, then allows all; answers the code that comes back. */
      const allowAfter = async (username: string, meanwhile: () => Promise<unknown>): Promise<string | null> => {
        const browser = new Browser();
        await approve(scene.authorizeUrl(app, newPkce().challenge), { username }, browser);
        const asked = scene.authorizeUrl(app, newPkce().challenge);
        const page = new URL((await browser.go(asked)).headers.get('location') ?? '', asked).href;
        await meanwhile();
        const allowed = await browser.post(page, [
          ['step', 'allow'],
          ['patient', 'pat-1'],
          ...SCOPE.split(' ').map((one) => ['scope', one] as const),
        ]);
        let to = allowed.headers.get('location');
        for (let n = 0; n < 5 && to !== null && !to.startsWith(REDIRECT); n += 1)
          to = (await browser.go(new URL(to, page).href)).headers.get('location');
        return new URL(to ?? 'none:').searchParams.get('code');
      };
      const [stays, leaves] = [await newPerson(), await newPerson()];
      expect(await allowAfter(stays.username, () => Promise.resolve())).not.toBeNull();
      const disable = () => registry().setAccountState(ACT, leaves.id, 'disabled');
      expect(await allowAfter(leaves.username, disable)).toBeNull();
    });
  });

  test('another password ends sessions and tokens; the old one is worth nothing', async () => {
    const app = await scene.register();
    const { username, id } = await newPerson();
    const browser = new Browser();
    await approve(scene.authorizeUrl(app, newPkce().challenge), { username }, browser);
    const { access_token: access, refresh_token: refresh } = await scene.tokensFor(app, {}, { username });
    expect(await registry().resetPassword(ACT, id, 'short')).toMatchObject({ fault: { at: 'password' } });
    must(await registry().resetPassword(ACT, id, OTHER_PASSWORD));
    expect([await isDead(access), (await renew(app, refresh)).status]).toEqual([true, 400]);
    const fresh = () => scene.authorizeUrl(app, newPkce().challenge);
    await expect(approve(fresh(), { username }, browser)).rejects.toThrow('not signed in');
    const back = await approve(fresh(), { username, password: OTHER_PASSWORD });
    expect(back.searchParams.get('code')).not.toBeNull();
  });

  test('who is unlocked need not wait any longer, and wrong tries begin at none', async () => {
    const app = await scene.register();
    const { username, id } = await newPerson();
    const attempt = (password: string) =>
      approve(scene.authorizeUrl(app, newPkce().challenge), { username, password }).then(
        () => 'in',
        () => 'out',
      );
    for (let n = 0; n < 5; n += 1) expect(await attempt('not the right one')).toBe('out');
    expect(await attempt(PASSWORD)).toBe('out');
    must(await registry().unlockAccount(ACT, id));
    expect(must(await registry().accounts()).find((one) => one.id === id)?.wrongTries).toBe(0);
    expect(await attempt(PASSWORD)).toBe('in');
  });

  describe('a changed app', () => {
    test('keeps its id, kind and secret, and what was not named', async () => {
      const app = await scene.register({ kind: 'symmetric', origins: ['https://more.example'] });
      const { access_token: access } = await scene.tokensFor(app);
      const changed = must(
        await registry().changeClient(ACT, app.id, {
          name: 'Renamed',
          redirectUris: [REDIRECT, 'https://new.example/cb'],
        }),
      );
      expect(changed).toMatchObject({ id: app.id, kind: 'symmetric', name: 'Renamed', state: 'active' });
      expect(changed.origins).toEqual([new URL(REDIRECT).origin, 'https://new.example', 'https://more.example']);
      expect('secretHash' in changed).toBe(false);
      expect([await isDead(access), await isDead((await scene.tokensFor(app)).access_token)]).toEqual([false, false]);
      const back = must(await registry().changeClient(ACT, app.id, { redirectUris: ['https://new.example/cb'] }));
      expect(back.origins).toEqual(['https://new.example', 'https://more.example']);
      expect(await ask(app)).toBe(400);
    });

    test('loses what it was given where it may have less, and asks for no more than that', async () => {
      const app = await scene.register();
      const { access_token: access, refresh_token: refresh } = await scene.tokensFor(app);
      must(await registry().changeClient(ACT, app.id, { scope: 'launch/patient patient/Observation.rs' }));
      expect([await isDead(access), (await renew(app, refresh)).status]).toEqual([true, 400]);
      const { scope } = await scene.tokensFor(app);
      expect(scope.split(' ')).not.toContain('patient/*.rs');
    });

    test.each([
      [{ scope: 'system/*.rs' }, 'scope'],
      [{ redirectUris: [] }, 'redirectUris'],
      [{ redirectUris: ['http://app.example/cb'] }, 'redirectUris'],
      [{ launchUrl: 'javascript:alert(1)' }, 'launchUrl'],
      [{ jwks: { keys: [] } }, 'jwks'],
      [{ kind: 'backend' }, 'kind-stays'],
    ])('is not made what could not be registered: %j', async (change, at) => {
      const app = await scene.register();
      const done = await registry().changeClient(ACT, app.id, change);
      if (at === 'kind-stays') expect(must(done).kind).toBe('public');
      else expect(done).toMatchObject({ fault: { code: 'admin.parameter', at } });
    });
  });

  describe('a grant', () => {
    test('is listed for its app and its person with its last use, and ends alone', async () => {
      const app = await scene.register();
      const { username, id } = await newPerson();
      const first = await scene.tokensFor(app, {}, { username });
      const second = await scene.tokensFor(app, {}, { username });
      expect((await grantsOf('client', app.id)).map(({ usedAtMs }) => usedAtMs)).toEqual([null, null]);
      expect(await isDead(first.access_token)).toBe(false);
      const [newer, older] = await eventually(
        () => grantsOf('client', app.id),
        (all) => all.some(({ usedAtMs }) => usedAtMs !== null),
      );
      expect(older).toMatchObject({ kind: 'grant', clientId: app.id, accountId: id, scope: SCOPE });
      expect([newer?.usedAtMs, typeof older?.usedAtMs]).toEqual([null, 'number']);
      expect(JSON.stringify([newer, older])).not.toContain('pat-1');
      const mine = await grantsOf('account', id);
      expect(mine.filter(({ kind }) => kind === 'grant').map((one) => one.id)).toEqual([newer?.id, older?.id]);
      must(await registry().endGrant(ACT, older?.id ?? ''));
      expect([await isDead(first.access_token), (await renew(app, first.refresh_token)).status]).toEqual([true, 400]);
      expect([await isDead(second.access_token), (await renew(app, second.refresh_token)).status]).toEqual([
        false,
        200,
      ]);
      expect(await registry().endGrant(ACT, older?.id ?? '')).toMatchObject({ fault: { code: 'grant.not-found' } });
    });

    test('goes from the list when its last token ends, and stays while it is renewed', async () => {
      const app = await scene.register();
      const { refresh_token: refresh } = await scene.tokensFor(app);
      const renewed = await renew(app, refresh);
      expect(await grantsOf('client', app.id)).toHaveLength(1);
      for (const token of [renewed.body['access_token'], renewed.body['refresh_token']])
        await scene.post('revoke', { token: String(token), client_id: app.id });
      expect(await grantsOf('client', app.id)).toEqual([]);
    });

    test('of a session that is ended goes with it where it was to, and not where it outlives it', async () => {
      const app = await scene.register();
      const { username, id } = await newPerson();
      const online = await scene.tokensFor(app, { scope: 'online_access patient/*.rs' }, { username });
      const offline = await scene.tokensFor(app, { scope: 'offline_access patient/*.rs' }, { username });
      const sessions = (await grantsOf('account', id)).filter(({ kind }) => kind === 'session');
      expect(sessions).toHaveLength(2);
      for (const session of sessions) must(await registry().endGrant(ACT, session.id));
      expect([await isDead(online.access_token), (await renew(app, online.refresh_token)).status]).toEqual([true, 400]);
      expect(await isDead(offline.access_token)).toBe(false);
    });

    test.each(['grt_', 'grt_zz', 'tok_00', 'AccessToken', "grt_' OR 1=1", `grt_${'0'.repeat(32)}`, '\0'])(
      'is not ended by an id that is none: %j',
      async (id) => {
        expect(await registry().endGrant(ACT, id)).toMatchObject({ fault: { code: 'grant.not-found' } });
      },
    );
  });
});
