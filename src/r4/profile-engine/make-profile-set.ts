import type { StructureDefinition } from '@medplum/fhirtypes';
import { isObject } from '../../kernel/index.ts';
import { loadDefinitions } from '../definitions/load-definitions.ts';
import { file, type Context, type Json, type ProfileRule } from '../runtime/context.ts';
import type { HasCode } from '../runtime/known-codes.ts';
import { typeInUrl } from '../runtime/references.ts';
import { withoutVersion } from '../guides/guide-problem.ts';
import { makeCheckExtensions } from './check-extensions.ts';
import { checkItem, say } from './check-item.ts';
import { isMember } from './check-binding.ts';
import { makeInvariantCompiler } from './compile-invariants.ts';
import { compileProfile } from './compile-profile.ts';
import { findResource } from './find-resources.ts';
import { makeGuideFunctions, makeStep, TooCostly, type StepCount } from './guide-functions.ts';
import type { BindingPlan, Conformance, ProfileFinding, ProfileLookups, ProfilePlan, Visit } from './plan.ts';
import {
  isBaseType,
  makeTreeOf,
  typeOfProfile,
  type NotChecked,
  type ProfileProblem,
  type ProfileSource,
} from './profile-source.ts';

export interface ProfileSet {
  readonly profiles: readonly ProfilePlan[];
  /** Grows when a profile of R4 itself is first needed. */
  readonly notChecked: readonly NotChecked[];
  /** The profile of an address, in the version that is asked for where one is; R4's own among them. */
  readonly find: (canonical: string) => ProfilePlan | undefined;
  readonly hasCode: HasCode;
  /**
   * What a validator runs on each resource. `imposed`: beyond what `meta.profile` claims. `isFollowed`: what a reference
   * is followed to.
   */
  readonly rule: (options: {
    readonly imposed?: Imposed;
    readonly isFollowed?: (resource: Json) => boolean;
  }) => ProfileRule;
}

/** Profiles that a resource must meet whatever it claims. `isOutermost`: it does not stand in a Bundle. */
export type Imposed = (resource: Json, isOutermost: boolean) => readonly string[];

/** How many profiles may be entered one through the other, and how many references are followed on that way. */
const DEPTH_MAX = 60;
const FOLLOWED_MAX = 20;
const NONE: readonly string[] = [];
const imposeNothing: Imposed = () => NONE;

const claimedBy = (resource: Json): readonly string[] => {
  const meta = resource['meta'];
  const claimed = isObject(meta) ? meta['profile'] : undefined;
  return Array.isArray(claimed) ? claimed.filter((one) => typeof one === 'string') : NONE;
};

const containedIn = ({ contained }: Json): readonly Json[] =>
  Array.isArray(contained) ? contained.filter(isObject) : [];

export interface ProfileSetSource extends Pick<ProfileSource, 'compileSlowly'> {
  /** The profiles that are compiled at once; others when they are first needed. */
  readonly urls: readonly string[];
  /** A definition with its snapshot. */
  readonly structureOf: (url: string) => StructureDefinition | undefined;
  /** The members of a value set, or why they are not known. */
  readonly bindingOf: (valueSet: string) => BindingPlan | { readonly notExpanded: string };
  readonly hasCode: HasCode;
}

