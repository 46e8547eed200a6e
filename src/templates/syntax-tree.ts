import { isObject } from '../kernel/index.ts';

/**
 * A node of JSONata's syntax tree. Its fields depend on its type, and JSONata's own types are silent about most of
 * them.
 */
export type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => isObject(value) && !(value instanceof RegExp);

export const typeOf = (value: unknown): unknown => (isNode(value) ? value['type'] : undefined);

/** Every object of the tree, whatever holds it: a construct that we have never heard of hides nothing. */
export function nodesOf(tree: unknown): Node[] {
  const seen = new Set<unknown>();
  const found: Node[] = [];
  for (const open: unknown[] = [tree]; open.length > 0;) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isNode(value)) found.push(value);
    open.push(...(Object.values(value) as unknown[]));
  }
  return found;
}
