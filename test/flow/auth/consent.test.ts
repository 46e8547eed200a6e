import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ACT, must, newPkce, PASSWORD, Browser, startScene, type App, type Scene } from '../../support/auth-server.ts';
import { testClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
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
const PROBLEMS =
  'patient/Condition.rs?category=http://terminology.hl7.org/CodeSystem/condition-category|problem-list-item';

describe('what is granted', () => {
  test('a person grants parts of a type in place of the whole', async () => {
    const scope = 'launch/patient patient/Condition.rs patient/Observation.rs';
    const tokens = await scene.tokensFor(app, { scope }, { scopes: [LAB, PROBLEMS] });
    expect(tokens.scope.split(' ').sort()).toEqual(['launch/patient', LAB, PROBLEMS].sort());
    expect(
      must(await scene.verify(tokens.access_token)).scopes.map(({ type, filter }) => [type, filter.length]),
    ).toEqual([
      ['Condition', 1],
      ['Observation', 1],
    ]);
  });

  test('a person grants some of the scopes, and never one that was not asked for', async () => {
    const scope = 'launch/patient patient/Condition.rs patient/Observation.rs';
    const tokens = await scene.tokensFor(
      app,
      { scope },
      { scopes: ['patient/Condition.rs', 'patient/Patient.rs', 'user/*.rs'] },
    );
    expect(tokens.scope).toBe('launch/patient patient/Condition.rs');
  });

  test.each([
    ['patient/Observation.read', 'patient/Observation.read'],
    ['patient/Observation.cruds', 'patient/Observation.rs'],
    ['patient/Observation.*', 'patient/Observation.read'],
    ['patient/*.read', 'patient/*.read'],
    [LAB, LAB],
    ['patient/Foo.rs patient/Patient.rs patient/patient.rs', 'patient/Patient.rs'],
    [
      'patient/Observation.r patient/Observation.dus patient/Observation.rs?_filter=x patient/Observation.rs?code:in=y nix',
      'patient/Observation.r',
    ],
    ['patient/Observation.rs user/*.rs system/*.rs', 'patient/Observation.rs'],
  ])('%s is granted as %s', async (scope, granted) => {
    expect((await scene.tokensFor(app, { scope })).scope).toBe(granted);
  });
});

describe('an app that is registered for a part of a type', () => {
  const VITALS = LAB.replace('laboratory', 'vital-signs');
  let narrow: App;
  beforeAll(async () => {
    narrow = await scene.register({ scope: `launch/patient patient/Patient.rs ${LAB}` });
  });

  test.each([
    [LAB, LAB],
    [VITALS, null],
    ['patient/Observation.rs', null],
    ['patient/Observation.rs?code=laboratory', null],
    [LAB.replace('/observation-category', '/other-category'), null],
    ['patient/*.rs', null],
    [LAB.replace('.rs', '.r'), LAB.replace('.rs', '.r')],
    [LAB.replace('patient/', 'user/'), null],
  ])('that asks for %s gets %s of it', async (asked, granted) => {
    const { scope } = await scene.tokensFor(narrow, { scope: `patient/Patient.rs ${asked}` });
    expect(scope).toBe(granted === null ? 'patient/Patient.rs' : `patient/Patient.rs ${granted}`);
  });
});

test('an app is not registered for a type that FHIR has not', async () => {
  const registration = { name: 'A', kind: 'public', redirectUris: ['https://app.example/cb'] };
  for (const [scope, code] of [
    ['patient/Foo.rs', 'admin.parameter'],
    ['patient/Patient.rs user/Observaton.rs', 'admin.parameter'],
    ['patient/Patient.rs user/Observation.rs', undefined],
  ] as const) {
    const added = await scene.server.auth.registry.addClient(ACT, { ...registration, scope });
    expect([scope, added.ok ? undefined : added.fault.code]).toEqual([scope, code]);
  }
});

describe('signing in', () => {
  /** The answer to one try: its status and whether it went on. */
  async function tryOne(of: Scene, username: string, password: string, address?: string): Promise<[number, string]> {
    const browser = new Browser(address === undefined ? {} : { 'x-forwarded-for': address });
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

  test('every failure is answered by the same page, whether the name exists or the password is wrong', async () => {
    const wrong = await tryOne(scene, 'drsmith', 'wrong password here');
    const unknown = await tryOne(scene, 'nobody', PASSWORD);
    expect(wrong[0]).toBe(401);
    expect(unknown).toEqual(wrong);
    expect((await tryOne(scene, 'DrSmith', PASSWORD))[0]).toBe(303);
    const why = (await scene.server.audit())
      .filter(({ type, outcome }) => type === 'auth.sign-in' && outcome === '8')
      .map((one) => one['why']);
    expect(new Set(why)).toEqual(new Set(['wrong-password', 'unknown-name']));
  });

  describe('after wrong passwords', () => {
    let own: Place;
    let hospital: Scene;
    let clock: ReturnType<typeof testClock>;
    beforeEach(async () => {
      own = await sqlitePlace();
      clock = testClock(new Date().toISOString());
      hospital = await startScene(own, { clock, trustProxy: ['127.0.0.1', '::1'] });
    });
    afterEach(async () => {
      await hospital.server.stop();
      await own.remove();
    });
    const OWNER = '198.51.100.7';
    const ATTACKER = '203.0.113.9';
    const statusOf = async (address: string, password: string, username = 'drsmith'): Promise<number> =>
      (await tryOne(hospital, username, password, address))[0];
    const guess = (address: string, username?: string): Promise<number> =>
      statusOf(address, 'wrong password here', username);

    test('an address waits for that account, and the right password gets through after it', async () => {
      for (let n = 0; n < 5; n += 1) expect(await guess(ATTACKER)).toBe(401);
      expect([await guess(ATTACKER), await statusOf(ATTACKER, PASSWORD)]).toEqual([429, 429]);
      clock.advance(10_000);
      expect(await statusOf(ATTACKER, PASSWORD)).toBe(303);
      expect(await guess(ATTACKER)).toBe(401);
      expect(await statusOf(ATTACKER, PASSWORD)).toBe(303);
    });

    test('nobody else waits: whoever guesses cannot keep the owner out', async () => {
      for (let n = 0; n < 8; n += 1) await guess(ATTACKER);
      expect(await statusOf(OWNER, PASSWORD)).toBe(303);
      expect(await guess(OWNER)).toBe(401);
      expect(await statusOf(OWNER, PASSWORD)).toBe(303);
    });

    test('twenty at once are as twenty in a row', async () => {
      await only(hospital);
      const answers = await Promise.all(Array.from({ length: 20 }, () => guess(ATTACKER)));
      expect(answers.filter((status) => status === 401)).toHaveLength(5);
      expect(await statusOf(ATTACKER, PASSWORD)).toBe(429);
    });

    test('a name that nobody has waits alike', async () => {
      for (const name of ['drsmith', 'nobody']) {
        const answers = [];
        for (let n = 0; n < 6; n += 1) answers.push(await guess(ATTACKER, name));
        expect([name, answers]).toEqual([name, [401, 401, 401, 401, 401, 429]]);
      }
    });

    test('the wait is in the audit, and the operator sees how often it was tried', async () => {
      for (let n = 0; n < 6; n += 1) await guess(ATTACKER);
      const waits = await eventually(
        async () => (await hospital.server.audit()).filter(({ why }) => why === 'sign-in:wait'),
        (found) => found.length > 0,
      );
      expect(waits).toMatchObject([{ type: 'auth.reject', outcome: '8' }]);
      expect(must(await hospital.server.auth.registry.accounts())).toMatchObject([
        { username: 'drsmith', wrongTries: 5 },
      ]);
    });
  });
});
