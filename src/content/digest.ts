import { hash } from 'node:crypto';
import { canonicalJson } from '../kernel/index.ts';
import type { Said } from '../lanes/index.ts';
import type { AnyResource } from '../payloads/index.ts';
import { meaningOf, type Wanted } from '../translate/index.ts';

/** Equal for equal content, whatever the digits or the order of names. */
export const contentDigest = (resource: AnyResource): string => hash('sha256', canonicalJson(resource));

/**
 * The digest of what a document says: what the gateway only assumed, because the document does not say it, is no
 * change.
 */
export function statementDigest({ resource, assumed }: Wanted): string {
  if (assumed === undefined) return contentDigest(resource);
  const { [assumed]: _assumed, ...said } = resource;
  return contentDigest(said);
}

export function saidIn(resource: AnyResource): Said | null {
  const meaning = meaningOf(resource);
  return meaning === null ? null : { status: String(resource['status']), meaning };
}
