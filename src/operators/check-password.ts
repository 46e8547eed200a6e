import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { COMMON_WORDS } from './common-words.ts';

export const PASSWORD_LENGTH = { least: 12, most: 200 } as const;
/** What must be left once everything is taken out that a guesser tries first. */
const LEFT_LEAST = 6;
/** So many neighbours on a keyboard or in the alphabet are a row. */
const ROW_LEAST = 4;
const NAME_PART_LEAST = 3;

const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'yxcvbnm',
].flatMap((row) => [row, Array.from(row).reverse().join('')]);

/** Digits and signs that stand for letters. Which letter a 1 is depends on the word, hence two readings. */
const AS_LETTERS: Readonly<Record<string, string>> = {
  '0': 'o',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '!': 'i',
  '+': 't',
  '€': 'e',
};
const asLetters = (text: string, one: 'i' | 'l'): string =>
  Array.from(text, (sign) => (sign === '1' || sign === '|' ? one : (AS_LETTERS[sign] ?? sign))).join('');

/** Longest first, so that a word does not hide a longer one. */
const longestFirst = (words: readonly string[]): string[] => [...words].sort((a, b) => b.length - a.length);
const COMMON = longestFirst(COMMON_WORDS);

/** Rows of neighbours, in either direction, and what is said again and again. */
function withoutPatterns(text: string): string {
  let out = '';
  for (let at = 0; at < text.length;) {
    let length = 1;
    while (at + length < text.length && ROWS.some((row) => row.includes(text.slice(at, at + length + 1)))) length += 1;
    if (length < ROW_LEAST) {
      out += text.charAt(at);
      at += 1;
    } else at += length;
  }
  // `ababab` is `ab`, `aaaa` is `a`.
  return out.replace(/(.{1,20}?)\1+/gsu, '$1');
}

/** How many different signs are left. One that comes again adds little. */
function leftOf(text: string, words: readonly string[]): number {
  const withoutWords = (from: string): string => words.reduce((rest, word) => rest.replaceAll(word, ' '), from);
  // Rows may hide words, and words rows.
  const rest = withoutPatterns(withoutWords(withoutPatterns(withoutWords(text))));
  return new Set(rest.replace(/[\s\p{P}\p{S}]+/gu, '')).size;
}

/** A year or a few digits at the end are what everybody adds. */
const withoutTail = (text: string): string => text.replace(/[\d\p{P}\p{S}\s]{1,6}$/u, '');

/**
 * Long enough by itself, as NIST has it, with no rule on kinds of letters; but not made of what is tried first: common
 * words, rows, repetitions, the person's own name, also with digits for letters.
 */
export function checkPassword(password: string, own: readonly string[]): Result<null> {
  const { least, most } = PASSWORD_LENGTH;
  const text = password.normalize('NFKC');
  const length = Array.from(text).length;
  const weak = (detail: string) => fail(fault('operator.weak-password', { at: 'password', detail }));
  if (length < least || text.length > most) return weak(`A password has ${least} to ${most} characters.`);
  if (!password.isWellFormed()) return weak('A password is text.');
  const lower = text.toLowerCase();
  const parts = own
    .flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)])
    .map((name) => name.normalize('NFKC').toLowerCase())
    .filter((name) => name.length >= NAME_PART_LEAST);
  const words = longestFirst([...parts, ...parts.map((name) => asLetters(name, 'i')), ...COMMON]);
  const readings = [lower, withoutTail(lower)].flatMap((one) => [one, asLetters(one, 'i'), asLetters(one, 'l')]);
  return readings.some((reading) => leftOf(reading, words) < LEFT_LEAST)
    ? weak('This is made of what is guessed first: common words, rows, repetitions or the name. Take other words.')
    : ok(null);
}
