import type { ElementDefinition, StructureDefinition } from '@medplum/fhirtypes';
import type { Structure } from '../definitions/read-structures.ts';
import { PROFILE_CORRECTIONS } from '../fhirpath/corrections.ts';
import { isPrimitiveName } from '../runtime/primitives.ts';
import { baseElementOf, baseInvariantKeys, type BaseElement } from './base-elements.ts';
import { compileMatch } from './compile-slicing.ts';
import { childOf, type ElementNode } from '../guides/element-tree.ts';
import { withoutVersion } from '../guides/guide-problem.ts';
import type {
  BindingPlan,
  ElementPlan,
  InvariantPlan,
  InvariantTest,
  ItemPlan,
  ProfilePlan,
  ReferencePlan,
  SlicePlan,
  SlicingPlan,
} from './plan.ts';
import {
  isBaseType,
  typeCodesOf,
  typeOfProfile,
  valueWith,
  type NotChecked,
  type ProfileSource,
} from './profile-source.ts';

const MAX_VALUE_SET = 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet';

const idOf = ({ id, path }: ElementDefinition): string => id ?? path;
const countOf = (max: string | undefined): number => (max === undefined || max === '*' ? Infinity : Number(max));

/** Compiles the snapshot of one profile to what it asks beyond R4. Elements that ask for nothing leave no trace. */
export function compileProfile(structure: StructureDefinition, source: ProfileSource): ProfilePlan | null {
  const { url: profile, type } = structure;
  const tree = source.treeOf(profile);
  const base = source.definitions.structures.get(type);
  if (tree === null) {
    source.problems.push({
      code: 'not-a-tree',
      profile,
      element: '',
      text: 'The elements of its snapshot do not make a tree.',
    });
    return null;
  }
  if (base === undefined) {
    source.problems.push({ code: 'unknown-type', profile, element: '', text: `R4 has no type ${type}.` });
    return null;
  }
  const known = baseInvariantKeys(source.definitions);
  const differential = new Map((structure.differential?.element ?? []).map((one) => [idOf(one), one]));
  const mustSupport: string[] = [];
  const compiled = new Map<ElementNode, ItemPlan>();
  const skip = (element: string, what: NotChecked['what'], name: string, reason: string): void =>
    void source.notChecked.push({ profile, element, what, name, reason });

  function invariantOf(
    key: string,
    expression: string | undefined,
    human: string,
    severity: string,
    element: string,
  ): InvariantPlan[] {
    const corrected = PROFILE_CORRECTIONS[expression ?? '']?.expression ?? expression;
    const found = corrected === undefined ? null : source.invariants.compile(corrected);
    const isWarning = severity === 'warning';
    if (found?.kind === 'compiled') return [{ key, isWarning, human, test: found.test }];
    const path = element.replaceAll(/:[^.]*/g, '').replaceAll('[x]', '');
    const slow = corrected === undefined ? null : (source.compileSlowly?.(corrected, path) ?? null);
    if (slow !== null)
      return [{ key, isWarning, human, test: (value, { resource, root }) => slow(value, resource, root) }];
    skip(element, 'invariant', key, found === null ? 'it has no expression' : found.reason);
    return [];
  }

  const invariantsOf = ({ element: definition }: ElementNode): readonly InvariantPlan[] =>
    (definition.constraint ?? [])
      .filter(({ key, source: whose }) => !known.has(key) || (whose !== undefined && !isBaseType(whose, source)))
      .flatMap(({ key = '', expression, human = '', severity = 'error' }) =>
        invariantOf(key, expression, human, severity, idOf(definition)),
      );

  function bindingsOf({ element: definition }: ElementNode, own: BaseElement | null): readonly BindingPlan[] {
    const { binding } = definition;
    if (binding === undefined) return [];
    const most = (binding.extension ?? []).find(({ url }) => url === MAX_VALUE_SET);
    const wanted = [
      binding.strength === 'required' ? binding.valueSet : undefined,
      most?.valueCanonical ?? most?.valueUri,
    ];
    return wanted.flatMap((valueSet) => {
      if (valueSet === undefined) return [];
      const isOfBase = own?.binding !== null && own?.binding !== undefined;
      if (isOfBase && valueSet.startsWith('http://hl7.org/fhir/ValueSet/') && binding.strength === 'required') {
        const name = withoutVersion(valueSet).slice('http://hl7.org/fhir/ValueSet/'.length);
        if (name === own.binding || own.binding === 'mime' || own.binding === 'ucum') return [];
      }
      const members = source.bindingOf(valueSet);
      if ('has' in members) return [members];
      skip(idOf(definition), 'binding', valueSet, members.notExpanded);
      return [];
    });
  }

  /** Profiles that are asked of the value itself, by its type. */
  function profilesOf({ element: definition }: ElementNode): ReadonlyMap<string, readonly string[]> | null {
    const byType = new Map<string, string[]>();
    for (const { code = '', profile: wanted = [] } of definition.type ?? []) {
      const beyond = wanted.filter((one) => !isBaseType(one, source));
      const unknown = beyond.find((one) => source.structureOf(withoutVersion(one)) === undefined);
      if (unknown !== undefined) skip(idOf(definition), 'profile', unknown, 'no loaded guide has it');
      else if (beyond.length > 0 && beyond.length === wanted.length)
        byType.set(code, [...(byType.get(code) ?? []), ...beyond]);
    }
    return byType.size === 0 ? null : byType;
  }

  function referenceOf({ element: definition }: ElementNode, own: BaseElement | null): ReferencePlan | null {
    const targets = (definition.type ?? []).flatMap(({ code, targetProfile = [] }) =>
      code === 'Reference' ? targetProfile : [],
    );
    if (targets.length === 0) return null;
    const types = targets.map((target) => typeOfProfile(target, source));
    const unknown = targets.find((_, i) => types[i] === null);
    if (unknown !== undefined) skip(idOf(definition), 'profile', unknown, 'no loaded guide has it');
    const isAny = unknown !== undefined || types.includes('Resource');
    const isOfBase = own?.targets !== null && own?.targets.length === new Set(types).size;
    const beyond = targets.filter((target) => !isBaseType(target, source));
    const plan = {
      types: isAny || isOfBase ? null : new Set(types.flatMap((one) => one ?? [])),
      profiles: isAny || beyond.length === 0 ? [] : targets,
    };
    return plan.types === null && plan.profiles.length === 0 ? null : plan;
  }

  function resourceTypesOf({ element: definition }: ElementNode, own: BaseElement | null): ReadonlySet<string> | null {
    if (own?.holdsResource !== true) return null;
    const types = typeCodesOf(definition);
    return types.length === 0 || types.includes('Resource') || types.includes('DomainResource') ? null : new Set(types);
  }

  /** The structure in which the children of an element stand. */
  function structureBelow({ element: definition }: ElementNode, own: BaseElement | null): Structure | null {
    const names = own?.backbone === undefined || own.backbone === null ? typeCodesOf(definition) : [own.backbone];
    const { structures } = source.definitions;
    // The extensions of a primitive stand where those of any element do.
    const [found] = names.flatMap((name) => structures.get(isPrimitiveName(name) ? 'Element' : name) ?? []);
    return found ?? null;
  }

  function contentReferenceOf(
    { element: definition }: ElementNode,
    own: BaseElement | null,
  ): ItemPlan['contentReference'] {
    const [whose = '', to] = definition.contentReference?.split('#') ?? [];
    // One that names the type means the rules of R4, not those of this profile.
    if (to === undefined || (whose !== '' && whose !== profile)) return null;
    const steps = to.split('.').slice(1);
    const target = steps.reduce<ElementNode | undefined>(
      (node, name) => (node === undefined ? undefined : childOf(node, name)),
      tree ?? undefined,
    );
    if (target === undefined || target.element.contentReference !== undefined) {
      skip(idOf(definition), 'profile', to, 'its content reference leads to no content');
      return null;
    }
    return () => {
      const plan = compiled.get(target) ?? compileItem(target, own, structureBelow(target, own));
      return plan.isTrivial ? null : plan;
    };
  }

  function compileItem(node: ElementNode, own: BaseElement | null, inside: Structure | null): ItemPlan {
    const { element: definition } = node;
    if (definition.mustSupport === true) mustSupport.push(idOf(definition));
    const parts = {
      fixed: valueWith('fixed', definition),
      pattern: valueWith('pattern', definition),
      bindings: bindingsOf(node, own),
      invariants: invariantsOf(node),
      lengthMax: definition.maxLength ?? Infinity,
      least: valueWith('minValue', definition),
      most: valueWith('maxValue', definition),
      profiles: profilesOf(node),
      resourceTypes: resourceTypesOf(node, own),
      reference: referenceOf(node, own),
      children: inside === null ? [] : node.children.flatMap((child) => compileElement(child, inside) ?? []),
      contentReference: contentReferenceOf(node, own),
    };
    const isTrivial =
      [
        parts.fixed,
        parts.pattern,
        parts.least,
        parts.most,
        parts.profiles,
        parts.resourceTypes,
        parts.reference,
        parts.contentReference,
      ].every((one) => one === null) &&
      parts.bindings.length + parts.invariants.length + parts.children.length === 0 &&
      parts.lengthMax === Infinity;
    const plan = { ...parts, isTrivial };
    compiled.set(node, plan);
    return plan;
  }

  function compileSlice(slice: ElementNode, own: BaseElement | null, discriminators: Discriminators): SlicePlan | null {
    const matches = compileMatch(discriminators, slice, source);
    if (typeof matches === 'string') {
      skip(idOf(slice.element), 'slicing', slice.element.sliceName ?? '', matches);
      return null;
    }
    return {
      name: slice.element.sliceName ?? '',
      min: slice.element.min ?? 0,
      max: countOf(slice.element.max),
      matches,
      item: compileItem(slice, own, structureBelow(slice, own)),
      slicing: compileSlicing(slice, own, discriminators),
    };
  }

  /** Slices of a slice are told apart as the slices are, where nothing else is said. */
  function compileSlicing(
    node: ElementNode,
    own: BaseElement | null,
    outer: Discriminators | null,
  ): SlicingPlan | null {
    if (node.slices.length === 0) return null;
    // Some snapshots have lost how the slices of a slice are told apart.
    const slicing = node.element.slicing ?? differential.get(idOf(node.element))?.slicing;
    const discriminators = slicing?.discriminator ?? outer ?? impliedDiscriminators(node.element);
    const all = node.slices.map((slice) => compileSlice(slice, own, discriminators));
    const slices = all.filter((slice) => slice !== null);
    if (slices.length === 0) return null;
    return {
      isOrdered: slicing?.ordered === true,
      rules: slices.length < all.length ? 'open' : (slicing?.rules ?? 'open'),
      slices,
    };
  }

  function compileElement(node: ElementNode, inside: Structure): ElementPlan | null {
    const own = baseElementOf(inside, node.name);
    if (own === null) {
      // Snapshots that walk into primitives name their value, which has no element in JSON.
      if (node.name !== 'value')
        skip(idOf(node.element), 'profile', node.name, `${inside.name} has no such element in R4`);
      return null;
    }
    const { element: definition } = node;
    const codes = new Set(typeCodesOf(definition));
    const isNarrowed = own.isChoice && codes.size > 0 && own.properties.some(({ type: one }) => !codes.has(one));
    const plan: ElementPlan = {
      name: node.name.replace('[x]', ''),
      properties: own.properties,
      min: (definition.min ?? 0) > own.min ? (definition.min ?? 0) : 0,
      max: countOf(definition.max) < own.max ? countOf(definition.max) : Infinity,
      types: isNarrowed ? codes : null,
      item: compileItem(node, own, structureBelow(node, own)),
      slicing: compileSlicing(node, own, null),
    };
    const asksNothing = plan.min === 0 && plan.max === Infinity && plan.types === null && plan.slicing === null;
    return asksNothing && plan.item.isTrivial ? null : plan;
  }

  function placesOf(expression: string): InvariantTest | null {
    const found = source.invariants.compile(expression, 'places');
    if (found.kind === 'compiled') return found.test;
    skip('Extension', 'invariant', `context ${expression}`, found.reason);
    return null;
  }

  const item = compileItem(tree, null, base);
  const contextInvariants = (structure.contextInvariant ?? []).flatMap((expression, i) =>
    invariantOf(
      `context-${i + 1}`,
      expression,
      `The extension is allowed only where: ${expression}`,
      'error',
      idOf(tree.element),
    ),
  );
  return {
    url: profile,
    version: structure.version ?? null,
    name: structure.title ?? structure.name,
    type,
    isExtension: type === 'Extension',
    isModifier: tree.element.isModifier === true,
    contexts: (structure.context ?? []).map(({ type: kind, expression }) => ({
      type: kind,
      expression,
      isPlace: kind === 'fhirpath' ? placesOf(expression) : null,
    })),
    contextInvariants,
    item,
    mustSupport,
  };
}

type Discriminators = NonNullable<NonNullable<ElementDefinition['slicing']>['discriminator']>;

/** Extensions are told apart by their url and choices by their type, also where nobody says so. */
function impliedDiscriminators({ path }: ElementDefinition): Discriminators {
  if (path.endsWith('xtension')) return [{ type: 'value', path: 'url' }];
  return path.endsWith('[x]') ? [{ type: 'type', path: '$this' }] : [];
}
