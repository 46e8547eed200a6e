import { createRequire } from 'node:module';

/** Loaded with the first unit: it takes 30 ms and 15 MB, which a process that meets no unit need not spend. */
const require = createRequire(import.meta.url);

/**
 * Real feeds use some hundreds of units. When the cache is full it starts again: bounded, and no book-keeping per hit.
 */
const CACHE_MAX = 2_000;
const CODE_LENGTH_MAX = 200;
const known = new Map<string, boolean>();

interface UcumUnit {
  /**
   * Powers of length, time, mass, angle, temperature, charge and luminous intensity; null or absent for pure numbers.
   */
  readonly dim_?: { readonly dimVec_: readonly number[] | null } | null;
  readonly magnitude_: number;
  readonly isArbitrary_: boolean;
  readonly isSpecial_: boolean;
  readonly cnv_: string | null;
  readonly moleExp_: number;
  readonly equivalentExp_: number;
}

interface UcumUtils {
  validateUnitString(code: string): { readonly status: string; readonly ucumCode: string | null };
  getSpecifiedUnit(code: string, purpose: 'validate'): { readonly unit: UcumUnit | null };
}

let utils: UcumUtils | undefined;

function library(): UcumUtils {
  utils ??= (require('@lhncbc/ucum-lhc') as { UcumLhcUtils: { getInstance(): UcumUtils } }).UcumLhcUtils.getInstance();
  return utils;
}

/** Blanks in an annotation mean nothing to anybody, and published guides have them. */
const withoutBlanks = (code: string): string =>
  code.includes(' ') ? code.replaceAll(/\{[^{}]*\}/g, (annotation) => annotation.replaceAll(' ', '_')) : code;

function askLibrary(given: string): boolean {
  const code = withoutBlanks(given);
  // The library prints to the console on blanks, and takes long on long input.
  if (code.length > CODE_LENGTH_MAX || !/^[\x21-\x7e]+$/.test(code)) return false;
  try {
    const answer = library().validateUnitString(code);
    return answer.status === 'valid' && answer.ucumCode === code;
  } catch {
    return false;
  }
}

/** Whether `code` is a valid, case-sensitive UCUM code. */
export function isUcum(code: unknown): boolean {
  if (typeof code !== 'string') return false;
  const before = known.get(code);
  if (before !== undefined) return before;
  if (known.size >= CACHE_MAX) known.clear();
  const isValid = askLibrary(code);
  known.set(code, isValid);
  return isValid;
}

/** What a unit measures, and how much of it. */
export interface UcumMeasure {
  /** Units of one dimension can be converted into each other; the text itself means nothing. */
  readonly dimension: string;
  /** In base units; null for scales with a zero of their own, such as Celsius. */
  readonly magnitude: number | null;
}

const ABSOLUTE_SCALES = ['Cel', 'degF', 'degRe'];

/**
 * UCUM calls everything without a dimension the unity. A laboratory does not: a mole ratio is no mass ratio, and a
 * count of cells per field is no fraction. They are kept apart by their atoms.
 */
function kindOfNumber(code: string): string {
  const bare = code.replace(/\{[^}]*\}/g, '');
  if (/^(?:1|10[*^]-?\d+)?$/.test(bare)) return 'number';
  const atoms = bare.match(/\[[^\]]+\]/g);
  if (atoms !== null) return `number of ${atoms.sort().join(' ')}`;
  return bare.includes('mol') ? 'mole ratio' : 'ratio';
}

const measured = new Map<string, UcumMeasure | null>();

function measure(code: string): UcumMeasure | null {
  if (!isUcum(code)) return null;
  const { unit } = library().getSpecifiedUnit(code, 'validate');
  if (unit === null) return null;
  const powers = [...(unit.dim_?.dimVec_ ?? []), 0, 0, 0, 0, 0, 0, 0].slice(0, 7);
  const isAbsolute = unit.isSpecial_ && ABSOLUTE_SCALES.includes(unit.cnv_ ?? '');
  const parts = [
    powers.join(' '),
    `mol ${unit.moleExp_}`,
    `eq ${unit.equivalentExp_}`,
    unit.isArbitrary_ ? (code.match(/\[[^\]]+\]/g) ?? []).sort().join(' ') : '',
    unit.isSpecial_ && !isAbsolute ? (unit.cnv_ ?? '') : '',
  ];
  const isNumber =
    powers.every((power) => power === 0) && unit.moleExp_ === 0 && unit.equivalentExp_ === 0 && !unit.isArbitrary_;
  if (isNumber && !unit.isSpecial_) parts.push(kindOfNumber(code));
  return { dimension: parts.join('; '), magnitude: unit.isSpecial_ ? null : unit.magnitude_ };
}

/** Null when `code` is not UCUM. Annotations count for nothing; arbitrary units measure only what they name. */
export function measureUcum(code: string): UcumMeasure | null {
  const before = measured.get(code);
  if (before !== undefined) return before;
  if (measured.size >= CACHE_MAX) measured.clear();
  const found = measure(code);
  measured.set(code, found);
  return found;
}
