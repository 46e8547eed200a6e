import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { REQUESTS, SIGN_INS } from '../../../src/auth/limit-tries.ts';
import {
  ACT,
  approve,
  Browser,
  must,
  newPkce,
  PASSWORD,
  REDIRECT,
  startScene,
  type App,
  type Scene,
} from '../../support/auth-server.ts';
import { eventually } from '../../support/eventually.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

let place: Place;
let scene: Scene;
let app: App;
beforeAll(async () => {
  place = await sqlitePlace();
  scene = await startScene(place);
  app = await scene.register();
  for (const username of ['drjones', 'drgone'])
    must(
      await scene.server.auth.registry.addAccount(ACT, {
        username,
        name: `The ${username}`,
        fhirUser: `Practitioner/${username}`,
        password: PASSWORD,
      }),
    );
});
afterAll(async () => {
  await scene.server.stop();
  await place.remove();
});

const ONLINE = 'launch/patient openid fhirUser online_access patient/*.rs';

/** Through the pages with one browser, to the tokens. */
async function tokensWith(browser: Browser, username: string, params: Record<string, string | null> = {}) {
  const { verifier, challenge } = newPkce();
  const back = await approve(scene.authorizeUrl(app, challenge, { scope: ONLINE, ...params }), { username }, browser);
  const { body } = await scene.exchange(app, back.searchParams.get('code') ?? '', verifier);
  return body as { access_token: string; refresh_token: string };
}
const userOf = async (token: string): Promise<string | null> => must(await scene.verify(token)).fhirUser;
/** Goes where it is led until there is a page; answers its address and text. */
async function pageAt(browser: Browser, from: string): Promise<readonly [url: string, text: string]> {
  let url = from;
  for (let step = 0; step < 5; step += 1) {
    const answer = await browser.go(url);
    const location = answer.headers.get('location');
    if (location === null) return [url, await answer.text()];
    url = new URL(location, url).href;
  }
  throw new Error('no page');
}
const refresh = (token: string) =>
  scene.post('token', { grant_type: 'refresh_token', refresh_token: token, client_id: app.id });

describe('signing out', () => {
  test('ends the session and what was to end with it, for whoever presses the button and not for whoever looks', async () => {
    const browser = new Browser();
    const { access_token: token, refresh_token: next } = await tokensWith(browser, 'drsmith');
    const page = await browser.go(`${scene.server.issuer}/sign-out`);
    expect([page.status, (await page.text()).includes('Dr Test Smith')]).toEqual([200, true]);
    expect((await scene.verify(token)).ok).toBe(true);
    expect((await browser.post(`${scene.server.issuer}/sign-out`, [['step', 'sign-out']])).status).toBe(200);
    expect(await scene.verify(token)).toMatchObject({ ok: false });
    expect((await refresh(next)).status).toBe(400);
    expect((await scene.post('introspect', { token }, { authorization: `Bearer ${token}` })).status).toBe(401);
    const { access_token: other } = await tokensWith(new Browser(), 'drsmith');
    expect((await scene.post('introspect', { token }, { authorization: `Bearer ${other}` })).body).toEqual({
      active: false,
    });
    const [, text] = await pageAt(browser, scene.authorizeUrl(app, newPkce().challenge));
    expect(text).toContain('<title>Sign in');
    expect((await scene.server.audit()).filter(({ why }) => why === 'sign-out')).toHaveLength(1);
  });

  test('cannot be done by a page from elsewhere', async () => {
    const browser = new Browser();
    const { access_token: token } = await tokensWith(browser, 'drsmith');
    const answer = await browser.go(`${scene.server.issuer}/sign-out`, {
      method: 'POST',
      body: 'step=sign-out',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' },
    });
    expect(answer.status).toBe(403);
    expect((await scene.verify(token)).ok).toBe(true);
  });
});

