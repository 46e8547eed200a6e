import { isResourceType } from '../r4/index.ts';

/** Words that FHIR itself has for places. */
const WORDS = new Set(['_search', '_history', 'metadata', '.well-known', 'smart-configuration']);

/**
 * A path of the EHR without anything that leads to a record: types of R4 and words of FHIR stay, everything else is
 * `:id`, also what the EHR itself put into the address of a next page.
 */
export const templateOf = (path: string): string =>
  `/${path
    .split('/')
    .map((part) => (part === '' || WORDS.has(part) || isResourceType(part) ? part : ':id'))
    .join('/')}`;