export function makeProfileSet({ urls, structureOf, bindingOf, hasCode, compileSlowly }: ProfileSetSource): {
  readonly set: ProfileSet;
  readonly problems: readonly ProfileProblem[];
} {
  const definitions = loadDefinitions();
  const notChecked: NotChecked[] = [];
  const problems: ProfileProblem[] = [];
  const stepCount: StepCount = { steps: 0 };
  const types = {
    propertyOf: (stem: string, type: string) =>
      definitions.choices.get(stem)?.find((one) => one === stem + type.charAt(0).toUpperCase() + type.slice(1)) ?? null,
    isResourceType: (name: string) => definitions.resourceTypes.has(name),
  };
  const step = makeStep(stepCount);
  const answerable = {
    valueSet(canonical: string): string | null {
      const members = bindingOf(canonical);
      return 'has' in members ? null : members.notExpanded;
    },
    profile: (canonical: string): string | null =>
      isBaseType(canonical, source) || structureOf(withoutVersion(canonical)) !== undefined
        ? null
        : `no loaded guide has ${canonical}`,
  };
  const invariants = makeInvariantCompiler(types, makeGuideFunctions(definitions.choices, step), answerable);
  const treeOf = makeTreeOf(structureOf);
  const source: ProfileSource = {
    definitions,
    structureOf,
    treeOf,
    bindingOf,
    invariants,
    compileSlowly,
    notChecked,
    problems,
  };
  const plans = new Map<string, ProfilePlan | null>();
  function compile(url: string): ProfilePlan | null {
    const structure = structureOf(url);
    const isProfile = structure?.derivation === 'constraint' && structure.kind !== 'logical';
    const plan = isProfile ? compileProfile(structure, source) : null;
    // What is not known is not remembered: anybody's resources may claim any profile.
    if (structure !== undefined) plans.set(url, plan);
    return plan;
  }
  for (const url of urls) compile(url);
  invariants.finish();
  const profiles = [...plans.values()].filter((plan) => plan !== null);

  /** Whatever the version: definitions that name another one than is loaded are judged by the one that is. */
  function planOf(canonical: string): ProfilePlan | undefined {
    const url = withoutVersion(canonical);
    const known = plans.get(url);
    if (known !== undefined) return known ?? undefined;
    const plan = compile(url);
    invariants.finish();
    return plan ?? undefined;
  }

  function find(canonical: string): ProfilePlan | undefined {
    const plan = planOf(canonical);
    const version = canonical.slice(withoutVersion(canonical).length + 1);
    return version === '' || plan?.version === null || plan?.version === version ? plan : undefined;
  }

  /** A resource that stands in another is a world of its own; what it contains is not. */
  function visitOf(value: unknown, visit: Visit): Visit {
    if (!isObject(value) || typeof value['resourceType'] !== 'string' || value === visit.resource) return visit;
    const contained = visit.root['contained'];
    const root = Array.isArray(contained) && contained.includes(value) ? visit.root : value;
    return { ...visit, resource: value, root, bundle: value['resourceType'] === 'Bundle' ? value : visit.bundle };
  }

  function check(value: unknown, type: string, canonical: string, visit: Visit, path: string): boolean {
    const plan = planOf(canonical);
    if (plan === undefined) {
      if (isBaseType(canonical, source) && typeOfProfile(canonical, source) === type) return true;
      return say(visit, 'profile-type', path, `${canonical} is not loaded, or is no type of a ${type}.`);
    }
    if (type !== '' && type !== plan.type)
      return say(visit, 'profile-type', path, `${canonical} is not for a ${type}.`);
    if (visit.depth > DEPTH_MAX) return say(visit, 'profile-costly', path, 'Its profiles lead too deep.');
    const inside = { ...visitOf(value, visit), depth: visit.depth + 1 };
    return checkItem(plan.item, { value, element: undefined, type: plan.type }, inside, path);
  }

  function resolve(reference: string, visit: Visit): Json | undefined {
    const found = findResource(reference, visit, visit.bundle);
    return found === undefined || visit.isFollowed?.(found) === false ? undefined : found;
  }

  const lookups: ProfileLookups = {
    resolve,
    typeOfReference(value, visit) {
      const { reference, type } = isObject(value) ? value : { reference: value };
      const claimed = typeof type === 'string' ? type : undefined;
      if (typeof reference !== 'string') return claimed;
      const found = findResource(reference, visit, visit.bundle)?.['resourceType'];
      const told = typeof found === 'string' ? found : typeInUrl(reference, definitions.resourceTypes);
      return told === null || told === '' ? claimed : told;
    },
    memberOf(value, valueSet) {
      const members = bindingOf(valueSet);
      return 'has' in members ? isMember({ value, type: 'CodeableConcept' }, members) : undefined;
    },
    check,
    conforms(value, type, canonical, visit) {
      if (value === undefined) return false;
      const { conformance } = visit;
      const known = conformance.of.get(value) ?? new Map<string, boolean | 'under-way'>();
      const found = known.get(canonical);
      if (found === true || found === false) return found;
      // Who asks again while this is being found out comes around in a circle, which is no fault.
      if (found === 'under-way') {
        conformance.assumed += 1;
        return true;
      }
      // So far away nothing is asked any more.
      if (visit.depth > FOLLOWED_MAX) {
        conformance.assumed += 1;
        return true;
      }
      conformance.of.set(value, known);
      known.set(canonical, 'under-way');
      const before = conformance.assumed;
      const isMet = check(value, type, canonical, visit.report === null ? visit : { ...visit, report: null }, '');
      // What was found out by assuming something is only good for who asked.
      if (isMet && conformance.assumed > before && visit.depth > 0) known.delete(canonical);
      else known.set(canonical, isMet);
      return isMet;
    },
  };
  const checkExtensions = makeCheckExtensions(definitions, (url) => {
    const plan = planOf(url);
    return plan?.isExtension === true ? plan : undefined;
  });

  /** Shared by all resources that one call of a validator looks at. */
  const conformances = new WeakMap<Context, Conformance>();
  function conformanceOf(c: Context): Conformance {
    const known = conformances.get(c) ?? { of: new Map(), assumed: 0 };
    conformances.set(c, known);
    return known;
  }

  const rule: ProfileSet['rule'] =
    ({ imposed = imposeNothing, isFollowed }) =>
    (resource, c, path) => {
      const bundle = resource['resourceType'] === 'Bundle' ? resource : (c.bundle?.of ?? null);
      stepCount.steps = 0;
      const said = new Set<string>();
      const reportFor = (profile: string | null) => (finding: ProfileFinding) => {
        const { path: expression, ...rest } = finding;
        const key = `${finding.rule}\n${expression}\n${finding.text}`;
        if (said.has(key) || (finding.severity === 'warning' && !c.withWarnings)) return;
        said.add(key);
        file(c, { ...rest, expression, ...(profile === null ? {} : { profile }) });
      };
      const visitFor = (profile: string | null): Visit => ({
        resource,
        root: resource,
        bundle,
        lookups,
        isFollowed,
        depth: 0,
        step,
        report: c.issues === null ? null : reportFor(profile),
        conformance: conformanceOf(c),
      });
      /** By every profile that it claims or that is imposed, as far as that is known. */
      function checkBy(one: Json, canonicals: readonly string[], at: string): boolean {
        let isSound = true;
        for (const plan of new Set(canonicals.map(find))) {
          if (plan === undefined) continue;
          const visit = visitOf(one, visitFor(plan.url));
          if (!check(one, String(one['resourceType']), plan.url, visit, at)) isSound = false;
          if (!isSound && c.issues === null) return false;
        }
        return isSound;
      }
      function checkOne(one: Json, canonicals: readonly string[], at: string): boolean {
        const isSound = checkBy(one, canonicals, at);
        if (!c.hasExtension || (!isSound && c.issues === null)) return isSound;
        return checkExtensions(one, visitOf(one, visitFor(null)), at) && isSound;
      }
      function checkAll(): boolean {
        const isOutermost = c.bundle === null || c.bundle.of === resource;
        let isSound = checkOne(resource, [...claimedBy(resource), ...imposed(resource, isOutermost)], path);
        for (const [i, one] of containedIn(resource).entries()) {
          if (!isSound && c.issues === null) return false;
          if (!checkOne(one, claimedBy(one), c.issues === null ? '' : `${path}.contained[${i}]`)) isSound = false;
        }
        return isSound;
      }
      try {
        return checkAll();
      } catch (thrown) {
        if (!(thrown instanceof TooCostly)) throw thrown;
        return say(visitFor(null), 'profile-costly', path, 'Its profiles take too long on this resource.');
      }
    };
  return { set: { profiles, notChecked, find, hasCode, rule }, problems };
}
