import { readEverything } from './everything.ts';
import { noHistory, readHistory, readResource, readVersion, type Given, type Kit } from './interactions.ts';
import { refuse, type Reply } from './reply.ts';
import { search } from './search.ts';

/**
 * A read by its path below the base: search, read, history, vread or `$everything`, whether it stands alone or in a
 * Bundle.
 */
export function readAt(
  kit: Kit,
  segments: readonly string[],
  query: Iterable<readonly [string, string]>,
  given: Given,
): Reply {
  const [type = '', id, history, versionId, ...rest] = segments;
  if (type === '') return refuse(400, 'not-supported', 'Searching all types at once is not supported');
  if (id === undefined) return search(kit, type, query, given);
  if (id === '_history') return noHistory();
  if (history === undefined) return readResource(kit, type, id, given);
  if (history === '$everything' && type === 'Patient' && versionId === undefined) return readEverything(kit, id, query);
  if (history !== '_history' || rest.length > 0) return refuse(404, 'not-found', 'There is nothing at this address');
  return versionId === undefined ? readHistory(kit, type, id) : readVersion(kit, type, id, versionId);
}
