import { z } from 'zod';
import type { Origin } from './mapping.ts';
import type { Report } from './problem.ts';
import { decimal, list, object, readShape, words } from './read-shape.ts';

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
  readonly code?: string | undefined;
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly expected: string;
}

const ORIGIN = { source: words, reviewer: words };
const UNIT = z.strictObject({ code: words, numerator: decimal, denominator: decimal, offset: decimal });
const FAMILY = z.strictObject({ ...ORIGIN, name: words, base: words, units: list });
const PER_DAY = z.strictObject({ ...ORIGIN, units: list });
const UNIT_PER_DAY = z.strictObject({ from: words, to: words });
const MASS = z.strictObject({ ...ORIGIN, code: words, gramsPerMole: decimal });
const LINEAR = z.strictObject({
  ...ORIGIN,
  name: words,
  codes: z.array(words, 'a list of texts'),
  from: words,
  to: words,
  factor: decimal,
  offset: decimal,
});
const KNOWN_PAIRS = z.strictObject({ ...ORIGIN, pairs: list });
const PAIR = z.strictObject({ code: words.optional(), from: words, to: words, value: decimal, expected: decimal });
const FILE = z.strictObject({ families: list, perDay: object, molarMasses: list, linear: list, knownPairs: object });

/** `units.json` as it must be; null where it is not, which is reported. */
export function readUnits(value: unknown, report: Report): UnitsFile | null {
  const file = readShape(value, FILE, UNITS_FILE, report);
  if (file === null) return null;
  /** Null where one of them is not as it must be, after all were looked at. */
  function every<S extends z.ZodType>(items: readonly unknown[], shape: S, place: string): z.output<S>[] | null {
    const read = items.map((item, i) => readShape(item, shape, `${UNITS_FILE}#${place}[${i}]`, report));
    return read.every((one) => one !== null) ? read : null;
  }
  const given = every(file.families, FAMILY, 'families')?.map((family) => ({
    ...family,
    units: every(family.units, UNIT, `${family.name}/units`),
  }));
  const families = given?.flatMap(({ units, ...family }) => (units === null ? [] : [{ ...family, units }]));
  const perDay = readShape(file.perDay, PER_DAY, `${UNITS_FILE}#perDay`, report);
  const unitsPerDay = perDay && every(perDay.units, UNIT_PER_DAY, 'perDay/units');
  const molarMasses = every(file.molarMasses, MASS, 'molarMasses');
  const linear = every(file.linear, LINEAR, 'linear');
  const known = readShape(file.knownPairs, KNOWN_PAIRS, `${UNITS_FILE}#knownPairs`, report);
  const pairs = known && every(known.pairs, PAIR, 'knownPairs/pairs');
  if (families?.length !== file.families.length || perDay === null || unitsPerDay === null) return null;
  if (molarMasses === null || linear === null || known === null || pairs === null) return null;
  return {
    families,
    perDay: { ...perDay, units: unitsPerDay },
    molarMasses,
    linear,
    knownPairs: { ...known, pairs },
  };
}
