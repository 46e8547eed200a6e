import { isEqual, minus, over, plus, readExact, times, type Exact } from './exact.ts';
import type { Converted } from './mapping.ts';
import type { Report } from './problem.ts';
import { readUnits, UNITS_FILE, type Family, type KnownPair, type Unit, type UnitsFile } from './read-units.ts';
import { roundConverted } from './round-converted.ts';

/** One step from unit to unit: `value * factor + shift`. */
export interface Step {
  readonly row: string;
  readonly factor: Exact;
  readonly shift: Exact;
}

const ONE: Exact = { top: 1n, bottom: 1n };
const ZERO: Exact = { top: 0n, bottom: 1n };
const exact = (text: string): Exact => readExact(text) ?? ZERO;

/** base = (value + offset) * numerator / denominator, hence from one unit to another of the family. */
function stepBetween(row: string, from: Unit, to: Unit): Step {
  const [up, down] = [from, to].map(({ numerator, denominator }) => over(exact(numerator), exact(denominator))) as [
    Exact,
    Exact,
  ];
  const factor = over(up, down);
  return { row, factor, shift: minus(times(exact(from.offset), factor), exact(to.offset)) };
}

const keyOf = (from: string, to: string): string => `${from} > ${to}`;
const rowOf = (place: string): string => `${UNITS_FILE}#${place}`;
const SAME: Step = { row: '', factor: ONE, shift: ZERO };

/** The number stays what it is, as a day's total in another unit does. */
const isSame = ({ factor, shift }: Step): boolean => factor === ONE && shift === ZERO;
const PLAIN = /^(?:0|[1-9]\d{0,14})(?:\.(\d{1,9}))?$/;
/** Whether rounding leaves the text of a number as it is that was not changed. */
const isPlain = (digits: string, decimalsMax: number): boolean => {
  const found = PLAIN.exec(digits);
  return found !== null && (found[1]?.length ?? 0) <= decimalsMax;
};

type FindStep = (from: string, to: string, code?: string) => Step | null;

export const applyStep = (value: Exact, step: Step): Exact => plus(times(value, step.factor), step.shift);

export interface Conversions {
  readonly families: readonly Family[];
  readonly perDay: ReadonlyMap<string, Step>;
  readonly knownPairs: readonly KnownPair[];
  /** The LOINC codes that a molar mass or a formula is given for. */
  readonly substances: readonly { readonly row: string; readonly code: string }[];
  /** The way between two units; of a substance where `code` names it. */
  readonly findStep: FindStep;
  readonly convert: (digits: string, from: string, to: string, decimalsMax: number, code?: string) => Converted | null;
}

const NOTHING: UnitsFile = {
  families: [],
  perDay: { source: '', reviewer: '', units: [] },
  molarMasses: [],
  linear: [],
  knownPairs: { source: '', reviewer: '', pairs: [] },
};

const isAbove0 = (text: string): boolean => exact(text).top > 0n;

function familySteps(families: readonly Family[], report: Report): Map<string, Step> {
  const steps = new Map<string, Step>();
  for (const { name, units } of families) {
    if (new Set(units.map(({ code }) => code)).size !== units.length) report(rowOf(name), 'a unit is there twice');
    const usable = units.filter(({ numerator, denominator }) => isAbove0(numerator) && isAbove0(denominator));
    if (usable.length < units.length) report(rowOf(name), 'numerators and denominators must be above 0');
    for (const from of usable)
      for (const to of usable) {
        if (from.code === to.code) continue;
        const step = stepBetween(rowOf(`${name}/${keyOf(from.code, to.code)}`), from, to);
        const other = steps.get(keyOf(from.code, to.code)) ?? step;
        // Counts of two kinds both come from the bare number, so that two families may say the same of it.
        if (!isEqual(other.factor, step.factor) || !isEqual(other.shift, step.shift))
          report(step.row, `is not what ${other.row} says`);
        steps.set(keyOf(from.code, to.code), other);
      }
  }
  return steps;
}

