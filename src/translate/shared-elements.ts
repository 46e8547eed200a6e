import { deepFreeze } from '../mappings/index.ts';

const shared = new WeakSet();

/**
 * An element that stands in many resources, of many documents: frozen, so that whoever works something out of it may
 * remember that by the element itself.
 */
export function shareElement<T extends object>(element: T): T {
  shared.add(deepFreeze(element));
  return element;
}

export const isSharedElement = (element: object): boolean => shared.has(element);

/** Texts of a source may be anything; what is above this is made anew each time. */
const REMEMBERED_MAX = 500;

/** An element that comes of one text alone, once for each text. */
export function makeSharedByText<T extends object>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text);
    if (known.size >= REMEMBERED_MAX) return made;
    known.set(text, shareElement(made));
    return made;
  };
}
