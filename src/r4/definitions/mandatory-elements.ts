import { loadDefinitions } from './load-definitions.ts';

const known = new Map<string, readonly string[]>();

/** The elements directly in a resource that no instance may lack; of a choice, all its spellings. */
export function mandatoryElements(type: string): readonly string[] {
  const found = known.get(type);
  if (found !== undefined) return found;
  const structure = loadDefinitions().structures.get(type);
  const names = (structure?.elements ?? [])
    .filter(({ min, choice }) => min > 0 || (choice !== null && (structure?.choices.get(choice) ?? 0) > 0))
    .map(({ name }) => name);
  known.set(type, names);
  return names;
}
