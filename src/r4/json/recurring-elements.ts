import { bytesOf, type Bytes } from './bytes.ts';

/** An element as it stood in a text, and what it was parsed to: frozen, since whoever reads it again is given the same. */
export interface RecurringElement {
  readonly bytes: Bytes;
  readonly value: object;
  /** What came after it under the same name, the last one first: documents tell of the same things in the same order. */
  likely: RecurringElement | null;
  lessLikely: RecurringElement | null;
}

/** Elements of one name, and the one that came last. */
export interface RecurringElements {
  /** Of those that are remembered from document to document; null where they are remembered within one. */
  readonly byText: Map<string, RecurringElement> | null;
  last: RecurringElement | null;
}

/** Longer elements are hardly ever the same again. */
const BYTES_MAX = 1_000;
/** Under one name. Of a source's vocabulary there are less than a hundred; a sender may write anything. */
const ELEMENTS_MAX = 256;

export const newRecurring = (span: 'lasting' | 'of-document'): RecurringElements => ({
  byText: span === 'lasting' ? new Map() : null,
  last: null,
});

const lasting = new WeakSet();
/** Whether it was given for the same text in document after document, and will be again. */
export const isLastingElement = (element: object): boolean => lasting.has(element);

function freezeDeep(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freezeDeep(part);
}

/** `element` came after the last one. */
export function came(elements: RecurringElements, element: RecurringElement): void {
  const { last } = elements;
  if (last !== null && last.likely !== element) {
    last.lessLikely = last.likely;
    last.likely = element;
  }
  elements.last = element;
}

function newElement(bytes: Uint8Array, value: object): RecurringElement {
  freezeDeep(value);
  return { bytes: bytesOf(bytes), value, likely: null, lessLikely: null };
}

/**
 * The same object for the same text, which was parsed to `value`; null where it is not remembered. `parse`: anew, so that
 * what lasts keeps no text of a whole document alive.
 */
export function remember(
  { byText }: RecurringElements,
  text: string,
  value: object,
  parse: (text: string) => object,
): RecurringElement | null {
  if (text.length > BYTES_MAX) return null;
  if (byText === null) return newElement(Buffer.from(text, 'latin1'), value);
  const known = byText.get(text);
  if (known !== undefined) return known;
  if (byText.size >= ELEMENTS_MAX) return null;
  const bytes = Buffer.from(text, 'latin1');
  const own = bytes.toString('latin1');
  const made = newElement(bytes, parse(own));
  lasting.add(made.value);
  byText.set(own, made);
  return made;
}
