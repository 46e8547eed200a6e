import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  checkPresent,
  decideCaller,
  isProved,
  mayGive,
  needsFactor,
  PERMISSIONS,
  PERMISSIONS_OF,
  permissionsOf,
  ROLES,
  STATIC_KEY,
  STEP_UP,
  type FactorPolicy,
} from '../../../src/operators/index.ts';
import { IDLE_MS, PROOF_MS, SESSION_MS } from '../../../src/operators/session.ts';
import type { Presented } from '../../../src/operators/decide-caller.ts';

const NOW = 1_800_000_000_000;
const roles = fc.uniqueArray(fc.constantFrom(...ROLES));
const permissions = fc.uniqueArray(fc.constantFrom(...PERMISSIONS));
const policies = fc.constantFrom<FactorPolicy>('administrators', 'everybody', 'nobody');
const times = fc.integer({ min: NOW - 2 * SESSION_MS, max: NOW + SESSION_MS });

const sessions = fc
  .record({
    stage: fc.constantFrom('factor', 'enrol', 'signed-in'),
    factor: fc.constantFrom('none', 'totp', 'passkey', 'provider'),
    seenAtMs: times,
    provedAtMs: fc.option(times),
    expiresAtMs: times,
    state: fc.constantFrom('active', 'disabled'),
    roles,
    factors: fc.subarray(['totp', 'passkey'] as const),
  })
  .map(({ state, roles: had, factors, ...session }): Presented & { kind: 'session' } => ({
    kind: 'session',
    session: { id: 'ses_1', operatorId: 'opr_1', wrongTries: 0, madeAtMs: NOW, agent: '', ...session },
    operator: {
      id: 'opr_1',
      name: 'ada',
      displayName: 'Ada',
      roles: had,
      state,
      proof: { kind: 'password', password: null },
      madeAtMs: NOW,
      signedInAtMs: null,
      factors,
    },
  }));

test('whoever is let in is active, in time, and had the factor that is asked of them', () => {
  fc.assert(
    fc.property(sessions, policies, (presented, policy) => {
      const decided = decideCaller(presented, NOW, policy);
      const { session, operator } = presented;
      if (!decided.ok) return operator.state === 'disabled' || session.expiresAtMs <= NOW;
      const caller = decided.value;
      expect([operator.state, session.expiresAtMs > NOW]).toEqual(['active', true]);
      if (caller.stage === 'signed-in' || caller.stage === 'locked')
        expect(session.factor !== 'none' || !needsFactor(policy, operator.roles)).toBe(true);
      if (caller.stage === 'signed-in') expect(NOW - session.seenAtMs).toBeLessThan(IDLE_MS);
      return true;
    }),
  );
});

test('nobody may more than their roles, and nothing of a patient before the second factor or behind the lock', () => {
  fc.assert(
    fc.property(sessions, policies, (presented, policy) => {
      const decided = decideCaller(presented, NOW, policy);
      if (!decided.ok) return;
      const { stage, permissions: may } = decided.value;
      const most = permissionsOf(presented.operator.roles);
      expect([...may].filter((one) => !most.has(one))).toEqual([]);
      if (stage === 'locked') expect([...may].filter((one) => one !== 'flow.read')).toEqual([]);
      if (stage === 'factor' || stage === 'enrol') expect(may.size).toBe(0);
    }),
  );
});

test('what asks for a proof is done by a person who proved themselves lately, or by a key', () => {
  fc.assert(
    fc.property(sessions, policies, (presented, policy) => {
      const decided = decideCaller(presented, NOW, policy);
      if (!decided.ok || !isProved(decided.value, NOW)) return;
      expect(NOW - (presented.session.provedAtMs ?? 0)).toBeLessThan(PROOF_MS);
    }),
  );
});

test('a key has what its roles have, but what asks for a proof only by name, until it ends', () => {
  fc.assert(
    fc.property(roles, permissions, fc.option(times), (had, named, expiresAtMs) => {
      const key = { id: 'key_1', name: 'k', roles: had, permissions: named, expiresAtMs, madeBy: 'opr_1' };
      const decided = decideCaller({ kind: 'key', key }, NOW, 'everybody');
      expect(decided.ok).toBe(expiresAtMs === null || expiresAtMs > NOW);
      if (!decided.ok) return;
      for (const one of PERMISSIONS)
        expect(decided.value.permissions.has(one)).toBe(
          named.includes(one) || (permissionsOf(had).has(one) && !STEP_UP.has(one)),
        );
    }),
  );
});

test('a key gives nothing that it lacks; a person gives roles only as an administrator', () => {
  fc.assert(
    fc.property(roles, permissions, roles, permissions, (had, named, given, givenNamed) => {
      const key = { id: 'key_1', name: 'k', roles: had, permissions: named, expiresAtMs: null, madeBy: 'opr_1' };
      const decided = decideCaller({ kind: 'key', key }, NOW, 'nobody');
      if (!decided.ok) throw new Error('no key');
      const gift = { roles: given, permissions: givenNamed };
      if (mayGive(decided.value, gift))
        for (const one of [...permissionsOf(given), ...givenNamed])
          expect(decided.value.permissions.has(one)).toBe(true);
      const person = { ...decided.value, kind: 'person' } as const;
      expect(mayGive(person, gift)).toBe(had.includes('administrator'));
    }),
  );
});

test.each([
  ['locked', 'operator.locked'],
  ['factor', 'operator.factor-needed'],
  ['enrol', 'operator.factor-needed'],
] as const)('who is %s is not wholly there, and is told %s', (stage, code) => {
  const caller = { ...STATIC_KEY, kind: 'person', stage } as const;
  expect(checkPresent(caller)).toMatchObject({ ok: false, fault: { code } });
});

test('the token of the settings may everything, and an auditor nothing but the audit', () => {
  expect([STATIC_KEY.permissions, isProved(STATIC_KEY, NOW)]).toEqual([new Set(PERMISSIONS), true]);
  expect(PERMISSIONS_OF.auditor).toEqual(['audit.read', 'audit.export']);
});
