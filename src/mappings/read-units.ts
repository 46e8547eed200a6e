import type { Origin } from './mapping.ts';
import type { Report } from './problem.ts';
import { decimal, hasShape, list, object, words } from './read-shape.ts';

export const UNITS_FILE = 'units.json';

export interface Unit {
  readonly code: string;
  readonly numerator: string;
  readonly denominator: string;
  readonly offset: string;
}

export interface Family extends Omit<Origin, 'row'> {
  readonly name: string;
  readonly base: string;
  readonly units: readonly Unit[];
}

export interface UnitsFile {
  readonly families: readonly Family[];
  readonly perDay: Omit<Origin, 'row'> & { readonly units: readonly { readonly from: string; readonly to: string }[] };
  readonly molarMasses: readonly (Omit<Origin, 'row'> & { readonly code: string; readonly gramsPerMole: string })[];
  readonly linear: readonly (Omit<Origin, 'row'> & {
    readonly name: string;
    readonly codes: readonly string[];
    readonly from: string;
    readonly to: string;
    readonly factor: string;
    readonly offset: string;
  })[];
  readonly knownPairs: Omit<Origin, 'row'> & { readonly pairs: readonly KnownPair[] };
}

export interface KnownPair {
  readonly code?: string;
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly expected: string;
}

const ORIGIN = { source: words, reviewer: words };
const UNIT = { code: words, numerator: decimal, denominator: decimal, offset: decimal };
const FAMILY = { ...ORIGIN, name: words, base: words, units: list };
const MASS = { ...ORIGIN, code: words, gramsPerMole: decimal };
const LINEAR = { ...ORIGIN, name: words, codes: list, from: words, to: words, factor: decimal, offset: decimal };
const PAIR = { 'code?': words, from: words, to: words, value: decimal, expected: decimal };

/** `units.json` as it must be; what is not is reported. */
export function hasUnitsShape(value: unknown, report: Report): value is UnitsFile {
  const top = { families: list, perDay: object, molarMasses: list, linear: list, knownPairs: object };
  if (!hasShape(value, top, UNITS_FILE, report)) return false;
  const file = value as UnitsFile;
  const every = (items: readonly unknown[], shape: Parameters<typeof hasShape>[1], place: string): boolean =>
    items.map((item, i) => hasShape(item, shape, `${UNITS_FILE}#${place}[${i}]`, report)).every(Boolean);
  return [
    every(file.families, FAMILY, 'families') &&
      file.families.map(({ name, units }) => every(units, UNIT, `${name}/units`)).every(Boolean),
    hasShape(file.perDay, { ...ORIGIN, units: list }, `${UNITS_FILE}#perDay`, report) &&
      every(file.perDay.units, { from: words, to: words }, 'perDay/units'),
    every(file.molarMasses, MASS, 'molarMasses'),
    every(file.linear, LINEAR, 'linear'),
    hasShape(file.knownPairs, { ...ORIGIN, pairs: list }, `${UNITS_FILE}#knownPairs`, report) &&
      every(file.knownPairs.pairs, PAIR, 'knownPairs/pairs'),
  ].every(Boolean);
}
