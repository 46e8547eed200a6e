import type { Chance } from '../kernel/index.ts';
import type { Ehr } from './open-ehr.ts';
import { searchResources, type Found, type SearchBy } from './search-resources.ts';
import { identifierToken } from './escape-search-value.ts';

/**
 * Whether a search by identifier gives that resource and no stranger's. `filters`: seen to. `ignores`: it gave others,
 * or says that it did not use the parameter. `refuses`: it does not take such a search. `unsaid`: nothing found, but no
 * word on what it searched for.
 */
export type IdentifierFilter = 'filters' | 'ignores' | 'refuses' | 'unsaid' | 'unknown';

export interface VerifiedFilter {
  readonly filter: IdentifierFilter;
  /** The way of searching that was seen to filter; `post` where both might. */
  readonly by: SearchBy;
}

const PROBE_SYSTEM = 'urn:chartgate:probe';

/** Judges the answer to a search for an identifier that nobody has. */
export function judgeFilter(found: Found, wanted: string): IdentifierFilter {
  if (found.matches.length > 0 || found.more === 'yes' || (found.total ?? 0) > 0) return 'ignores';
  if (found.used === null) return 'unsaid';
  // An empty server that ignores the parameter also finds nothing; what it says of itself tells the two apart.
  return found.used.some(([name, value]) => name === 'identifier' && value === wanted) ? 'filters' : 'ignores';
}

/**
 * Searches for what cannot be there, strictly, by POST and then by GET. A condition on a server that ignores the
 * parameter would update or match a stranger's resource (Spark once matched 292 patients so).
 */
export async function verifyIdentifier(
  ehr: Ehr,
  type: string,
  deps: { readonly chance: Chance; readonly newRequestId: () => string },
): Promise<VerifiedFilter> {
  const wanted = identifierToken(PROBE_SYSTEM, Buffer.from(deps.chance(16)).toString('hex'));
  let last: IdentifierFilter = 'unknown';
  for (const by of ['post', 'get'] as const) {
    const found = await searchResources(ehr, {
      type,
      params: [['identifier', wanted]],
      by,
      handling: 'strict',
      requestId: deps.newRequestId(),
    });
    if (found.ok) {
      const filter = judgeFilter(found.value, wanted);
      if (filter === 'filters') return { filter, by };
      // Seen to ignore in one way is not trusted in the other.
      if (filter === 'ignores' && found.value.matches.length + (found.value.total ?? 0) > 0) return { filter, by };
      last = filter;
    } else if (['ehr.rejected', 'ehr.forbidden', 'ehr.not-found'].includes(found.fault.code)) {
      if (last === 'unknown') last = 'refuses';
    } else return { filter: 'unknown', by: 'post' };
  }
  return { filter: last, by: 'post' };
}
