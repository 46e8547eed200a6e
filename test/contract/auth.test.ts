import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { auditSet, type AuditDraft } from '../../src/audit/index.ts';
import { authSet } from '../../src/auth/index.ts';
import type { AccountChange } from '../../src/auth/commands.ts';
import type { Result } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { PLACES, type Place } from '../support/new-store.ts';
import { readAuditSet } from '../support/read-audit/index.ts';

const tenant = 'default';
const at = new Date('2026-01-02T03:04:05.678Z');
const later = (seconds: number): Date => new Date(at.getTime() + seconds * 1000);
const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
};
const audit: AuditDraft = {
  at,
  type: 'admin',
  tenant,
  requestId: 'req_test',
  action: 'C',
  outcome: '0',
  actor: 'operator',
};
const client = {
  id: 'app_1',
  name: 'App',
  kind: 'public',
  scope: 'patient/*.rs',
  redirectUris: ['https://app.example/cb'],
  launchUrl: null,
  origins: ['https://app.example', 'https://two.example'],
  jwks: null,
  jwksUri: null,
  secretHash: null,
} as const;
const account = {
  id: 'usr_1',
  username: 'DrSmith',
  name: 'Dr Smith',
  fhirUser: 'Practitioner/1',
  origin: { kind: 'local' as const },
  totp: null,
  password: { salt: 's', hash: 'h' },
};

