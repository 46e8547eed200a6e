import type { Grant, Letter, ResourceScope } from '../auth/index.ts';
import type { Pairs } from '../ehr/index.ts';
import type { Brand } from '../kernel/index.ts';
import { isMatchable, splitSearchValue } from '../r4/index.ts';
import type { ReadRequest } from './read-request.ts';
import type { Served, TypeRule } from './served-types.ts';

/** What a resource must match, parameter by parameter; empty for every resource of the type. */
export type Filter = ResourceScope['filter'];

/** How a patient stands to the token: chosen when it was issued, or one with a confirmed link. */
export interface Reach {
  readonly isContext: boolean;
  readonly isLinked: boolean;
}

/** Permission to ask the EHR. Only `decide` creates one, and every request for an app needs one. */
export type Plan<R extends ReadRequest = ReadRequest> = Brand<
  {
    readonly request: R;
    readonly grant: Grant;
    /** Whose records are searched; null where the resource itself will say. */
    readonly patient: string | null;
    /** `asked`: whether the patient has a confirmed link decides what may be seen, so it is looked up. */
    readonly link: 'asked' | 'not-asked';
  },
  'Plan'
>;

export type Because = 'scope' | 'no-patient' | 'other-patient' | 'patient-needed' | 'shared-search';
export type Decision<R extends ReadRequest = ReadRequest> =
  { readonly allow: true; readonly plan: Plan<R> } | { readonly allow: false; readonly because: Because };

/** A scope filter that this code cannot evaluate grants nothing. */
const isUsable = (type: string, filter: Filter): boolean => filter.every(([name]) => isMatchable(type, name));

/**
 * The filters under which resources of this type may be seen, by any of these letters, of a patient whom the token
 * reaches so. One of them must match; none: nothing may be seen. Scopes add up; letters are exact: `r` is read, vread
 * and history, `s` is search.
 */
export function filtersFor(grant: Grant, type: string, letters: readonly Letter[], reach: Reach): readonly Filter[] {
  const found: Filter[] = [];
  for (const scope of grant.scopes) {
    if (scope.type !== '*' && scope.type !== type) continue;
    if (!letters.some((letter) => scope.letters.has(letter))) continue;
    const isReached = scope.level === 'patient' ? reach.isContext && grant.patient !== null : reach.isLinked;
    if (isReached && isUsable(type, scope.filter)) found.push(scope.filter);
  }
  return found;
}

/**
 * The same for what comes along with a match. What is nobody's can be read by id alone, so `r` lets it come, at any
 * level.
 */
export const alongFilters = (grant: Grant, type: string, served: Served, reach: Reach): readonly Filter[] =>
  served.get(type)?.kind === 'shared'
    ? filtersFor(grant, type, ['r'], { isContext: true, isLinked: true })
    : filtersFor(grant, type, ['r', 's'], reach);

const CONTEXT: Reach = { isContext: true, isLinked: false };
const LINKED: Reach = { isContext: false, isLinked: true };
const isWhole = (filters: readonly Filter[]): boolean => filters.some((filter) => filter.length === 0);

/** Whether a scope would do, were there a patient in context: the refusal then says what is missing. */
const wantsPatient = (grant: Grant, type: string, letter: Letter): boolean =>
  grant.patient === null &&
  grant.scopes.some(
    ({ level, type: of, letters }) => level === 'patient' && (of === '*' || of === type) && letters.has(letter),
  );

const deny = (because: Because): Decision<never> => ({ allow: false, because });
const noScope = (grant: Grant, type: string, letter: Letter): Decision<never> =>
  deny(wantsPatient(grant, type, letter) ? 'no-patient' : 'scope');

const NUMBERS_MAX = 50;

/** Whether an identifier is named, or a few; `system|` alone would be every patient of the EHR. */
export const isByNumber = (clauses: Pairs): boolean =>
  clauses.some(([name, value]) => {
    const numbers = splitSearchValue(value, ',').map((one) => splitSearchValue(one, '|').at(-1));
    return name === 'identifier' && numbers.length <= NUMBERS_MAX && !numbers.includes('');
  });

/** By any of these people are found in the index; others may stand beside them. */
const FINDS_A_PERSON = ['name', 'family', 'given', 'birthdate', 'death-date', 'gender', '_id'];
const isByPerson = (clauses: Pairs): boolean =>
  clauses.some(([key]) => FINDS_A_PERSON.includes(key.split(':')[0] ?? ''));

