import type { AnyResource } from '../payloads/index.ts';

/** Shorter ids are found in words that have nothing to do with them. */
export const WITHIN_LENGTH_MIN = 6;

export interface SourceIds {
  readonly exact: ReadonlySet<string>;
  /** Those that are looked for inside longer texts too. */
  readonly within: readonly string[];
}

const INSTEAD = '[source id]';
const isIdentifier = (name: string): boolean => /identifier$/i.test(name);
const isAddress = (name: string): boolean => name === 'url' || name === 'reference';

/** Null where nothing of it may stay. */
function scrub(value: unknown, name: string, ids: SourceIds): unknown {
  if (typeof value === 'string') {
    const isWithin = ids.within.some((id) => value.includes(id));
    if (isAddress(name)) return isWithin ? undefined : value;
    if (!isWithin) return value;
    return ids.within.reduce((text, id) => text.replaceAll(id, INSTEAD), value);
  }
  if (Array.isArray(value)) {
    const kept = value.map((one) => scrub(one, name, ids)).filter((one) => one !== undefined);
    return kept.length === 0 && value.length > 0 ? undefined : kept;
  }
  if (typeof value !== 'object' || value === null || 'rawJSON' in value) return value;
  const { value: said } = value as { value?: unknown };
  if (
    isIdentifier(name) &&
    typeof said === 'string' &&
    (ids.exact.has(said) || ids.within.some((id) => said.includes(id)))
  )
    return undefined;
  const kept = Object.entries(value)
    .map(([key, part]) => [key, scrub(part, key, ids)] as const)
    .filter(([, part]) => part !== undefined);
  return kept.length === 0 && Object.keys(value).length > 0 ? undefined : Object.fromEntries(kept);
}

/**
 * A resource without what the source calls its user: identifiers and addresses that hold it are left out, in texts it
 * is blanked.
 */
export const withoutSourceIds = (resource: AnyResource, ids: SourceIds): AnyResource =>
  (scrub(resource, '', ids) ?? { resourceType: resource.resourceType }) as AnyResource;
