import { BIOMARKER_NAMES, type Biomarker, type Form } from './biomarkers.ts';
import { makeNames, type Origin } from './find-name.ts';
import { keyOfName } from './letters.ts';
import { readRest, type Range, type Rest } from './read-rest.ts';
import { readValues, type ReadValue, type Value } from './read-value.ts';

/** A result as the document states it, with the biomarker that it can only be. */
export interface Result {
  readonly biomarker: Biomarker;
  readonly form: Form;
  /** As the document calls it. */
  readonly printed: string;
  readonly value: Value;
  /** UCUM, or null where none is printed. */
  readonly unit: string | null;
  readonly range: Range | null;
  readonly flag: Rest['flag'];
}

const NAME_WORDS_MAX = 8;
/** More words than these behind a value, and it is a sentence. */
const STRANGERS_MAX = 2;
const names = makeNames(BIOMARKER_NAMES);
/** Units of pure numbers, which are mostly not printed. */
const isUnitless = (form: Form): boolean =>
  form.kind === 'number' && /^(\{.*\}|\[pH\]|mg\/mg\{creat\})$/.test(form.units[0] ?? '');

export interface NameFound {
  readonly printed: string;
  /** In the order of what the surroundings make likely. */
  readonly candidates: readonly (readonly Biomarker[])[];
  readonly values: readonly ReadValue[];
  /** The word after the name, and the one after the value. */
  readonly valueAt: number;
  readonly restAt: number;
}

export const isTestName = (text: string, origin: Origin): boolean =>
  [text, `urine ${text}`].some((name) => names.find(name, origin).length > 0);

const isFiller = (word: string): boolean => /^[.·…_:;|'"~=–—-]+$/.test(word);
const plain = (word: string): string => word.replace(/[.·…_]{2,}.*$/, '').replace(/^[|'"~*•]+/, '');

/** The longest name at the beginning of these words behind which a value stands. */
export function findName(
  words: readonly string[],
  origin: Origin,
  specimen: 'blood' | 'urine' | null,
): NameFound | null {
  for (let length = Math.min(NAME_WORDS_MAX, words.length - 1); length > 0; length -= 1) {
    const printed = words.slice(0, length).map(plain).join(' ').trim();
    // A name ends with itself: the sign before a value is not of it.
    if (!/[a-z]/i.test(printed) || !/[a-z0-9%#)]$/i.test(printed)) continue;
    const candidates = [
      ...(specimen === 'urine' ? [names.find(`urine ${printed}`, origin)] : []),
      names.find(printed, origin),
    ].filter((list) => list.length > 0);
    if (candidates.length === 0) continue;
    // A slip may be forgiven in a name, but never by taking the value into it.
    const isExact = [printed, `urine ${printed}`].some((name) => BIOMARKER_NAMES.has(keyOfName(name)));
    if (!isExact && length > 1 && /^[<>*]?\d/.test(words[length - 1] ?? '')) continue;
    let valueAt = length;
    while (valueAt < words.length && isFiller(words[valueAt] ?? '')) valueAt += 1;
    // A flag may stand before its value.
    if (/^([HLA]|\*+)$/.test(words[valueAt] ?? '') && readValues(words.slice(valueAt + 1), origin).length > 0)
      valueAt += 1;
    const values = readValues(
      words.slice(valueAt).map((word) => word.replace(/^[.·…_]{2,}/, '')),
      origin,
    );
    if (values.length === 0) continue;
    return { printed, candidates, values, valueAt, restAt: valueAt + Math.max(...values.map(({ count }) => count)) };
  }
  return null;
}

const unitsOf = ({ forms }: Biomarker): readonly string[] =>
  forms.flatMap((form) => (form.kind === 'number' ? form.units : []));

interface Fit {
  readonly biomarker: Biomarker;
  readonly form: Form;
  readonly value: Value;
  readonly unit: string | null;
}

function fitsOf(biomarker: Biomarker, value: Value, units: readonly string[]): Fit[] {
  return biomarker.forms.flatMap((form): Fit[] => {
    if (form.kind === 'words')
      return value.kind === 'word' && value.vocabulary === form.vocabulary
        ? [{ biomarker, form, value, unit: null }]
        : [];
    if (value.kind === 'word') return [];
    if (value.kind === 'range' && form.units[0] !== '/[HPF]') return [];
    if (units.length === 0) return isUnitless(form) ? [{ biomarker, form, value, unit: null }] : [];
    const [unit] = units.filter((one) => form.units.includes(one));
    return unit === undefined ? [] : [{ biomarker, form, value, unit }];
  });
}

/** The result that a name and the words behind it say, or null where they say none, or could say two. */
export function readRow(found: NameFound, words: readonly string[], origin: Origin): Result | null {
  for (const candidates of found.candidates)
    for (const { value, count, rest: glued } of found.values) {
      const behind = [...(glued === '' ? [] : [glued.replace(/^\*(?=.)/, '')]), ...words.slice(found.valueAt + count)];
      const rest = readRest(behind, origin, candidates.flatMap(unitsOf));
      if (rest.strangers.length > STRANGERS_MAX) continue;
      const fits = candidates.flatMap((biomarker) => fitsOf(biomarker, value, rest.units));
      const [fit] = fits;
      if (fit === undefined || new Set(fits.map(({ form }) => form.loinc)).size > 1) continue;
      const before = words[found.valueAt - 1] ?? '';
      const flag = rest.flag ?? (/^[HLA]$/.test(before) ? (before as 'H' | 'L' | 'A') : glued.startsWith('*') || /^\*+$/.test(before) ? 'A' : null); // prettier-ignore
      return { ...fit, printed: found.printed, range: rest.range, flag };
    }
  return null;
}
