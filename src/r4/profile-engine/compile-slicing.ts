import type { ElementDefinitionSlicingDiscriminator } from '@medplum/fhirtypes';
import { isObject } from '../../kernel/index.ts';
import { parseExpression, type Expression } from '../fhirpath/parse-expression.ts';
import { withoutVersion } from '../guides/guide-problem.ts';
import { isMember } from './check-binding.ts';
import { isSame, matchesPattern } from './compare-values.ts';
import { childOf, type ElementNode } from '../guides/element-tree.ts';
import type { Item, Visit } from './plan.ts';
import { typeCodesOf, typeOfProfile, valueWith, type ProfileSource } from './profile-source.ts';
import { itemsOfProperty, objectOf, propertyOf, typeOf, type Property } from './read-items.ts';

type Step =
  | { readonly kind: 'child'; readonly name: string }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'extension'; readonly url: string }
  | { readonly kind: 'resolve' };

type Matches = (item: Item, visit: Visit) => boolean;

/** The path of a discriminator is a small part of FHIRPath; null for what is not in it. */
function stepsOf(e: Expression): readonly Step[] | null {
  if (e.kind === 'variable') return e.name === '$this' ? [] : null;
  if (e.kind !== 'child' && e.kind !== 'call') return null;
  const before = e.of === null ? [] : stepsOf(e.of);
  if (before === null) return null;
  if (e.kind === 'child') return [...before, { kind: 'child', name: e.name }];
  const [arg] = e.args;
  if (e.name === 'resolve') return [...before, { kind: 'resolve' }];
  if (e.name === 'extension' && arg?.kind === 'literal')
    return [...before, { kind: 'extension', url: String(arg.value) }];
  if ((e.name === 'ofType' || e.name === 'as') && arg?.kind === 'child')
    return [...before, { kind: 'type', type: arg.name }];
  return null;
}

/** The places in the definitions that a path leads to: one, or one for each profile that a place may have. */
type Places = readonly ElementNode[];

/** Names of a choice stand with `[x]` in a definition and without in a path. */
const choiceOrChildOf = (node: ElementNode, name: string): ElementNode | undefined =>
  childOf(node, name) ?? childOf(node, `${name}[x]`);

const profilesOf = (node: ElementNode): readonly string[] =>
  (node.element.type ?? []).flatMap(({ profile = [] }) => profile);

function placesBelow(node: ElementNode, name: string, source: ProfileSource): Places {
  const own = choiceOrChildOf(node, name);
  if (own !== undefined) return [own];
  return profilesOf(node).flatMap((profile) => {
    const tree = source.treeOf(profile);
    const found = tree === null ? undefined : choiceOrChildOf(tree, name);
    return found === undefined ? [] : [found];
  });
}

const withRequiredSlices = (node: ElementNode): Places => [
  node,
  ...node.slices.filter(({ element }) => (element.min ?? 0) > 0),
];

function placesAt(node: ElementNode, step: Step, source: ProfileSource): Places {
  switch (step.kind) {
    case 'child':
      return placesBelow(node, step.name, source);
    case 'type': {
      const slices = node.slices.filter((slice) => typeCodesOf(slice.element).includes(step.type));
      return slices.length > 0 ? slices : [node];
    }
    case 'extension': {
      const extensions = placesBelow(node, 'extension', source).flatMap((one) => one.slices);
      return extensions.filter((slice) => profilesOf(slice).some((profile) => withoutVersion(profile) === step.url));
    }
    case 'resolve':
      return (node.element.type ?? []).flatMap(({ targetProfile = [] }) =>
        targetProfile.flatMap((profile) => source.treeOf(profile) ?? []),
      );
  }
}

/** What stands in an instance where a step leads. */
function itemsAt(item: Item, step: Step, visit: Visit, source: ProfileSource): readonly Item[] {
  const object = objectOf(item);
  switch (step.kind) {
    case 'type':
      return item.type === step.type || item.type === '' ? [item] : [];
    case 'child':
      return object === null ? [] : childItems(object, step.name, source);
    case 'extension':
      return object === null
        ? []
        : itemsOfProperty(object, EXTENSION).filter(({ value }) => isObject(value) && value['url'] === step.url);
    case 'resolve': {
      const reference = object?.['reference'];
      const found = typeof reference === 'string' ? visit.lookups.resolve(reference, visit) : undefined;
      const type = visit.lookups.typeOfReference(item.value, visit);
      return type === undefined ? [] : [{ value: found, element: undefined, type }];
    }
  }
}

const EXTENSION = propertyOf('extension', 'Extension');
const properties = new Map<string, readonly Property[]>();

/** The properties in which a child may stand: its own, or those of a choice. Only names in definitions come here. */
function propertiesOf(name: string, { definitions }: ProfileSource): readonly Property[] {
  const known = properties.get(name);
  if (known !== undefined) return known;
  const choices = (definitions.choices.get(name) ?? []).map((key) => {
    const type = key.slice(name.length);
    const primitive = type.charAt(0).toLowerCase() + type.slice(1);
    return propertyOf(key, definitions.structures.has(type) ? type : primitive);
  });
  const all = [propertyOf(name, ''), ...choices];
  properties.set(name, all);
  return all;
}

function childItems(object: Readonly<Record<string, unknown>>, name: string, source: ProfileSource): readonly Item[] {
  for (const property of propertiesOf(name, source)) {
    const found = itemsOfProperty(object, property);
    if (found.length > 0) return found;
  }
  return [];
}

type Test = (item: Item) => boolean;

