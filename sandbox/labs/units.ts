import { distanceOf } from './letters.ts';

/** UCUM code and how laboratories write it. Compared without blanks, in lower case where that is safe. */
const UNIT_TEXTS: readonly (readonly [string, readonly string[]])[] = [
  ['%', ['%', 'percent']],
  ['g/dL', ['g/dl', 'gm/dl', 'g/100ml']],
  ['g/L', ['g/l']],
  ['mg/dL', ['mg/dl', 'mg/100ml']],
  ['mg/L', ['mg/l']],
  ['ug/dL', ['ug/dl', 'mcg/dl']],
  ['ug/L', ['ug/l', 'mcg/l']],
  ['ug/mL', ['ug/ml', 'mcg/ml']],
  ['ng/dL', ['ng/dl']],
  ['ng/mL', ['ng/ml']],
  ['ng/L', ['ng/l']],
  ['pg/mL', ['pg/ml']],
  ['pg', ['pg', 'pg/cell']],
  ['fL', ['fl']],
  ['mm/h', ['mm/h', 'mm/hr', 'mm/hour']],
  ['mmol/L', ['mmol/l']],
  ['umol/L', ['umol/l']],
  ['nmol/L', ['nmol/l']],
  ['pmol/L', ['pmol/l']],
  ['mmol/mol', ['mmol/mol']],
  ['meq/L', ['meq/l']],
  ['mosm/kg', ['mosm/kg', 'mosmol/kg', 'mosm/kgh2o', 'mosmol/kgh2o']],
  ['U/L', ['u/l', 'units/l']],
  ['U/mL', ['u/ml', 'units/ml']],
  ['[IU]/L', ['iu/l']],
  ['[IU]/mL', ['iu/ml']],
  ['k[IU]/L', ['kiu/l', 'ku/l']],
  ['m[IU]/L', ['miu/l', 'mu/l']],
  ['m[IU]/mL', ['miu/ml', 'mu/ml']],
  ['u[IU]/mL', ['uiu/ml', 'mciu/ml', 'uu/ml', 'mcu/ml']],
  [
    '10*3/uL',
    [
      '10^3/ul',
      'x10^3/ul',
      '10*3/ul',
      'x10*3/ul',
      'x10e3/ul',
      '10e3/ul',
      'x103/ul',
      '103/ul',
      'k/ul',
      'th/ul',
      'thou/ul',
      'thousand/ul',
      'k/mm3',
      'k/cumm',
    ],
  ],
  [
    '10*6/uL',
    [
      '10^6/ul',
      'x10^6/ul',
      '10*6/ul',
      'x10*6/ul',
      'x10e6/ul',
      '10e6/ul',
      'x106/ul',
      '106/ul',
      'm/ul',
      'mil/ul',
      'million/ul',
      'm/mm3',
      'm/cumm',
    ],
  ],
  ['10*9/L', ['10^9/l', 'x10^9/l', '10*9/l', 'x10*9/l', 'x10e9/l', '10e9/l', 'x109/l', '109/l', 'g/l(10^9)', 'giga/l']],
  ['10*12/L', ['10^12/l', 'x10^12/l', '10*12/l', 'x10*12/l', 'x10e12/l', '10e12/l', 'x1012/l', '1012/l', 'tera/l']],
  [
    'mL/min/{1.73_m2}',
    ['ml/min/1.73m2', 'ml/min/1.73', 'ml/min/1.73sqm', 'ml/min/1.73m^2', 'ml/min/1.73sq.m', 'ml/min/bsa'],
  ],
  ['mg/g{creat}', ['mg/g', 'mg/gcreat', 'mg/gcr', 'mg/gcreatinine', 'ug/mg', 'ug/mgcreat', 'mcg/mgcreat']],
  ['mg/mg{creat}', ['mg/mg', 'mg/mgcreat']],
  ['ng/mL{FEU}', ['ng/mlfeu', 'ng/ml(feu)', 'ngfeu/ml', 'ug/lfeu']],
  ['ug/mL{FEU}', ['ug/mlfeu', 'mcg/mlfeu', 'ug/ml(feu)', 'mg/lfeu']],
  ['ug/L{DDU}', ['ug/lddu', 'ug/l(ddu)']],
  ['ng/mL{DDU}', ['ng/mlddu', 'ng/ml(ddu)']],
  ['/[HPF]', ['/hpf', 'perhpf', 'cells/hpf']],
  ['s', ['s', 'sec', 'secs', 'seconds', 'sec.']],
  ['{ratio}', ['ratio', '(ratio)', '(calc)']],
  ['{INR}', ['inr']],
];