describe('another person at the same browser', () => {
  test('signs in from the picker, and the first one has no session any longer', async () => {
    const browser = new Browser();
    const first = await tokensWith(browser, 'drsmith');
    const { verifier, challenge } = newPkce();
    const [url, text] = await pageAt(
      browser,
      scene.authorizeUrl(app, challenge, { scope: ONLINE, state: 'of-the-request' }),
    );
    expect(text).toContain('<title>Choose a patient');
    const again = await browser.post(url, [['step', 'other-user']]);
    expect(again.status).toBe(303);
    const back = await approve(again.headers.get('location') ?? '', { username: 'drjones' }, browser);
    expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([REDIRECT, 'of-the-request']);
    const { body } = await scene.exchange(app, back.searchParams.get('code') ?? '', verifier);
    expect(await userOf(String(body['access_token']))).toBe('Practitioner/drjones');
    expect(await scene.verify(first.access_token)).toMatchObject({ ok: false });
  });

  test('signs in where the app asks for a new sign-in', async () => {
    const browser = new Browser();
    const first = await tokensWith(browser, 'drsmith');
    const second = await tokensWith(browser, 'drjones', { prompt: 'login' });
    expect(await userOf(second.access_token)).toBe('Practitioner/drjones');
    expect(await scene.verify(first.access_token)).toMatchObject({ ok: false });
  });

  test('who signs in anew as the same keeps the session', async () => {
    const browser = new Browser();
    const first = await tokensWith(browser, 'drsmith');
    const second = await tokensWith(browser, 'drsmith', { prompt: 'login' });
    expect([await userOf(first.access_token), await userOf(second.access_token)]).toEqual(
      Array(2).fill('Practitioner/prac-1'),
    );
  });
});

describe('what is told about a token', () => {
  test('is nothing once its person is removed', async () => {
    const asker = await scene.register({ kind: 'symmetric' });
    const { access_token: token } = await tokensWith(new Browser(), 'drgone');
    const told = async () => (await scene.post('introspect', { token }, scene.basic(asker))).body;
    expect(await told()).toMatchObject({ active: true });
    const { id } = must(await scene.server.auth.registry.accounts()).find(({ username }) => username === 'drgone') ?? {
      id: '',
    };
    must(await scene.server.auth.registry.removeAccount(ACT, id));
    expect(await told()).toEqual({ active: false });
  });

  test('is nothing once its app is removed', async () => {
    const [asker, gone] = [await scene.register({ kind: 'symmetric' }), await scene.register()];
    const { access_token: token } = await scene.tokensFor(gone);
    must(await scene.server.auth.registry.removeClient(ACT, gone.id));
    const { status, body } = await scene.post('introspect', { token }, scene.basic(asker));
    expect([status, body]).toEqual([200, { active: false }]);
  });

  test('is nothing of a refresh token to another app', async () => {
    const asker = await scene.register({ kind: 'symmetric' });
    const { refresh_token: token } = await scene.tokensFor(app);
    expect((await scene.post('introspect', { token }, scene.basic(asker))).body).toEqual({ active: false });
  });
});

test('a patient has no account here: who signs in may choose any patient', async () => {
  for (const fhirUser of ['Patient/pat-1', 'RelatedPerson/r', 'Person/p'])
    expect(
      await scene.server.auth.registry.addAccount(ACT, { username: 'pat', name: 'Pat', fhirUser, password: PASSWORD }),
    ).toMatchObject({ ok: false, fault: { code: 'admin.parameter', at: 'fhirUser' } });
});

test('an address that tries many names is stopped before any of them is locked', async () => {
  const browser = new Browser();
  const [url] = await pageAt(browser, scene.authorizeUrl(app, newPkce().challenge));
  const tryOne = async (username: string, password: string) => {
    const form = [
      ['step', 'sign-in'],
      ['username', username],
      ['password', password],
    ] as const;
    return (await browser.post(url, form)).status;
  };
  const answers: number[] = [];
  for (let i = 0; i < SIGN_INS.most * 2 && !answers.includes(429); i += 10)
    answers.push(
      ...(await Promise.all(Array.from({ length: 10 }, (_, n) => tryOne(`name${i + n}`, 'one password for all')))),
    );
  expect(new Set(answers)).toEqual(new Set([401, 429]));
  expect(await tryOne('drsmith', PASSWORD)).toBe(429);
  const refused = async () => (await scene.server.audit()).filter(({ why }) => why === 'sign-in:too-many-tries').length;
  expect(await eventually(refused, (count) => count > 1)).toBeGreaterThan(1);
}, 60_000);

test('an address that begins many requests and goes on with none is stopped, and another is not', async () => {
  const url = scene.authorizeUrl(app, newPkce().challenge);
  let status = 0;
  for (let i = 0; i < REQUESTS.most * 3 && status !== 429; i += 50)
    status = Math.max(
      ...(await Promise.all(Array.from({ length: 50 }, async () => (await new Browser().go(url)).status))),
    );
  expect(status).toBe(429);
  expect(
    (await scene.post('token', { grant_type: 'refresh_token', refresh_token: 'x', client_id: app.id })).status,
  ).toBe(400);
}, 60_000);
