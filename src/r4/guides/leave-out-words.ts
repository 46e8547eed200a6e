import { isObject } from '../../kernel/index.ts';

/** What only people read. Names of properties that mean something else elsewhere are given with where they stand. */
const WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    resource: ['text', 'contact', 'description', 'purpose', 'copyright', 'useContext', 'jurisdiction', 'mapping'],
    element: ['short', 'definition', 'comment', 'requirements', 'alias', 'mapping', 'example', 'isSummary', 'label'],
    concept: ['display', 'definition', 'designation', 'extension'],
    contains: ['display', 'designation'],
  }).map(([place, names]) => [place, new Set(names)]),
);

/** Lists whose items are of one kind wherever they stand in a definition. */
const PLACES = new Set(['element', 'concept', 'contains']);

function slim(value: unknown, place: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((one) => slim(one, place));
  if (!isObject(value)) return value;
  const words = place === undefined ? undefined : WORDS.get(place);
  const kept = Object.entries(value)
    .filter(([key]) => words?.has(key) !== true)
    // What a profile fixes is data, in which nothing is left out.
    .map(([key, one]) => [key, isData(key) ? one : slim(one, PLACES.has(key) ? key : undefined)] as const);
  return Object.fromEntries(kept);
}

const isData = (key: string): boolean => /^(?:fixed|pattern|defaultValue|minValue|maxValue)[A-Z]/.test(key);

/** A definition without the texts that judging never looks at: they are most of a guide's size in memory. */
export const leaveOutWords = (resource: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  slim(resource, 'resource') as Record<string, unknown>;
