import type { Pairs } from '../ehr/index.ts';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { parseSearch, type SearchRules } from './parse-search.ts';
import { parseForm } from './parse-target.ts';

/**
 * The conditions of `Observation?code=…`, as a search has them: known parameters of the type alone, and nothing that
 * names a patient, brings something along or shapes an answer.
 */
export const makeParseFilter =
  (rules: SearchRules) =>
  (type: string, query: string): Result<Pairs> => {
    const pairs = parseForm(query);
    if (!pairs.ok) return pairs;
    const parsed = parseSearch(type, pairs.value, 'strict', rules);
    if (!parsed.ok) return parsed;
    const { clauses, patient, include, revinclude, sort, count, elements, summary } = parsed.value;
    const isPlain =
      patient === null &&
      include.length === 0 &&
      revinclude === 'none' &&
      sort === null &&
      count === null &&
      elements === null &&
      summary === 'false' &&
      clauses.every(([name]) => name !== '_id');
    return isPlain && clauses.length > 0 ? ok(clauses) : fail(fault('read.parameter', { at: '_typeFilter' }));
  };
