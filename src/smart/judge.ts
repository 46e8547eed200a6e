import type { Grant, Letter } from '../auth/index.ts';
import { isObject, ok, type Result } from '../kernel/index.ts';
import type { EhrReader } from './ask-ehr.ts';
import type { Caller } from './caller.ts';
import { matchesAny, type Checked } from './check-page.ts';
import { cutProvenance } from './cut-provenance.ts';
import { filtersFor, type Reach } from './decide.ts';
import type { LinkedPatients } from './linked-patients.ts';
import type { Served } from './served-types.ts';
import { isResource, versionOf, whose, type Json, type Resource, type Target } from './whose.ts';

/** Whether a resource may be seen, and whose it is; `patient` is null for nobody's. */
export type Sight =
  | {
      readonly kind: 'seen';
      readonly patient: string | null;
      /** As much of it as may be shown, where that is not the whole. */
      readonly shown?: Resource;
    }
  /** `unlinked`: the EHR was asked for it. */
  | { readonly kind: 'hidden'; readonly because: 'scope' | 'unlinked' };

/** Resources that may be seen, by name: whose each is (null: nobody's), and which version was looked at. */
export type Shown = ReadonlyMap<string, Sighted>;
export interface Sighted {
  readonly patient: string | null;
  readonly versionId: string | null;
}

export interface Judge {
  /** A resource in hand, by what it says itself. */
  sees(resource: Resource, letters: readonly Letter[], caller: Caller): Promise<Result<Sight>>;
  /**
   * Asks the EHR once more where a hidden record would have cost a question about its patient: what is not there, and
   * what was hidden without one, takes as long.
   */
  takeAsLong(type: string, id: string, letters: readonly Letter[], sight: Sight | null, caller: Caller): Promise<void>;
  /**
   * Those of the named that may be seen. `shown` was checked already. What is not there takes as long as what is
   * hidden.
   */
  named(names: readonly string[], caller: Caller, shown?: Shown): Promise<Result<Shown>>;
  /**
   * Those of which something that they are about may be seen, each cut to what is known to be. `shown` was checked
   * already: name to patient; with `beyond`, a few others are looked up. With `only`, what they tell of this patient
   * alone, though the token may reach others as well.
   */
  provenances(
    given: readonly Checked[],
    by: {
      readonly letters: readonly Letter[];
      readonly shown: Shown;
      readonly beyond: 'nothing' | 'a-few';
      readonly only?: string;
    },
    caller: Caller,
  ): Promise<Result<readonly Checked[]>>;
}

const HIDDEN: Sight = { kind: 'hidden', because: 'scope' };
const UNLINKED: Sight = { kind: 'hidden', because: 'unlinked' };
const ANYONE: Reach = { isContext: true, isLinked: true };
const LINKED: Reach = { isContext: false, isLinked: true };
/** What a target may be seen by. */
const LETTERS = ['r', 's'] as const;
const TARGETS_AT_ONCE = 50;
/** How many targets that a caller names are looked up, and how many of those that a Provenance names. */
const NAMED_MAX = 200;
const BEYOND_MAX = 50;
/** How many older versions of them are read. */
const VERSIONS_MAX = 10;

