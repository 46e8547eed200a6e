import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkPassword } from '../../../src/operators/check-password.ts';
import { COMMON_WORDS } from '../../../src/operators/common-words.ts';

const OWN = ['ada.lovelace', 'Ada Lovelace'];
const isTaken = (password: string): boolean => checkPassword(password, OWN).ok;

test.each([
  'short-one-1',
  'passwordpassword',
  'Password123456',
  'P4$$w0rd2026!!',
  'correcthorsebatterystaple',
  'qwertyuiop1234',
  'aaaaaaaaaaaaaaaa',
  'abababababababab',
  'abcdefghijklmnop',
  '987654321098765',
  'lovelace-lovelace',
  'ada.lovelace2026',
  '4d4l0v3l4c3!2026',
  'AdaLovelace!AdaLovelace!',
  'HospitalSummer2026!',
  'Welcome2Chartgate!',
  'x'.repeat(201),
])('%s is refused', (password) => {
  expect(checkPassword(password, OWN)).toMatchObject({ ok: false, fault: { code: 'operator.weak-password' } });
});

test.each(['gravel-untold-mimic-7', 'vTq9#kLw2!zRx', 'kein Mops bellt nachts', '木漏れ日の中を静かに歩く猫の影絵'])(
  '%s is taken',
  (password) => {
    expect(isTaken(password)).toBe(true);
  },
);

test('what is made of common words alone is refused, however they are put together and written', () => {
  const word = fc.constantFrom(...COMMON_WORDS);
  const disguise = (text: string): string =>
    text.replaceAll('a', '4').replaceAll('e', '3').replaceAll('o', '0').replaceAll('s', '$');
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), fc.constantFrom('', '-', ' '), (parts, by) => {
      const text = parts.join(by);
      expect([isTaken(text), isTaken(disguise(text)), isTaken(text.toUpperCase())]).toEqual([false, false, false]);
    }),
  );
});

test('one sign again and again is refused, whatever the sign', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 3, unit: 'grapheme-ascii' }), (text) => {
      expect(isTaken(text.repeat(20).slice(0, 60))).toBe(false);
    }),
  );
});
