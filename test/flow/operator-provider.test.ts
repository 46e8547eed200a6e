import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { secret } from '../../src/kernel/index.ts';
import type { Role } from '../../src/operators/index.ts';
import { PLACES, type Place } from '../support/new-store.ts';
import { openDesk, PUBLIC_URL, type Browser } from '../support/operator-desk.ts';
import { signInThere, startOpenIdProvider } from '../support/openid-provider.ts';
import { stopAfterTest } from '../support/stop-after-test.ts';

// Comparing a password is slow by design, and slower on a busy machine.
jest.setTimeout(120_000);

const CLIENT = { id: 'chartgate', secret: 'client-secret-of-the-provider' };

// It warns of everything that a provider for real people must have.
beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  jest.spyOn(console, 'info').mockImplementation(() => undefined);
});

async function openDeskWithProvider(makePlace: () => Promise<Place>) {
  const people = new Map([['ada', { groups: ['it-leads', 'it-interfaces'] }]]);
  const { issuer, stop } = await startOpenIdProvider(
    { client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [`${PUBLIC_URL}/operator/provider/back`] },
    people,
  );
  stopAfterTest(stop);
  const desk = await openDesk({
    makePlace,
    provider: {
      issuer,
      clientId: CLIENT.id,
      clientSecret: secret(CLIENT.secret),
      groupsClaim: 'groups',
      groups: new Map<string, readonly Role[]>([
        ['it-leads', ['administrator']],
        ['it-interfaces', ['engineer']],
      ]),
    },
  });
  const flowOf = (headers: Headers): string =>
    /^(__Host-chartgate-operator-flow=[\w-]+)/.exec(headers.getSetCookie()[0] ?? '')?.[1] ?? '';
  const start = async (browser: Browser, purpose = '') => {
    const led = await browser.ask('GET', `/operator/provider/start${purpose}`);
    return { to: led.headers.get('location') ?? '', flow: flowOf(led.headers) };
  };
  const goBack = (browser: Browser, url: string, cookie: string) => {
    const { pathname, search } = new URL(url);
    return browser.ask('GET', pathname + search, undefined, { cookie, origin: null });
  };
  return { desk, people, start, goBack };
}

describe.each(PLACES)('on %s', (_engine, makePlace) => {
  test('a person of the provider comes in with the roles of their groups, read anew each time', async () => {
    const { desk, people, start, goBack } = await openDeskWithProvider(makePlace);
    const browser = desk.browser();
    const first = await start(browser);
    const asked = new URL(first.to).searchParams;
    expect([asked.get('code_challenge_method'), asked.has('nonce'), asked.has('state')]).toEqual(['S256', true, true]);
    const led = await goBack(browser, await signInThere(first.to, 'ada'), first.flow);
    expect([led.status, led.headers.get('location')]).toEqual([303, '/operator/sign-in']);
    const who = await browser.session('GET', '');
    expect(who.body).toMatchObject({
      name: 'ada',
      displayName: 'Person ada',
      roles: ['engineer', 'administrator'],
      stage: 'signed-in',
      signsInBy: 'provider',
      provedAt: null,
    });
    expect((await browser.ask('GET', '/admin/api/probe')).status).toBe(200);
    // What asks for a second proof sends them to the provider again.
    const add = () =>
      browser.ask('POST', '/admin/api/operators', { name: 'eve', displayName: 'Eve', roles: ['viewer'] });
    expect((await add()).body['code']).toBe('operator.proof-needed');
    expect((await browser.session('POST', '/proof', { password: 'x' })).body['code']).toBe('operator.of-provider');

    people.set('ada', { groups: ['it-interfaces'] });
    const again = desk.browser();
    const second = await start(again);
    await goBack(again, await signInThere(second.to, 'ada'), second.flow);
    expect((await again.session('GET', '')).body).toMatchObject({ id: who.body['id'], roles: ['engineer'] });
    // The session from before has no more than that either.
    expect((await browser.session('GET', '')).body['roles']).toEqual(['engineer']);
  });

  test('who is in no group that has a role stays out, and so does an answer that is not to our question', async () => {
    const { desk, start, goBack } = await openDeskWithProvider(makePlace);
    const refused = { status: 303, location: '/operator/sign-in?wrong=operator.refused' };
    const outcome = async (url: string, cookie: string) => {
      const browser = desk.browser();
      const { status, headers } = await goBack(browser, url, cookie);
      expect(browser.cookie).toBeNull();
      return { status, location: headers.get('location') };
    };
    const eve = await start(desk.browser());
    expect(await outcome(await signInThere(eve.to, 'eve'), eve.flow)).toEqual(refused);

    const [mine, other] = [await start(desk.browser()), await start(desk.browser())];
    const answer = await signInThere(mine.to, 'ada');
    // Somebody else's flow, no flow, another state, and the same answer once more.
    expect(await outcome(answer, other.flow)).toEqual(refused);
    expect(await outcome(answer, '')).toEqual(refused);
    const fresh = await start(desk.browser());
    const swapped = new URL(await signInThere(fresh.to, 'ada'));
    swapped.searchParams.set('state', 'x');
    expect(await outcome(swapped.href, fresh.flow)).toEqual(refused);
    const once = await start(desk.browser());
    const used = await signInThere(once.to, 'ada');
    const good = desk.browser();
    await goBack(good, used, once.flow);
    expect(good.cookie).not.toBeNull();
    expect(await outcome(used, once.flow)).toEqual(refused);
    const whys = (await desk.records()).map(({ why }) => why);
    expect(whys).toEqual(
      expect.arrayContaining(['provider:no-role', 'provider:no-flow', 'provider:answer', 'provider']),
    );
  });

  test('without a provider there is no way to one; one that does not answer is said not to', async () => {
    const none = await openDesk({ makePlace });
    expect((await none.browser().ask('GET', '/operator/provider/start')).body['code']).toBe('operator.no-provider');
    const away = await openDesk({
      makePlace,
      provider: {
        issuer: 'http://127.0.0.1:1',
        clientId: 'x',
        clientSecret: secret('x'),
        groupsClaim: 'groups',
        groups: new Map(),
      },
    });
    expect((await away.browser().ask('GET', '/operator/provider/start')).body['code']).toBe('operator.provider');
  });
});
