import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  ACT,
  Browser,
  must,
  newPkce,
  PASSWORD,
  SCOPE,
  startScene,
  type App,
  type Scene,
} from '../../support/auth-server.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

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
const WITH_ENCOUNTER = `launch/encounter ${SCOPE}`;

test('a person chooses one of the patient’s encounters, and the token is about it', async () => {
  const tokens = await scene.tokensFor(app, { scope: WITH_ENCOUNTER }, { patient: 'pat-5' });
  expect(tokens).toMatchObject({ patient: 'pat-5', encounter: 'enc-of-pat-5', scope: WITH_ENCOUNTER });
  expect(must(await scene.verify(tokens.access_token))).toMatchObject({ patient: 'pat-5', encounter: 'enc-of-pat-5' });
  const { body } = await scene.post('token', {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
    client_id: app.id,
  });
  expect(body).toMatchObject({ patient: 'pat-5', encounter: 'enc-of-pat-5' });
  const told = await scene.post('introspect', { token: tokens.access_token, client_id: app.id });
  expect(told.body).toMatchObject({ active: true, encounter: 'enc-of-pat-5' });
  const shown = (await scene.server.audit()).filter(({ resourceType }) => resourceType === 'Encounter');
  expect(shown).toEqual([
    expect.objectContaining({ type: 'fhir.search', why: 'encounters', chartHash: expect.any(String) }),
  ]);
});

test('an encounter is asked for with its patient, though only the encounter was', async () => {
  const tokens = await scene.tokensFor(app, { scope: 'launch/encounter user/Practitioner.rs' }, { patient: 'pat-6' });
  expect(tokens).toMatchObject({ patient: 'pat-6', encounter: 'enc-of-pat-6' });
});

test('who did not ask is asked nothing', async () => {
  expect((await scene.tokensFor(app, {}, { patient: 'pat-5' }))['encounter']).toBeUndefined();
});

/** Signs in and stops at the first page behind it. */
async function signedIn(params: Record<string, string>) {
  const [browser, { challenge, verifier }] = [new Browser(), newPkce()];
  let url = scene.authorizeUrl(app, challenge, params);
  for (let step = 0; step < 6; step += 1) {
    const answer = await browser.go(url);
    const location = answer.headers.get('location');
    const page = location === null ? await answer.text() : '';
    if (location !== null) url = new URL(location, url).href;
    else if (page.includes('<title>Sign in')) {
      const form = Object.entries({ step: 'sign-in', username: 'drsmith', password: PASSWORD });
      url = new URL((await browser.post(url, form)).headers.get('location') ?? '', url).href;
    } else return { page, verifier, post: (form: Record<string, string>) => browser.post(url, Object.entries(form)) };
  }
  throw new Error('not signed in');
}

test.each([
  ['the patient has none', 'pat-2', {}, 'this patient has no encounter to choose'],
  ['the person chose none', 'pat-5', { encounter: '' }, 'none was chosen'],
  ['they could not be listed and the person went on', 'pat-3', { encounter: '' }, 'none was chosen'],
])('without an encounter the app gets none and it is said: %s', async (_name, patient, more, because) => {
  const { post } = await signedIn({ scope: WITH_ENCOUNTER });
  expect(await (await post({ step: 'encounter', patient, ...more })).text()).toContain(`gets none: ${because}.`);
  const tokens = await scene.tokensFor(app, { scope: WITH_ENCOUNTER }, { patient, ...more });
  expect([tokens['patient'], tokens['encounter'], tokens.scope]).toEqual([patient, undefined, SCOPE]);
});

test('a launch without an encounter says so, and one with an encounter shows it', async () => {
  const scope = `launch ${WITH_ENCOUNTER}`;
  const without = must(await scene.server.auth.registry.addLaunch(ACT, { patient: 'pat-5' }));
  expect((await signedIn({ scope, launch: without.launch })).page).toContain('gets none: this launch is about none.');
  const made = must(await scene.server.auth.registry.addLaunch(ACT, { patient: 'pat-5', encounter: 'enc-of-pat-5' }));
  expect((await signedIn({ scope, launch: made.launch })).page).toMatch(
    /For which encounter<\/dt>\s*<dd><strong>Office visit<\/strong>/,
  );
});

test('another encounter written into the form of a launch changes nothing', async () => {
  const made = must(await scene.server.auth.registry.addLaunch(ACT, { patient: 'pat-5', encounter: 'enc-of-pat-5' }));
  const params = { scope: `launch ${WITH_ENCOUNTER}`, launch: made.launch };
  const tokens = await scene.tokensFor(app, params, { patient: 'pat-9', encounter: 'enc-of-pat-9' });
  expect(tokens).toMatchObject({ patient: 'pat-5', encounter: 'enc-of-pat-5' });
});

test.each(['enc-of-pat-6', 'enc-of-nobody', '../Encounter/enc-of-pat-6', "'><script>"])(
  'the encounter %s is not one of the patient, whatever step says so',
  async (encounter) => {
    for (const step of ['encounter', 'allow']) {
      const { post } = await signedIn({ scope: WITH_ENCOUNTER });
      const answer = await post({ step, patient: 'pat-5', encounter, scope: 'patient/*.rs' });
      const page = await answer.text();
      expect([answer.status, page.includes('Choose an encounter from the list.')]).toEqual([200, true]);
      expect(page).not.toContain('enc-of-pat-6');
      expect(page).not.toContain('<script');
    }
  },
);

test('encounters that cannot be listed are said to be so, with a way on', async () => {
  const { post } = await signedIn({ scope: WITH_ENCOUNTER });
  const answer = await post({ step: 'patient', patient: 'pat-3' });
  const page = await answer.text();
  expect([answer.status, page.includes('cannot be listed'), page.includes('Go on without')]).toEqual([503, true, true]);
});
