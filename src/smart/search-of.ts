import type { Search } from './read-request.ts';

export const PAGE_ENTRIES = 200;

/** All of one type that is a patient's. */
export const searchOf = (
  type: string,
  patient: string | null,
  more: Partial<Pick<Search, 'clauses' | 'evaluated' | 'count' | 'revinclude'>> = {},
): Search => ({
  kind: 'search-type',
  type,
  patient,
  clauses: [],
  evaluated: [],
  include: [],
  revinclude: 'none',
  reverse: [],
  sort: null,
  count: PAGE_ENTRIES,
  elements: null,
  summary: 'false',
  used: [],
  ignored: [],
  ...more,
});
