import { expect, test } from '@jest/globals';
import { accountIndex, sealAccount, toShownAccount, toStoredAccount, userIndex } from '../../../src/auth/rows.ts';
import type { Vault } from '../../../src/store/index.ts';

const vault = {
  seal: (bytes: Uint8Array) => Buffer.from(bytes),
  open: (bytes: Uint8Array) => Buffer.from(bytes),
  index: (name: string, value: string) => Buffer.from(`${name} ${value}`),
} as unknown as Vault;

const row = (account: unknown) => ({
  id: 'usr_1',
  account_sealed: sealAccount(vault, account as never),
  failures: 2,
  disabled_at: null,
  unlocked_at: null,
});
const before = {
  id: 'usr_1',
  username: 'ann',
  name: 'Ann',
  fhirUser: 'Practitioner/1',
  password: { salt: 's', hash: 'h' },
};

test('an account that an earlier release stored is one of ours, without a second factor', () => {
  expect(toStoredAccount(vault, row(before))).toMatchObject({ origin: { kind: 'local' }, totp: null, wrongTries: 2 });
  expect(toShownAccount(vault, row(before))).toEqual({
    id: 'usr_1',
    username: 'ann',
    name: 'Ann',
    fhirUser: 'Practitioner/1',
    wrongTries: 2,
    state: 'active',
    origin: 'local',
    issuer: null,
    subject: null,
    secondFactor: 'none',
  });
});

test('no secret of a person is among what is shown', () => {
  const shown = JSON.stringify(toShownAccount(vault, row({ ...before, totp: 'GEZDGNBVGY3TQOJQ' })));
  expect([shown.includes('GEZDG'), shown.includes('hash'), shown.includes('totp')]).toEqual([false, false, true]);
});

test('a person of the provider is found by its own word, which no name that somebody types can be', () => {
  const of = (issuer: string, subject: string) =>
    ({ kind: 'provider', issuer, subject, mappedBy: 'provider' }) as const;
  const index = (issuer: string, subject: string) =>
    accountIndex(vault, { origin: of(issuer, subject), username: 'ann' }).toString();
  expect(index('https://a', 'b')).not.toBe(
    accountIndex(vault, { origin: { kind: 'local' }, username: 'ann' }).toString(),
  );
  // Where one ends and the other begins cannot be shifted.
  expect(
    new Set([index('https://a', 'b'), index('https://a","', 'b'), index('https://', 'ab'), index('b', 'https://a')])
      .size,
  ).toBe(4);
  expect(userIndex(vault, { origin: { kind: 'local' }, fhirUser: 'Practitioner/1' })).toBeNull();
  expect(userIndex(vault, { origin: of('i', 's1'), fhirUser: 'Practitioner/1' })).toEqual(
    userIndex(vault, { origin: of('i', 's2'), fhirUser: 'Practitioner/1' }),
  );
});
