import { hash } from 'node:crypto';
import { canonicalJson } from '../../kernel/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import { type Part } from '../parts.ts';

/** One resource of a laboratory result, with every address by which the others may mean it. */
export interface LabEntry {
  readonly at: string;
  readonly resource: AnyResource;
  readonly addresses: readonly string[];
  /** Makes `#id` inside a resource an address of its own. */
  readonly scope: string;
}

const resourcesIn = (value: unknown): readonly AnyResource[] =>
  Array.isArray(value)
    ? (value as readonly unknown[]).filter(
        (one): one is AnyResource => typeof (one as AnyResource | null)?.resourceType === 'string',
      )
    : [];

function withContained(resource: AnyResource, at: string, fullUrl: string | null): LabEntry[] {
  const { contained, ...own } = resource;
  const id = typeof own['id'] === 'string' ? own['id'] : null;
  // Not its place: the order of entries must not show in anything that is made of them.
  const scope = fullUrl ?? (id === null ? hash('sha256', canonicalJson(resource)) : `${own.resourceType}/${id}`);
  return [
    {
      at,
      resource: own,
      addresses: [...(fullUrl === null ? [] : [fullUrl]), ...(id === null ? [] : [`${own.resourceType}/${id}`])],
      scope,
    },
    ...resourcesIn(contained).map((one, i): LabEntry => ({
      at: `${at}.contained[${i}]`,
      resource: one,
      addresses: typeof one['id'] === 'string' ? [`${scope}#${one['id']}`] : [],
      scope,
    })),
  ];
}

/** The resources of a Bundle of any type, or the one; what a resource contains stands beside it. */
export function readEntries(root: AnyResource): LabEntry[] {
  if (root.resourceType !== 'Bundle') return withContained(root, root.resourceType, null);
  const entries = Array.isArray(root['entry']) ? (root['entry'] as readonly Part[]) : [];
  return entries.flatMap((entry, i) => {
    const [resource] = resourcesIn([entry['resource']]);
    if (resource === undefined) return [];
    return withContained(resource, `entry[${i}]`, typeof entry['fullUrl'] === 'string' ? entry['fullUrl'] : null);
  });
}

/** The full address that a reference means, as it stands in the resource of this scope. */
export const addressOf = (reference: string, scope: string): string =>
  reference.startsWith('#') ? `${scope}${reference}` : reference.replace(/\/_history\/[^/]+$/, '');