export function makeJudge(deps: {
  readonly served: Served;
  readonly ehrBase: string;
  readonly links: LinkedPatients;
  readonly reader: EhrReader;
}): Judge {
  const { served, ehrBase, links, reader } = deps;

  const isMatch = (
    grant: Grant,
    resource: Json & { readonly resourceType: string },
    letters: readonly Letter[],
    reach: Reach,
  ): boolean => matchesAny(resource, filtersFor(grant, resource.resourceType, letters, reach), ehrBase);

  async function seesOf(
    patient: string,
    resource: Resource,
    letters: readonly Letter[],
    caller: Caller,
  ): Promise<Result<Sight>> {
    const { grant } = caller;
    const seen = ok<Sight>({ kind: 'seen', patient });
    if (patient === grant.patient && isMatch(grant, resource, letters, { isContext: true, isLinked: false }))
      return seen;
    if (!isMatch(grant, resource, letters, LINKED)) return ok(HIDDEN);
    const isLinked =
      resource.resourceType === 'Patient'
        ? await links.isLinkedPatient(resource)
        : await links.isLinked(patient, caller);
    return isLinked.ok ? (isLinked.value ? seen : ok(UNLINKED)) : isLinked;
  }

  async function sees(resource: Resource, letters: readonly Letter[], caller: Caller): Promise<Result<Sight>> {
    const of = whose(resource, served, ehrBase);
    switch (of.kind) {
      case 'nobody':
        return ok(isMatch(caller.grant, resource, letters, ANYONE) ? { kind: 'seen', patient: null } : HIDDEN);
      case 'patient':
        return seesOf(of.id, resource, letters, caller);
      case 'targets': {
        const by = { letters, shown: new Map(), beyond: 'a-few' } as const;
        const kept = await provenances([{ resource, mode: 'match' }], by, caller);
        if (!kept.ok) return kept;
        const [one] = kept.value;
        return ok(one === undefined ? HIDDEN : { kind: 'seen', patient: null, shown: one.resource });
      }
      case 'entangled':
      case 'unclear':
        return ok(HIDDEN);
    }
  }

  async function takeAsLong(
    type: string,
    id: string,
    letters: readonly Letter[],
    sight: Sight | null,
    caller: Caller,
  ): Promise<void> {
    // A Patient resource carries its own identifiers, so no second read is needed to see whether it is linked.
    const isSettled = type === 'Patient' || (sight !== null && (sight.kind === 'seen' || sight.because === 'unlinked'));
    if (!isSettled && filtersFor(caller.grant, type, letters, LINKED).length > 0) await links.isLinked(id, caller);
  }

  /**
   * Looks for targets that are on no page, many at once; those that cannot be found or seen are simply not in the
   * answer.
   */
  async function lookUp(
    names: ReadonlySet<string>,
    shown: Shown,
    caller: Caller,
    pace: 'even' | 'quick',
  ): Promise<Result<Shown>> {
    const found = new Map(shown);
    const most = pace === 'even' ? NAMED_MAX : BEYOND_MAX;
    const missing = [...names].filter((name) => !shown.has(name)).slice(0, most);
    const byType = Map.groupBy(missing, (name) => name.slice(0, name.indexOf('/')));
    for (const [type, all] of byType) {
      if (!served.has(type) || type === 'Provenance') continue;
      if (filtersFor(caller.grant, type, LETTERS, ANYONE).length === 0) continue;
      for (let i = 0; i < all.length; i += TARGETS_AT_ONCE) {
        const ids = all.slice(i, i + TARGETS_AT_ONCE).map((name) => name.slice(type.length + 1));
        const params = [
          ['_id', ids.join(',')],
          ['_count', String(ids.length)],
        ] as const;
        const page = await reader.search(type, params, caller);
        if (!page.ok) return page;
        const { entry } = page.value.bundle;
        const sights = new Map<string, Sight>();
        for (const one of Array.isArray(entry) ? (entry as unknown[]) : []) {
          const resource = isObject(one) ? one['resource'] : null;
          if (!isResource(resource) || !names.has(`${resource.resourceType}/${resource.id}`)) continue;
          const sight = await sees(resource, LETTERS, caller);
          if (!sight.ok) return sight;
          const { value } = sight;
          sights.set(resource.id, value);
          if (value.kind === 'seen')
            found.set(`${resource.resourceType}/${resource.id}`, {
              patient: value.patient,
              versionId: versionOf(resource),
            });
        }
        if (pace === 'even') for (const id of ids) await takeAsLong(type, id, LETTERS, sights.get(id) ?? null, caller);
      }
    }
    return ok(found);
  }

  /** A version that is not the current one may have been another patient's: it is looked at for itself. */
  async function isSameVersion(
    { type, id, versionId }: Target,
    { patient, versionId: current }: Sighted,
    left: { versions: number },
    caller: Caller,
  ): Promise<Result<boolean>> {
    if (versionId === null || versionId === current) return ok(true);
    left.versions -= 1;
    if (left.versions < 0) return ok(false);
    const read = await reader.read(`${type}/${id}/_history/${versionId}`, type, id, caller);
    if (!read.ok) return read;
    if (read.value === null) return ok(false);
    const sight = await sees(read.value.resource, LETTERS, caller);
    return sight.ok ? ok(sight.value.kind === 'seen' && sight.value.patient === patient) : sight;
  }

  /**
   * What of it may be shown: a scope must reach each patient of whom a target is shown. One of which no target of a
   * patient may be seen is not shown.
   */
  async function partOf(
    resource: Resource,
    found: Shown,
    { letters, only }: { readonly letters: readonly Letter[]; readonly only?: string },
    left: { versions: number },
    caller: Caller,
  ): Promise<Result<Resource | null>> {
    const of = whose(resource, served, ehrBase);
    if (of.kind !== 'targets') return ok(null);
    const reached = new Map<string, boolean>();
    const targets: unknown[] = [];
    const patients = new Set<string>();
    for (const target of of.targets) {
      const seen = found.get(`${target.type}/${target.id}`);
      if (seen === undefined) continue;
      const { patient } = seen;
      if (patient !== null && !reached.has(patient)) {
        const isAsked = only === undefined || only === patient;
        const sight = isAsked ? await seesOf(patient, resource, letters, caller) : ok(HIDDEN);
        if (!sight.ok) return sight;
        reached.set(patient, sight.value.kind === 'seen');
      }
      if (patient !== null && reached.get(patient) !== true) continue;
      const isSame = await isSameVersion(target, seen, left, caller);
      if (!isSame.ok) return isSame;
      if (!isSame.value) continue;
      targets.push(target.written);
      if (patient !== null) patients.add(patient);
    }
    if (patients.size === 0) return ok(null);
    const isAll = of.isAll && targets.length === of.targets.length;
    return ok(cutProvenance(resource, { ...of, targets, patients, isAll }, served, ehrBase));
  }

  const provenances: Judge['provenances'] = async (given, by, caller) => {
    if (given.length === 0) return ok([]);
    const names = given.flatMap(({ resource }) => {
      const of = whose(resource, served, ehrBase);
      return of.kind === 'targets' ? of.targets.map(({ type, id }) => `${type}/${id}`) : [];
    });
    const found = by.beyond === 'nothing' ? ok(by.shown) : await lookUp(new Set(names), by.shown, caller, 'quick');
    if (!found.ok) return found;
    const left = { versions: by.beyond === 'nothing' ? 0 : VERSIONS_MAX };
    const kept: Checked[] = [];
    for (const { resource, mode } of given) {
      const part = await partOf(resource, found.value, by, left, caller);
      if (!part.ok) return part;
      if (part.value !== null) kept.push({ resource: part.value, mode });
    }
    return ok(kept);
  };

  return {
    sees,
    takeAsLong,
    provenances,
    named: (names, caller, shown = new Map()) => lookUp(new Set(names), shown, caller, 'even'),
  };
}
