import { isOperationOutcome } from '@medplum/core';
import { isObject } from '../kernel/index.ts';
import {
  compareSearch,
  elementsOfParam,
  localReference,
  matchesSearch,
  meetsByPart,
  searchParamsOf,
  valuesOfParam,
  walkReferences,
} from '../r4/index.ts';
import type { Filter } from './decide.ts';
import type { Reverse, Search } from './read-request.ts';
import type { Served } from './served-types.ts';
import { isResource, whose, type Json, type Resource } from './whose.ts';

/** What the answer to one search is checked by. */
export interface PageRule {
  readonly search: Search;
  readonly served: Served;
  readonly ehrBase: string;
  /**
   * Whose records were asked for; null where each match is looked up afterwards (a Patient by identifier) or nobody's.
   */
  readonly patient: string | null;
  /** Of a search that named nobody: who may be seen, and what becomes of what is others'. */
  readonly patients: { readonly seen: ReadonlySet<string>; readonly others: 'left-out' | 'foreign' } | null;
  /** One of these must match. */
  readonly filters: readonly Filter[];
  /** The same for what comes along; empty: the type may not. */
  readonly includeFilters: (type: string) => readonly Filter[];
}

export interface Checked {
  readonly resource: Resource;
  readonly mode: 'match' | 'include';
  /** Whose it is, where the search did not say. */
  readonly patient?: string;
}

/**
 * Why an entry is left out though the answer is sound. `other-patient`: a record refers to it, as a newborn's encounter
 * does to the mother's. `entangled`: it contains what may tell of somebody else. `not-asked`: it came along
 * uncalled-for, of another patient or of a type that is not served.
 */
export type LeftOutReason = 'other-patient' | 'entangled' | 'not-asked';
export interface LeftOut {
  readonly type: string;
  readonly id: string;
  readonly because: LeftOutReason;
}

/** `foreign`: the EHR found what it was not asked for. The answer as a whole is then worth nothing. */
export type CheckedPage =
  | {
      readonly kind: 'sound';
      readonly entries: readonly Checked[];
      readonly provenances: readonly Checked[];
      readonly leftOut: readonly LeftOut[];
      /** Conditions that the EHR was sent and that what it found does not meet by any reading, and how often. */
      readonly unmet: ReadonlyMap<string, number>;
    }
  | { readonly kind: 'foreign'; readonly because: 'type' | 'patient' | 'shape' | 'condition' };

export const matchesAny = (resource: Json, filters: readonly Filter[], ehrBase: string): boolean =>
  filters.some((filter) => filter.every(([name, value]) => matchesSearch(resource, name, value, ehrBase)));

const foreign = (because: Extract<CheckedPage, { kind: 'foreign' }>['because']): CheckedPage => ({
  kind: 'foreign',
  because,
});

/** Conditions by which something is found that is not bound to a patient must hold in what was found. */
const holds = (resource: Resource, { clauses }: Search, condition: '_id' | 'identifier'): boolean =>
  clauses.filter(([name]) => name === condition).every(([name, value]) => matchesSearch(resource, name, value));

/** Some servers take one of two conditions by the same parameter; ours must not be the one that stays. */
const holdsBeside = (resource: Resource, { search, filters, ehrBase }: PageRule): boolean =>
  search.clauses
    .filter(([name]) => filters.some((filter) => filter.some(([of]) => of === name)))
    .every(([name, value]) => matchesSearch(resource, name, value, ehrBase));

/**
 * The first condition that a resource does not meet by any reading of R4: what may be meant stays. `_id` and what was
 * asked of a Patient by number are looked at more strictly.
 */
export function unmetBy(
  resource: Json,
  { search, ehrBase }: PageRule,
): { readonly name: string; readonly isSent: boolean } | null {
  const isUnmet = ([name, value]: readonly [string, string]): boolean =>
    name !== '_id' && compareSearch(resource, name, value, ehrBase) === 'no';
  const sent = search.clauses.find(isUnmet);
  if (sent !== undefined) return { name: sent[0].split(':')[0] ?? '', isSent: true };
  const evaluated = search.evaluated.find(isUnmet);
  return evaluated === undefined ? null : { name: evaluated[0], isSent: false };
}

/**
 * Whether `unmetBy` of a resource would find nothing, as these elements of it tell whatever the others say: each that it
 * has of `elementsOf`.
 */
export function isMetByPart(part: Json, { search, ehrBase }: PageRule): boolean {
  const isMet = ([name, value]: readonly [string, string]): boolean =>
    name === '_id' || meetsByPart(part, name, value, ehrBase);
  return search.clauses.every(isMet) && search.evaluated.every(isMet);
}

/** The elements by which most conditions of a search are judged. */
export const elementsOf = ({ type, clauses, evaluated }: Search): readonly string[] => [
  ...new Set([...clauses, ...evaluated].flatMap(([name]) => elementsOfParam(type, name))),
];

const refersTo = (
  resource: Resource,
  { type, param }: Reverse,
  names: ReadonlySet<string>,
  ehrBase: string,
): boolean => {
  const by = resource.resourceType === type ? searchParamsOf(type).get(param) : undefined;
  return (
    by !== undefined &&
    valuesOfParam(resource, by).some((one) => {
      const found = localReference(one, ehrBase);
      return found !== null && names.has(`${found.type}/${found.id}`);
    })
  );
};

