/*
 * The JSON form of OTLP: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 * Names in lowerCamelCase, ids in hex, enums as numbers, and 64-bit integers as text.
 */

export type AttributeValue = string | number | boolean;

/** Of whom everything is told. */
export interface Resource {
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** Who tells it: the name and version of this program. */
  readonly scope: { readonly name: string; readonly version: string };
}

/** Milliseconds with fractions as whole nanoseconds, which a double could not hold. */
export function nanosOf(ms: number): string {
  const whole = Math.floor(ms);
  const fraction = Math.min(999_999, Math.round((ms - whole) * 1e6));
  return (BigInt(whole) * 1_000_000n + BigInt(fraction)).toString();
}

function valueOf(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** What is undefined or no number is left out. */
export const attributesOf = (fields: object): object[] =>
  Object.entries(fields as Record<string, AttributeValue | undefined>).flatMap(([key, value]) =>
    value === undefined || (typeof value === 'number' && !Number.isFinite(value))
      ? []
      : [{ key, value: valueOf(value) }],
  );

export const resourceOf = ({ attributes }: Resource): object => ({ attributes: attributesOf(attributes) });
