import type { ElementDefinition, StructureDefinition } from '@medplum/fhirtypes';
import type { Structure } from '../definitions/read-structures.ts';
import { baseElementOf, type BaseElement } from './base-elements.ts';
import { compileMatch } from './compile-slicing.ts';
import { idOf, makeValueRules, type Skip } from './make-value-rules.ts';
import { childOf, type ElementNode } from '../guides/element-tree.ts';
import type { ElementPlan, InvariantTest, ItemPlan, ProfilePlan, SlicePlan, SlicingPlan } from './plan.ts';
import { typeCodesOf, valueWith, type ProfileSource } from './profile-source.ts';

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
  const differential = new Map((structure.differential?.element ?? []).map((one) => [idOf(one), one]));
  const mustSupport: string[] = [];
  const compiled = new Map<ElementNode, ItemPlan>();
  const skip: Skip = (element, what, name, reason) =>
    void source.notChecked.push({ profile, element, what, name, reason });
  const rules = makeValueRules(source, skip);

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
      const plan = compiled.get(target) ?? compileItem(target, own, rules.structureBelow(target, own));
      return plan.isTrivial ? null : plan;
    };
  }

  function compileItem(node: ElementNode, own: BaseElement | null, inside: Structure | null): ItemPlan {
    const { element: definition } = node;
    if (definition.mustSupport === true) mustSupport.push(idOf(definition));
    const parts = {
      fixed: valueWith('fixed', definition),
      pattern: valueWith('pattern', definition),
      bindings: rules.bindingsOf(node, own),
      invariants: rules.invariantsOf(node),
      lengthMax: definition.maxLength ?? Infinity,
      least: valueWith('minValue', definition),
      most: valueWith('maxValue', definition),
      profiles: rules.profilesOf(node),
      resourceTypes: rules.resourceTypesOf(node, own),
      reference: rules.referenceOf(node, own),
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
      item: compileItem(slice, own, rules.structureBelow(slice, own)),
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
      item: compileItem(node, own, rules.structureBelow(node, own)),
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
    rules.invariantOf(
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
