import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { ok, secret } from '../../../src/kernel/index.ts';
import type { PractitionerDirectory, SignInSettings } from '../../../src/auth/index.ts';
import { ACT, approve, Browser, must, newPkce, startScene, type App, type Scene } from '../../support/auth-server.ts';
import { PLACES, type Place } from '../../support/new-store.ts';
import { signInThere, startOpenIdProvider, type People } from '../../support/openid-provider.ts';

jest.setTimeout(120_000);

type ProviderSettings = NonNullable<SignInSettings['provider']>;
const NPI = 'http://hl7.org/fhir/sid/us-npi';
const SECRET = 'client-secret-of-the-hospital';

// It warns of everything that a provider for real people must have.
beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  jest.spyOn(console, 'info').mockImplementation(() => undefined);
});
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const practitioners: PractitionerDirectory = {
  byIdentifier: ({ system, value }) =>
    Promise.resolve(
      ok(
        system !== NPI || value === '0'
          ? { kind: 'none' as const }
          : value === '2'
            ? { kind: 'several' as const }
            : { kind: 'one' as const, reference: `Practitioner/of-${value}` },
      ),
    ),
};

interface Hospital {
  readonly scene: Scene;
  readonly app: App;
  readonly people: People;
  readonly issuer: string;
}

/** Our server and the hospital's provider, each with the other's address. */
async function open(
  makePlace: () => Promise<Place>,
  people: Record<string, Record<string, unknown>>,
  settings: Partial<ProviderSettings> = {},
  more: Partial<SignInSettings> = {},
  client: Record<string, unknown> = { client_secret: SECRET },
): Promise<Hospital> {
  const there = await startOpenIdProvider({ client_id: 'chartgate', ...client }, new Map(Object.entries(people)));
  stops.push(there.stop);
  const place = await makePlace();
  stops.push(() => place.remove());
  const scene = await startScene(place, {
    practitioners,
    signIn: {
      provider: {
        issuer: there.issuer,
        clientId: 'chartgate',
        credential: { kind: 'secret', secret: secret(SECRET) },
        scope: 'openid profile',
        mapping: { by: 'reference', claim: 'fhirUser' },
        groupsClaim: 'groups',
        groups: [],
        ...settings,
      },
      ...more,
    },
  });
  stops.push(scene.server.stop);
  there.redirectTo(`${scene.server.issuer}/provider/back`);
  return { scene, app: await scene.register(), people: there.people, issuer: there.issuer };
}

/** As far as the page that leads to the provider; answers where that is. */
async function toProvider(
  { scene, app }: Hospital,
  browser: Browser,
  challenge: string,
  params: Record<string, string | null> = {},
): Promise<string> {
  const led = await browser.go(scene.authorizeUrl(app, challenge, params));
  const at = new URL(led.headers.get('location') ?? '', scene.server.issuer).href;
  const page = await (await browser.go(at)).text();
  expect(page).toContain('?provider=start');
  return (await browser.go(`${at}?provider=start`)).headers.get('location') ?? '';
}

/** What the person sees after the provider led them back; a whole sign-in ends at the app. */
async function comeBack(browser: Browser, back: string): Promise<{ status: number; text: string }> {
  let answer = await browser.go(back);
  let url = back;
  for (let n = 0; n < 5 && answer.headers.get('location') !== null; n += 1) {
    url = new URL(answer.headers.get('location') ?? '', url).href;
    answer = await browser.go(url);
  }
  return { status: answer.status, text: await answer.text() };
}

async function tokensOf(hospital: Hospital, login: string, browser = new Browser()) {
  const { verifier, challenge } = newPkce();
  const to = await toProvider(hospital, browser, challenge);
  const back = await approve(await signInThere(to, login), {}, browser);
  const { body } = await hospital.scene.exchange(hospital.app, back.searchParams.get('code') ?? '', verifier);
  return body as { access_token: string; refresh_token: string };
}
async function refusalOf(hospital: Hospital, login: string): Promise<string> {
  const browser = new Browser();
  const to = await toProvider(hospital, browser, newPkce().challenge);
  const { status, text } = await comeBack(browser, await signInThere(to, login));
  expect(status).toBe(403);
  return /role="alert"[^>]*>([^<]+)/.exec(text)?.[1] ?? text;
}
const accountsOf = async ({ scene }: Hospital) => must(await scene.server.auth.registry.accounts());

