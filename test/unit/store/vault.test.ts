import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { makeVault } from '../../../src/store/vault.ts';

const key = (): Uint8Array => new Uint8Array(randomBytes(32));
const bytes = fc.uint8Array({ maxLength: 2_000 });

test('what was sealed for a place opens there, unchanged', () => {
  const vault = makeVault({ data: [key()], pseudonym: key() });
  fc.assert(
    fc.property(bytes, fc.string(), (plain, place) => {
      expect(new Uint8Array(vault.open(vault.seal(plain, place), place))).toEqual(plain);
    }),
  );
});

test('a sealed value with any one bit changed does not open', () => {
  const vault = makeVault({ data: [key()], pseudonym: key() });
  fc.assert(
    fc.property(bytes, fc.nat(), fc.nat(7), (plain, at, bit) => {
      const sealed = vault.seal(plain, 'here');
      const place = at % sealed.length;
      sealed[place] = (sealed[place] ?? 0) ^ (1 << bit);
      expect(() => vault.open(sealed, 'here')).toThrow();
    }),
  );
});

test('a sealed value does not open elsewhere, under another key, or cut short', () => {
  const data = key();
  const vault = makeVault({ data: [data], pseudonym: key() });
  const sealed = vault.seal(new Uint8Array([1, 2, 3]), 'row 1');
  expect(() => vault.open(sealed, 'row 2')).toThrow();
  expect(() => makeVault({ data: [key()], pseudonym: key() }).open(sealed, 'row 1')).toThrow();
  for (let length = 0; length < sealed.length; length += 1)
    expect(() => vault.open(sealed.subarray(0, length), 'row 1')).toThrow();
});

test('sealing the same twice shows nothing of its being the same', () => {
  const vault = makeVault({ data: [key()], pseudonym: key() });
  const plain = new Uint8Array(100);
  expect(vault.seal(plain, 'x').equals(vault.seal(plain, 'x'))).toBe(false);
});

test('an index is the same for the same field and value, under the same pseudonym key only, whatever the data key', () => {
  const pseudonym = key();
  const [one, two] = [makeVault({ data: [key()], pseudonym }), makeVault({ data: [key()], pseudonym })];
  expect(one.index('mrn', '0007').equals(two.index('mrn', '0007'))).toBe(true);
  expect(one.index('mrn', '0007').equals(one.index('mrn', '7'))).toBe(false);
  expect(one.index('mrn', '0007').equals(one.index('user', '0007'))).toBe(false);
  expect(one.index('mrn', 'x').equals(makeVault({ data: [key()], pseudonym: key() }).index('mrn', 'x'))).toBe(false);
  // The border between field and value is part of what is hashed.
  expect(one.index('a', 'bc').equals(one.index('ab', 'c'))).toBe(false);
});
