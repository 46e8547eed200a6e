import { DEPTH_MAX } from '../depth.ts';
import { loadDefinitions } from '../definitions/load-definitions.ts';
import type { Structure } from '../definitions/read-structures.ts';
import type { Json } from '../runtime/context.ts';
import { isElement } from '../runtime/is-element.ts';

export interface FoundReference {
  /** What `Reference.reference` says. */
  readonly reference: string;
  /** FHIRPath of the Reference. */
  readonly path: string;
}

/** Answers the new reference, or undefined to leave it as it is. */
type Rewrite = (found: FoundReference) => string | undefined;

/** What stands under each property of a structure, as far as a reference can be below it, and how FHIRPath calls it. */
type Children = ReadonlyMap<string, { readonly structure: string; readonly name: string }>;
const RESOURCE = '*';
const childrenOf = new Map<string, Children>();

function readChildren(structure: Structure): Children {
  const found = new Map<string, { structure: string; name: string }>();
  for (const { name: key, choice, type } of structure.elements) {
    const name = choice ?? key;
    if (type.kind === 'primitive') found.set(`_${key}`, { structure: 'Element', name });
    else if (type.kind === 'reference') found.set(key, { structure: 'Reference', name });
    else found.set(key, { structure: type.kind === 'resource' ? RESOURCE : type.name, name });
  }
  return found;
}

function childrenOfStructure(name: string): Children {
  const known = childrenOf.get(name);
  if (known !== undefined) return known;
  const structure = loadDefinitions().structures.get(name);
  const found: Children = structure === undefined ? new Map() : readChildren(structure);
  childrenOf.set(name, found);
  return found;
}

function structureAt(name: string, value: Json): string {
  if (name !== RESOURCE) return name;
  return typeof value['resourceType'] === 'string' ? value['resourceType'] : '';
}

/**
 * Copies only what changes: the answer is `value` itself where nothing below it was rewritten. A path that nobody asks
 * for (null) is not made.
 */
function rewriteValue(value: unknown, name: string, path: string | null, depth: number, rewrite: Rewrite): unknown {
  if (Array.isArray(value)) return rewriteItems(value, name, path, depth, rewrite);
  if (!isElement(value) || depth > DEPTH_MAX) return value;
  const structure = structureAt(name, value);
  let copy: Record<string, unknown> | undefined;
  const put = (key: string, next: unknown): void => {
    copy ??= { ...value };
    Object.defineProperty(copy, key, { value: next, enumerable: true, writable: true, configurable: true });
  };
  const children = childrenOfStructure(structure);
  for (const key of Object.keys(value)) {
    const below = children.get(key);
    if (below === undefined) continue;
    const at = path === null ? null : `${path}.${below.name}`;
    const next = rewriteValue(value[key], below.structure, at, depth + 1, rewrite);
    if (next !== value[key]) put(key, next);
  }
  if (structure === 'Reference' && typeof value['reference'] === 'string') {
    const next = rewrite({ reference: value['reference'], path: path ?? '' });
    if (next !== undefined && next !== value['reference']) put('reference', next);
  }
  return copy ?? value;
}

function rewriteItems(
  items: readonly unknown[],
  name: string,
  path: string | null,
  depth: number,
  rewrite: Rewrite,
): unknown {
  let copy: unknown[] | undefined;
  for (const [i, item] of items.entries()) {
    const next = rewriteValue(item, name, path === null ? null : `${path}[${i}]`, depth, rewrite);
    if (next !== item) (copy ??= [...items])[i] = next;
  }
  return copy ?? items;
}

const rootPath = (resource: unknown): string =>
  isElement(resource) && typeof resource['resourceType'] === 'string' ? resource['resourceType'] : 'Resource';

/** Every reference of a resource, found by its definition: in contained resources, entries and extensions too. */
export function walkReferences(resource: unknown): FoundReference[] {
  const found: FoundReference[] = [];
  rewriteValue(resource, RESOURCE, rootPath(resource), 0, (reference) => {
    found.push(reference);
    return undefined;
  });
  return found;
}

/** The resource with its references rewritten. The given one stays as it is; what did not change is shared with it. */
export function rewriteReferences<T>(
  resource: T,
  rewrite: (found: Pick<FoundReference, 'reference'>) => string | undefined,
): T {
  return rewriteValue(resource, RESOURCE, null, 0, rewrite) as T;
}
