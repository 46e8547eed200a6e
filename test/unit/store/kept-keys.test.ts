import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { missingKeys, withKeptKeys } from '../../../src/store/kept-keys.ts';
import { idOf, makeVault, type VaultKeys } from '../../../src/store/vault.ts';

const aKey = (): Uint8Array => new Uint8Array(randomBytes(32));
const keysOf = (...data: Uint8Array[]): VaultKeys => ({ data, pseudonym: Buffer.alloc(32, 3) });
const idHex = (key: Uint8Array): string => idOf(key).toString('hex');
const plain = Buffer.from('whose chart was seen');

test('a new database gets a key for particulars, once', () => {
  const keys = keysOf(aKey());
  const made = missingKeys(makeVault(keys), keys, [], [], false);
  expect(made).toHaveLength(1);
  expect(missingKeys(makeVault(keys), keys, made, [idHex(keys.data[0] ?? aKey())], true)).toEqual([]);
});

test('particulars are sealed by no data key, differ by chain, and open without the data key of their day', () => {
  const [old, now] = [aKey(), aKey()];
  const before = keysOf(old);
  const rows = missingKeys(makeVault(before), before, [], [], false);
  const vault = withKeptKeys(before, rows);
  const sealed = vault.particulars('a.0').seal(plain, 'place');
  expect(vault.isOwn(sealed)).toBe(false);
  expect(() => vault.open(sealed, 'place')).toThrow();
  expect(() => vault.particulars('b.0').open(sealed, 'place')).toThrow();

  const both = makeVault(keysOf(now, old));
  const anew = rows.map(({ index, sealed: key }) => {
    const place = `user_key.key_sealed/${Buffer.from(index).toString('hex')}`;
    return { index, sealed: both.seal(both.open(key, place), place) };
  });
  expect(withKeptKeys(keysOf(now), anew).particulars('a.0').open(sealed, 'place')).toEqual(plain);
});

test('what a data key itself sealed before there was a key for particulars still opens when that data key is gone', () => {
  const [old, unused, now] = [aKey(), aKey(), aKey()];
  const before = keysOf(old, unused);
  const sealed = makeVault(before).seal(plain, 'place');
  const rows = missingKeys(makeVault(before), before, [], [idHex(old)], true);
  expect(rows.map(({ index }) => Buffer.from(index).toString('hex')).sort()).toEqual(
    [idHex(old), Buffer.from('particulars').toString('hex')].sort(),
  );
  const both = makeVault(keysOf(now, old));
  const anew = rows.map(({ index, sealed: key }) => {
    const place = `user_key.key_sealed/${Buffer.from(index).toString('hex')}`;
    return { index, sealed: both.seal(both.open(key, place), place) };
  });
  expect(withKeptKeys(keysOf(now), anew).particulars('a.0').open(sealed, 'place')).toEqual(plain);
  // And before the change, while the data key is there.
  expect(withKeptKeys(before, rows).particulars('a.0').open(sealed, 'place')).toEqual(plain);
});

test('who has no data key that opens them has a vault without them', () => {
  const keys = keysOf(aKey());
  const rows = missingKeys(makeVault(keys), keys, [], [], false);
  const stranger = withKeptKeys(keysOf(aKey()), rows);
  expect(stranger.isOwn(stranger.particulars('a.0').seal(plain, 'place'))).toBe(true);
});
