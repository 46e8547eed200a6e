import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  approve,
  Browser,
  newPkce,
  PASSWORD,
  REDIRECT,
  SCOPE,
  startScene,
  type App,
  type Scene,
} from '../../support/auth-server.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';
import { stopAfterTest } from '../../support/stop-after-test.ts';

let place: Place;
let scene: Scene;
let app: App;
beforeAll(async () => {
  place = await sqlitePlace();
  scene = await startScene(place);
  app = await scene.register();
});
afterAll(async () => {
  await scene.server.stop();
  await place.remove();
});

/** Where the very first answer leads; null where it is a page of ours. */
async function first(params: Record<string, string | null>): Promise<{ status: number; to: URL | null }> {
  const answer = await fetch(scene.authorizeUrl(app, newPkce().challenge, params), { redirect: 'manual' });
  // What was asked for as a token at once is answered behind the # sign.
  const location = answer.headers.get('location')?.replace('#', '?') ?? null;
  return { status: answer.status, to: location === null ? null : new URL(location, scene.server.issuer) };
}

test.each([
  ['no aud', { aud: null }, 'invalid_request'],
  ['the aud of another server', { aud: 'https://inferno.healthit.gov/invalid_aud' }, 'invalid_request'],
  ['an aud below ours', { aud: 'AUD/x' }, 'invalid_request'],
  ['no code challenge', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['no method of the challenge', { code_challenge_method: null }, 'invalid_request'],
  ['no response type', { response_type: null }, 'invalid_request'],
  ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
  ['no scope that can be granted', { scope: 'patient/Observation.cud nix' }, 'invalid_scope'],
  ['an unknown launch', { scope: `launch ${SCOPE}`, launch: 'nix' }, 'invalid_request'],
  ['a launch that is not given', { scope: `launch ${SCOPE}` }, 'invalid_request'],
  ['no page allowed', { prompt: 'none' }, 'login_required'],
  ['a request object', { request: 'x' }, 'request_not_supported'],
])('%s goes back to the app as an error, with the state and without a code', async (_name, params, error) => {
  const given = Object.fromEntries(
    Object.entries<string | null>(params).map(([name, value]) => [
      name,
      value?.replace('AUD', scene.server.fhir) ?? null,
    ]),
  );
  const { to } = await first(given);
  expect(to?.origin).toBe('https://app.example');
  expect([to?.searchParams.get('error'), to?.searchParams.get('state'), to?.searchParams.get('code')]).toEqual([
    error,
    's-1',
    null,
  ]);
});

test.each([
  ['another path', { redirect_uri: `${REDIRECT}/more` }],
  ['a query more', { redirect_uri: `${REDIRECT}?x=1` }],
  ['another host', { redirect_uri: 'https://evil.example/callback' }],
  ['no redirect URI', { redirect_uri: null }],
  ['an unknown client', { client_id: 'app_none' }],
  ['no client', { client_id: null }],
])('%s is answered by a page and leads nowhere', async (_name, params) => {
  const { status, to } = await first(params);
  expect([status, to]).toEqual([400, null]);
});

test('a parameter that comes twice is refused', async () => {
  const answer = await fetch(`${scene.authorizeUrl(app, newPkce().challenge)}&scope=openid`, { redirect: 'manual' });
  expect(answer.headers.get('location') ?? '').toContain('error=invalid_request');
});

test('a form by POST comes to the same as the address', async () => {
  const { challenge, verifier } = newPkce();
  const url = new URL(scene.authorizeUrl(app, challenge));
  const browser = new Browser();
  const answer = await browser.go(`${scene.server.issuer}/authorize`, {
    method: 'POST',
    body: url.searchParams.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://app.example' },
  });
  expect(answer.status).toBe(303);
  const back = await approve(answer.headers.get('location') ?? '', {}, browser);
  const { status } = await scene.exchange(app, back.searchParams.get('code') ?? '', verifier);
  expect([status, back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual([
    200,
    's-1',
    scene.server.issuer,
  ]);
});

test('an aud with a slash at its end is ours too', async () => {
  const { code } = await scene.codeFor(app, { aud: `${scene.server.fhir}/` });
  expect(code).not.toBe('');
});

test('who does not allow it sends the app away with access_denied', async () => {
  const { back } = await scene.codeFor(app, {}, { cancel: true });
  expect([back.searchParams.get('error'), back.searchParams.get('state')]).toEqual(['access_denied', 's-1']);
});

test('a patient scope asks for a patient even where launch/patient was not asked for', async () => {
  const { patient } = await scene.tokensFor(app, { scope: 'patient/Observation.rs' }, { patient: 'pat-7' });
  expect(patient).toBe('pat-7');
});

test('without a patient scope nobody is asked for one, and the token has none', async () => {
  const tokens = await scene.tokensFor(app, { scope: 'openid user/Practitioner.rs' });
  expect([tokens['patient'], tokens.scope, 'refresh_token' in tokens]).toEqual([
    undefined,
    'openid user/Practitioner.rs',
    false,
  ]);
});

test('a patient that is not in the directory cannot be chosen by writing its id', async () => {
  await expect(scene.codeFor(app, {}, { patient: 'pat-999' })).rejects.toThrow('no end');
});

test('a second launch signs nobody in again, and asks for the patient anew', async () => {
  const browser = new Browser();
  const first = newPkce();
  await approve(scene.authorizeUrl(app, first.challenge), { patient: 'pat-1' }, browser);
  const second = newPkce();
  const back = await approve(
    scene.authorizeUrl(app, second.challenge),
    { patient: 'pat-2', password: 'not asked for' },
    browser,
  );
  const { body } = await scene.exchange(app, back.searchParams.get('code') ?? '', second.verifier);
  expect(body['patient']).toBe('pat-2');
});

test('the pages keep scripts, frames and foreign forms out', async () => {
  const browser = new Browser();
  const start = await browser.go(scene.authorizeUrl(app, newPkce().challenge));
  const url = new URL(start.headers.get('location') ?? '', scene.server.issuer).href;
  const page = await browser.go(url);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("form-action 'self' https://app.example");
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(await page.text()).not.toMatch(/<script|style=|onclick/i);
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
    const forged = await browser.go(url, {
      method: 'POST',
      body: 'step=sign-in&username=drsmith&password=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } as Record<string, string>,
    });
    expect(forged.status).toBe(403);
  }
  // Without the cookie of the browser that began it, an interaction is worth nothing.
  expect((await new Browser().go(url)).status).toBe(400);
});

test('behind a proxy every link and cookie is of the public address, and cookies are for https alone', async () => {
  const other = await sqlitePlace();
  stopAfterTest(() => other.remove());
  const behind = await startScene(other, { publicUrl: 'https://gw.example/prefix' });
  stopAfterTest(() => behind.server.stop());
  const registered = await behind.register();
  const url = behind
    .authorizeUrl(registered, newPkce().challenge)
    .replace('https://gw.example/prefix', behind.server.base);
  const answer = await fetch(url, { redirect: 'manual' });
  const location = new URL(answer.headers.get('location') ?? '', 'https://gw.example');
  expect([answer.status, location.origin, location.pathname.replace(/[^/]+$/, '')]).toEqual([
    303,
    'https://gw.example',
    '/prefix/auth/interaction/',
  ]);
  const cookies = answer.headers.getSetCookie();
  expect(cookies.length).toBeGreaterThan(1);
  for (const cookie of cookies) {
    expect(cookie).toMatch(/secure/i);
    expect(cookie).toMatch(/httponly/i);
    expect(cookie).toMatch(/samesite=lax/i);
    expect(cookie).toMatch(/path=\/prefix\/auth\//i);
  }
  const found = (await (await fetch(`${behind.server.base}/auth/.well-known/openid-configuration`)).json()) as Record<
    string,
    unknown
  >;
  expect([found['issuer'], found['token_endpoint']]).toEqual([
    'https://gw.example/prefix/auth',
    'https://gw.example/prefix/auth/token',
  ]);
  const page = await fetch(`${behind.server.base}/auth${location.pathname.replace('/prefix/auth', '')}`, {
    headers: { cookie: cookies.map((one) => one.split(';')[0]).join('; ') },
  });
  expect(await page.text()).toContain('action="/prefix/auth/interaction/');
});

test('what a caller says of our address changes no link', async () => {
  const answer = await fetch(scene.authorizeUrl(app, newPkce().challenge), {
    redirect: 'manual',
    headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' },
  });
  expect(answer.headers.get('location')).not.toContain('evil');
  const found = await fetch(`${scene.server.issuer}/.well-known/openid-configuration`, {
    headers: { 'x-forwarded-host': 'evil.example' },
  });
  expect(await found.text()).not.toContain('evil');
});

describe('response_mode=form_post', () => {
  const inputsOf = (page: string): Record<string, string> =>
    Object.fromEntries(
      [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']): [string, string] => [name, value],
      ),
    );
  /** Goes through the pages and answers the last one, which the browser would send on. */
  async function lastPage(params: Record<string, string>, step: 'allow' | 'cancel') {
    const browser = new Browser();
    const { verifier, challenge } = newPkce();
    const start = await browser.go(scene.authorizeUrl(app, challenge, { response_mode: 'form_post', ...params }));
    let url = new URL(start.headers.get('location') ?? '', scene.server.issuer).href;
    const send = async (form: readonly (readonly [string, string])[]): Promise<Response> => {
      let answer = await browser.post(url, form);
      for (
        let location = answer.headers.get('location');
        location !== null;
        location = answer.headers.get('location')
      ) {
        url = new URL(location, url).href;
        answer = await browser.go(url);
      }
      return answer;
    };
    await send([
      ['step', 'sign-in'],
      ['username', 'drsmith'],
      ['password', PASSWORD],
    ]);
    const answer = await send(
      step === 'cancel'
        ? [['step', 'cancel']]
        : [
            ['step', 'allow'],
            ['patient', 'pat-1'],
            ['scope', 'patient/*.rs'],
          ],
    );
    return { answer, page: await answer.text(), verifier };
  }

  test('is advertised, and its page may run its one script and send its form to the app, and nothing else', async () => {
    const metadata = (await (await fetch(`${scene.server.issuer}/.well-known/openid-configuration`)).json()) as {
      response_modes_supported: string[];
    };
    expect(metadata.response_modes_supported).toContain('form_post');
    const { answer, page, verifier } = await lastPage({ scope: 'launch/patient patient/*.rs' }, 'allow');
    const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(page) ?? [];
    expect(script).toContain('submit()');
    const digest = createHash('sha256').update(script).digest('base64');
    expect(answer.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'sha256-${digest}'; base-uri 'none'; frame-ancestors 'none'; form-action ${new URL(REDIRECT).origin}`,
    );
    expect(page).toContain(`<form method="post" action="${REDIRECT}">`);
    const { code = '', state } = inputsOf(page);
    expect(state).toBe('s-1');
    expect((await scene.exchange(app, code, verifier)).status).toBe(200);
  });

  test('also where the person does not allow it', async () => {
    const { answer, page } = await lastPage({ scope: 'launch/patient patient/*.rs' }, 'cancel');
    expect(inputsOf(page)).toMatchObject({ error: 'access_denied', state: 's-1' });
    expect(answer.headers.get('content-security-policy')).toContain(`form-action ${new URL(REDIRECT).origin}`);
    expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
  });
});
