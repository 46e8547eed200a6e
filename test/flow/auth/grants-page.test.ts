import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  ACT,
  approve,
  Browser,
  must,
  newPkce,
  PASSWORD,
  startScene,
  type App,
  type Scene,
} from '../../support/auth-server.ts';
import { PLACES, type Place } from '../../support/new-store.ts';

// Comparing a password is slow by design, and slower on a busy machine.
jest.setTimeout(120_000);

describe.each(PLACES)('the page of what apps may do on %s', (_engine, makePlace) => {
  let place: Place;
  let scene: Scene;
  let app: App;
  beforeAll(async () => {
    place = await makePlace();
    scene = await startScene(place);
    app = await scene.register({ name: 'Growth <Chart'.replace('<', '& ') });
    must(
      await scene.server.auth.registry.addAccount(ACT, {
        username: 'drjones',
        name: 'Dr Jones',
        fhirUser: 'Practitioner/2',
        password: PASSWORD,
      }),
    );
  });
  afterAll(async () => {
    await scene.server.stop();
    await place.remove();
  });

  async function tokensWith(browser: Browser, username = 'drsmith') {
    const { verifier, challenge } = newPkce();
    const back = await approve(scene.authorizeUrl(app, challenge), { username }, browser);
    const { body } = await scene.exchange(app, back.searchParams.get('code') ?? '', verifier);
    return body as { access_token: string; refresh_token: string };
  }
  const at = (): string => `${scene.server.issuer}/grants`;
  /** Follows redirects to a page. */
  async function pageOf(browser: Browser, from = at()): Promise<{ url: string; text: string }> {
    let url = from;
    for (let n = 0; n < 8; n += 1) {
      const answer = await browser.go(url);
      const location = answer.headers.get('location');
      if (location === null) return { url, text: await answer.text() };
      url = new URL(location, url).href;
    }
    throw new Error('led in circles');
  }
  const formsOf = (text: string) =>
    [...text.matchAll(/name="csrf" value="([^"]+)"[^]*?name="grant" value="([^"]+)"/g)].map(
      ([, csrf = '', grant = '']) => ({ csrf, grant }),
    );
  const end = async (browser: Browser, form: { csrf: string; grant: string }) => {
    const answer = await browser.post(at(), Object.entries(form));
    return answer.headers.get('location');
  };
  const isDead = async (token: string): Promise<boolean> => !(await scene.verify(token)).ok;

  test('a person signs in for it alone, sees what apps may do in plain words, and ends one at once', async () => {
    const [kept, ended] = [await tokensWith(new Browser()), await tokensWith(new Browser())];
    expect(await isDead(ended.access_token)).toBe(false);
    const browser = new Browser();
    const signIn = await pageOf(browser);
    expect(signIn.text).toContain('Sign in to see what apps may do');
    const led = await browser.post(signIn.url, [
      ['step', 'sign-in'],
      ['username', 'drsmith'],
      ['password', PASSWORD],
    ]);
    const { url, text } = await pageOf(browser, new URL(led.headers.get('location') ?? '', signIn.url).href);
    expect(url).toBe(at());
    expect(text).toContain('Growth &amp; Chart');
    expect(text).toContain('Read and search all records of this patient');
    expect(text).toContain('Keep access when you are not there');
    expect(text).toContain('Learn who you are');
    // The patient is told apart from another, and not told.
    expect([text.includes('pat-1'), text.includes('…')]).toEqual([false, true]);
    expect(text).toMatch(/Allowed \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    // Our own page is no app, and was granted nothing.
    const forms = formsOf(text);
    expect(forms).toHaveLength(2);

    // Newest first.
    const [newest] = forms;
    expect(await end(browser, newest ?? { csrf: '', grant: '' })).toBe('/auth/grants?done=ended');
    expect([await isDead(ended.access_token), await isDead(kept.access_token)]).toEqual([true, false]);
    const renewed = await scene.post('token', {
      grant_type: 'refresh_token',
      refresh_token: ended.refresh_token,
      client_id: app.id,
    });
    expect(renewed.body['error']).toBe('invalid_grant');
    const after = await pageOf(browser, `${at()}?done=ended`);
    expect([formsOf(after.text).length, after.text.includes('The app has no access by it any more')]).toEqual([
      1,
      true,
    ]);
    expect(await end(browser, newest ?? { csrf: '', grant: '' })).toBe('/auth/grants?done=gone');
    const records = (await scene.server.audit()).filter(({ why }) => why === 'ended-by-person');
    expect(records).toMatchObject([
      { type: 'auth.grant', action: 'D', outcome: '0', client: app.id, to: newest?.grant },
      { type: 'auth.grant', action: 'D', outcome: '4' },
    ]);
  });

  test('a code that was not fetched yet ends with the grant too', async () => {
    const browser = new Browser();
    const { verifier, challenge } = newPkce();
    const back = await approve(scene.authorizeUrl(app, challenge), { username: 'drjones' }, browser);
    const { registry } = scene.server.auth;
    const jones = must(await registry.accounts()).find(({ username }) => username === 'drjones')?.id ?? '';
    // Nothing hangs on it yet, so that no list shows it; the person's end of everything reaches it all the same.
    must(await registry.resetPassword(ACT, jones, PASSWORD));
    const { body } = await scene.exchange(app, back.searchParams.get('code') ?? '', verifier);
    expect(body['error']).toBe('invalid_grant');
  });

  test("another person's grant, a form from elsewhere, and one of another session change nothing", async () => {
    const [mine, theirs] = [new Browser(), new Browser()];
    const { access_token: token } = await tokensWith(mine, 'drjones');
    await tokensWith(theirs, 'drsmith');
    const [own] = formsOf((await pageOf(mine)).text);
    const [foreign] = formsOf((await pageOf(theirs)).text);
    const grant = own?.grant ?? '';
    expect(await end(theirs, { csrf: foreign?.csrf ?? '', grant })).toBe('/auth/grants?done=gone');
    expect(await end(theirs, { csrf: own?.csrf ?? '', grant })).toBe('/auth/grants?done=refused');
    expect(await end(mine, { csrf: foreign?.csrf ?? '', grant })).toBe('/auth/grants?done=refused');
    expect(await end(mine, { csrf: '', grant })).toBe('/auth/grants?done=refused');
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ] as const) {
      const answer = await mine.go(at(), {
        method: 'POST',
        body: new URLSearchParams({ csrf: own?.csrf ?? '', grant }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
      expect(answer.status).toBe(403);
    }
    // To look at the address changes nothing either, and without a session there is nothing to end by.
    await mine.go(`${at()}?csrf=${own?.csrf ?? ''}&grant=${grant}`);
    expect(await end(new Browser(), { csrf: own?.csrf ?? '', grant })).toContain('/auth/authorize?');
    expect(await isDead(token)).toBe(false);
    expect(await end(mine, { csrf: own?.csrf ?? '', grant: 'grt_x' })).toBe('/auth/grants?done=gone');
    expect(await end(mine, { csrf: own?.csrf ?? '', grant })).toBe('/auth/grants?done=ended');
    expect(await isDead(token)).toBe(true);
  });

  test('who does not want to sign in is not asked for ever; nobody gets a code for our page; no frame shows it', async () => {
    const browser = new Browser();
    const { url } = await pageOf(browser);
    const left = await browser.post(url, [['step', 'cancel']]);
    const { text } = await pageOf(browser, new URL(left.headers.get('location') ?? '', url).href);
    expect(text).toContain('Nobody is signed in here');
    await tokensWith(browser);
    // More scopes than it has bring nothing: not even a page to allow them.
    const ours = { id: '~grants', secret: null };
    const asked = await pageOf(
      browser,
      scene.authorizeUrl(ours, 'c'.repeat(43), { redirect_uri: at(), scope: 'openid patient/*.rs' }),
    );
    expect(asked.url).toBe(at());
    const page = await browser.go(at());
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const elsewhere = await browser.go(
      scene.authorizeUrl(ours, 'c'.repeat(43), { redirect_uri: 'https://evil.example/' }),
    );
    expect([elsewhere.status, elsewhere.headers.get('location')]).toEqual([400, null]);
    const taken = await scene.server.auth.registry.addClient(ACT, {
      id: '~grants',
      name: 'x',
      kind: 'public',
      scope: 'openid',
      redirectUris: ['https://evil.example/'],
    });
    expect(taken.ok).toBe(false);
  });

  test('the page for consent and the page to sign out lead to it', async () => {
    const browser = new Browser();
    await tokensWith(browser);
    const signOut = await (await browser.go(`${scene.server.issuer}/sign-out`)).text();
    expect(signOut).toContain('href="/auth/grants"');
    const picker = await pageOf(browser, scene.authorizeUrl(app, newPkce().challenge));
    const consent = await browser.post(picker.url, [
      ['step', 'patient'],
      ['patient', 'pat-1'],
    ]);
    expect(await consent.text()).toContain(
      '<a href="/auth/grants" target="_blank" rel="noopener">what apps may do</a>',
    );
  });
});
