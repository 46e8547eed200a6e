/** R4 3.1.1.4.0.3: `\ , | $` mean something in a search value, so inside one they get a backslash. */
export const escapeSearchValue = (value: string): string => value.replace(/[\\,|$]/g, '\\$&');

/** The search value for an identifier. Both parts must hold something: half of one would match strangers. */
export function identifierToken(system: string, value: string): string {
  if (system.trim() === '' || value.trim() === '')
    throw new Error('an identifier without system or value cannot be searched for');
  return `${escapeSearchValue(system)}|${escapeSearchValue(value)}`;
}
