import type { Vocabulary } from './biomarkers.ts';
import type { Origin } from './find-name.ts';
import { keyOfName, withDigits } from './letters.ts';

export type Value =
  | {
      readonly kind: 'number';
      readonly comparator: '<' | '<=' | '>' | '>=' | null;
      /** As printed, with a decimal point. */ readonly digits: string;
    }
  | { readonly kind: 'range'; readonly low: string; readonly high: string }
  | { readonly kind: 'word'; readonly vocabulary: Vocabulary; readonly word: string };

/** The words of each vocabulary, as they are sent. */
const WORDS: Readonly<Record<Vocabulary, readonly string[]>> = {
  presence: [
    'Negative',
    'Positive',
    'Non-Reactive',
    'Reactive',
    'Not Detected',
    'Detected',
    'Trace',
    'Present',
    'Absent',
    'None seen',
    'Few',
    'Moderate',
    'Many',
    'Small',
    'Large',
    'Equivocal',
    'Indeterminate',
    '1+',
    '2+',
    '3+',
    '4+',
  ],
  color: ['Yellow', 'Straw', 'Pale yellow', 'Dark yellow', 'Amber', 'Colorless', 'Red', 'Brown', 'Orange'],
  clarity: ['Clear', 'Cloudy', 'Turbid', 'Hazy', 'Slightly cloudy'],
  abo: ['A', 'B', 'AB', 'O'],
  rh: ['Positive', 'Negative'],
};
const keyOfWord = (text: string): string => (/^\d\+$/.test(text) ? text : keyOfName(text).replace(/ /g, ''));

/** The words that a text can be, by vocabulary. */
export function findWords(text: string): { readonly vocabulary: Vocabulary; readonly word: string }[] {
  const key = keyOfWord(text);
  if (key === '') return [];
  return (Object.keys(WORDS) as Vocabulary[]).flatMap((vocabulary) =>
    WORDS[vocabulary].flatMap((word) => (keyOfWord(word) === key ? [{ vocabulary, word }] : [])),
  );
}

const COMPARATORS: Readonly<Record<string, '<' | '<=' | '>' | '>='>> = {
  '<': '<',
  '>': '>',
  '<=': '<=',
  '>=': '>=',
  '=<': '<=',
  '=>': '>=',
  '≤': '<=',
  '≥': '>=', // prettier-ignore
};
const THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/**
 * Digits with a decimal point, or null. A comma before exactly three digits parts thousands, unless a zero stands
 * before it; any other is the decimal comma of continental Europe.
 */
export function readDigits(text: string, origin: Origin): string | null {
  const digits = origin === 'scanned' && /\d/.test(text) ? withDigits(text).replace(/(?<=\d)[:;](?=\d)/, '.') : text;
  if (THOUSANDS.test(digits) && !digits.startsWith('0')) return digits.replace(/,/g, '');
  if (!/^-?\d+(?:[.,]\d+)?$/.test(digits)) return null;
  return digits.replace(',', '.').replace(/^(-?)0+(?=\d)/, '$1');
}

export interface ReadValue {
  readonly value: Value;
  /** Words taken. */
  readonly count: number;
  /** What was glued to it: a flag or a unit. */
  readonly rest: string;
}

const NUMBER =
  /^([<>≤≥]=?|=[<>])?\s*([-\d.,:OoQlI|SB]*\d[-\d.,:OoQlI|SB]*?)(\*|[HLA]|HH|LL|\(?[HLA]\)|%|[a-zµμ]+\/[A-Za-z0-9.]+)?$/;

/** A number at the beginning of these words, with what stands before and behind it. */
function readNumber(words: readonly string[], origin: Origin): ReadValue | null {
  const [first = '', second = ''] = words;
  const isApart = COMPARATORS[first] !== undefined;
  const text = (isApart ? `${first}${second}` : first).replace(/^\*+/, '');
  const [, comparator, digits = '', rest = ''] = NUMBER.exec(text) ?? [];
  const read = readDigits(digits.replace(/[.,]+$/, ''), origin);
  if (read === null) return null;
  const flag = first.startsWith('*') ? '*' : '';
  return {
    value: {
      kind: 'number',
      comparator: comparator === undefined ? null : (COMPARATORS[comparator] ?? null),
      digits: read,
    },
    count: isApart ? 2 : 1,
    rest: `${flag}${rest}`,
  };
}

/** All that the beginning of these words can be. */
export function readValues(words: readonly string[], origin: Origin): readonly ReadValue[] {
  const [first = '', second = ''] = words;
  const found: ReadValue[] = [];
  for (const [text, count] of [
    [`${first} ${second}`, 2],
    [first.replace(/^\*/, ''), 1],
  ] as const)
    // prettier-ignore
    for (const word of words.length < count ? [] : findWords(text))
      found.push({ value: { kind: 'word', ...word }, count, rest: first.startsWith('*') ? '*' : '' });
  const [, plus, flag = ''] = /^\*?([1-4]\+)([HLA*])$/.exec(first) ?? [];
  if (plus !== undefined)
    found.push({ value: { kind: 'word', vocabulary: 'presence', word: plus }, count: 1, rest: flag });
  const [, low, high] = /^(\d{1,4})[-–](\d{1,4})$/.exec(first) ?? [];
  if (low !== undefined && high !== undefined && Number(low) < Number(high))
    found.push({ value: { kind: 'range', low, high }, count: 1, rest: '' });
  const number = readNumber(words, origin);
  return number === null ? found : [...found, number];
}
