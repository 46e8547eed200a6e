import type { Capability, Pairs } from '../ehr/index.ts';
import { isByNumber, type Filter, type Plan } from './decide.ts';
import type { Search } from './read-request.ts';
import type { Served, TypeRule } from './served-types.ts';

/**
 * One filter becomes its conditions, several by one parameter become one condition with alternatives; others are left
 * to the check of the answer.
 */
function conditionOf(filters: readonly Filter[], supports: (name: string) => boolean): Pairs {
  const [only] = filters;
  if (filters.length === 1 && only !== undefined) return only.filter(([name]) => supports(name));
  if (filters.some((filter) => filter.length !== 1)) return [];
  const pairs = filters.flat();
  const names = new Set(pairs.map(([name]) => name));
  const [name] = names;
  if (names.size !== 1 || name === undefined || !supports(name)) return [];
  return [[name, [...new Set(pairs.map(([, value]) => value))].join(',')]];
}

/** A search for Patients of whom none is named: whether one may be shown is known only once the EHR has returned it. */
export const isEachApart = ({ request, patient }: Plan<Search>, served: Served): boolean =>
  patient === null && served.get(request.type)?.kind === 'patient';

/** The condition that a record is of one of these patients, by the parameter that this EHR has for it. */
export function ofPatients(
  ids: readonly string[],
  rule: TypeRule | undefined,
  known: readonly string[] | undefined,
): Pairs[number] {
  const isSubject =
    (known?.includes('patient') === false && known.includes('subject')) ||
    (rule?.kind === 'subject' && rule.param === 'subject');
  return isSubject ? ['subject', ids.map((id) => `Patient/${id}`).join(',')] : ['patient', ids.join(',')];
}

/** The query to the EHR, built anew: nothing of the caller's own text but conditions that were parsed. */
export function buildQuery(
  plan: Plan<Search>,
  filters: readonly Filter[],
  mayInclude: (type: string) => boolean,
  served: Served,
  capability: Capability | null,
): Pairs {
  const { request, patient } = plan;
  const { type, clauses, include, revinclude, reverse, sort, count, summary } = request;
  const isWhole = summary === 'count' || (isEachApart(plan, served) && isByNumber(clauses));
  const known = capability?.types[type]?.searchParams;
  const rule = served.get(type);
  const subject: Pairs[number] =
    rule?.kind === 'patient' ? ['_id', patient ?? ''] : ofPatients([patient ?? ''], rule, known);
  const isThere =
    rule?.kind !== 'patient' && clauses.some(([name, value]) => name === subject[0] && value === subject[1]);
  const byPatient: Pairs = patient === null || isThere ? [] : [subject];
  const includes = include.flatMap(({ param, targets, isAll }): [string, string][] =>
    // Some servers know the short form alone.
    isAll && targets.every(mayInclude)
      ? [['_include', `${type}:${param}`]]
      : targets.filter(mayInclude).map((target) => ['_include', `${type}:${param}:${target}`]),
  );
  // Of a Patient that is known there is nothing to choose; an EHR that takes two `_id` as alternatives would find
  // another.
  const asked = clauses.filter(([name]) => !(rule?.kind === 'patient' && patient !== null && name === '_id'));
  return [
    ...byPatient,
    ...asked,
    ...conditionOf(filters, (name) => known?.includes(name) !== false),
    ...includes,
    ...(revinclude === 'provenance' && mayInclude('Provenance')
      ? ([['_revinclude', 'Provenance:target']] as const)
      : []),
    ...reverse.filter((one) => mayInclude(one.type)).map((one) => ['_revinclude', `${one.type}:${one.param}`] as const),
    ...(sort === null ? [] : ([['_sort', sort]] as const)),
    // What is counted, or shown one by one, is looked at to its end.
    ...(isWhole ? ([['_count', '200']] as const) : count === null ? [] : ([['_count', String(count)]] as const)),
  ];
}
