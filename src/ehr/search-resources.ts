import { fail, fault, isObject, ok, type Result } from '../kernel/index.ts';
import type { Pairs } from './exchange.ts';
import { searchType, type AskedBy, type Handling } from './fhir-client.ts';
import type { Ehr } from './open-ehr.ts';

export type SearchBy = 'post' | 'get';

export type Resource = Readonly<Record<string, unknown>> & { readonly resourceType: string };

/** One page of matches. */
export interface Found {
  readonly matches: readonly Resource[];
  readonly total: number | null;
  /** `yes` where the server has more pages, or says that it has more matches than it sent. */
  readonly more: 'yes' | 'no';
  /** The parameters that the server says it used; null where it does not say. */
  readonly used: Pairs | null;
}

type Json = Readonly<Record<string, unknown>>;
const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

const isResource = (value: unknown): value is Resource => isObject(value) && typeof value['resourceType'] === 'string';

function usedOf(links: readonly Json[], base: string): Pairs | null {
  const self = links.find(({ relation }) => relation === 'self')?.['url'];
  // Only looked at, never asked: many servers behind a proxy name themselves by another address.
  if (typeof self !== 'string' || !URL.canParse(self, `${base}/`)) return null;
  return [...new URL(self, `${base}/`).searchParams];
}

/** Reads a searchset. Null where it is none. */
export function readSearchset(bundle: unknown, type: string, base: string): Found | null {
  if (!isResource(bundle) || bundle.resourceType !== 'Bundle' || bundle['type'] !== 'searchset') return null;
  const entries = objects(bundle['entry']);
  const matches = entries
    .filter((entry) => {
      const mode = (entry['search'] as Json | undefined)?.['mode'];
      return mode === undefined || mode === 'match';
    })
    .map(({ resource }) => resource)
    .filter(isResource)
    .filter(({ resourceType }) => resourceType === type);
  const total = typeof bundle['total'] === 'number' ? bundle['total'] : null;
  const links = objects(bundle['link']);
  const hasNext = links.some(({ relation }) => relation === 'next');
  return {
    matches,
    total,
    more: hasNext || (total !== null && total > matches.length) ? 'yes' : 'no',
    used: usedOf(links, base),
  };
}

/** Searches one type for one page. */
export async function searchResources(
  ehr: Ehr,
  search: {
    readonly type: string;
    readonly params: Pairs;
    readonly by: SearchBy;
    readonly handling?: Handling;
  } & AskedBy,
): Promise<Result<Found>> {
  const { type, params, by, handling, ...askedBy } = search;
  const how = { by, ...(handling === undefined ? {} : { handling }) };
  const answer = await searchType(ehr, type, params, how, askedBy);
  if (!answer.ok) return answer;
  const { body } = answer.value;
  const found = body.kind === 'json' ? readSearchset(body.value, type, ehr.guard.base) : null;
  return found === null ? fail(fault('ehr.unreadable')) : ok(found);
}
