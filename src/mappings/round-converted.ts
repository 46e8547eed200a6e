import { firstDigit, placeOf, printExact, type Exact } from './exact.ts';

/** How many digits a number text states: 72.0 three, 0.05 one, 27000 five. */
export function significantDigits(digits: string): number {
  const mantissa = digits.replace(/[eE].*$/, '').replace(/[-.]/g, '');
  return Math.max(1, mantissa.replace(/^0+/, '').length);
}

const decimalsOf = (digits: string): number => /\.(\d+)/.exec(digits)?.[1]?.length ?? 0;

/**
 * As many digits as the text had, and one more where the first digit became smaller: else what the text said would be
 * lost (NIST SP 811, B.7.2: 36 ft are 11.0 m, not 11). Never fewer than the whole number needs, never more than
 * `decimalsMax` decimals.
 */
export function roundConverted(before: { digits: string; value: Exact }, after: Exact, decimalsMax: number): string {
  if (after.top === 0n) return printExact(after, Math.min(decimalsOf(before.digits), decimalsMax));
  const isSmaller = before.value.top !== 0n && firstDigit(after) < firstDigit(before.value);
  const wanted = significantDigits(before.digits) + (isSmaller ? 1 : 0) - 1 - placeOf(after);
  return printExact(after, Math.max(0, Math.min(wanted, decimalsMax)));
}