/** What these refer to, by name. */
export const referredBy = (matches: readonly Checked[], ehrBase: string): ReadonlySet<string> =>
  new Set(
    matches.flatMap(({ resource }) =>
      walkReferences(resource).flatMap(({ reference }) => {
        const found = localReference(reference, ehrBase);
        return found === null ? [] : [`${found.type}/${found.id}`];
      }),
    ),
  );

function modeOf(entry: Json, resource: Resource, type: string): 'match' | 'include' | 'outcome' {
  const { search } = entry;
  const mode = isObject(search) ? search['mode'] : undefined;
  if (mode === 'match' || mode === 'include' || mode === 'outcome') return mode;
  return resource.resourceType === type ? 'match' : 'include';
}

/**
 * Checks every entry of a searchset, whatever the EHR was asked: type, patient, filter; for what comes along also that
 * something which is shown refers to it. Provenances are given apart, since what they are about may be on no page.
 */
export function checkPage(bundle: Json, rule: PageRule): CheckedPage {
  const { search, served, ehrBase, patient, patients, filters } = rule;
  const given = bundle['entry'] ?? [];
  if (!Array.isArray(given)) return foreign('shape');
  const matches: Checked[] = [];
  const along: Resource[] = [];
  const provenances: Checked[] = [];
  const leftOut: LeftOut[] = [];
  const leaveOut = ({ resourceType: type, id }: Resource, because: LeftOutReason): void =>
    void leftOut.push({ type, id, because });
  const unmet = new Map<string, number>();
  const seen = new Set<string>();
  for (const entry of given as unknown[]) {
    if (!isObject(entry)) return foreign('shape');
    const { resource } = entry;
    // The EHR's OperationOutcome about the search is not passed on, because it may quote anything.
    if (isOperationOutcome(resource)) continue;
    if (!isResource(resource)) return foreign('shape');
    const mode = modeOf(entry, resource, search.type);
    if (mode === 'outcome') return foreign('type');
    const name = `${resource.resourceType}/${resource.id}`;
    if (seen.has(name)) continue;
    seen.add(name);
    if (resource.resourceType === 'Provenance') {
      if (mode === 'match' && search.type !== 'Provenance') return foreign('type');
      provenances.push({ resource, mode });
      continue;
    }
    if (mode === 'include') {
      along.push(resource);
      continue;
    }
    if (resource.resourceType !== search.type) return foreign('type');
    const of = whose(resource, served, ehrBase);
    const isSeen = patients === null || ('id' in of && of.id !== null && patients.seen.has(of.id));
    if (!isSeen && patients.others === 'left-out') continue;
    if (of.kind === 'unclear' || of.kind === 'targets' || !isSeen) return foreign('patient');
    if (of.kind !== 'nobody' && of.id !== null && patient !== null && of.id !== patient) return foreign('patient');
    if (!holds(resource, search, '_id')) return foreign('condition');
    if (of.kind === 'entangled') {
      leaveOut(resource, 'entangled');
      continue;
    }
    // A number may be the same in other letters for the EHR and not for us; it is then not shown, and nobody is
    // alarmed.
    if (search.type === 'Patient' && !holds(resource, search, 'identifier')) continue;
    if (!matchesAny(resource, filters, ehrBase) || !holdsBeside(resource, rule)) continue;
    const missed = unmetBy(resource, rule);
    if (missed === null) matches.push({ resource, mode });
    else if (missed.isSent) unmet.set(missed.name, (unmet.get(missed.name) ?? 0) + 1);
  }
  if (along.length === 0) return { kind: 'sound', entries: matches, provenances, leftOut, unmet };

  const referred = referredBy(matches, ehrBase);
  const names = new Set(matches.map(({ resource: { resourceType, id } }) => `${resourceType}/${id}`));
  // Of Patients of whom none was named, those who were found; whether each of these may be seen is asked afterwards.
  const isApart = patient === null && patients === null && served.get(search.type)?.kind === 'patient';
  const owners = isApart ? new Set(matches.map(({ resource: { id } }) => id)) : patients?.seen;
  const wanted = new Set(search.include.flatMap(({ targets }) => targets));
  const included: Checked[] = [];
  for (const resource of along) {
    const { resourceType: type, id } = resource;
    const of = whose(resource, served, ehrBase);
    const isReferring = search.reverse.some((one) => refersTo(resource, one, names, ehrBase));
    const isReferred = isReferring || referred.has(`${type}/${id}`);
    if (!served.has(type)) leaveOut(resource, 'not-asked');
    else if (of.kind === 'patient' && of.id !== patient && owners?.has(of.id) !== true)
      leaveOut(resource, isReferred ? 'other-patient' : 'not-asked');
    else if (of.kind === 'entangled') leaveOut(resource, 'entangled');
    // A device without a patient is left out silently.
    else if (
      of.kind !== 'unclear' &&
      isReferred &&
      (isReferring || wanted.has(type)) &&
      matchesAny(resource, rule.includeFilters(type), ehrBase)
    )
      included.push({ resource, mode: 'include' });
  }
  return { kind: 'sound', entries: [...matches, ...included], provenances, leftOut, unmet };
}
