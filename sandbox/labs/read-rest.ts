import type { Origin } from './find-name.ts';
import { findMisreadUnits, findUnit } from './units.ts';
import { findWords, readDigits } from './read-value.ts';

/** What stands behind a value, in whatever order. */
export interface Rest {
  readonly flag: 'H' | 'L' | 'A' | 'N' | null;
  /** UCUM codes that the printed unit can be; none where none is printed. */
  readonly units: readonly string[];
  readonly range: Range | null;
  /** Words that are nothing of this. */
  readonly strangers: readonly string[];
}

export type Range =
  | { readonly kind: 'numbers'; readonly low: string | null; readonly high: string | null }
  | { readonly kind: 'words'; readonly text: string };

const FLAGS: Readonly<Record<string, Rest['flag']>> = {
  H: 'H',
  HH: 'H',
  HIGH: 'H',
  L: 'L',
  LL: 'L',
  LOW: 'L',
  A: 'A',
  AA: 'A',
  ABNORMAL: 'A',
  '*': 'A',
  '**': 'A',
  N: 'N',
  NORMAL: 'N',
  '↑': 'H',
  '↓': 'L', // prettier-ignore
};
/** Words that name what follows, and say nothing themselves. */
const LABELS = /^(ref|reference|range|interval|normal range|units?|limits?|final|f|fasting|calc|up|to|or)[.:]?$/i;

const NUM = String.raw`[\dOolI|S][\dOolI|SB.,:]*`;
const BETWEEN = new RegExp(String.raw`(?<=^|\s)(${NUM})\s*(?:-|–|—|\bto\b)\s*(${NUM})(?=\s|$)`);
const BEYOND = new RegExp(String.raw`(?<=^|\s)(<=|>=|≤|≥|<|>|=<|=>|[Uu]p to)\s*(${NUM})(?=\s|$)`);

function takeRange(text: string, origin: Origin): { range: Range | null; left: string } {
  const [all, lowText = '', highText = ''] = BETWEEN.exec(text) ?? [];
  const low = readDigits(lowText, origin);
  const high = readDigits(highText, origin);
  if (all !== undefined && low !== null && high !== null && Number(low) <= Number(high))
    return { range: { kind: 'numbers', low, high }, left: text.replace(all, ' ') };
  const [beyond, sign = '', digitsText = ''] = BEYOND.exec(text) ?? [];
  const digits = readDigits(digitsText, origin);
  if (beyond === undefined || digits === null) return { range: null, left: text };
  const isLow = /[>≥]/.test(sign);
  return {
    range: { kind: 'numbers', low: isLow ? digits : null, high: isLow ? null : digits },
    left: text.replace(beyond, ' '),
  };
}

/** The longest run of up to four words that is a unit. */
function takeUnit(
  words: readonly string[],
  origin: Origin,
  expected: readonly string[],
): { units: readonly string[]; left: readonly string[] } {
  for (let length = Math.min(4, words.length); length > 0; length -= 1)
    for (let start = 0; start + length <= words.length; start += 1) {
      const text = words.slice(start, start + length).join('');
      const sane = findUnit(text);
      const units = origin === 'scanned' ? findMisreadUnits(text, expected) : sane === null ? [] : [sane];
      if (units.length > 0) return { units, left: [...words.slice(0, start), ...words.slice(start + length)] };
    }
  return { units: [], left: words };
}

function takeWords(words: readonly string[]): { range: Range | null; left: readonly string[] } {
  for (let length = 2; length > 0; length -= 1)
    for (let start = 0; start + length <= words.length; start += 1) {
      const [found] = findWords(words.slice(start, start + length).join(' '));
      if (found !== undefined && found.vocabulary !== 'abo')
        return {
          range: { kind: 'words', text: found.word },
          left: [...words.slice(0, start), ...words.slice(start + length)],
        };
    }
  return { range: null, left: words };
}

/** `expected`: the units that would fit what stands before. */
export function readRest(words: readonly string[], origin: Origin, expected: readonly string[]): Rest {
  const text = words.join(' ').replace(/[()[\]{}]/g, ' ').replace(/\bRef(erence)?( range| interval)?\s*[.:]/gi, ' '); // prettier-ignore
  const { range: numbers, left } = takeRange(text.trim(), origin);
  const all = left.split(/\s+/).filter((word) => word !== '' && !/^[|_~'"`.,:;=—–-]+$/.test(word));
  const flags = all.filter((word) => FLAGS[word] !== undefined || FLAGS[word.toUpperCase()] !== undefined);
  // In a line of its own a flag is upper case; `a` is a word.
  const isFlag = (word: string): boolean =>
    FLAGS[word] !== undefined || (word.length > 2 && FLAGS[word.toUpperCase()] !== undefined);
  const flagWord = flags.find(isFlag);
  const { units, left: unitless } = takeUnit(
    all.filter((word) => !isFlag(word)),
    origin,
    expected,
  );
  const { range: words_, left: wordless } = numbers === null ? takeWords(unitless) : { range: null, left: unitless };
  return {
    flag: flagWord === undefined ? null : (FLAGS[flagWord] ?? FLAGS[flagWord.toUpperCase()] ?? null),
    units,
    range: numbers ?? words_,
    strangers: wordless.filter((word) => !LABELS.test(word)),
  };
}
