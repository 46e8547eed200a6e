import type { Dialect } from '../../mappings/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import { partOf } from '../parts.ts';
import type { Wanted } from '../translation.ts';
import { claimedProfiles } from './imposed-profiles.ts';

/** Names in `meta.profile` what the dialect wants named there, once, beside what stands there already. */
export function claimProfiles(dialect: Dialect, wanted: Wanted): Wanted {
  const claimed = claimedProfiles(dialect, wanted.resource);
  if (claimed.length === 0) return wanted;
  const { resourceType, id, meta, ...rest } = wanted.resource;
  const stated: readonly unknown[] = Array.isArray(partOf(meta)['profile'])
    ? (partOf(meta)['profile'] as unknown[])
    : [];
  const resource: AnyResource = {
    resourceType,
    ...(id === undefined ? {} : { id }),
    meta: { ...partOf(meta), profile: [...new Set([...stated, ...claimed])] },
    ...rest,
  };
  return { ...wanted, resource };
}