const BY_TEXT: ReadonlyMap<string, string> = new Map(
  UNIT_TEXTS.flatMap(([ucum, texts]) => texts.map((text) => [text, ucum])),
);

const plainOf = (text: string): string =>
  text
    .replace(/[µμ]/g, 'u')
    .replace(/[×✕]/g, 'x')
    .replace(/²/g, '2')
    .replace(/³/g, '3')
    .replace(/⁶/g, '6')
    .replace(/⁹/g, '9')
    .replace(/\s+/g, '')
    .replace(/^[([]+(?=.*[)\]]$)|[)\]]+$/g, '')
    .toLowerCase();

/** The unit that a text means, or null. */
export const findUnit = (text: string): string | null =>
  BY_TEXT.get(plainOf(text)) ?? BY_TEXT.get(text.toLowerCase()) ?? null;

const foldedUnit = (text: string): string =>
  text
    .replace(/[1il|!\]\[t]/g, 'l')
    .replace(/cl(?=l)/g, 'd')
    .replace(/[o0q]/g, 'o')
    .replace(/[\\]/g, '/')
    .replace(/(^|\/)[pyj4u](?=[a-z])/g, '$1u')
    .replace(/[*"'°~^]/g, '');
const FOLDED: readonly (readonly [string, readonly string[]])[] = UNIT_TEXTS.map(([ucum, texts]) => [
  ucum,
  texts.map(foldedUnit),
]);

/** Counts in a volume: the power of ten is small and mostly misread, its last digit and the volume are not. */
const COUNT = /^[x*]?[1li][0o].{0,4}\/?([uypj]?)[l1i|]$/;
const POWERS: Readonly<Record<string, string>> = { 3: '10*3/uL', 6: '10*6/uL', 9: '10*9/L', 2: '10*12/L' };

function countsOf(plain: string): readonly string[] {
  const [, micro] = COUNT.exec(plain) ?? [];
  if (micro === undefined) return [];
  const power = POWERS[/([3692])\/?[uypj]?.$/.exec(plain)?.[1] ?? ''];
  const all = micro === '' ? ['10*9/L', '10*12/L'] : ['10*3/uL', '10*6/uL'];
  return power !== undefined && all.includes(power) ? [power] : all;
}

/**
 * As a reading machine writes units: the last letter of `/L` is taken for 1, I or |, the micro sign for p, y or j,
 * strokes are lost. All that a text could be; `expected` are the units of the analyte that it stands behind, and one
 * slip is forgiven where only one of them is so near.
 */
export function findMisreadUnits(text: string, expected: readonly string[]): readonly string[] {
  const plain = plainOf(text).replace(/[,.;:'`_]+$/, '');
  const sane = findUnit(plain);
  if (sane !== null && expected.includes(sane)) return [sane];
  const wanted = foldedUnit(plain);
  if (wanted.length < 2) return sane === null ? [] : [sane];
  const likely = FOLDED.flatMap(([ucum, texts]) => (expected.includes(ucum) && texts.includes(wanted) ? [ucum] : []));
  if (likely.length > 0) return likely;
  if (sane !== null) return [sane];
  const counts = countsOf(plain).filter((ucum) => expected.includes(ucum));
  if (counts.length > 0) return counts;
  const near = FOLDED.flatMap(([ucum, texts]) => {
    const slips = expected.includes(ucum)
      ? texts.filter((one) => one.length > 2 && distanceOf(one, wanted, 1) <= 1)
      : [];
    return slips.length === 0 ? [] : [{ ucum, isSameLength: slips.some((one) => one.length === wanted.length) }];
  });
  // A letter taken for another is likelier than one that was lost.
  const same = near.filter(({ isSameLength }) => isSameLength);
  const [only, other] = same.length > 0 ? same : near;
  return only === undefined || other !== undefined ? [] : [only.ucum];
}
