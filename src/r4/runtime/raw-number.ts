interface RawNumber {
  readonly rawJSON: string;
}

interface RawJson {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is RawNumber;
}

/** Node has both since version 21; TypeScript's library does not know them yet. */
const raw = JSON as unknown as RawJson;

/** A number that prints exactly as `text`. */
export const keepDigits = (text: string): object => raw.rawJSON(text);

export const isRawNumber = (value: unknown): value is RawNumber => raw.isRawJSON(value);

/** What a JSON number is worth, whether it was kept as text or not; undefined for anything else. */
export function numberValue(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return isRawNumber(value) ? Number(value.rawJSON) : undefined;
}

/** The digits of a JSON number as they were written; undefined for anything else. */
export function digitsOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}

/** A JSON number of these digits: a plain number where it prints the same, else one that keeps them. */
export function numberOf(digits: string): number | object {
  const value = Number(digits);
  return String(value) === digits ? value : keepDigits(digits);
}
