import { isObject } from '../../kernel/index.ts';
import { isRawNumber } from '../runtime/raw-number.ts';
import type { Item } from './plan.ts';

export const propertyOf = (key: string, type: string): Property => ({ key, other: `_${key}`, type });

const NO_ITEMS: readonly Item[] = [];

/** A property in which an element may stand. `other` is `_key`, given so that it need not be made each time. */
export interface Property {
  readonly key: string;
  readonly other: string;
  readonly type: string;
}

/** What stands in one property and its `_property`. */
export function itemsOfProperty(
  parent: Readonly<Record<string, unknown>>,
  { key, other, type }: Property,
): readonly Item[] {
  const value = parent[key];
  const element = parent[other];
  if (value === undefined && element === undefined) return NO_ITEMS;
  if (!Array.isArray(value) && !Array.isArray(element)) return [{ value, element, type }];
  const values: readonly unknown[] = Array.isArray(value) ? value : [];
  const elements: readonly unknown[] = Array.isArray(element) ? element : [];
  const items: Item[] = [];
  for (let i = 0; i < Math.max(values.length, elements.length); i++)
    items.push({ value: values[i] ?? undefined, element: elements[i] ?? undefined, type });
  return items;
}

/** Where the children of an item stand: in the value, or, of a primitive, in what stands beside it. */
export function objectOf({ value, element }: Item): Readonly<Record<string, unknown>> | null {
  // A number whose digits are kept is an object to JavaScript.
  if (isObject(value) && !isRawNumber(value)) return value;
  return isObject(element) ? element : null;
}

/** Of a resource its own type, of anything else that of the property in which it stands. */
export const typeOf = ({ value, type }: Pick<Item, 'value' | 'type'>): string =>
  isObject(value) && typeof value['resourceType'] === 'string' ? value['resourceType'] : type;