describe.each(PLACES)('the state of the authorization server on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: [auditSet, authSet, readAuditSet] });
  });
  afterEach(() => place.remove());
  const auth = () => store.use(authSet);

  interface Put {
    readonly kind?: string;
    readonly id?: string;
    readonly payload?: unknown;
    readonly grantId?: string;
    readonly uid?: string;
    readonly expiresAt?: Date;
    readonly as?: 'first';
    readonly at?: Date;
  }
  const put = async (told: Put = {}) =>
    must(
      await auth().write('auth.put', {
        tenant,
        kind: 'AccessToken',
        id: 'token-1',
        payload: { a: 1 },
        grantId: null,
        uid: null,
        expiresAt: later(60),
        at,
        as: 'replacement',
        ...told,
      }),
    );
  const find = async (kind: string, id: string, when = at) =>
    must(await auth().read('auth.find', { tenant, kind, id, at: when }))?.payload ?? null;

  test('a record is found by its kind and id until it ends, and again after a restart', async () => {
    await put();
    expect(await find('AccessToken', 'token-1')).toEqual({ a: 1 });
    expect([await find('RefreshToken', 'token-1'), await find('AccessToken', 'token-2')]).toEqual([null, null]);
    expect(await find('AccessToken', 'token-1', later(60))).toBeNull();
    await put({ payload: { a: 2 } });
    await store.close();
    store = await place.open({ sets: [auditSet, authSet, readAuditSet] });
    expect(await find('AccessToken', 'token-1')).toEqual({ a: 2 });
  });

  test('a record that must be the first is left alone by every other, however many come at once', async () => {
    const outs = await Promise.all(
      Array.from({ length: 20 }, (_, n) => put({ kind: 'ReplayDetection', id: 'jti', payload: n, as: 'first' })),
    );
    expect(outs.filter((out) => out === 'stored')).toHaveLength(1);
  });

  test('a record is consumed once; the second time takes its whole grant with it', async () => {
    await put({ kind: 'Grant', id: 'g1' });
    await put({ kind: 'AuthorizationCode', id: 'c1', grantId: 'g1' });
    await put({ kind: 'AccessToken', id: 't1', grantId: 'g1' });
    await put({ kind: 'AccessToken', id: 'other', grantId: 'g2' });
    const consume = async () =>
      must(await auth().write('auth.consume', { tenant, kind: 'AuthorizationCode', id: 'c1', at }));
    const outs = await Promise.all([consume(), consume()]);
    expect([...outs].sort()).toEqual(['consumed', 'repeated']);
    expect([await find('Grant', 'g1'), await find('AccessToken', 't1'), await find('AccessToken', 'other')]).toEqual([
      null,
      null,
      { a: 1 },
    ]);
    expect(await consume()).toBe('repeated');
  });

  test('a consumed record says when', async () => {
    await put({ kind: 'RefreshToken', id: 'r1', grantId: 'g1' });
    must(await auth().write('auth.consume', { tenant, kind: 'RefreshToken', id: 'r1', at }));
    expect(must(await auth().read('auth.find', { tenant, kind: 'RefreshToken', id: 'r1', at }))?.consumedAt).toBe(
      at.getTime(),
    );
  });

  test('what is taken is given to one', async () => {
    await put({ kind: 'Launch', id: 'l1' });
    const take = async () => must(await auth().write('auth.take', { tenant, kind: 'Launch', id: 'l1', at }));
    const outs = await Promise.all(Array.from({ length: 10 }, take));
    expect(outs.filter((out) => out !== null)).toHaveLength(1);
    await put({ kind: 'Launch', id: 'l2' });
    expect(must(await auth().write('auth.take', { tenant, kind: 'Launch', id: 'l2', at: later(60) }))).toBeNull();
  });

  test('records go by their id, and by kind of their grant; sessions are found by their uid', async () => {
    await put({ kind: 'Session', id: 's1', uid: 'u1' });
    expect(must(await auth().read('auth.find-by-uid', { tenant, kind: 'Session', uid: 'u1', at }))?.payload).toEqual({
      a: 1,
    });
    must(await auth().write('auth.remove', { tenant, kind: 'Session', id: 's1' }));
    expect(must(await auth().read('auth.find-by-uid', { tenant, kind: 'Session', uid: 'u1', at }))).toBeNull();
    await put({ kind: 'AccessToken', id: 't1', grantId: 'g1' });
    await put({ kind: 'RefreshToken', id: 'r1', grantId: 'g1' });
    must(await auth().write('auth.remove-of-grant', { tenant, kind: 'AccessToken', grantId: 'g1' }));
    expect([await find('AccessToken', 't1'), await find('RefreshToken', 'r1')]).toEqual([null, { a: 1 }]);
  });

  test('what has ended is swept a few at a time by whoever writes', async () => {
    for (let n = 0; n < 25; n += 1) await put({ id: `old-${n}`, expiresAt: later(1) });
    await put({ id: 'new', at: later(10), expiresAt: later(100) });
    // Before its end nobody could find them: asked for as of then, five are left.
    const left = await Promise.all(Array.from({ length: 25 }, (_, n) => find('AccessToken', `old-${n}`)));
    expect(left.filter((one) => one !== null)).toHaveLength(5);
  });

  test('a token is worth something only with its client, its grant and its account', async () => {
    const token = async (id: string) => must(await auth().read('auth.token', { tenant, token: id, at }));
    const payload = { clientId: 'app_1', grantId: 'g1', accountId: 'usr_1', scope: 'x' };
    await put({ id: 't1', payload, grantId: 'g1' });
    expect(await token('t1')).toBeNull();
    must(await auth().write('auth.add-client', { client, audit }));
    must(await auth().write('auth.add-account', { account, audit }));
    expect(await token('t1')).toBeNull();
    await put({ kind: 'Grant', id: 'g1' });
    expect(await token('t1')).toMatchObject({ kind: 'AccessToken', payload, client: { id: 'app_1' } });
    await put({ kind: 'ClientCredentials', id: 't2', payload: { clientId: 'app_1' } });
    expect(await token('t2')).toMatchObject({ kind: 'ClientCredentials' });
    must(await auth().write('auth.remove-account', { id: 'usr_1', audit }));
    expect([await token('t1'), (await token('t2'))?.kind]).toEqual([null, 'ClientCredentials']);
    must(await auth().write('auth.remove-client', { id: 'app_1', audit }));
    expect(await token('t2')).toBeNull();
  });

  test('clients and their origins come and go together, with a record of the audit each', async () => {
    must(await auth().write('auth.add-client', { client, audit }));
    const isOrigin = async (origin: string) => must(await auth().read('auth.is-origin', { tenant, origin }));
    expect(must(await auth().read('auth.clients', { tenant }))).toEqual([{ ...client, state: 'active' }]);
    expect([await isOrigin('https://two.example'), await isOrigin('https://three.example')]).toEqual([true, false]);
    expect(must(await auth().write('auth.remove-client', { id: 'app_1', audit }))).toBe('removed');
    expect(must(await auth().write('auth.remove-client', { id: 'app_1', audit }))).toBe('not-found');
    expect([
      must(await auth().read('auth.client', { tenant, id: 'app_1' })),
      await isOrigin('https://two.example'),
    ]).toEqual([null, false]);
    const { records } = must(await store.use(readAuditSet).read('audit-test.everything', null));
    expect(records.map(({ record }) => (JSON.parse(record) as { outcome: string }).outcome)).toEqual(['0', '0', '4']);
  });

  test('an id of a client is of the first, however many come at once; one that no database can hold is nobody’s', async () => {
    const names = ['first', 'second', 'third'];
    const added = await Promise.all(
      names.map(async (name) => must(await auth().write('auth.add-client', { client: { ...client, name }, audit }))),
    );
    expect(added.toSorted()).toEqual(['added', 'id-taken', 'id-taken']);
    const kept = must(await auth().read('auth.client', { tenant, id: 'app_1' }));
    expect(kept?.name).toBe(names[added.indexOf('added')]);
    const { records } = must(await store.use(readAuditSet).read('audit-test.everything', null));
    expect(records).toHaveLength(1);
    expect(must(await auth().read('auth.client', { tenant, id: 'app_1\0' }))).toBeNull();
  });

  test('a user name is of one person, whatever its case; the hash of a password leaves only for signing in', async () => {
    expect(must(await auth().write('auth.add-account', { account, audit }))).toBe('added');
    const other = { ...account, id: 'usr_2', username: 'drsmith' };
    expect(must(await auth().write('auth.add-account', { account: other, audit }))).toBe('name-taken');
    expect(must(await auth().read('auth.account-by-name', { tenant, name: 'DRSMITH' }))).toMatchObject(account);
    expect(JSON.stringify(must(await auth().read('auth.accounts', { tenant })))).not.toContain('salt');
    expect(JSON.stringify(must(await auth().read('auth.account', { tenant, id: 'usr_1' })))).not.toContain('salt');
  });

  test('wrong tries are counted until a right one, and lock nobody out', async () => {
    must(await auth().write('auth.add-account', { account, audit }));
    const signIn = { ...audit, type: 'auth.sign-in' } as const;
    const attempt = async (isRight: boolean, name = 'drsmith', passwordHash = 'h') =>
      must(await auth().write('auth.sign-in', { name, isRight, passwordHash, factor: 'nobody', audit: signIn }));
    const wrongTries = async () =>
      must(await auth().read('auth.account-by-name', { tenant, name: 'drsmith' }))?.wrongTries;
    for (let n = 0; n < 40; n += 1) expect(await attempt(false)).toEqual({ state: 'refused' });
    expect(await wrongTries()).toBe(40);
    // It was compared with a password that is no longer theirs.
    expect(await attempt(true, 'drsmith', 'earlier')).toEqual({ state: 'refused' });
    expect(await wrongTries()).toBe(41);
    expect(await attempt(true)).toEqual({ state: 'signed-in', accountId: 'usr_1' });
    expect(await wrongTries()).toBe(0);
    await attempt(false);
    expect(must(await auth().read('auth.accounts', { tenant }))).toMatchObject([{ id: 'usr_1', wrongTries: 1 }]);
    expect(await attempt(false, 'nobody')).toEqual({ state: 'refused' });
    expect(await attempt(true, 'nobody')).toEqual({ state: 'refused' });
  });

  test('who is disabled is there for the operator alone, and what they were given is gone', async () => {
    must(await auth().write('auth.add-client', { client, audit }));
    must(await auth().write('auth.add-account', { account, audit }));
    const payload = { clientId: 'app_1', accountId: 'usr_1' };
    const give = async () => {
      await put({ kind: 'Grant', id: 'g1', payload });
      await put({ id: 't1', payload: { ...payload, grantId: 'g1' }, grantId: 'g1' });
      await put({ kind: 'Session', id: 's1', payload: { accountId: 'usr_1' } });
      await put({ kind: 'ClientCredentials', id: 't2', payload: { clientId: 'app_1' } });
    };
    const left = async () =>
      Promise.all([
        find('Grant', 'g1'),
        find('AccessToken', 't1'),
        find('Session', 's1'),
        find('ClientCredentials', 't2'),
      ]);
    await give();
    const setClient = async (id: string, state: 'active' | 'disabled') =>
      must(await auth().write('auth.set-client-state', { id, state, audit }));
    expect(await setClient('app_1', 'disabled')).toBe('changed');
    expect((await left()).map((one) => one !== null)).toEqual([false, false, true, false]);
    expect(must(await auth().read('auth.client', { tenant, id: 'app_1' }))).toBeNull();
    expect(must(await auth().read('auth.registered-client', { tenant, id: 'app_1' }))?.state).toBe('disabled');
    expect(must(await auth().read('auth.is-origin', { tenant, origin: 'https://app.example' }))).toBe(false);
    expect([await setClient('app_1', 'active'), await setClient('app_2', 'disabled')]).toEqual([
      'changed',
      'not-found',
    ]);
    expect(must(await auth().read('auth.is-origin', { tenant, origin: 'https://app.example' }))).toBe(true);

    await give();
    const change = async (told: AccountChange, id = 'usr_1') =>
      must(await auth().write('auth.change-account', { id, change: told, audit }));
    expect(await change({ kind: 'state', state: 'disabled' })).toBe('changed');
    expect((await left()).map((one) => one !== null)).toEqual([false, false, false, true]);
    expect(must(await auth().read('auth.account', { tenant, id: 'usr_1' }))).toBeNull();
    expect(must(await auth().read('auth.account-by-name', { tenant, name: 'drsmith' }))).toBeNull();
    expect(must(await auth().read('auth.accounts', { tenant }))).toMatchObject([{ id: 'usr_1', state: 'disabled' }]);
    // Also by whoever compared the password before.
    const signIn = {
      name: 'drsmith',
      isRight: true,
      passwordHash: 'h',
      factor: 'nobody',
      audit: { ...audit, type: 'auth.sign-in' },
    } as const;
    expect(must(await auth().write('auth.sign-in', signIn))).toEqual({ state: 'refused' });
    // A new password lets nobody in who is disabled.
    expect(await change({ kind: 'password', password: { salt: 'n', hash: 'n' } })).toBe('changed');
    expect(must(await auth().read('auth.account', { tenant, id: 'usr_1' }))).toBeNull();
    expect(await change({ kind: 'state', state: 'active' })).toBe('changed');
    expect(must(await auth().read('auth.account-by-name', { tenant, name: 'drsmith' }))).toMatchObject({
      password: { salt: 'n', hash: 'n' },
      wrongTries: 0,
    });
    expect(await change({ kind: 'unlock' }, 'usr_2')).toBe('not-found');
  });

  test('grants are listed newest first, page by page, also those of one moment, and only what has not ended', async () => {
    const payload = { clientId: 'app_1', accountId: 'usr_1', resources: { x: 'patient/*.rs' } };
    const give = async (n: number, when: Date, expiresAt = later(600)) => {
      await put({ kind: 'Grant', id: `g${n}`, payload, at: when, expiresAt: later(9_000) });
      await put({ id: `t${n}`, payload: { ...payload, grantId: `g${n}` }, grantId: `g${n}`, at: when, expiresAt });
    };
    for (let n = 0; n < 5; n += 1) await give(n, at);
    for (let n = 5; n < 8; n += 1) await give(n, later(n));
    await give(8, later(8), later(9));
    await put({ kind: 'ClientCredentials', id: 'own', payload: { clientId: 'app_1', scope: 's' }, at: later(20) });
    await put({ kind: 'Grant', id: 'other', payload: { clientId: 'app_2', accountId: 'usr_1' } });
    const page = async (before: { madeAtMs: number; index: string } | null, limit = 3) =>
      must(
        await auth().read('auth.grants', { tenant, of: { kind: 'client', id: 'app_1' }, before, limit, at: later(30) }),
      );
    const seen: { id: string; kind: string; madeAtMs: number; untilMs: number }[] = [];
    for (let before: { madeAtMs: number; index: string } | null = null; ;) {
      const some: Awaited<ReturnType<typeof page>> = await page(before);
      seen.push(...some.grants);
      if (some.next === null) break;
      before = some.next;
    }
    expect(seen.map(({ kind }) => kind)).toEqual(['token', ...Array<string>(8).fill('grant')]);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(9);
    expect(seen.map(({ madeAtMs }) => madeAtMs)).toEqual(
      seen.map(({ madeAtMs }) => madeAtMs).toSorted((a, b) => b - a),
    );
    expect(seen[1]).toMatchObject({ scope: 'patient/*.rs', untilMs: later(600).getTime(), usedAtMs: null });
    const use = async (seconds: number) =>
      must(await auth().write('auth.use-grant', { tenant, id: seen[0]?.id ?? '', at: later(seconds) }));
    await use(25);
    await use(24);
    expect((await page(null, 1)).grants[0]).toMatchObject({ usedAtMs: later(25).getTime() });
    expect(must(await auth().write('auth.end-grant', { id: seen[1]?.id ?? '', accountId: null, audit }))).toBe('ended');
    expect(must(await auth().write('auth.end-grant', { id: seen[1]?.id ?? '', accountId: null, audit }))).toBe(
      'not-found',
    );
    expect(await find('AccessToken', 't7')).toBeNull();
    expect(await page(null, 50)).toMatchObject({ grants: { length: 8 }, next: null });
    const { records } = must(await store.use(readAuditSet).read('audit-test.everything', null));
    const last = records.slice(-2).map(({ record }) => JSON.parse(record) as Record<string, unknown>);
    expect(last.map(({ outcome, client: of }) => [outcome, of])).toEqual([
      ['0', 'app_1'],
      ['4', undefined],
    ]);
  });

  test('grants that have lost their tokens are looked through part by part: a page may be empty and lead on', async () => {
    const payload = { clientId: 'app_1', accountId: 'usr_1' };
    const grant = (n: number) => put({ kind: 'Grant', id: `g${n}`, payload, at: later(n), expiresAt: later(9_000) });
    for (let from = 0; from < 1_100; from += 100)
      await Promise.all(Array.from({ length: 100 }, (_, i) => grant(from + i)));
    await put({ id: 't0', payload: { ...payload, grantId: 'g0' }, grantId: 'g0', expiresAt: later(9_000) });
    const page = async (before: { madeAtMs: number; index: string } | null) =>
      must(
        await auth().read('auth.grants', {
          tenant,
          of: { kind: 'client', id: 'app_1' },
          before,
          limit: 9,
          at: later(1),
        }),
      );
    const first = await page(null);
    expect(first).toMatchObject({ grants: [], next: { madeAtMs: later(100).getTime() } });
    expect(await page(first.next)).toMatchObject({ grants: [{ madeAtMs: at.getTime() }], next: null });
  });

  test('what is there from an earlier release is told whose it is, once', async () => {
    const payload = { clientId: 'app_1', accountId: 'usr_1', iat: at.getTime() / 1_000 };
    await put({ kind: 'Grant', id: 'g1', payload });
    await put({ id: 't1', payload: { ...payload, grantId: 'g1' }, grantId: 'g1' });
    await put({ kind: 'Session', id: 's1', payload: { accountId: 'usr_1', iat: 1 } });
    await place.tamper('UPDATE auth_record SET client_id = NULL, account_id = NULL, made_at = NULL');
    const listed = async () =>
      must(
        await auth().read('auth.grants', { tenant, of: { kind: 'account', id: 'usr_1' }, before: null, limit: 9, at }),
      );
    expect((await listed()).grants).toEqual([]);
    const claim = async () => must(await auth().write('auth.claim-grants', { tenant, limit: 1 }));
    expect([await claim(), await claim()]).toEqual([2, 0]);
    expect((await listed()).grants.map(({ kind, clientId }) => [kind, clientId])).toEqual([
      ['grant', 'app_1'],
      ['session', null],
    ]);
  });

  test('the first key that is kept under a name stays', async () => {
    const keep = async (value: string) => must(await auth().write('auth.keep-key', { tenant, name: 'k', value, at }));
    const kept = await Promise.all(['a', 'b', 'c'].map(keep));
    expect(new Set(kept).size).toBe(1);
    expect(must(await auth().read('auth.key', { tenant, name: 'k' }))).toBe(kept[0]);
    expect(must(await auth().read('auth.key', { tenant, name: 'other' }))).toBeNull();
  });

  test('a key that is rotated in comes first, and one that was followed for long enough is gone', async () => {
    const rotate = async (name: string, seconds: number, spent: readonly string[] = []) => {
      const of = { ...audit, why: 'id-token-key', at: new Date(at.getTime() + seconds * 1000) };
      const rotation = { prefix: 'p-', name: `p-${name}`, value: name, keptMs: 60_000, spent, audit: of };
      must(await auth().write('auth.rotate-key', rotation));
    };
    const names = async () => must(await auth().read('auth.keys', { tenant, prefix: 'p-' })).map(({ value }) => value);
    must(await auth().write('auth.keep-key', { tenant, name: 'p-first', value: 'first', at }));
    must(await auth().write('auth.keep-key', { tenant, name: 'q-other', value: 'other', at }));
    must(await auth().write('auth.keep-key', { tenant: 'another', name: 'p-first', value: 'theirs', at }));
    await rotate('second', 10);
    expect(await names()).toEqual(['second', 'first']);
    // By a clock that is behind.
    await rotate('third', 5);
    expect(await names()).toEqual(['third', 'second', 'first']);
    await rotate('fourth', 71);
    expect(await names()).toEqual(['fourth', 'third']);
    expect(must(await auth().read('auth.key', { tenant, name: 'q-other' }))).toBe('other');
    expect(must(await auth().read('auth.key', { tenant: 'another', name: 'p-first' }))).toBe('theirs');
    await Promise.all(['a', 'b', 'c'].map((name) => rotate(name, 80)));
    expect((await names()).slice(0, 3).sort()).toEqual(['a', 'b', 'c']);
    await rotate('last', 90, ['p-a', 'p-c', 'p-none']);
    expect((await names()).slice(0, 2)).toEqual(['last', 'b']);
    expect(must(await auth().read('auth.keys', { tenant: 'nobody', prefix: 'p-' }))).toEqual([]);
  });

  test('one tenant knows nothing of another', async () => {
    await put();
    must(await auth().write('auth.add-client', { client, audit }));
    expect(
      must(await auth().read('auth.find', { tenant: 'other', kind: 'AccessToken', id: 'token-1', at })),
    ).toBeNull();
    expect(must(await auth().read('auth.client', { tenant: 'other', id: 'app_1' }))).toBeNull();
  });
});