/** What the definition of one place says about its value, with what it says about the places below. */
function testOfPlace(node: ElementNode, source: ProfileSource): Test | null {
  const fixed = valueWith('fixed', node.element);
  if (fixed !== null) return ({ value }) => isSame(value, fixed.value);
  const pattern = valueWith('pattern', node.element);
  if (pattern !== null) return ({ value }) => matchesPattern(value, pattern.value);
  const { binding } = node.element;
  if (binding?.strength === 'required' && binding.valueSet !== undefined) {
    const members = source.bindingOf(binding.valueSet);
    const [type = ''] = typeCodesOf(node.element);
    if ('has' in members) return ({ value }) => isMember({ value, type }, members);
  }
  const below = node.children.flatMap((child) => {
    const test = testOfPlace(child, source);
    return test === null ? [] : [{ name: child.name.replace('[x]', ''), test, isNeeded: (child.element.min ?? 0) > 0 }];
  });
  if (below.length === 0) return null;
  return (item) => {
    const object = objectOf(item);
    return below.every(({ name, test, isNeeded }) => {
      const items = object === null ? [] : childItems(object, name, source);
      return items.length === 0 ? !isNeeded : items.some(test);
    });
  };
}

/** The url of an extension is the address of its definition, whether that is loaded or not. */
function matchExtension(slice: ElementNode): Matches | null {
  const urls = new Set(profilesOf(slice).map(withoutVersion));
  if (urls.size === 0 || !typeCodesOf(slice.element).includes('Extension')) return null;
  return ({ value }) => isObject(value) && typeof value['url'] === 'string' && urls.has(value['url']);
}

const anyProfile = (profiles: readonly string[]) => (item: Item, visit: Visit) =>
  profiles.some((profile) => visit.lookups.conforms(item.value, item.type, profile, visit));

function compileOne(
  { type, path }: ElementDefinitionSlicingDiscriminator,
  slice: ElementNode,
  source: ProfileSource,
): Matches | string {
  let steps: readonly Step[] | null;
  try {
    steps = stepsOf(parseExpression(path));
  } catch {
    steps = null;
  }
  if (steps === null) return `the path ${path} is not one of a discriminator`;
  const resolved = steps;
  const itemsOf: (item: Item, visit: Visit) => readonly Item[] = (item, visit) =>
    resolved.reduce<readonly Item[]>(
      (items, step) => items.flatMap((one) => itemsAt(one, step, visit, source)),
      [item],
    );
  const endsResolved = steps.at(-1)?.kind === 'resolve';
  const beforeEnd = endsResolved ? steps.slice(0, -1) : steps;
  /** A value may be fixed in a slice that must be there. */
  const placesWithSlices = (given: readonly Step[]): Places =>
    given.reduce<Places>(
      (nodes, step) => nodes.flatMap((node) => placesAt(node, step, source).flatMap(withRequiredSlices)),
      [slice],
    );
  const places = (given: readonly Step[]): Places =>
    given.reduce<Places>((nodes, step) => nodes.flatMap((node) => placesAt(node, step, source)), [slice]);

  switch (type) {
    case 'exists': {
      const ends = places(steps);
      const isForbidden = ends.some(({ element }) => element.max === '0');
      const isDemanded = ends.some(({ element }) => (element.min ?? 0) > 0);
      if (isForbidden === isDemanded) return `neither demands nor forbids ${path}`;
      return (item, visit) => itemsOf(item, visit).length > 0 === isDemanded;
    }
    case 'type': {
      const types = new Set(
        places(beforeEnd).flatMap(({ element }) =>
          endsResolved
            ? (element.type ?? []).flatMap(({ targetProfile = [] }) =>
                targetProfile.flatMap((profile) => typeOfProfile(profile, source) ?? []),
              )
            : typeCodesOf(element),
        ),
      );
      if (types.size === 0) return `${path} has no types`;
      return (item, visit) => itemsOf(item, visit).some((one) => types.has(typeOf(one)));
    }
    case 'profile': {
      const profiles = places(beforeEnd).flatMap(({ element }) =>
        (element.type ?? []).flatMap(({ profile = [], targetProfile = [] }) =>
          endsResolved ? targetProfile : profile,
        ),
      );
      const types = new Set(places(beforeEnd).flatMap(({ element }) => typeCodesOf(element)));
      if (profiles.length === 0 && (endsResolved || types.size === 0)) return `${path} has no profiles`;
      const conforms = anyProfile(profiles);
      return (item, visit) =>
        itemsOf(item, visit).some((one) => (profiles.length === 0 ? types.has(typeOf(one)) : conforms(one, visit)));
    }
    case 'pattern':
    case 'value': {
      const extension = path === 'url' ? matchExtension(slice) : null;
      if (extension !== null) return extension;
      const tests = placesWithSlices(steps).flatMap((node) => testOfPlace(node, source) ?? []);
      if (tests.length === 0) return `${path} has no fixed value, pattern or required binding`;
      return (item, visit) => itemsOf(item, visit).some((one) => tests.some((test) => test(one)));
    }
  }
}

/** How an item is told to be of a slice: all discriminators must say so. A text is the reason why it cannot be told. */
export function compileMatch(
  discriminators: readonly ElementDefinitionSlicingDiscriminator[],
  slice: ElementNode,
  source: ProfileSource,
): Matches | string {
  const compiled: Matches[] = [];
  for (const discriminator of discriminators) {
    const one = compileOne(discriminator, slice, source);
    if (typeof one === 'string') return one;
    compiled.push(one);
  }
  if (compiled.length === 0) return 'it has no discriminator';
  return (item, visit) => compiled.every((matches) => matches(item, visit));
}
