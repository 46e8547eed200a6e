import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { auditSet, type AuditDraft } from '../../src/audit/index.ts';
import type { Result } from '../../src/kernel/index.ts';
import { operatorSet } from '../../src/operators/index.ts';
import type { Store } from '../../src/store/index.ts';
import { PLACES, type Place } from '../support/new-store.ts';
import { readAuditSet } from '../support/read-audit/index.ts';

const tenant = 'default';
const at = new Date('2026-01-02T03:04:05.678Z');
const atMs = at.getTime();
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
  actor: 'key_1',
};
const password = { salt: 'MarkerSalt', hash: 'MarkerHash' };
const operator = {
  id: 'opr_1',
  name: 'Ada.Marker',
  displayName: 'Ada Marker',
  roles: ['administrator', 'engineer'],
  state: 'active',
  proof: { kind: 'password', password },
} as const;
const session = {
  id: 'ses_1',
  operatorId: 'opr_1',
  secret: 'marker-secret-1',
  stage: 'factor',
  factor: 'none',
  wrongTries: 0,
  madeAtMs: atMs,
  seenAtMs: atMs,
  provedAtMs: null,
  expiresAtMs: atMs + 60_000,
  agent: 'MarkerBrowser',
} as const;
const totp = {
  id: 'fac_1',
  operatorId: 'opr_1',
  kind: 'totp',
  label: 'phone',
  secret: 'MARKERSECRET',
  counter: 100,
} as const;

