import type { StructureDefinition } from '@medplum/fhirtypes';
import { isObject } from '../../kernel/index.ts';
import { loadDefinitions } from '../definitions/load-definitions.ts';
import { file, type Json, type ProfileRule } from '../runtime/context.ts';
import type { HasCode } from '../runtime/known-codes.ts';
import { withoutVersion } from '../guides/guide-problem.ts';
import { makeCheckExtensions } from './check-extensions.ts';
import { checkItem, say } from './check-item.ts';
import { isMember } from './check-binding.ts';
import { makeInvariantCompiler } from './compile-invariants.ts';
import { compileProfile } from './compile-profile.ts';
import { findResource } from './find-resources.ts';
import { makeGuideFunctions, type Meter } from './guide-functions.ts';
import type { BindingPlan, Finding, ProfilePlan, Surroundings, Visit } from './plan.ts';
import { makeTreeOf, type NotChecked, type ProfileProblem, type ProfileSource } from './profile-source.ts';

export interface ProfileSet {
  readonly profiles: readonly ProfilePlan[];
  readonly notChecked: readonly NotChecked[];
  readonly has: (canonical: string) => boolean;
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

const NONE: readonly string[] = [];
const imposeNothing: Imposed = () => NONE;

const claimedBy = (resource: Json): readonly string[] => {
  const meta = resource['meta'];
  const claimed = isObject(meta) ? meta['profile'] : undefined;
  return Array.isArray(claimed) ? claimed.filter((one) => typeof one === 'string') : NONE;
};

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
  const meter: Meter = { steps: 0 };
  const types = {
    propertyOf: (stem: string, type: string) =>
      definitions.choices.get(stem)?.find((one) => one === stem + type.charAt(0).toUpperCase() + type.slice(1)) ?? null,
    isResourceType: (name: string) => definitions.resourceTypes.has(name),
  };
  const invariants = makeInvariantCompiler(types, makeGuideFunctions(definitions.choices, meter));
  const treeOf = makeTreeOf(structureOf);
  const source = { definitions, structureOf, treeOf, bindingOf, invariants, compileSlowly, notChecked, problems };
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
  const ofGuides = [...notChecked];

  /** Of another version than asked for there is at most one too; it is judged by what is loaded. */
  function planOf(canonical: string): ProfilePlan | undefined {
    const url = withoutVersion(canonical);
    const known = plans.get(url);
    if (known !== undefined) return known ?? undefined;
    const plan = compile(url);
    invariants.finish();
    return plan ?? undefined;
  }

  const baseTypeOf = (url: string): string | null => {
    const name = url.slice(url.lastIndexOf('/') + 1);
    return definitions.structures.has(name) ? name : null;
  };

  /** A resource that stands in another is a world of its own; what it contains is not. */
  function visitOf(value: unknown, visit: Visit): Visit {
    if (!isObject(value) || typeof value['resourceType'] !== 'string' || value === visit.resource) return visit;
    const contained = visit.root['contained'];
    const root = Array.isArray(contained) && contained.includes(value) ? visit.root : value;
    return { ...visit, resource: value, root, bundle: value['resourceType'] === 'Bundle' ? value : visit.bundle };
  }

  function check(value: unknown, type: string, canonical: string, visit: Visit, path: string): boolean {
    const plan = planOf(canonical);
    const wanted = plan === undefined ? baseTypeOf(withoutVersion(canonical)) : plan.type;
    if (type !== '' && type !== wanted) return say(visit, 'profile-type', path, `${canonical} is not for a ${type}.`);
    if (plan === undefined) return wanted !== null;
    return checkItem(plan.item, { value, element: undefined, type: plan.type }, visitOf(value, visit), path);
  }

  const surroundings: Surroundings = {
    resolve(reference, visit) {
      const found = findResource(reference, visit, visit.bundle);
      return found === undefined || visit.isFollowed?.(found) === false ? undefined : found;
    },
    memberOf(value, valueSet) {
      const members = bindingOf(valueSet);
      return 'has' in members ? isMember({ value, type: 'CodeableConcept' }, members) : undefined;
    },
    check,
    conforms(value, type, canonical, visit) {
      const known = visit.met.get(value) ?? new Map<string, boolean>();
      const found = known.get(canonical);
      if (found !== undefined) return found;
      visit.met.set(value, known);
      // Who asks again while this is being found out comes around in a circle, which is no fault.
      known.set(canonical, true);
      const isMet = check(value, type, canonical, visit.report === null ? visit : { ...visit, report: null }, '');
      known.set(canonical, isMet);
      return isMet;
    },
  };
  const checkExtensions = makeCheckExtensions(definitions, (url) => {
    const plan = planOf(url);
    return plan?.isExtension === true ? plan : undefined;
  });

  const rule: ProfileSet['rule'] =
    ({ imposed = imposeNothing, isFollowed }) =>
    (resource, c, path) => {
      const bundle = resource['resourceType'] === 'Bundle' ? resource : (c.bundle?.of ?? null);
      meter.steps = 0;
      const said = new Set<string>();
      const reportFor = (profile: string | null) => (finding: Finding) => {
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
        surroundings,
        isFollowed,
        report: c.issues === null ? null : reportFor(profile),
        met: new Map(),
      });
      let isSound = true;
      const wanted = new Set([
        ...claimedBy(resource),
        ...imposed(resource, c.bundle === null || c.bundle.of === resource),
      ]);
      for (const canonical of wanted) {
        const plan = planOf(canonical);
        if (plan === undefined) continue;
        const visit = visitFor(plan.url);
        const type = String(resource['resourceType']);
        if (!check(resource, type, canonical, visit, path)) isSound = false;
        if (!isSound && c.issues === null) return false;
      }
      if (c.hasExtension && !checkExtensions(resource, visitFor(null), path)) isSound = false;
      return isSound;
    };
  const has = (canonical: string): boolean => planOf(canonical) !== undefined;
  return { set: { profiles, notChecked: ofGuides, has, hasCode, rule }, problems };
}