describe.each(PLACES)('on %s', (_engine, makePlace) => {
  test('a person of the hospital comes in as the practitioner whom a claim names, and is known again', async () => {
    const hospital = await open(makePlace, { ada: { fhirUser: 'https://ehr.example/r4/Practitioner/p7' } });
    const { scene, issuer } = hospital;
    const browser = new Browser();
    const first = await tokensOf(hospital, 'ada', browser);
    expect(must(await scene.verify(first.access_token))).toMatchObject({
      fhirUser: 'Practitioner/p7',
      patient: 'pat-1',
    });
    const made = await accountsOf(hospital);
    expect(made.filter(({ origin }) => origin === 'provider')).toEqual([
      {
        id: expect.stringMatching(/^usr_/),
        username: 'ada',
        name: 'Person ada',
        fhirUser: 'Practitioner/p7',
        wrongTries: 0,
        state: 'active',
        origin: 'provider',
        issuer,
        subject: 'ada',
        secondFactor: 'none',
      },
    ]);
    // The session is there, so that another app asks for consent alone.
    const again = await approve(scene.authorizeUrl(hospital.app, newPkce().challenge), {}, browser);
    expect(again.searchParams.has('code')).toBe(true);
    await tokensOf(hospital, 'ada');
    expect(await accountsOf(hospital)).toHaveLength(made.length);
    const records = await scene.server.audit();
    expect(records.filter(({ type, why }) => type === 'auth.sign-in' && why === 'provider')).toMatchObject([
      { outcome: '0', issuer, client: hospital.app.id },
      { outcome: '0', issuer, client: hospital.app.id },
    ]);

    const id = made.find(({ origin }) => origin === 'provider')?.id ?? '';
    must(await scene.server.auth.registry.setAccountState(ACT, id, 'disabled'));
    expect((await scene.verify(first.access_token)).ok).toBe(false);
    expect(await refusalOf(hospital, 'ada')).toContain('disabled');
    // Without the account the provider would bring the person back.
    const { registry } = scene.server.auth;
    expect(await registry.removeAccount(ACT, id)).toMatchObject({ ok: false, fault: { code: 'account.kept-out' } });
    expect(await refusalOf(hospital, 'ada')).toContain('disabled');
    const reset = await scene.server.auth.registry.resetPassword(ACT, id, 'a long made-up sentence');
    expect(reset).toMatchObject({ ok: false, fault: { code: 'account.of-provider' } });
  });

  test('an identifier is looked up at the EHR, and exactly one active practitioner must have it', async () => {
    const hospital = await open(
      makePlace,
      { ada: { npi: '1' }, bob: { npi: `${NPI}|1x` }, two: { npi: '2' }, nil: { npi: '0' }, eve: { npi: 'urn:x|1' } },
      { mapping: { by: 'identifier', claim: 'npi', system: NPI } },
    );
    const { access_token: token } = await tokensOf(hospital, 'ada');
    expect(must(await hospital.scene.verify(token)).fhirUser).toBe('Practitioner/of-1');
    const other = await tokensOf(hospital, 'bob');
    expect(must(await hospital.scene.verify(other.access_token)).fhirUser).toBe('Practitioner/of-1x');
    expect(await refusalOf(hospital, 'two')).toContain('exactly one active practitioner');
    expect(await refusalOf(hospital, 'nil')).toContain('exactly one active practitioner');
    // Of another system than the configured one.
    expect(await refusalOf(hospital, 'eve')).toContain('does not say which practitioner');
    const whys = (await hospital.scene.server.audit()).filter(({ outcome }) => outcome === '8').map(({ why }) => why);
    expect(whys).toEqual([
      'provider:not-one-practitioner',
      'provider:not-one-practitioner',
      'provider:no-practitioner',
    ]);
  });

  test('with accounts made beforehand only who has one comes in, as whom the operator says', async () => {
    const hospital = await open(
      makePlace,
      { ada: { fhirUser: 'Practitioner/somebody-else' }, eve: { fhirUser: 'Practitioner/p1' } },
      { mapping: { by: 'account' } },
    );
    const { registry } = hospital.scene.server.auth;
    const bind = (subject: string, fhirUser: string) =>
      registry.addAccount(ACT, { username: 'ada', name: 'Dr Ada', fhirUser, subject });
    must(await bind('ada', 'Practitioner/p1'));
    expect(await bind('ada', 'Practitioner/p2')).toMatchObject({ ok: false, fault: { code: 'account.name-taken' } });
    expect(await bind('eve', 'Practitioner/p1')).toMatchObject({ ok: false, fault: { code: 'account.user-taken' } });
    const { access_token: token } = await tokensOf(hospital, 'ada');
    expect(must(await hospital.scene.verify(token)).fhirUser).toBe('Practitioner/p1');
    expect(await refusalOf(hospital, 'eve')).toContain('Nobody has made an account');
  });

  test('nobody becomes a practitioner whom somebody else of the hospital is already', async () => {
    const hospital = await open(makePlace, {
      ada: { fhirUser: 'Practitioner/p1' },
      eve: { fhirUser: 'Practitioner/p1' },
      pat: { fhirUser: 'Patient/p1' },
      nil: {},
    });
    const { access_token: token } = await tokensOf(hospital, 'ada');
    expect(await refusalOf(hospital, 'eve')).toContain('Somebody else signs in here as that practitioner');
    expect(await refusalOf(hospital, 'pat')).toContain('does not say which practitioner');
    expect(await refusalOf(hospital, 'nil')).toContain('does not say which practitioner');
    expect((await hospital.scene.verify(token)).ok).toBe(true);
    // Who is another practitioner from now on loses what was allowed as the first.
    hospital.people.set('ada', { fhirUser: 'Practitioner/p2' });
    const next = await tokensOf(hospital, 'ada');
    expect((await hospital.scene.verify(token)).ok).toBe(false);
    expect(must(await hospital.scene.verify(next.access_token)).fhirUser).toBe('Practitioner/p2');
    // And the first is free for whom the hospital says.
    const eve = await tokensOf(hospital, 'eve');
    expect(must(await hospital.scene.verify(eve.access_token)).fhirUser).toBe('Practitioner/p1');
    hospital.people.set('ada', { fhirUser: 'Practitioner/p1' });
    expect(await refusalOf(hospital, 'ada')).toContain('Somebody else');
  });

  test.each([
    ['out of the group', { fhirUser: 'Practitioner/p1', groups: ['kitchen'] }, 'group'],
    ['no practitioner any more', { groups: ['ward'] }, 'no-practitioner'],
  ])('who is %s loses sessions and tokens at the next sign-in, by name in the audit', async (_what, now, why) => {
    const hospital = await open(
      makePlace,
      { ada: { fhirUser: 'Practitioner/p1', groups: ['ward'] } },
      { groups: ['ward'] },
    );
    const browser = new Browser();
    const { access_token: token } = await tokensOf(hospital, 'ada', browser);
    expect((await hospital.scene.verify(token)).ok).toBe(true);
    hospital.people.set('ada', now);
    await refusalOf(hospital, 'ada');
    expect((await hospital.scene.verify(token)).ok).toBe(false);
    await toProvider(hospital, browser, newPkce().challenge);
    const id = (await accountsOf(hospital)).find(({ origin }) => origin === 'provider')?.id;
    const refused = (await hospital.scene.server.audit()).filter(
      ({ type, outcome }) => type === 'auth.sign-in' && outcome === '8',
    );
    expect(refused).toMatchObject([{ why: `provider:${why}`, actor: id }]);
  });

  test('one person who comes in by two browsers at once for the first time has one account', async () => {
    const hospital = await open(makePlace, { ada: { fhirUser: 'Practitioner/p1' } });
    const tokens = await Promise.all([tokensOf(hospital, 'ada'), tokensOf(hospital, 'ada')]);
    for (const { access_token: token } of tokens) expect((await hospital.scene.verify(token)).ok).toBe(true);
    expect((await accountsOf(hospital)).filter(({ origin }) => origin === 'provider')).toHaveLength(1);
  });

  test('an answer is good once, for the browser and the request that it was asked for, from our provider', async () => {
    const hospital = await open(makePlace, { ada: { fhirUser: 'Practitioner/p1' } });
    const refused = async (browser: Browser, url: string): Promise<number> => {
      const { status, text } = await comeBack(browser, url);
      expect(text).not.toContain('Choose a patient');
      return status;
    };
    // In another browser, such as a victim's.
    const mine = new Browser();
    const answer = await signInThere(await toProvider(hospital, mine, newPkce().challenge), 'ada');
    expect(await refused(new Browser(), answer)).toBe(400);
    // Still good in ours, once.
    expect((await comeBack(mine, answer)).text).toContain('Choose a patient');
    expect(await refused(new Browser(), answer)).toBe(400);
    // The code of one flow under the state of another: nonce and verifier are of the other.
    const [one, two] = [new Browser(), new Browser()];
    const [a, b] = [
      new URL(await signInThere(await toProvider(hospital, one, newPkce().challenge), 'ada')),
      new URL(await signInThere(await toProvider(hospital, two, newPkce().challenge), 'ada')),
    ];
    b.searchParams.set('code', a.searchParams.get('code') ?? '');
    expect(await refused(two, b.href)).toBe(403);
    // The state of another request of the same browser's, and one that we never made.
    const forged = new URL(a.href);
    forged.searchParams.set('state', 'x'.repeat(43));
    expect(await refused(one, forged.href)).toBe(400);
    // Another issuer says that it answers (RFC 9207).
    const mixed = new Browser();
    const swapped = new URL(await signInThere(await toProvider(hospital, mixed, newPkce().challenge), 'ada'));
    swapped.searchParams.set('iss', 'https://idp.evil.example');
    expect(await refused(mixed, swapped.href)).toBe(403);
    swapped.searchParams.set('iss', hospital.issuer);
    expect(await refused(mixed, swapped.href)).toBe(400);
  });

  test('only members of an allowed group come in, and passwords of ours can be switched off', async () => {
    const hospital = await open(
      makePlace,
      {
        ada: { fhirUser: 'Practitioner/p1', groups: ['ward', 'apps'] },
        bob: { fhirUser: 'Practitioner/p2', groups: ['ward'] },
        eve: { fhirUser: 'Practitioner/p3', groups: 'apps-not' },
      },
      { groups: ['apps', 'more-apps'] },
      { localAccounts: 'off' },
    );
    await tokensOf(hospital, 'ada');
    expect(await refusalOf(hospital, 'bob')).toContain('no group');
    expect(await refusalOf(hospital, 'eve')).toContain('no group');
    const { scene, app } = hospital;
    const browser = new Browser();
    const led = await browser.go(scene.authorizeUrl(app, newPkce().challenge));
    const at = new URL(led.headers.get('location') ?? '', scene.server.issuer).href;
    const page = await (await browser.go(at)).text();
    expect([page.includes('http-equiv="refresh"'), page.includes('type="password"')]).toEqual([true, false]);
    const tried = await browser.post(at, [
      ['step', 'sign-in'],
      ['username', 'drsmith'],
      ['password', 'correct horse battery'],
    ]);
    expect(await tried.text()).toContain('Sign in at');
  });

  test('we prove who we are by a key too; an app that wants a fresh sign-in gets one; signing out offers both', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
    const jwk = { kty, crv, x, y, kid: 'k1', alg: 'ES384', use: 'sig' };
    const key = secret(JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'k1' }));
    const hospital = await open(
      makePlace,
      { ada: { fhirUser: 'Practitioner/p1' } },
      { credential: { kind: 'key', key } },
      {},
      {
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: 'ES384',
        keys: [jwk],
      },
    );
    const browser = new Browser();
    const fresh = await toProvider(hospital, browser, newPkce().challenge, { prompt: 'login' });
    expect(new URL(fresh).searchParams.get('prompt')).toBe('login');
    await approve(await signInThere(fresh, 'ada'), {}, browser);
    const { issuer } = hospital.scene.server;
    const out = await browser.post(`${issuer}/sign-out`, [['step', 'sign-out']]);
    const there = /href="([^"]+)">Sign out there too/.exec(await out.text())?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(there.startsWith(`${hospital.issuer}/session/end`)).toBe(true);
    expect(new URL(there).searchParams.get('post_logout_redirect_uri')).toBe(`${issuer}/sign-out`);
  });
});
