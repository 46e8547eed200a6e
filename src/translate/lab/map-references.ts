import { isElement } from '../../r4/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import type { Part } from '../parts.ts';

const OF_REFERENCE = new Set([
  'reference',
  'type',
  'identifier',
  'display',
  'id',
  'extension',
  '_reference',
  '_display',
]);

/** An element that has nothing but what a Reference has, and points somewhere. */
const isReference = (value: Part): boolean =>
  (typeof value['reference'] === 'string' || isElement(value['identifier'])) &&
  Object.keys(value).every((name) => OF_REFERENCE.has(name));

/**
 * The value with each Reference replaced by what `change` makes of it; one that becomes null is left out, and so is
 * what is empty without it.
 */
export function mapReferences(value: unknown, change: (reference: Part) => Part | null): unknown {
  if (Array.isArray(value)) {
    const kept = value.map((one) => mapReferences(one, change)).filter((one) => one !== undefined);
    return kept.length === 0 && value.length > 0 ? undefined : kept;
  }
  if (!isElement(value)) return value;
  if (isReference(value)) return change(value) ?? undefined;
  const kept = Object.entries(value)
    .map(([name, part]) => [name, mapReferences(part, change)] as const)
    .filter(([, part]) => part !== undefined);
  return kept.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(kept);
}

/** A resource without its references to what is not there. */
export const withoutReferences = (resource: AnyResource, left: ReadonlySet<string>): AnyResource =>
  left.size === 0
    ? resource
    : (mapReferences(resource, (one) => (left.has(String(one['reference'])) ? null : one)) as AnyResource);