function decideSearch<R extends Extract<ReadRequest, { kind: 'search-type' }>>(
  grant: Grant,
  request: R,
  rule: TypeRule,
): Decision<R> {
  const { type } = request;
  const inContext = filtersFor(grant, type, ['s'], CONTEXT);
  const ofLinked = filtersFor(grant, type, ['s'], LINKED);
  if (inContext.length + ofLinked.length === 0) return noScope(grant, type, 's');
  const allow = (patient: string | null, link: Plan['link']): Decision<R> => ({
    allow: true,
    plan: { request, grant, patient, link } as Plan<R>,
  });
  const ids = request.clauses.filter(([name]) => name === '_id').map(([, value]) => value);
  if (rule.kind === 'shared') {
    const isFound = ids.length === 1 || request.clauses.some(([key]) => rule.by.includes(key.split(':')[0] ?? ''));
    return isFound ? allow(null, 'not-asked') : deny('shared-search');
  }
  // What a Provenance is about says whose it is; `patient` finds only those about the Patient resource itself.
  if (rule.kind === 'targets' && request.patient === null && request.clauses.some(([name]) => name === 'target'))
    return allow(null, 'not-asked');
  const isOneId = ids.length === 1 && ids[0]?.includes(',') === false;
  const named = rule.kind !== 'patient' ? request.patient : isOneId ? (ids[0] ?? null) : null;
  if (
    named === null &&
    ofLinked.length > 0 &&
    rule.kind === 'patient' &&
    (isByNumber(request.clauses) || isByPerson(request.clauses))
  )
    return allow(null, 'asked');
  const patient = named ?? (inContext.length > 0 ? grant.patient : null);
  // Records of whichever patients the token reaches; with no condition at all that would be every record.
  const isConditional = request.clauses.length + request.evaluated.length > 0;
  if (patient === null && rule.kind === 'subject' && ofLinked.length > 0 && isConditional) return allow(null, 'asked');
  if (patient === null) return deny('patient-needed');
  if (patient !== grant.patient) return ofLinked.length > 0 ? allow(patient, 'asked') : deny('other-patient');
  return allow(patient, isWhole(inContext) || ofLinked.length === 0 ? 'not-asked' : 'asked');
}

/**
 * Whether the request may be made. Pure: it asks nobody, so it cannot tell what exists. What an answer holds is checked
 * again, entry by entry.
 */
export function decide<R extends ReadRequest>(grant: Grant, request: R, served: Served): Decision<R> {
  const { type } = request;
  const rule = served.get(type);
  if (rule === undefined) return deny('scope');
  if (request.kind === 'search-type') return decideSearch(grant, request, rule) as Decision<R>;
  const inContext = filtersFor(grant, type, ['r'], CONTEXT);
  const ofLinked = filtersFor(grant, type, ['r'], LINKED);
  const isOwnUser = request.kind === 'read' && isOwn(grant, type, request.id);
  if (inContext.length + ofLinked.length === 0 && !isOwnUser) return noScope(grant, type, 'r');
  // A Patient outside the token's context is answered like one that does not exist.
  const patient = type === 'Patient' ? request.id : null;
  return {
    allow: true,
    plan: { request, grant, patient, link: ofLinked.length > 0 ? 'asked' : 'not-asked' } as Plan<R>,
  };
}

/**
 * Why a token may not have resources of this type judged; null where it may. Nothing of a chart is shown for it, so any
 * scope that could show some of this type will do.
 */
export const decideValidate = (grant: Grant, type: string): 'scope' | 'no-patient' | null => {
  if (filtersFor(grant, type, ['r', 's'], { isContext: true, isLinked: true }).length > 0) return null;
  return wantsPatient(grant, type, 'r') || wantsPatient(grant, type, 's') ? 'no-patient' : 'scope';
};

/** Why a token may not have a patient looked for; null where it may. Who it may see is asked of whoever is found. */
export const decideMatch = (grant: Grant): 'scope' | 'no-patient' | null => {
  if (filtersFor(grant, 'Patient', ['s'], { isContext: true, isLinked: true }).length > 0) return null;
  return wantsPatient(grant, 'Patient', 's') ? 'no-patient' : 'scope';
};

/** `openid fhirUser` lets the signed-in user read their own Practitioner resource. */
export const isOwn = (grant: Grant, type: string, id: string): boolean =>
  grant.words.includes('fhirUser') && grant.fhirUser === `${type}/${id}`;
