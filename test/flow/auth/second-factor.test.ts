import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { ACT, Browser, must, newPkce, PASSWORD, startScene, type App, type Scene } from '../../support/auth-server.ts';
import { movedClock } from '../../support/clock.ts';
import { PLACES, type Place } from '../../support/new-store.ts';

// Comparing a password is slow by design, and slower on a busy machine.
jest.setTimeout(120_000);

describe.each(PLACES)('the second factor of people of ours on %s', (_engine, makePlace) => {
  let place: Place;
  let scene: Scene;
  let app: App;
  const clock = movedClock();
  beforeAll(async () => {
    place = await makePlace();
    scene = await startScene(place, { clock, signIn: { secondFactor: 'everybody' } });
    app = await scene.register();
  });
  afterAll(async () => {
    await scene.server.stop();
    await place.remove();
  });

  const codeOf = (secret: string, ms = 0): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() + ms });
  let people = 0;
  const newPerson = async () => {
    people += 1;
    const username = `person${people}`;
    const given = { username, name: username, fhirUser: `Practitioner/p${people}`, password: PASSWORD };
    return { username, id: must(await scene.server.auth.registry.addAccount(ACT, given)).id };
  };
  const titleOf = (text: string): string => (/<title>([^·<]+)/.exec(text)?.[1] ?? '').trim();

  /** A request of the app, as far as the password; answers the page that follows. */
  async function afterPassword(username: string, browser = new Browser()) {
    const led = await browser.go(scene.authorizeUrl(app, newPkce().challenge));
    const at = new URL(led.headers.get('location') ?? '', scene.server.issuer).href;
    const form = [
      ['step', 'sign-in'],
      ['username', username],
      ['password', PASSWORD],
    ] as const;
    const text = await (await browser.post(at, form)).text();
    const secret = /Key: <span class="scope">([A-Z2-7]+)</.exec(text)?.[1] ?? '';
    const send = async (code: string) => {
      const answer = await browser.post(at, [
        ['step', 'code'],
        ['code', code],
      ]);
      return { status: answer.status, text: await answer.text(), to: answer.headers.get('location') };
    };
    return { at, text, secret, send, browser };
  }
  /** Adds the app of somebody new. */
  async function enrol() {
    const person = await newPerson();
    const { secret, send } = await afterPassword(person.username);
    expect((await send(codeOf(secret))).status).toBe(303);
    return { ...person, secret };
  }

  test('is added at the first sign-in, and asked for at each one after', async () => {
    const person = await newPerson();
    const first = await afterPassword(person.username);
    expect([titleOf(first.text), first.text.includes('src="data:image/svg+xml')]).toEqual([
      'Add an authenticator app',
      true,
    ]);
    // Mistyped: the same key is still to be added.
    const wrong = await first.send('000000');
    expect([wrong.status, wrong.text.includes(first.secret)]).toEqual([401, true]);
    const done = await first.send(codeOf(first.secret));
    expect([done.status, done.to]).toEqual([303, expect.stringContaining('/auth/authorize/')]);
    const shown = must(await scene.server.auth.registry.accounts()).find(({ id }) => id === person.id);
    expect(shown?.secondFactor).toBe('totp');

    clock.advance(60_000);
    const second = await afterPassword(person.username);
    expect([titleOf(second.text), second.secret]).toEqual(['Second factor', '']);
    expect((await second.send(`${codeOf(first.secret).slice(0, 3)} ${codeOf(first.secret).slice(3)}`)).status).toBe(
      303,
    );
    const whys = (await scene.server.audit())
      .filter(({ type, actor }) => type === 'auth.sign-in' && actor === person.id)
      .map(({ why, outcome, issuer }) => [why, outcome, issuer === scene.server.issuer]);
    expect(whys).toEqual([
      ['password', '0', true],
      ['wrong-code', '8', true],
      ['add-totp', '0', true],
      ['password', '0', true],
      ['code', '0', true],
    ]);
  });

  test('a password alone opens nothing, and a code without its password neither', async () => {
    const { username, secret } = await enrol();
    const { at, browser } = await afterPassword(username);
    // Asking for the page of the request again shows the sign-in, not the patients.
    expect(titleOf(await (await browser.go(at)).text())).toBe('Sign in');
    // Another request of the same browser, with a right code.
    const led = await browser.go(scene.authorizeUrl(app, newPkce().challenge));
    const other = new URL(led.headers.get('location') ?? '', scene.server.issuer).href;
    clock.advance(60_000);
    const form = [
      ['step', 'code'],
      ['code', codeOf(secret)],
    ] as const;
    const answer = await browser.post(other, form);
    expect([answer.status, titleOf(await answer.text())]).toEqual([200, 'Sign in']);
    // Another browser cannot go on with the request of the first.
    expect((await new Browser().post(at, form)).status).toBe(400);
  });

  test('a code is good once, also in another browser at the same moment', async () => {
    const { username, secret } = await enrol();
    clock.advance(60_000);
    const [one, two] = [await afterPassword(username), await afterPassword(username)];
    const code = codeOf(secret);
    const both = await Promise.all([one.send(code), two.send(code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 401]);
    const third = await afterPassword(username);
    expect((await third.send(code)).status).toBe(401);
    // Nor is one of the step before, which was still good then.
    expect((await third.send(codeOf(secret, -30_000))).status).toBe(401);
  });

  test('after several wrong codes the right one must wait, from wherever it comes; the owner is not kept out for ever', async () => {
    const { username, id, secret } = await enrol();
    clock.advance(60_000);
    const guess = await afterPassword(username);
    const tries: number[] = [];
    for (let n = 0; n < 6; n += 1) tries.push((await guess.send('123456')).status);
    expect(tries).toEqual([401, 401, 401, 401, 401, 429]);
    const owner = await afterPassword(username);
    expect((await owner.send(codeOf(secret))).status).toBe(429);
    must(await scene.server.auth.registry.unlockAccount(ACT, id));
    expect((await owner.send(codeOf(secret))).status).toBe(303);
  });

  test('wrong codes count as wrong passwords do, until somebody has signed in', async () => {
    const { username, id, secret } = await enrol();
    clock.advance(60_000);
    const wrongTries = async () =>
      must(await scene.server.auth.registry.accounts()).find((one) => one.id === id)?.wrongTries;
    const guess = await afterPassword(username);
    await guess.send('123456');
    await guess.send('123456');
    expect(await wrongTries()).toBe(2);
    // The password alone is no sign-in.
    const owner = await afterPassword(username);
    expect(await wrongTries()).toBe(2);
    expect((await owner.send(codeOf(secret))).status).toBe(303);
    expect(await wrongTries()).toBe(0);
  });

  test.each(['password', 'factor'] as const)(
    'who has begun with what was then reset (%s) adds no app',
    async (what) => {
      const { username, id } = await newPerson();
      const thief = await afterPassword(username);
      expect(thief.secret).not.toBe('');
      const { registry } = scene.server.auth;
      must(
        what === 'password'
          ? await registry.resetPassword(ACT, id, 'another password of theirs')
          : await registry.resetFactor(ACT, id),
      );
      const tried = await thief.send(codeOf(thief.secret));
      expect([tried.status, titleOf(tried.text)]).toEqual([200, 'Sign in']);
      expect(must(await registry.accounts()).find((one) => one.id === id)?.secondFactor).toBe('none');
    },
  );

  test('who has signed in and waits with the answer finds nothing after a reset', async () => {
    const { username, id, secret } = await enrol();
    clock.advance(60_000);
    const { send, browser } = await afterPassword(username);
    const { to } = await send(codeOf(secret));
    const { registry } = scene.server.auth;
    must(await registry.resetPassword(ACT, id, 'another password of theirs'));
    expect((await browser.go(new URL(to ?? '', scene.server.issuer).href)).status).toBe(400);
    const { grants } = must(await registry.grants({ of: { kind: 'account', id }, cursor: undefined, limit: 9 }));
    expect(grants).toEqual([]);
  });

  test('an operator takes it away, and everything that was open ends', async () => {
    const { username, id, secret } = await enrol();
    clock.advance(60_000);
    const { send, browser } = await afterPassword(username);
    const led = await send(codeOf(secret));
    expect((await browser.go(new URL(led.to ?? '', scene.server.issuer).href)).status).toBe(303);
    const { registry } = scene.server.auth;
    const sessions = async () =>
      must(await registry.grants({ of: { kind: 'account', id }, cursor: undefined, limit: 9 })).grants.length;
    expect(await sessions()).toBe(1);
    must(await registry.resetFactor(ACT, id));
    expect(await sessions()).toBe(0);
    const again = await afterPassword(username);
    expect([titleOf(again.text), again.secret === secret]).toEqual(['Add an authenticator app', false]);
    expect((await registry.resetFactor(ACT, 'usr_nobody')).ok).toBe(false);
  });
});
