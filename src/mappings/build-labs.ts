import { measureUcum } from '../r4/index.ts';
import { checkDimension } from './check-dimension.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { LabCodeFound, LabFound, LabQuestion, LabRow } from './mapping.ts';
import { normaliseName } from './normalise.ts';
import type { Report } from './problem.ts';
import { only, origin, type MapForm, type MapRow } from './read-concept-map.ts';
import { LOINC } from './systems.ts';

export const LAB_FORM: MapForm = {
  to: [LOINC],
  when: ['unit'],
  gives: ['unit', 'scale', 'property', 'property-waived'],
  normalise: normaliseName,
};

const SCALES: readonly string[] = ['quantitative', 'ordinal', 'nominal', 'narrative'] satisfies LabRow['scale'][];

/**
 * One FEU of D-dimer is about two DDU, and a bare ng/mL does not say which: these annotations are part of what is
 * measured.
 */
const TELLING = /\{(?:FEU|DDU)\}/;

const CODED = 'coded';
const UNITLESS = 'unitless';

function kindOf(unit: string): string | null {
  const measure = measureUcum(unit);
  return measure === null ? null : `${measure.dimension} ${TELLING.exec(unit)?.[0] ?? ''}`;
}

/** INR, pH and ratios are reported without a unit as often as with one. A percentage or a concentration is not. */
const needsNoUnit = (unit: string): boolean => /^(?:\{[^}]*\}|1|\[pH\])$/.test(unit);

function readRow(map: MapRow, report: Report): LabRow {
  const unit = only(map, 'unit')?.value ?? null;
  const when = map.when.get('unit')?.value ?? null;
  const scale = only(map, 'scale')?.value ?? '';
  if (!SCALES.includes(scale)) report(map.row, `the scale must be one of ${SCALES.join(', ')}`);
  if ((scale === 'quantitative') !== (unit !== null))
    report(map.row, 'a quantitative row has a unit, and no other has');
  if ((when === null) !== (unit === null)) report(map.row, 'a row with a unit depends on one');
  if (when !== null) checkDimension(map, when, report);
  return deepFreeze({
    ...origin(map),
    codings: [map.target],
    equivalence: map.equivalence,
    unit,
    scale: scale as LabRow['scale'],
  });
}

/**
 * Laboratories write U/mL for two things: UCUM's enzyme unit, and units that only the assay defines. Where the reviewed
 * rows say that a test is of the second kind, U is the arbitrary unit; the number is the same.
 */
const isArbitrary = (row: LabRow, when: string | null): when is string =>
  when !== null && row.unit !== null && row.unit !== when && row.unit.replace("[arb'U]", 'U') === when;

export interface Labs {
  readonly rows: readonly LabRow[];
  readonly find: (question: LabQuestion) => LabFound;
  readonly findArbitrary: (loinc: string, ucum: string) => LabRow | null;
  readonly checkCode: (code: string, question: Omit<LabQuestion, 'name'>) => LabCodeFound;
  readonly loincsOf: (name: string) => ReadonlySet<string> | null;
}

const kindAsked = ({ unit, value }: Omit<LabQuestion, 'name'>): string | null =>
  value !== 'quantity' ? CODED : unit === null ? UNITLESS : kindOf(unit);

export function buildLabs(maps: readonly MapRow[], report: Report): Labs {
  const names = new Map<string, Map<string, LabRow>>();
  const arbitrary = new Map<string, LabRow>();
  const kindsOf = new Map<string, Set<string>>();
  for (const map of maps) {
    const row = readRow(map, report);
    const when = map.when.get('unit')?.value ?? null;
    const byKind = names.get(map.code) ?? new Map<string, LabRow>();
    names.set(map.code, byKind);
    if (isArbitrary(row, when)) arbitrary.set(`${row.codings[0]?.code ?? ''} ${when}`, row);
    const kinds = when === null ? [CODED] : [kindOf(when), needsNoUnit(when) ? UNITLESS : null];
    const known = kindsOf.get(map.target.code) ?? new Set();
    kindsOf.set(map.target.code, known);
    for (const kind of [...kinds, row.unit === null ? null : kindOf(row.unit)]) if (kind !== null) known.add(kind);
    for (const kind of kinds) {
      if (kind === null) continue;
      const other = byKind.get(kind);
      if (other !== undefined && other.codings[0]?.code !== row.codings[0]?.code)
        report(row.row, `cannot be told from ${other.row}: both are of one dimension`);
      byKind.set(kind, other ?? row);
    }
  }
  const none = (why: 'unknown' | 'dimension'): LabFound => ({ kind: 'none', why });
  return {
    findArbitrary: (loinc, ucum) => arbitrary.get(`${loinc} ${ucum}`) ?? null,
    rows: [...names.values()].flatMap((byKind) => [...byKind.values()]),
    checkCode(code, question) {
      const kinds = kindsOf.get(code);
      if (kinds === undefined) return 'unknown';
      // Words and codes have no unit that could be wrong.
      return question.value !== 'quantity' || kinds.has(kindAsked(question) ?? '') ? 'known' : 'dimension';
    },
    loincsOf(name) {
      const byKind = names.get(normaliseName(name));
      return byKind === undefined ? null : new Set([...byKind.values()].map(({ codings }) => codings[0]?.code ?? ''));
    },
    find({ name, unit, value }) {
      const byKind = names.get(normaliseName(name));
      if (byKind === undefined) return none('unknown');
      const kind = kindAsked({ unit, value });
      const row = kind === null ? undefined : byKind.get(kind);
      return row === undefined ? none('dimension') : { kind: 'found', row };
    },
  };
}