function linearSteps(linear: UnitsFile['linear'], report: Report): Map<string, Step> {
  const steps = new Map<string, Step>();
  for (const { name, codes, from, to, factor, offset } of linear) {
    const row = rowOf(`linear/${name}`);
    if (!isAbove0(factor)) {
      report(row, 'the factor must be above 0');
      continue;
    }
    const inverse = over(ONE, exact(factor));
    for (const code of codes) {
      steps.set(`${code} ${keyOf(from, to)}`, { row, factor: exact(factor), shift: exact(offset) });
      steps.set(`${code} ${keyOf(to, from)}`, {
        row,
        factor: inverse,
        shift: minus(ZERO, times(exact(offset), inverse)),
      });
    }
  }
  return steps;
}

/**
 * Between mass and substance concentrations: molar = mass / M. Computed, since published tables of factors are often
 * inverted.
 */
function makeFindMolar(
  masses: UnitsFile['molarMasses'],
  plain: FindStep,
  report: Report,
): (from: string, to: string, code: string) => Step | null {
  const grams = new Map<string, Exact>();
  for (const { code, gramsPerMole } of masses) {
    if (grams.has(code)) report(rowOf(`molarMasses/${code}`), 'is there twice');
    if (isAbove0(gramsPerMole)) grams.set(code, exact(gramsPerMole));
    else report(rowOf(`molarMasses/${code}`), 'must be above 0');
  }
  return (from, to, code) => {
    const mass = grams.get(code);
    if (mass === undefined) return null;
    const row = rowOf(`molarMasses/${code}`);
    const [toGrams, fromMoles] = [plain(from, 'g/L'), plain('mol/L', to)];
    if (toGrams !== null && fromMoles !== null)
      return { row, factor: over(times(toGrams.factor, fromMoles.factor), mass), shift: ZERO };
    const [toMoles, fromGrams] = [plain(from, 'mol/L'), plain('g/L', to)];
    if (toMoles !== null && fromGrams !== null)
      return { row, factor: times(times(toMoles.factor, fromGrams.factor), mass), shift: ZERO };
    return null;
  };
}

/**
 * Energy of a day in kJ is kcal per day too. Not for counts: the bare number is of several kinds, and a percentage
 * would become a count per day by way of it.
 */
function addDaysInOtherUnits(
  families: readonly Family[],
  perDay: UnitsFile['perDay']['units'],
  steps: Map<string, Step>,
): void {
  for (const { from, to } of perDay) {
    if (/^(1$|\{)/.test(from)) continue;
    for (const { units } of families) {
      if (!units.some(({ code }) => code === from)) continue;
      for (const { code } of units) {
        const step = steps.get(keyOf(code, from));
        if (step !== undefined && !steps.has(keyOf(code, to))) steps.set(keyOf(code, to), step);
      }
    }
  }
}

export function buildConversions(value: unknown, report: Report): Conversions {
  const { families, perDay, molarMasses, linear, knownPairs } = readUnits(value, report) ?? NOTHING;
  const steps = familySteps(families, report);
  const daily = new Map<string, Step>();
  for (const { from, to } of perDay.units) {
    const row = rowOf(`perDay/${keyOf(from, to)}`);
    if (steps.has(keyOf(from, to))) report(row, 'is there twice');
    const step = { ...SAME, row };
    steps.set(keyOf(from, to), step);
    daily.set(keyOf(from, to), step);
  }
  addDaysInOtherUnits(families, perDay.units, steps);
  const formulas = linearSteps(linear, report);
  const plain: FindStep = (from, to) => (from === to ? SAME : (steps.get(keyOf(from, to)) ?? null));
  const findMolar = makeFindMolar(molarMasses, plain, report);
  const findStep: FindStep = (from, to, code) =>
    plain(from, to) ??
    (code === undefined ? null : (formulas.get(`${code} ${keyOf(from, to)}`) ?? findMolar(from, to, code)));
  return {
    families,
    perDay: daily,
    knownPairs: knownPairs.pairs,
    substances: [
      ...molarMasses.map(({ code }) => ({ row: rowOf(`molarMasses/${code}`), code })),
      ...linear.flatMap(({ name, codes }) => codes.map((code) => ({ row: rowOf(`linear/${name}`), code }))),
    ],
    findStep,
    convert(digits, from, to, decimalsMax, code) {
      if (from === to) return { digits, row: null };
      const step = findStep(from, to, code);
      if (step !== null && isSame(step) && isPlain(digits, decimalsMax)) return { digits, row: step.row };
      const given = readExact(digits);
      if (given === null || step === null) return null;
      return { digits: roundConverted({ digits, value: given }, applyStep(given, step), decimalsMax), row: step.row };
    },
  };
}
