import type { Json } from './context.ts';

/** Ids, extensions and references: what a resource answers for as a whole. */
const isOfResource = (name: string): boolean =>
  name === 'id' || name === 'extension' || name === 'reference' || name.startsWith('_');

/**
 * Whether an element, once found sound, stays so: nothing of it can change, and it holds nothing that a resource answers
 * for as a whole.
 */
export function isLasting(element: Json): boolean {
  if (!Object.isFrozen(element)) return false;
  for (const name in element) {
    const part = element[name];
    if (isOfResource(name) || (typeof part === 'object' && part !== null && !isLasting(part as Json))) return false;
  }
  return true;
}