describe.each(PLACES)('operators on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: [auditSet, operatorSet, readAuditSet] });
  });
  afterEach(() => place.remove());
  const ops = () => store.use(operatorSet);
  const add = async (more: object = {}, link: { secret: string; expiresAtMs: number } | null = null) =>
    must(await ops().write('operator.add', { operator: { ...operator, ...more }, link, audit }));
  const open = async (more: object = {}) =>
    must(await ops().write('operator.sign-in', { session: { ...session, ...more }, audit }));
  const found = async (secret: string) => must(await ops().read('operator.session', { tenant, secret }));
  const one = async (id = 'opr_1') => must(await ops().read('operator.one', { tenant, id }));
  const change = async (id: string, to: 'disabled' | 'active' | readonly 'viewer'[]) =>
    must(
      await ops().write('operator.change', {
        id,
        change: typeof to === 'string' ? { kind: 'state', state: to } : { kind: 'roles', roles: to },
        audit,
      }),
    );
  const pass = (more: object = {}) => ({
    session: { tenant, id: 'ses_1', secret: 'marker-secret-1' },
    newSecret: 'marker-secret-2',
    stage: 'signed-in' as const,
    factor: 'totp' as const,
    provedAtMs: atMs,
    expiresAtMs: atMs + 90_000,
    used: { factorId: 'fac_1', counter: 101 },
    audit,
    ...more,
  });
  const addTotp = async (more: object = {}) =>
    must(
      await ops().write('operator.add-factor', {
        factor: totp,
        passed: pass({ newSecret: 'marker-secret-1', stage: 'factor', used: null, ...more }),
      }),
    );
  const records = async () => must(await store.use(readAuditSet).read('audit-test.everything', null)).records;

  test('a person is found by name without regard to case, by id, and again after a restart', async () => {
    expect([await add(), await add({ id: 'opr_2', name: 'ADA.MARKER' })]).toEqual(['added', 'name-taken']);
    await store.close();
    store = await place.open({ sets: [auditSet, operatorSet, readAuditSet] });
    const known = { ...operator, madeAtMs: atMs, signedInAtMs: null, factors: [] };
    expect(must(await ops().read('operator.by-name', { tenant, name: 'ada.MARKER' }))).toEqual(known);
    expect(await one()).toEqual(known);
    expect(must(await ops().read('operator.all', { tenant }))).toEqual([known]);
    expect([await one('opr_2'), must(await ops().read('operator.by-name', { tenant, name: 'eve' }))]).toEqual([
      null,
      null,
    ]);
  });

  test('a session is found by its secret with its person; a stage changes the secret and ends the one before', async () => {
    await add();
    expect([await open(), await found('marker-secret-1'), await found('other')]).toMatchObject([
      'signed-in',
      { session: { id: 'ses_1', stage: 'factor', agent: 'MarkerBrowser' }, operator: { id: 'opr_1', factors: [] } },
      null,
    ]);
    expect(await addTotp()).toBe('added');
    expect(must(await ops().write('operator.pass-stage', pass()))).toBe('passed');
    expect(await found('marker-secret-1')).toBeNull();
    expect(await found('marker-secret-2')).toMatchObject({
      session: { stage: 'signed-in', factor: 'totp', provedAtMs: atMs, expiresAtMs: atMs + 90_000 },
      operator: { factors: ['totp'] },
    });
    expect(must(await ops().write('operator.pass-stage', pass()))).toBe('not-found');
  });

  test('a code is good for one of those who use it at once, and an older one for nobody', async () => {
    await add();
    await open();
    await addTotp();
    const outs = await Promise.all(
      Array.from({ length: 8 }, (_, n) => ops().write('operator.pass-stage', pass({ newSecret: `new-${n}` }))),
    );
    expect(outs.map(must).filter((out) => out === 'passed')).toHaveLength(1);
    await open({ id: 'ses_2', secret: 'marker-secret-3' });
    const second = pass({ session: { tenant, id: 'ses_2', secret: 'marker-secret-3' }, newSecret: 'marker-secret-4' });
    expect(must(await ops().write('operator.pass-stage', second))).toBe('repeated');
    expect((await found('marker-secret-3'))?.session.stage).toBe('factor');
    expect(
      must(await ops().write('operator.pass-stage', { ...second, used: { factorId: 'fac_1', counter: 102 } })),
    ).toBe('passed');
  });

  test('a passkey that counts never goes back, and one that does not count is good again', async () => {
    await add();
    await open();
    const passkey = {
      id: 'fac_p',
      operatorId: 'opr_1',
      kind: 'passkey',
      label: 'key',
      credentialId: 'MarkerCredential',
      publicKey: 'AA',
      transports: ['internal'],
      counter: 0,
    } as const;
    const stay = pass({ newSecret: 'marker-secret-1', stage: 'factor', used: null });
    const added = async (id: string) =>
      must(await ops().write('operator.add-factor', { factor: { ...passkey, id }, passed: stay }));
    expect([await added('fac_p'), await added('fac_q')]).toEqual(['added', 'taken']);
    const outs = [];
    for (const counter of [0, 0, 3_000_000_000, 3_000_000_000, 0, 3_000_000_001])
      outs.push(
        must(
          await ops().write('operator.pass-stage', {
            ...stay,
            factor: 'passkey',
            used: { factorId: 'fac_p', counter },
          }),
        ),
      );
    expect(outs).toEqual(['passed', 'passed', 'passed', 'repeated', 'repeated', 'passed']);
  });

  test('nobody uses a factor of somebody else', async () => {
    await add();
    await open();
    await addTotp();
    await add({ id: 'opr_2', name: 'eve' });
    await open({ id: 'ses_2', operatorId: 'opr_2', secret: 'eve-secret' });
    const eve = pass({ session: { tenant, id: 'ses_2', secret: 'eve-secret' } });
    expect(must(await ops().write('operator.pass-stage', eve))).toBe('repeated');
    expect(must(await ops().write('operator.add-factor', { factor: { ...totp, id: 'fac_2' }, passed: eve }))).toBe(
      'not-found',
    );
    const remove = { id: 'fac_1', operatorId: 'opr_2', least: 0, sessions: 'end', audit } as const;
    expect(must(await ops().write('operator.remove-factor', remove))).toBe('not-found');
    expect(must(await ops().read('operator.factors', { tenant, operatorId: 'opr_1' }))).toEqual([
      { ...totp, madeAtMs: atMs, usedAtMs: null },
    ]);
  });

  test('a factor that is needed stays where it is the last', async () => {
    await add();
    await open();
    await addTotp();
    const remove = async (least: number) =>
      must(
        await ops().write('operator.remove-factor', {
          id: 'fac_1',
          operatorId: 'opr_1',
          least,
          sessions: 'keep',
          audit,
        }),
      );
    expect([await remove(1), await remove(0)]).toEqual(['last', 'removed']);
  });

  test('a factor that is taken away ends the sessions of its person, and of nobody else', async () => {
    await add();
    await open();
    await addTotp();
    await add({ id: 'opr_2', name: 'eve' });
    await open({ id: 'ses_2', operatorId: 'opr_2', secret: 'eve-secret' });
    const remove = { id: 'fac_1', operatorId: 'opr_1', sessions: 'end', audit } as const;
    const sessions = async () =>
      must(await ops().read('operator.sessions', { tenant, operatorId: null, atMs })).map(({ id }) => id);
    expect(must(await ops().write('operator.remove-factor', { ...remove, least: 1 }))).toBe('last');
    expect((await sessions()).length).toBe(2);
    expect(must(await ops().write('operator.remove-factor', { ...remove, least: 0 }))).toBe('removed');
    expect(await sessions()).toEqual(['ses_2']);
  });

  test('wrong tries end a session, however many come at once', async () => {
    await add();
    await open();
    const held = { tenant, id: 'ses_1', secret: 'marker-secret-1' };
    const outs = await Promise.all(
      Array.from({ length: 6 }, () => ops().write('operator.wrong-proof', { session: held, most: 5, audit })),
    );
    expect(outs.map(must).sort()).toEqual(['counted', 'counted', 'counted', 'counted', 'ended', 'not-found']);
    expect(await found('marker-secret-1')).toBeNull();
  });

  test('being seen never goes back; sessions are listed until they end, and ended by their owner or anybody named', async () => {
    await add();
    await open();
    await open({ id: 'ses_2', secret: 's2', expiresAtMs: atMs + 10 });
    await open({ id: 'ses_3', secret: 's3' });
    for (const when of [atMs + 5, atMs + 3])
      must(await ops().write('operator.seen', { tenant, id: 'ses_1', atMs: when }));
    expect((await found('marker-secret-1'))?.session.seenAtMs).toBe(atMs + 5);
    const list = async (operatorId: string | null, when: number) =>
      must(await ops().read('operator.sessions', { tenant, operatorId, atMs: when })).map(({ id }) => id);
    expect([await list('opr_1', atMs), await list(null, atMs + 10), await list('opr_2', atMs)]).toEqual([
      ['ses_1', 'ses_2', 'ses_3'],
      ['ses_1', 'ses_3'],
      [],
    ]);
    const end = async (operatorId: string | null) =>
      must(await ops().write('operator.end-session', { id: 'ses_1', operatorId, audit }));
    expect([await end('opr_2'), await end('opr_1'), await end(null)]).toEqual(['not-found', 'ended', 'not-found']);
  });

  test('an administrator stays, also where two go at once', async () => {
    await add();
    expect([await change('opr_1', 'disabled'), await change('opr_1', ['viewer'])]).toEqual([
      'last-administrator',
      'last-administrator',
    ]);
    expect(must(await ops().write('operator.remove', { id: 'opr_1', audit }))).toBe('last-administrator');
    await add({ id: 'opr_2', name: 'eve' });
    const outs = await Promise.all([
      ops().write('operator.remove', { id: 'opr_1', audit }),
      ops().write('operator.change', { id: 'opr_2', change: { kind: 'state', state: 'disabled' }, audit }),
    ]);
    expect(outs.map(must).filter((out) => out === 'last-administrator')).toHaveLength(1);
    expect(await change('opr_none', 'disabled')).toBe('not-found');
  });

  test('who is disabled has no session, opens none, and is let in again once enabled', async () => {
    await add();
    await add({ id: 'opr_2', name: 'eve' });
    await open({ operatorId: 'opr_2' });
    expect(await change('opr_2', 'disabled')).toBe('changed');
    expect([await found('marker-secret-1'), await open({ operatorId: 'opr_2' })]).toEqual([null, 'refused']);
    expect([await change('opr_2', 'active'), await open({ operatorId: 'opr_2' })]).toEqual(['changed', 'signed-in']);
  });

  test('a link sets a password once and in time; another link replaces it', async () => {
    await add({ proof: { kind: 'password', password: null } }, { secret: 'link-1', expiresAtMs: atMs + 10 });
    const look = async (secret: string, when = atMs) =>
      must(await ops().read('operator.link', { tenant, secret, atMs: when }))?.id ?? null;
    expect([await look('link-1'), await look('link-1', atMs + 10), await look('link-2')]).toEqual([
      'opr_1',
      null,
      null,
    ]);
    const redeem = async (secret: string, when = at) =>
      must(await ops().write('operator.redeem-link', { secret, password, audit: { ...audit, at: when } })).state;
    expect(await redeem('link-1', new Date(atMs + 10))).toBe('refused');
    await open();
    const reset = { id: 'opr_1', link: { secret: 'link-2', expiresAtMs: atMs + 10 }, audit };
    expect(must(await ops().write('operator.reset', reset))).toBe('reset');
    expect([await found('marker-secret-1'), (await one())?.proof]).toEqual([
      null,
      { kind: 'password', password: null },
    ]);
    expect(await look('link-1')).toBeNull();
    const outs = await Promise.all([redeem('link-2'), redeem('link-2')]);
    expect([...outs].sort()).toEqual(['refused', 'set']);
    expect((await one())?.proof).toEqual(operator.proof);
  });

  test('a reset takes the second factors too; another password ends the other sessions', async () => {
    await add();
    await open();
    await addTotp();
    await open({ id: 'ses_2', secret: 's2' });
    const held = { tenant, id: 'ses_1', secret: 'marker-secret-1' };
    const set = async (secret: string) =>
      must(await ops().write('operator.set-password', { session: { ...held, secret }, password, audit }));
    expect([await set('wrong'), await set('marker-secret-1')]).toEqual(['not-found', 'set']);
    expect([(await found('marker-secret-1'))?.session.id, await found('s2')]).toEqual(['ses_1', null]);
    must(await ops().write('operator.reset', { id: 'opr_1', link: { secret: 'l', expiresAtMs: atMs + 1 }, audit }));
    expect((await one())?.factors).toEqual([]);
  });

  test('a provider’s person is made known once, has the roles of the last sign-in, and stays out when disabled', async () => {
    await add();
    const theirs = {
      ...operator,
      id: 'opr_p',
      name: 'ada.marker',
      roles: ['viewer'],
      proof: { kind: 'provider', issuer: 'https://idp.example', subject: 'sub-1' },
    } as const;
    const signIn = async (n: number, more: object = {}) =>
      must(
        await ops().write('operator.provider-sign-in', {
          operator: { ...theirs, id: `opr_p${n}`, ...more },
          session: { ...session, id: `ses_p${n}`, secret: `p${n}`, operatorId: `opr_p${n}`, stage: 'signed-in' },
          audit,
        }),
      );
    expect(await signIn(1)).toEqual({ state: 'signed-in', operatorId: 'opr_p1' });
    expect(await signIn(2, { roles: ['auditor'] })).toEqual({ state: 'signed-in', operatorId: 'opr_p1' });
    expect((await found('p2'))?.operator).toMatchObject({ id: 'opr_p1', roles: ['auditor'], signedInAtMs: atMs });
    expect(must(await ops().read('operator.by-name', { tenant, name: 'ada.marker' }))?.id).toBe('opr_1');
    expect(
      must(await ops().write('operator.reset', { id: 'opr_p1', link: { secret: 'l', expiresAtMs: 1 }, audit })),
    ).toBe('of-provider');
    await change('opr_p1', 'disabled');
    expect([await signIn(3), (await one('opr_p1'))?.roles]).toEqual([{ state: 'disabled' }, ['auditor']]);
  });

  test('a moment is taken once and in time', async () => {
    const put = { tenant, secret: 'm1', payload: { nonce: 'MarkerNonce' }, expiresAtMs: atMs + 10, atMs };
    must(await ops().write('operator.put-moment', put));
    const take = async (when: number) =>
      must(await ops().write('operator.take-moment', { tenant, secret: 'm1', atMs: when }));
    expect(await take(atMs + 10)).toBeNull();
    const outs = await Promise.all([take(atMs), take(atMs)]);
    expect(outs.filter((out) => out !== null)).toEqual([put.payload]);
  });

  test('a key is found by its secret, says when it was used, and goes', async () => {
    const key = {
      id: 'key_1',
      name: 'MarkerKey',
      roles: ['viewer'],
      permissions: ['audit.export'],
      expiresAtMs: atMs + 10,
      madeBy: 'opr_1',
    } as const;
    const put = async (id: string, secret: string) =>
      must(await ops().write('operator.add-key', { key: { ...key, id }, secret, audit }));
    expect([await put('key_1', 'k1'), await put('key_2', 'k2')]).toEqual(['added', 'name-taken']);
    must(await ops().write('operator.key-used', { tenant, id: 'key_1', atMs: atMs + 5 }));
    must(await ops().write('operator.key-used', { tenant, id: 'key_1', atMs: atMs + 3 }));
    const stored = { ...key, madeAtMs: atMs, usedAtMs: atMs + 5 };
    const find = async (secret: string) => must(await ops().read('operator.key', { tenant, secret }));
    expect([await find('k1'), await find('k2')]).toEqual([stored, null]);
    expect(must(await ops().read('operator.keys', { tenant }))).toEqual([stored]);
    const remove = async () => must(await ops().write('operator.remove-key', { id: 'key_1', audit }));
    expect([await remove(), await remove(), await find('k1')]).toEqual(['removed', 'not-found', null]);
  });

  test('every change is in the audit by the same commit, also one that changed nothing', async () => {
    await add();
    await add({ id: 'opr_2' });
    await change('opr_1', 'disabled');
    await ops().write('operator.sign-in', { session: null, audit: { ...audit, outcome: '8', why: 'unknown-name' } });
    const outcomes = (await records()).map(({ record }) => JSON.parse(record) as Record<string, unknown>);
    // Several chains grow beside each other on PostgreSQL.
    expect(outcomes.map(({ outcome, to, why }) => [outcome, to, why]).sort()).toEqual([
      ['0', undefined, undefined],
      ['4', undefined, undefined],
      ['4', 'last-administrator', undefined],
      ['8', undefined, 'unknown-name'],
    ]);
  });
});
