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
    const { clauses, evaluated, patient, include, revinclude, reverse, sort, count, elements, summary } = parsed.value;
    if (revinclude !== 'none' || reverse.length > 0) return fail(fault('read.parameter', { at: '_revinclude' }));
    const isPlain =
      patient === null &&
      include.length === 0 &&
      sort === null &&
      count === null &&
      elements === null &&
      summary === 'false' &&
      clauses.every(([name]) => name !== '_id');
    const conditions = [...clauses, ...evaluated];
    return isPlain && conditions.length > 0 ? ok(conditions) : fail(fault('read.parameter', { at: '_typeFilter' }));
  };
