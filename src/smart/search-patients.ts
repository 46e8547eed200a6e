import { identifierToken, type Pairs } from '../ehr/index.ts';
import { isObject, ok, type Result } from '../kernel/index.ts';
import type { BundlePage, EhrReader } from './ask-ehr.ts';
import { makeBoundPages } from './bound-pages.ts';
import type { Asking } from './caller.ts';
import { isResource, type Resource } from './whose.ts';

/** Of so many as an EHR takes in one search; two Patients may have one MRN, so that more may be found. */
const COUNT = '200';
const PAGES_MAX = 50;
export const MRNS_AT_ONCE = 50;

export const patientsIn = ({ bundle }: BundlePage): Resource[] =>
  [bundle['entry'] ?? []]
    .flat()
    .map((one: unknown) => (isObject(one) ? one['resource'] : null))
    .filter(isResource)
    .filter(({ resourceType }) => resourceType === 'Patient');

/** Every Patient that is found, to the last page: an EHR may send fewer at once than it is asked for. */
export async function searchPatients(
  reader: EhrReader,
  conditions: Pairs,
  asking: Asking,
): Promise<Result<readonly Resource[]>> {
  const bound = makeBoundPages(PAGES_MAX);
  const found: Resource[] = [];
  let page: Result<BundlePage | null> = await reader.search('Patient', [...conditions, ['_count', COUNT]], asking);
  for (;;) {
    if (!page.ok) return page;
    if (page.value === null) return ok(found);
    found.push(...patientsIn(page.value));
    const next = bound(page.value.next);
    if (!next.ok) return next;
    if (next.value === null) return ok(found);
    page = await reader.page(next.value, 'searchset', asking);
  }
}

export const byMrns = (mrns: readonly string[], mrnSystem: string): Pairs => [
  ['identifier', mrns.map((mrn) => identifierToken(mrnSystem, mrn)).join(',')],
];
