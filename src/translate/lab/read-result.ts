import { numberOf } from '../../r4/index.ts';

/** What a result in words says. */
export type ReadResult =
  | {
      readonly kind: 'quantity';
      readonly comparator: string | null;
      readonly digits: string;
      readonly unit: string | null;
    }
  | { readonly kind: 'range'; readonly low: string; readonly high: string; readonly unit: string | null }
  | { readonly kind: 'ratio'; readonly numerator: string; readonly denominator: string }
  | { readonly kind: 'words'; readonly text: string };

const COMPARATORS: Readonly<Record<string, string>> = { '≤': '<=', '≥': '>=', '=<': '<=', '=>': '>=' };
const NUMBER = String.raw`-?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?`;
/** Begins with a letter or a sign; what looks like an exponent or a second number is no unit. */
const UNIT = String.raw`(?:\s*((?!e[+-]?\d)(?:[%A-Za-zµμ°{[]|/[A-Za-z{[])[^\s]{0,39}))?`;
const QUANTITY = new RegExp(`^(<=|>=|=<|=>|<|>|≤|≥)?\\s*(${NUMBER})${UNIT}$`);
const RANGE = new RegExp(`^(${NUMBER})\\s*(?:-|–|to)\\s*(${NUMBER})${UNIT}$`);
/** A titre begins with one; 12:30 is a time. */
const RATIO = new RegExp(`^(1)\\s*:\\s*(${NUMBER})$`);

/** `<2.0`, `5-10 /HPF`, `1:80`, `Negative`: a number is read with all its digits, anything else stays words. */
export function readResult(text: string): ReadResult {
  const said = text.trim();
  const [, comparator, digits, unit] = QUANTITY.exec(said) ?? [];
  if (digits !== undefined)
    return {
      kind: 'quantity',
      comparator: comparator === undefined ? null : (COMPARATORS[comparator] ?? comparator),
      digits,
      unit: unit ?? null,
    };
  const [, low, high, rangeUnit] = RANGE.exec(said) ?? [];
  if (low !== undefined && high !== undefined && Number(low) <= Number(high))
    return { kind: 'range', low, high, unit: rangeUnit ?? null };
  const [, numerator, denominator] = RATIO.exec(said) ?? [];
  if (numerator !== undefined && denominator !== undefined) return { kind: 'ratio', numerator, denominator };
  return { kind: 'words', text: said };
}

export const plainQuantity = (digits: string): Readonly<Record<string, unknown>> => ({ value: numberOf(digits) });
