import { PRINTED_PANELS, type Analyte, type Reported } from './analytes.ts';
import { printTimes, type PrintedTimes } from './print-times.ts';
import { makeRandom, type Random } from './random.ts';

export const LAYOUTS = ['columns', 'two-column', 'bordered', 'letter', 'blocks'] as const;
export type Layout = (typeof LAYOUTS)[number];

/** What a perfect reader would find. */
export interface TrueResult {
  readonly loinc: string;
  readonly comparator: '<' | '>' | null;
  /** Digits as printed, or the word. */
  readonly value: string;
  /** UCUM, or null. */
  readonly unit: string | null;
}

export interface PrintedRow {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  readonly range: string;
  readonly flag: '' | 'H' | 'L' | 'A';
  readonly previous: string;
  readonly truth: TrueResult;
}

export interface PrintedBlock {
  readonly heading: string;
  readonly rows: readonly PrintedRow[];
}

export interface ReportContent {
  readonly layout: Layout;
  readonly laboratory: string;
  readonly address: string;
  readonly patient: string;
  readonly times: PrintedTimes;
  readonly specimen: string;
  readonly blocks: readonly PrintedBlock[];
  readonly font: 'sans' | 'serif' | 'mono';
}

const LABORATORIES = [
  'Northfield Clinical Laboratory',
  'Harbor Diagnostics',
  'St. Alban Hospital Laboratory',
  'Meridian Pathology Laboratory',
  'Laborgemeinschaft Lindenau',
] as const;
const FIRST = ['Alex', 'Maria', 'Jonas', 'Wei', 'Fatima', 'Noah'] as const;
const LAST = ['Sample', 'Muster', 'Testperson', 'Example', 'Specimen-Jones'] as const;

function rangeText(
  random: Random,
  { low, high }: { readonly low: string | null; readonly high: string | null },
): string {
  if (low !== null && high !== null) return `${low}${random.pick(['-', ' - '])}${high}`;
  return low === null ? `${random.pick(['<', '< '])}${high ?? ''}` : `${random.pick(['>', '>= '])}${low}`;
}

function numberRow(
  random: Random,
  name: string,
  reported: Extract<Reported, { kind: 'number' }>,
  unitChoice: number,
): PrintedRow {
  const { low, high, digits, units, loinc } = reported;
  const from = Number(low ?? Number(high) * 0.35);
  const to = Number(high ?? Number(low) * 1.9);
  const made = (from + to) / 2 + random.around() * (to - from) * 0.42;
  const number = Math.max(made, from * 0.35, 10 ** -digits);
  // Below and above what the method can measure.
  const comparator = random.isLucky(0.03) ? (low === null ? '<' : high === null ? '>' : null) : null;
  const shown = comparator === '<' ? to * 0.1 : comparator === '>' ? to * 0.8 : number;
  const value = Math.max(shown, 10 ** -digits).toFixed(digits);
  const unit = units[unitChoice % units.length] ?? { text: '', ucum: null };
  const isHigh = high !== null && Number(value) > Number(high);
  const isLow = low !== null && Number(value) < Number(low);
  return {
    name,
    value: `${comparator ?? ''}${value}`,
    unit: unit.text,
    range: rangeText(random, reported),
    flag: comparator !== null ? '' : isHigh ? 'H' : isLow ? 'L' : '',
    previous: (number * (1 + random.around() * 0.06)).toFixed(digits),
    truth: { loinc, comparator, value, unit: unit.ucum },
  };
}

function rowOf(random: Random, analyte: Analyte, system: 'us' | 'si', unitChoice: number): PrintedRow {
  const reported = analyte[system];
  const name = random.pick(analyte.names);
  if (reported.kind === 'number') return numberRow(random, name, reported, unitChoice);
  const isPresence = /^(Negative|Non-Reactive)$/.test(reported.usual);
  const isOdd = isPresence && random.isLucky(0.12);
  const value = isOdd
    ? reported.usual === 'Negative'
      ? random.pick(['Trace', '1+', '2+', 'Positive'])
      : 'Reactive'
    : reported.usual;
  return {
    name,
    value,
    unit: '',
    range: reported.usual,
    flag: isOdd ? 'A' : '',
    previous: reported.usual,
    truth: { loinc: reported.loinc, comparator: null, value, unit: null },
  };
}

export interface ReportOptions {
  readonly seed: number;
  readonly n: number;
  readonly layout?: Layout;
  /** Local wall time of the collection, `YYYY-MM-DDTHH:MM`. */
  readonly collectedAt?: string;
}

/** What a laboratory found, and how it will print it: the same for the same seed and number. */
export function inventReport({ seed, n, layout: wanted, collectedAt }: ReportOptions): ReportContent {
  const random = makeRandom(seed, n);
  const layout = wanted ?? LAYOUTS[n % LAYOUTS.length] ?? 'columns';
  const system = random.isLucky(0.35) ? 'si' : 'us';
  const unitChoice = random.below(3);
  const panels = [...PRINTED_PANELS];
  const count = 2 + random.below(3);
  const chosen = Array.from({ length: count }, () => panels.splice(random.below(panels.length), 1)).flat();
  const blocks = chosen.map(({ names, analytes }): PrintedBlock => {
    const kept = analytes.length <= 4 ? analytes : analytes.filter(() => random.isLucky(0.85));
    return { heading: random.pick(names), rows: kept.map((one) => rowOf(random, one, system, unitChoice)) };
  });
  return {
    layout,
    laboratory: random.pick(LABORATORIES),
    address: `${10 + random.below(90)} ${random.pick(['Mill Road', 'Harbour Street', 'Station Avenue'])}, Sampletown`,
    patient: `${random.pick(FIRST)} ${random.pick(LAST)}`,
    times: printTimes(random, collectedAt ?? null),
    specimen: random.pick(['Serum', 'Venous blood', '']),
    blocks,
    font: random.pick(
      layout === 'letter' ? ['serif', 'sans'] : layout === 'columns' ? ['sans', 'mono'] : ['sans', 'serif', 'sans'],
    ),
  };
}
