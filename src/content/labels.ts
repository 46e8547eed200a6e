import { flatText } from '../kernel/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import { isSharedElement } from '../translate/index.ts';

type Part = Readonly<Record<string, unknown>>;

/** A document repeats a few codes in all its resources; more than these nobody filters by. */
const LABELS_MAX = 20;

const asList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

function labelsIn(name: string, concepts: unknown): readonly string[] {
  const labels: string[] = [];
  for (const concept of asList(concepts))
    for (const coding of asList((concept as Part | null)?.['coding'])) {
      const { system, code } = (coding ?? {}) as Part;
      if (typeof code === 'string')
        labels.push(flatText(name, '=', typeof system === 'string' ? system : '', '|', code));
    }
  return labels;
}

/** Of elements that stand in very many resources, under the one name that they have there. */
const known = { code: new WeakMap<object, readonly string[]>(), category: new WeakMap<object, readonly string[]>() };

function labelsAt(name: 'code' | 'category', concepts: unknown): readonly string[] {
  if (typeof concepts !== 'object' || concepts === null) return labelsIn(name, concepts);
  const found = known[name].get(concepts);
  if (found !== undefined) return found;
  const labels = labelsIn(name, concepts);
  if (isSharedElement(concepts)) known[name].set(concepts, labels);
  return labels;
}

/** What apps may filter events by: the codes and categories of a resource. */
export const labelsOf = (resource: AnyResource): readonly string[] =>
  [...labelsAt('code', resource['code']), ...labelsAt('category', resource['category'])].slice(0, LABELS_MAX);
