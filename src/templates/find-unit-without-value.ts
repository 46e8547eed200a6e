import { isKept } from './kept-number.ts';

/**
 * The place of the first Quantity that has a unit and no number, or null. JSONata leaves a property out where its path
 * leads nowhere, so that a misspelt field would lose every value without a word. FHIR has no other element called
 * `unit`.
 */
export function findUnitWithoutValue(value: unknown, at: string): string | null {
  if (typeof value !== 'object' || value === null || isKept(value)) return null;
  if (!Array.isArray(value) && 'unit' in value && isNothing(value, 'value') && isNothing(value, '_value')) return at;
  for (const [name, part] of Object.entries(value)) {
    const found = findUnitWithoutValue(part, Array.isArray(value) ? `${at}[${name}]` : `${at}.${name}`);
    if (found !== null) return found;
  }
  return null;
}

const isNothing = (value: object, name: string): boolean => {
  const part = (value as Record<string, unknown>)[name];
  return part === undefined || part === null;
};
