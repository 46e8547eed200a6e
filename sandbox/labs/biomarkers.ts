import { BIOMARKER_TABLE, PANEL_TABLE } from './biomarker-table.ts';
import { keyOfName } from './letters.ts';

/** Results that are no number, by what they may say. */
export type Vocabulary = 'presence' | 'color' | 'clarity' | 'abo' | 'rh';

/** One way to report a biomarker, under one LOINC code. */
export type Form =
  | {
      readonly kind: 'number';
      readonly loinc: string;
      readonly units: readonly string[];
      readonly low: number;
      readonly high: number;
    }
  | { readonly kind: 'words'; readonly loinc: string; readonly vocabulary: Vocabulary };

export interface Biomarker {
  readonly key: string;
  readonly name: string;
  /** The panel that it belongs to where the report names none. */
  readonly panel: string;
  readonly forms: readonly Form[];
}

export interface Panel {
  readonly key: string;
  readonly name: string;
  readonly loinc: string | null;
  readonly specimen: 'blood' | 'urine';
}

const rowsOf = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
const listOf = (text: string): string[] => text.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]));

function formOf(text: string): Form {
  const [loinc = '', ...rest] = text.trim().split(' ');
  if (rest[0] === 'words') return { kind: 'words', loinc, vocabulary: rest[1] as Vocabulary };
  const [low = '', high = ''] = (rest.at(-1) ?? '').split('..');
  return { kind: 'number', loinc, units: rest.slice(0, -1), low: Number(low), high: Number(high) };
}

/** What is known by a name. Several where the unit tells them apart. */
type Named<T> = ReadonlyMap<string, readonly T[]>;

function indexed<T>(pairs: readonly (readonly [string, T])[]): Named<T> {
  const found = new Map<string, T[]>();
  for (const [name, one] of pairs) {
    const key = keyOfName(name);
    const others = found.get(key) ?? [];
    if (!others.includes(one)) found.set(key, [...others, one]);
  }
  return found;
}

const BIOMARKER_ROWS = rowsOf(BIOMARKER_TABLE).map(([key = '', name = '', others = '', panel = '', forms = '']) => ({
  biomarker: { key, name, panel, forms: forms.split(';').map(formOf) } satisfies Biomarker,
  names: [name, ...listOf(others)],
}));
const PANEL_ROWS = rowsOf(PANEL_TABLE).map(([key = '', name = '', loinc = '', others = '', specimen = '']) => ({
  panel: { key, name, loinc: loinc === '' ? null : loinc, specimen: specimen as Panel['specimen'] } satisfies Panel,
  names: [name, ...listOf(others)],
}));

export const BIOMARKERS: readonly Biomarker[] = BIOMARKER_ROWS.map(({ biomarker }) => biomarker);
export const BIOMARKER_NAMES: Named<Biomarker> = indexed(
  BIOMARKER_ROWS.flatMap(({ biomarker, names }) => names.map((name) => [name, biomarker] as const)),
);
export const PANELS: ReadonlyMap<string, Panel> = new Map(PANEL_ROWS.map(({ panel }) => [panel.key, panel]));
export const PANEL_NAMES: Named<Panel> = indexed(
  PANEL_ROWS.flatMap(({ panel, names }) => names.map((name) => [name, panel] as const)),
);
