import { describe, expect, jest, test } from '@jest/globals';
import { CONTRACTS, type Contract } from '../../src/admin/index.ts';
import { jsonAnswer, ok, type Route } from '../../src/kernel/index.ts';
import { PERMISSIONS_OF, type Permission } from '../../src/operators/index.ts';
import { PLACES, type Place } from '../support/new-store.ts';
import { openDesk, type Browser } from '../support/operator-desk.ts';

// Comparing a password is slow by design, and slower on a busy machine.
jest.setTimeout(240_000);

const MINUTE = 60_000;
/** What people do with their own session asks for no permission: test/attack/operators.test.ts. */
const ALL = Object.values<Contract>(CONTRACTS).filter((one) => one.permission !== null);

/** Every route of the admin API behind its door, and how often a door was passed. */
async function openEveryRoute(makePlace: () => Promise<Place>) {
  let passed = 0;
  const routes = ALL.map(({ method, path, permission, proof }): Route => ({
    method,
    path,
    access: 'admin',
    permission,
    ...(proof === undefined ? {} : { proof }),
    handle: () => {
      passed += 1;
      return ok(jsonAnswer(200, {}));
    },
  }));
  const desk = await openDesk({ makePlace, routes });
  /** What each route answers, by the code of its refusal or its status. */
  async function answers(
    by: Pick<Browser, 'ask'>,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<Map<Contract, string>> {
    const found = new Map<Contract, string>();
    for (const contract of ALL) {
      const path = contract.path.replace(/:\w+/g, 'x');
      const { status, body } = await by.ask(contract.method.toUpperCase(), path, undefined, headers);
      const code = typeof body['code'] === 'string' ? body['code'] : String(status);
      const at = body['at'];
      found.set(contract, typeof at === 'string' ? `${code} ${at}` : code);
    }
    return found;
  }
  return { desk, answers, passed: () => passed };
}
const distinct = (found: ReadonlyMap<Contract, string>): string[] => [...new Set(found.values())];

describe.each(PLACES)('every route of the admin API on %s', (_engine, makePlace) => {
  test('refuses a session that has ended, is locked, or lacks its second factor, and does nothing', async () => {
    const { desk, answers, passed } = await openEveryRoute(makePlace);
    const { own, name } = await desk.administrator();
    const half = desk.browser();
    await half.signIn(name);
    expect(distinct(await answers(half))).toEqual(['operator.factor-needed factor']);
    const stranger = desk.browser();
    stranger.cookie = 'A'.repeat(43);
    expect(distinct(await answers(stranger))).toEqual(['operator.unauthenticated']);
    expect(passed()).toBe(0);

    desk.clock.advance(15 * MINUTE);
    for (const [{ permission }, answer] of await answers(own))
      expect([permission, answer]).toEqual([permission, permission === 'flow.read' ? '200' : 'operator.locked']);
    const overview = ALL.filter(({ permission }) => permission === 'flow.read').length;
    expect(passed()).toBe(overview);

    desk.clock.advance(12 * 60 * MINUTE);
    expect(distinct(await answers(own))).toEqual(['operator.unauthenticated']);
    expect(passed()).toBe(overview);
  });

  test('takes no change from another site, and none with the token of another session', async () => {
    const { desk, answers, passed } = await openEveryRoute(makePlace);
    const { own } = await desk.administrator();
    await desk.addOperator('eve', ['viewer']);
    const eve = desk.browser();
    await eve.signIn('eve');
    const forged: readonly (readonly [string, Readonly<Record<string, string | null>>])[] = [
      ['operator.csrf Origin', { origin: 'https://evil.example' }],
      ['operator.csrf Origin', { origin: null }],
      ['operator.csrf Origin', { origin: null, 'sec-fetch-site': 'same-site' }],
      ['operator.csrf X-Chartgate-Csrf', { 'x-chartgate-csrf': null }],
      ['operator.csrf X-Chartgate-Csrf', { 'x-chartgate-csrf': eve.csrf }],
    ];
    const looks = ALL.filter(({ method }) => method === 'get').length;
    for (const [refusal, headers] of forged) {
      const before = passed();
      for (const [{ id, method }, answer] of await answers(own, headers))
        if (method !== 'get') expect([id, answer]).toEqual([id, refusal]);
      expect(passed() - before).toBeLessThanOrEqual(looks);
    }
  });

  test.each(['viewer', 'engineer', 'clinical-reviewer', 'registrar', 'auditor'] as const)(
    'opens to %s by the permission alone, and names the one that is missing',
    async (role) => {
      const { desk, answers } = await openEveryRoute(makePlace);
      await desk.addOperator('ada', [role]);
      const hers = desk.browser();
      await hers.signIn('ada');
      const may = new Set<Permission>(PERMISSIONS_OF[role]);
      for (const [{ id, permission }, answer] of await answers(hers))
        if (permission !== null && may.has(permission))
          expect([id, answer]).toEqual([id, expect.stringMatching(/^(200|operator\.proof-needed)$/)]);
        else expect([id, answer]).toEqual([id, `admin.forbidden ${permission}`]);
    },
  );

  test('refuses a key that was removed, has expired, or is not one', async () => {
    const { desk, answers, passed } = await openEveryRoute(makePlace);
    const asKey = (key: string) => {
      const plain = desk.browser();
      return {
        ask: (method: string, path: string) =>
          plain.ask(method, path, undefined, { authorization: `Bearer ${key}`, origin: null }),
      };
    };
    const make = (name: string) =>
      desk.machine()('POST', 'keys', {
        name,
        roles: ['engineer', 'auditor', 'administrator'],
        permissions: [],
        days: 1,
      });
    const [removed, expiring] = [await make('removed'), await make('expiring')];
    await desk.machine()('DELETE', `keys/${String(removed.body['id'])}`);
    desk.clock.advance(24 * 60 * MINUTE);
    for (const key of [String(removed.body['key']), String(expiring.body['key']), `cgk_${'A'.repeat(43)}`])
      expect(distinct(await answers(asKey(key)))).toEqual(['operator.unauthenticated']);
    expect(distinct(await answers(asKey('not-a-key')))).toEqual(['admin.unauthenticated']);
    expect(passed()).toBe(0);
  });
});
