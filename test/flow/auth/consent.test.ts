import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ACT, must, newPkce, PASSWORD, Browser, startScene, type App, type Scene } from '../../support/auth-server.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

let place: Place;
let scene: Scene;
let app: App;
beforeAll(async () => {
  place = await sqlitePlace();
  scene = await startScene(place);
  app = await scene.register({ scope: 'launch/patient openid fhirUser offline_access patient/*.cruds' });
});
afterAll(async () => {
  await scene.server.stop();
  await place.remove();
});

const LAB = 'patient/Observation.rs?category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory';
const PROBLEMS = 'patient/Condition.rs?category=http://terminology.hl7.org/CodeSystem/condition-category|problem-list-item';

describe('what is granted', () => {
  test('a person grants parts of a type in place of the whole', async () => {
    const scope = 'launch/patient patient/Condition.rs patient/Observation.rs';
    const tokens = await scene.tokensFor(app, { scope }, { scopes: [LAB, PROBLEMS] });
    expect(tokens.scope.split(' ').sort()).toEqual(['launch/patient', LAB, PROBLEMS].sort());
    expect(must(await scene.verify(tokens.access_token)).scopes.map(({ type, filter }) => [type, filter.length])).toEqual([
      ['Condition', 1],
      ['Observation', 1],
    ]);
  });

  test('a person grants some of the scopes, and never one that was not asked for', async () => {
    const scope = 'launch/patient patient/Condition.rs patient/Observation.rs';
    const tokens = await scene.tokensFor(app, { scope }, { scopes: ['patient/Condition.rs', 'patient/Patient.rs', 'user/*.rs'] });
    expect(tokens.scope).toBe('launch/patient patient/Condition.rs');
  });

  test.each([
    ['patient/Observation.read', 'patient/Observation.read'],
    ['patient/Observation.cruds', 'patient/Observation.rs'],
    ['patient/Observation.*', 'patient/Observation.read'],
    ['patient/*.read', 'patient/*.read'],
    [LAB, LAB],
    [
      'patient/Observation.r patient/Observation.dus patient/Observation.rs?_filter=x patient/Observation.rs?code:in=y nix',
      'patient/Observation.r',
    ],
    ['patient/Observation.rs user/*.rs system/*.rs', 'patient/Observation.rs'],
  ])('%s is granted as %s', async (scope, granted) => {
    expect((await scene.tokensFor(app, { scope })).scope).toBe(granted);
  });
});

describe('signing in', () => {
  /** The answer to one try: its status and whether it went on. */
  async function tryOne(of: Scene, username: string, password: string): Promise<[number, string]> {
    const browser = new Browser();
    const start = await browser.go(of.authorizeUrl(app, newPkce().challenge, { client_id: (await only(of)).id }));
    const url = new URL(start.headers.get('location') ?? '', of.server.issuer).href;
    const answer = await browser.post(url, [
      ['step', 'sign-in'],
      ['username', username],
      ['password', password],
    ]);
    return [answer.status, (await answer.text()).replace(/interaction\/[\w-]+/g, '')];
  }
  const apps = new Map<Scene, App>();
  const only = async (of: Scene): Promise<App> => {
    const found = apps.get(of) ?? (await of.register());
    apps.set(of, found);
    return found;
  };

  test('every failure is answered by the same page, whether the name exists, the password is wrong or the account locked', async () => {
    const wrong = await tryOne(scene, 'drsmith', 'wrong password here');
    const unknown = await tryOne(scene, 'nobody', PASSWORD);
    expect(wrong[0]).toBe(401);
    expect(unknown).toEqual(wrong);
    expect((await tryOne(scene, 'DrSmith', PASSWORD))[0]).toBe(303);
    must(
      await scene.server.auth.registry.addAccount(ACT, {
        username: 'locked',
        name: 'L',
        fhirUser: 'Practitioner/l',
        password: PASSWORD,
      }),
    );
    for (let i = 0; i < 5; i += 1) await tryOne(scene, 'locked', 'wrong password here');
    expect(await tryOne(scene, 'locked', PASSWORD)).toEqual(wrong);
    expect((await tryOne(scene, 'drsmith', PASSWORD))[0]).toBe(303);
    const why = (await scene.server.audit())
      .filter(({ type, outcome }) => type === 'auth.sign-in' && outcome === '8')
      .map((one) => one['why']);
    expect(new Set(why)).toEqual(new Set(['wrong-password', 'unknown-name', 'locked']));
  });

  test('twenty guesses at once lock as twenty in a row do', async () => {
    must(
      await scene.server.auth.registry.addAccount(ACT, {
        username: 'burst',
        name: 'B',
        fhirUser: 'Practitioner/b',
        password: PASSWORD,
      }),
    );
    await Promise.all(Array.from({ length: 20 }, () => tryOne(scene, 'burst', 'wrong password here')));
    expect((await tryOne(scene, 'burst', PASSWORD))[0]).toBe(401);
  });
});
