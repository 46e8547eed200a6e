/** An exact number: `top / bottom`, `bottom` above 0. */
export interface Exact {
  readonly top: bigint;
  readonly bottom: bigint;
}

/** Longer numbers and larger powers of ten are no measurements, and arithmetic on them is slow. */
const LENGTH_MAX = 100;
const POWER_MAX = 400;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Reads JSON number text. Null for anything else, and for what no measurement has. */
export function readExact(digits: string): Exact | null {
  const match = digits.length <= LENGTH_MAX ? NUMBER.exec(digits) : null;
  if (match === null) return null;
  const [, sign, whole = '', part = '', power = '0'] = match;
  const shift = Number(power) - part.length;
  if (Math.abs(shift) > POWER_MAX) return null;
  const value = BigInt(whole + part) * (sign === '-' ? -1n : 1n);
  return shift >= 0 ? { top: value * 10n ** BigInt(shift), bottom: 1n } : { top: value, bottom: 10n ** BigInt(-shift) };
}

export const plus = (a: Exact, b: Exact): Exact => ({
  top: a.top * b.bottom + b.top * a.bottom,
  bottom: a.bottom * b.bottom,
});
export const minus = (a: Exact, b: Exact): Exact => plus(a, { top: -b.top, bottom: b.bottom });
export const times = (a: Exact, b: Exact): Exact => ({ top: a.top * b.top, bottom: a.bottom * b.bottom });

/** `b` must not be 0. */
export const over = (a: Exact, b: Exact): Exact =>
  b.top < 0n
    ? { top: -a.top * b.bottom, bottom: a.bottom * -b.top }
    : { top: a.top * b.bottom, bottom: a.bottom * b.top };

export const isEqual = (a: Exact, b: Exact): boolean => a.top * b.bottom === b.top * a.bottom;
export const compare = (a: Exact, b: Exact): number => {
  const difference = a.top * b.bottom - b.top * a.bottom;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

const abs = (n: bigint): bigint => (n < 0n ? -n : n);

/** Text with this many decimals, rounded half to even. */
export function printExact(value: Exact, decimals: number): string {
  const scaled = abs(value.top) * 10n ** BigInt(decimals);
  const rest = scaled % value.bottom;
  const down = scaled / value.bottom;
  const twice = rest * 2n;
  const rounded = twice > value.bottom || (twice === value.bottom && down % 2n === 1n) ? down + 1n : down;
  const text = rounded.toString().padStart(decimals + 1, '0');
  const sign = value.top < 0n && rounded !== 0n ? '-' : '';
  return decimals === 0 ? sign + text : `${sign}${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}

/** The place of the first digit that is not 0: 0 for 1 to 9, 1 for 10 to 99, -1 for 0.1. `value` is not 0. */
export function placeOf(value: Exact): number {
  const top = abs(value.top);
  let place = top.toString().length - value.bottom.toString().length;
  const isBelow = place >= 0 ? top < value.bottom * 10n ** BigInt(place) : top * 10n ** BigInt(-place) < value.bottom;
  if (isBelow) place -= 1;
  return place;
}

/** The first digit that is not 0. `value` is not 0. */
export function firstDigit(value: Exact): number {
  const place = placeOf(value);
  const top = abs(value.top);
  return Number(
    place >= 0 ? top / (value.bottom * 10n ** BigInt(place)) : (top * 10n ** BigInt(-place)) / value.bottom,
  );
}
