import type { Pairs } from '../ehr/index.ts';
import { fail, fault, ok, type Result } from '../kernel/index.ts';
import { isComparable, knownParam } from '../r4/index.ts';
import { parseSearch, type SearchRules } from './parse-search.ts';
import { parseForm } from './parse-target.ts';
import type { Served } from './served-types.ts';

/**
 * The conditions of `Observation?code=…`, as a search has them: known parameters of the type alone, and nothing that
 * names a patient, brings something along or shapes an answer. What is read without a search (a Patient, what is
 * nobody's) is looked at here, so that its parameters must be ones that can be.
 */
export const makeParseFilter =
  (rules: SearchRules, served: Served) =>
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
    const isSearched = served.get(type)?.kind === 'subject';
    for (const [key] of isSearched ? [] : conditions) {
      const [name = ''] = key.split(':');
      const param = knownParam(type, name);
      if (param === undefined || !isComparable(param)) return fail(fault('read.parameter', { at: name }));
    }
    return isPlain && conditions.length > 0 ? ok(conditions) : fail(fault('read.parameter', { at: '_typeFilter' }));
  };
