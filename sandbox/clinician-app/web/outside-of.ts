import { wordsOf, type Observation, type Quantity, type RangeOfReference, type Valued } from './chart-parts.ts';

const unitOf = ({ code, unit }: Quantity): string => code ?? unit ?? '';

/** A bound in another unit says nothing about the value. */
const isComparable = (bound: Quantity, value: Quantity): boolean =>
  unitOf(bound) === '' || unitOf(bound) === unitOf(value) || bound.unit === value.unit;

/** A range of another meaning (a threshold, a goal of treatment) is not the one of healthy people. */
const isUsual = ({ type }: RangeOfReference): boolean =>
  type === undefined || type.coding?.some(({ code }) => code === 'normal') === true;

function sideOf({ valueQuantity, referenceRange = [] }: Valued): 'Above range' | 'Below range' | null {
  const [range, ...others] = referenceRange;
  const value = valueQuantity?.value;
  // Of several ranges nobody here knows which one is meant.
  if (range === undefined || others.length > 0 || !isUsual(range)) return null;
  if (valueQuantity === undefined || value === undefined || valueQuantity.comparator !== undefined) return null;
  const { low, high } = range;
  if (high?.value !== undefined && isComparable(high, valueQuantity) && value > high.value) return 'Above range';
  return low?.value !== undefined && isComparable(low, valueQuantity) && value < low.value ? 'Below range' : null;
}

/** That a number lies outside the one reference range that the chart gives for it, in words. */
export function outsideOf(observation: Observation): string[] {
  const own = sideOf(observation);
  if (own !== null) return [own];
  return (observation.component ?? []).flatMap((part) => {
    const side = sideOf(part);
    return side === null ? [] : [`${wordsOf(part.code)}: ${side.toLowerCase()}`];
  });
}
