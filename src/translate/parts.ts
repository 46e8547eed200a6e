/**
 * An element or a resource of which only the shape of JSON is known. R4 was checked before; what is missing reads as
 * nothing.
 */
export type Part = Readonly<Record<string, unknown>>;

export const partOf = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {});
export const listOf = (value: unknown): readonly Part[] => (Array.isArray(value) ? (value as readonly Part[]) : []);
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : null;
/** Text, or none. */
export const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The named elements of a resource, as far as it has them. */
export const pick = (given: Part, ...names: readonly string[]): Part =>
  Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));
