import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  ACT,
  approve,
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
  app = await scene.register({ launchUrl: 'https://app.example/launch?theme=dark' });
});
afterAll(async () => {
  await scene.server.stop();
  await place.remove();
});
const launches = () => scene.server.auth.registry;
const EHR_SCOPE = `launch launch/encounter ${SCOPE.replace('launch/patient ', '')}`;

test('a launch brings its patient and encounter, and nobody is asked for one', async () => {
  const made = must(
    await launches().addLaunch(ACT, {
      mrn: 'MRN4',
      encounter: 'enc-of-pat-4',
      clientId: app.id,
      needPatientBanner: false,
    }),
  );
  const url = new URL(made.url ?? '');
  expect([url.origin + url.pathname, url.searchParams.get('theme'), url.searchParams.get('iss')]).toEqual([
    'https://app.example/launch',
    'dark',
    scene.server.fhir,
  ]);
  const launch = url.searchParams.get('launch') ?? '';
  const tokens = await scene.tokensFor(app, { scope: EHR_SCOPE, launch }, { patient: 'pat-9' });
  expect(tokens).toMatchObject({
    patient: 'pat-4',
    encounter: 'enc-of-pat-4',
    need_patient_banner: false,
    scope: EHR_SCOPE,
  });
  expect(must(await scene.verify(tokens.access_token))).toMatchObject({ patient: 'pat-4', encounter: 'enc-of-pat-4' });
  const renewed = await scene.post('token', {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
    client_id: app.id,
  });
  expect(renewed.body).toMatchObject({ patient: 'pat-4', encounter: 'enc-of-pat-4' });
  // Used once, it is gone.
  const again = await fetch(scene.authorizeUrl(app, 'c'.repeat(43), { scope: EHR_SCOPE, launch }), {
    redirect: 'manual',
  });
  expect(again.headers.get('location')).toContain('error=invalid_request');
});

test('another patient written into the form of a launch changes nothing, and two who use one launch get one token', async () => {
  const { launch } = must(await launches().addLaunch(ACT, { patient: 'pat-3', clientId: app.id }));
  const open = async () => {
    const [browser, { challenge, verifier }] = [new Browser(), newPkce()];
    let url = scene.authorizeUrl(app, challenge, { scope: EHR_SCOPE, launch });
    for (let step = 0; step < 6; step += 1) {
      const answer = await browser.go(url);
      const location = answer.headers.get('location');
      if (location !== null) url = new URL(location, url).href;
      else if ((await answer.text()).includes('<title>Sign in')) {
        const form = Object.entries({ step: 'sign-in', username: 'drsmith', password: PASSWORD });
        url = new URL((await browser.post(url, form)).headers.get('location') ?? '', url).href;
      } else return { browser, verifier, url };
    }
    throw new Error('no consent');
  };
  const [first, second] = [await open(), await open()];
  const form = Object.entries({ step: 'allow', patient: 'pat-9', scope: 'patient/*.rs' });
  const answer = await first.browser.post(first.url, form);
  const back = await approve(answer.headers.get('location') ?? '', {}, first.browser);
  const { body } = await scene.exchange(app, back.searchParams.get('code') ?? '', first.verifier);
  expect(body).toMatchObject({ patient: 'pat-3' });
  const late = await second.browser.post(second.url, form);
  expect([late.status, late.headers.get('location')]).toEqual([400, null]);
});

test('a launch of one app is worth nothing to another', async () => {
  const made = must(await launches().addLaunch(ACT, { patient: 'pat-2', clientId: app.id }));
  const other = await scene.register();
  const answer = await fetch(scene.authorizeUrl(other, 'c'.repeat(43), { scope: EHR_SCOPE, launch: made.launch }), {
    redirect: 'manual',
  });
  expect(answer.headers.get('location')).toContain('error=invalid_request');
});

test('a launch without an encounter grants no launch/encounter', async () => {
  const made = must(await launches().addLaunch(ACT, { patient: 'pat-2' }));
  expect(made.url).toBeNull();
  const tokens = await scene.tokensFor(app, { scope: EHR_SCOPE, launch: made.launch });
  expect([tokens['encounter'], tokens.scope.includes('launch/encounter'), tokens['need_patient_banner']]).toEqual([
    undefined,
    false,
    true,
  ]);
});

test.each([
  [{ mrn: 'MRN999' }, 'launch.patient'],
  [{ patient: 'pat-999' }, 'launch.patient'],
  [{ patient: 'pat-1', encounter: 'enc-of-pat-2' }, 'launch.patient'],
  [{ patient: 'pat-1', mrn: 'MRN1' }, 'admin.parameter'],
  [{}, 'admin.parameter'],
  [{ patient: 'pat-1', clientId: 'app_none' }, 'client.not-found'],
  [{ patient: 'pat-1', more: 1 }, 'admin.parameter'],
  ['nix', 'admin.parameter'],
])('a launch for %j is refused with %s', async (given, code) => {
  expect(await launches().addLaunch(ACT, given)).toMatchObject({ ok: false, fault: { code } });
});

test('a launch brings its intent and what else it is about, of types that the token can read alone', async () => {
  const fhirContext = [
    { reference: 'Observation/o-1', role: 'https://ehr.example/role' },
    { reference: 'Task/t-1' },
    { reference: 'ImagingStudy/i-1' },
  ];
  const given = { patient: 'pat-5', clientId: app.id, intent: 'reconcile-medications', fhirContext };
  const { launch } = must(await launches().addLaunch(ACT, given));
  const scope = 'launch openid offline_access patient/Observation.rs patient/Task.r patient/ImagingStudy.s';
  const tokens = await scene.tokensFor(app, { scope, launch });
  expect(tokens).toMatchObject({
    patient: 'pat-5',
    intent: 'reconcile-medications',
    need_patient_banner: true,
    smart_style_url: expect.stringContaining('/auth/style-'),
    fhirContext: fhirContext.slice(0, 2),
  });
  const renewed = await scene.post('token', {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
    client_id: app.id,
    scope: 'launch openid offline_access patient/Task.r',
  });
  expect(renewed.body).toMatchObject({ intent: 'reconcile-medications', fhirContext: [{ reference: 'Task/t-1' }] });
  const asked = await scene.post('introspect', { token: tokens.access_token, client_id: app.id });
  expect(asked.body).toMatchObject({ active: true, patient: 'pat-5', fhirContext: fhirContext.slice(0, 2) });
  for (const [at, wrong] of [
    ['intent', { intent: '<b>' }],
    ['fhirContext[0]', { fhirContext: [{ reference: 'Patient/pat-6' }] }],
    ['fhirContext[0]', { fhirContext: [{ reference: 'Encounter/enc-of-pat-6', role: 'https://ehr.example/x' }] }],
  ] as const)
    expect(await launches().addLaunch(ACT, { patient: 'pat-5', ...wrong })).toMatchObject({ ok: false, fault: { at } });
});
