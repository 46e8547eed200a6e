import type { PractitionerDirectory } from '../auth/index.ts';
import { identifierToken } from '../ehr/index.ts';
import { isObject, ok } from '../kernel/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import { isId } from './read-request.ts';
import { isResource, type Resource } from './whose.ts';

/** Two would be one too many already. */
const PAGE = '10';

const objects = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];

const hasIdentifier = (practitioner: Resource, system: string, value: string): boolean =>
  objects(practitioner['identifier']).some((one) => one['system'] === system && one['value'] === value);

/** Who is who among the EHR's practitioners. An EHR that leaves the filter out must not lead to somebody else. */
export const makePractitionerDirectory = ({ reader }: { readonly reader: EhrReader }): PractitionerDirectory => ({
  async byIdentifier({ system, value }, requestId) {
    const page = await reader.search(
      'Practitioner',
      [
        ['identifier', identifierToken(system, value)],
        ['_count', PAGE],
      ],
      { requestId },
    );
    if (!page.ok) return page;
    const { entry, link } = page.value.bundle;
    const found = objects(entry)
      .map(({ resource }) => resource)
      .filter(isResource)
      .filter(({ resourceType }) => resourceType === 'Practitioner')
      .filter((one) => one['active'] !== false && isId(one.id) && hasIdentifier(one, system, value));
    const ids = new Set(found.map(({ id }) => id));
    const [id] = ids;
    // What comes on further pages is not known to be nobody.
    const isMore = objects(link).some(({ relation }) => relation === 'next');
    if (ids.size > 1 || isMore) return ok({ kind: 'several' });
    return ok(id === undefined ? { kind: 'none' } : { kind: 'one', reference: `Practitioner/${id}` });
  },
});
