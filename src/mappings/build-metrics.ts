import type { MappedCoding, MetricQuestion, MetricRow } from './mapping.ts';
import { checkDimension } from './check-dimension.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { Report } from './problem.ts';
import { only, origin, toCoding, type MapForm, type MapRow } from './read-concept-map.ts';
import { LOCAL, LOINC } from './systems.ts';

const GIVES = [
  'unit',
  'decimals',
  'category',
  'companion',
  'panel-key',
  'panel',
  'component',
  'method',
  'method-of',
  'property',
  'property-waived',
];
const asWritten = (code: string): string => code;

export const METRIC_FORM: MapForm = {
  to: [LOINC, LOCAL],
  when: ['context', 'window'],
  gives: GIVES,
  normalise: asWritten,
};
export const SIGNAL_FORM: MapForm = { to: [LOINC, LOCAL], when: [], gives: GIVES, normalise: asWritten };

/** Averages over days: local codes only, so that none stands under the code of a measurement. */
export const PROFILE_FORM: MapForm = { to: [LOCAL], when: [], gives: ['unit', 'decimals'], normalise: asWritten };

/** https://hl7.org/fhir/R4/codesystem-observation-category.html */
const CATEGORIES = [
  'social-history',
  'vital-signs',
  'imaging',
  'laboratory',
  'procedure',
  'survey',
  'exam',
  'therapy',
  'activity',
];

function readPanel(row: MapRow, report: Report): MetricRow['panel'] {
  const key = only(row, 'panel-key')?.value ?? null;
  const codings = (row.gives.get('panel') ?? []).map(toCoding);
  const components = (row.gives.get('component') ?? []).map(({ value }) => value);
  if (key === null && codings.length === 0 && components.length === 0) return null;
  if (key === null || codings.length === 0) report(row.row, 'a panel needs panel-key and panel');
  if (!components.includes(row.target.code)) report(row.row, `${row.target.code} is no component of its panel`);
  return { key: key ?? '', codings, components };
}

/** Where one code means several things by the summary that it stands in: what the method says in each of them. */
function readMethodOf(row: MapRow, report: Report): MetricRow['methodOf'] {
  const methods = row.gives.get('method-of') ?? [];
  if (methods.some(({ display }) => display === null)) report(row.row, 'a method-of needs its text for people');
  if (methods.length === 0) return null;
  return Object.fromEntries(methods.map(({ value, display }) => [value, display ?? '']));
}

function readRow(row: MapRow, report: Report): MetricRow {
  const unit = only(row, 'unit');
  const decimals = only(row, 'decimals')?.value ?? '';
  const category = only(row, 'category')?.value ?? '';
  if (unit === null || unit.display === null) report(row.row, 'needs a unit with its text for people');
  if (!/^\d$/.test(decimals)) report(row.row, 'needs decimals, 0 to 9');
  if (!CATEGORIES.includes(category)) report(row.row, `${category} is no observation-category`);
  if (unit !== null) checkDimension(row, unit.value, report);
  const companions: MappedCoding[] = (row.gives.get('companion') ?? []).map(toCoding);
  return deepFreeze({
    ...origin(row),
    codings: [row.target, ...companions],
    equivalence: row.equivalence,
    unit: unit === null ? null : { code: unit.value, text: unit.display ?? unit.value },
    decimals: Number(decimals),
    category,
    panel: readPanel(row, report),
    method: only(row, 'method')?.value ?? null,
    methodOf: readMethodOf(row, report),
  });
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

const CONTEXTS = ['point', 'daily_average', 'session'];
/** A row and what it is the answer to. */
export interface MetricEntry {
  readonly system: string;
  readonly code: string;
  readonly context: string;
  readonly window: 'day' | 'other';
  readonly row: MetricRow;
}
export interface Metrics {
  readonly rows: readonly MetricRow[];
  readonly entries: readonly MetricEntry[];
  readonly find: (question: MetricQuestion) => MetricRow | null;
  readonly readingsUnder: (code: string) => readonly MappedCoding[];
}

/** `systemOf` puts the configured URI of the source in the place of the one that the data names. */
export function buildMetrics(maps: readonly MapRow[], systemOf: (uri: string) => string, report: Report): Metrics {
  // System, code, context, and at last the window: every metric of every delivery asks, and no key is made for it.
  type Windows = { day?: MetricRow; other?: MetricRow };
  const found = new Map<string, Map<string, Map<string, Windows>>>();
  const entries: MetricEntry[] = [];
  const readings = new Map<string, MappedCoding[]>();
  for (const map of maps) {
    const context = map.when.get('context')?.value ?? '';
    const window = map.when.get('window')?.value ?? 'other';
    if (!CONTEXTS.includes(context)) report(map.row, `the context must be one of ${CONTEXTS.join(', ')}`);
    if (window !== 'day' && window !== 'other') report(map.row, 'the window can be day alone');
    const entry: MetricEntry = {
      system: systemOf(map.sourceSystem),
      code: map.code,
      context,
      window: window === 'day' ? 'day' : 'other',
      row: readRow(map, report),
    };
    entries.push(entry);
    if (context === 'point' && window === 'other')
      getOrMake(readings, map.target.code, () => []).push({ system: entry.system, code: map.code });
    const codes = getOrMake(found, entry.system, () => new Map<string, Map<string, Windows>>());
    const contexts = getOrMake(codes, map.code, () => new Map<string, Windows>());
    getOrMake(contexts, context, (): Windows => ({}))[entry.window] = entry.row;
  }
  return {
    rows: entries.map(({ row }) => row),
    entries,
    readingsUnder: (code) => readings.get(code) ?? [],
    find({ system, code, context, window }) {
      const windows = found
        .get(system)
        ?.get(code)
        ?.get(context === '' ? 'point' : context);
      return (window === 'day' ? windows?.day : undefined) ?? windows?.other ?? null;
    },
  };
}

export interface Signals {
  readonly rows: readonly MetricRow[];
  readonly find: (signal: string) => MetricRow | null;
}

export function buildSignals(maps: readonly MapRow[], report: Report): Signals {
  const rows = new Map(maps.map((map) => [map.code, readRow(map, report)]));
  return { rows: [...rows.values()], find: (signal) => rows.get(signal) ?? null };
}

/** Without a unit the metric is text, such as an interval of the clock. */
export function buildProfile(maps: readonly MapRow[], report: Report): (field: string) => MetricRow | null {
  const rows = new Map(
    maps.map((map): [string, MetricRow] => {
      const unit = only(map, 'unit');
      const decimals = only(map, 'decimals')?.value ?? '0';
      if (unit !== null && unit.display === null) report(map.row, 'needs the text of its unit for people');
      if (!/^\d$/.test(decimals)) report(map.row, 'needs decimals, 0 to 9');
      return [
        map.code,
        deepFreeze({
          ...origin(map),
          codings: [map.target],
          equivalence: map.equivalence,
          unit: unit === null ? null : { code: unit.value, text: unit.display ?? unit.value },
          decimals: Number(decimals),
          category: 'survey',
          panel: null,
          method: null,
          methodOf: null,
        }),
      ];
    }),
  );
  return (field) => rows.get(field) ?? null;
}
