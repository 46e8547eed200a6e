import type { AnyResource } from '../payloads/index.ts';

type Part = Readonly<Record<string, unknown>>;

/** A document repeats a few codes in all its resources; more than these nobody filters by. */
const LABELS_MAX = 20;

const asList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

function* codingsOf(concepts: unknown): Generator<string> {
  for (const concept of asList(concepts))
    for (const coding of asList((concept as Part | null)?.['coding'])) {
      const { system, code } = (coding ?? {}) as Part;
      if (typeof code === 'string') yield `${typeof system === 'string' ? system : ''}|${code}`;
    }
}

/** What apps may filter events by: the codes and categories of a resource. */
export function labelsOf(resource: AnyResource): readonly string[] {
  const labels: string[] = [];
  for (const name of ['code', 'category'])
    for (const coding of codingsOf(resource[name])) labels.push(`${name}=${coding}`);
  return labels.slice(0, LABELS_MAX);
}
