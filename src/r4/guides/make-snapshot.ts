import type { ElementDefinition, StructureDefinition } from '@medplum/fhirtypes';
import { baseSnapshotOf, CORE } from './base-snapshots.ts';
import { childOf, copyNode, elementsOf, makeNode, sliceOf, slicedBy, stepsOfElements, treeOf } from './element-tree.ts';
import type { ElementNode, Step } from './element-tree.ts';
import { withoutVersion, type GuideProblem, type GuideResult } from './guide-problem.ts';
import { checkNarrower } from './check-narrower.ts';
import { mergeElement } from './merge-element.ts';

/** Where a definition is found by its canonical address, with or without a version. */
export type BaseOf = (canonical: string) => StructureDefinition | undefined;

/** What the making of one snapshot shares with that of its bases. */
interface Making {
  readonly baseOf: BaseOf;
  /** Whose snapshots are being made, outermost first: one that appears again is its own base. */
  readonly underWay: readonly string[];
  readonly trees: Map<string, GuideResult<ElementNode>>;
}

/** A step that cannot be taken. */
interface Refusal {
  readonly code: string;
  readonly text: string;
}

const isRefusal = (value: ElementNode | Refusal): value is Refusal => 'code' in value && 'text' in value;
const refuse = (code: string, text: string): Refusal => ({ code, text });

const problemOf = (definition: StructureDefinition, path: string, { code, text }: Refusal): GuideProblem => ({
  code,
  file: definition.url,
  path,
  text,
});

function coreTree(canonical: string): ElementNode | undefined {
  const address = withoutVersion(canonical);
  if (!address.startsWith(CORE)) return undefined;
  return treeOf(baseSnapshotOf(address.slice(CORE.length))?.snapshot?.element ?? []);
}

function findTree(canonical: string, making: Making): GuideResult<ElementNode> | undefined {
  const core = coreTree(canonical);
  if (core !== undefined) return { ok: true, value: core };
  const definition = making.baseOf(canonical) ?? making.baseOf(withoutVersion(canonical));
  if (definition === undefined) return undefined;
  const published = treeOf(definition.snapshot?.element ?? []);
  return published === undefined ? makeTree(definition, making) : { ok: true, value: published };
}

/** The tree of another definition. It is shared: whoever changes it copies it first. */
function treeOfCanonical(canonical: string, making: Making): GuideResult<ElementNode> | undefined {
  const known = making.trees.get(canonical);
  if (known !== undefined) return known;
  const found = findTree(canonical, making);
  if (found !== undefined) making.trees.set(canonical, found);
  return found;
}

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `valueQuantity`, for the value of the choice `value[x]` with the type Quantity. */
const valueName = (choice: string, code: string): string => choice.replace('[x]', '') + capitalise(code);

/** The types of a choice whose value is written with this name. */
const typesNamed = ({ name, element }: ElementNode, value: string): ElementDefinition['type'] =>
  element.type?.filter(({ code = '' }) => valueName(name, code) === value);

/** The child of a node that a step of a differential means; `valueQuantity` means a slice of `value[x]`. */
function findChild(
  node: ElementNode,
  { name, slice }: Step,
): { child: ElementNode; slice: string | undefined } | undefined {
  const child = childOf(node, name);
  if (child !== undefined) return { child, slice };
  const choice = node.children.find(
    (one) => one.name.endsWith('[x]') && name.startsWith(one.name.slice(0, -3)) && typesNamed(one, name)?.length !== 0,
  );
  return choice === undefined ? undefined : { child: choice, slice: name };
}

/** What a content reference leads to: an element of the same structure. */
function findReferenced(reference: string, root: ElementNode): ElementNode | undefined {
  const [first = '', ...rest] = reference.slice(reference.indexOf('#') + 1).split('.');
  let node = root.name === first ? root : coreTree(CORE + first);
  for (const name of rest) node = node === undefined ? undefined : childOf(node, name);
  return node;
}

/** The tree that tells the children of an element: that of its profile, its type, or what all types have in common. */
function treeOfType({ element }: ElementNode, making: Making): ElementNode | Refusal {
  const codes = [...new Set((element.type ?? []).map(({ code }) => code))];
  const [code = ''] = codes;
  if (codes.length === 0) return refuse('element-untyped', 'The element has no type, so that nothing can stand in it');
  if (codes.length > 1) return coreTree(`${CORE}Element`) ?? refuse('type-unknown', 'R4 has no Element');
  const profiles = (element.type ?? []).flatMap(({ profile = [] }) => profile);
  if (profiles.length === 1 && profiles[0] !== undefined) {
    const found = treeOfCanonical(profiles[0], making);
    if (found?.ok === true) return found.value;
    // A profile that is not there is checked, or missed, on its own: the type alone tells which children there are.
    if (found !== undefined) return refuse('profile-unmade', found.problems.map(({ text }) => text).join('; '));
  }
  return coreTree(CORE + code) ?? refuse('type-unknown', `The type ${code} is none of R4, or has no elements`);
}

/** Puts the children below an element that has none yet. */
function unfold(node: ElementNode, root: ElementNode, making: Making): Refusal | undefined {
  if (node.children.length > 0) return undefined;
  const { contentReference } = node.element;
  if (contentReference !== undefined) {
    const referenced = findReferenced(contentReference, root);
    if (referenced === undefined)
      return refuse('content-reference-unknown', `${contentReference} leads to no element of this structure`);
    node.children = referenced.children.map(copyNode);
    return undefined;
  }
  const tree = treeOfType(node, making);
  if (isRefusal(tree)) return tree;
  node.children = tree.children.map(copyNode);
  return undefined;
}

const SLICED_BY_URL: ElementDefinition['slicing'] = {
  discriminator: [{ type: 'value', path: 'url' }],
  ordered: false,
  rules: 'open',
};
const SLICED_BY_TYPE: ElementDefinition['slicing'] = {
  discriminator: [{ type: 'type', path: '$this' }],
  ordered: false,
  rules: 'open',
};

/** Extensions are sliced by their url and choices by their type, whether or not a differential says so. */
const impliedSlicing = (name: string): ElementDefinition['slicing'] =>
  /^(?:modifierE|e)xtension$/.test(name) ? SLICED_BY_URL : name.endsWith('[x]') ? SLICED_BY_TYPE : undefined;

/** A new slice begins as what it is a slice of, with all that was said of every item; it may be absent. */
function addSlice(node: ElementNode, slice: string): ElementNode | Refusal {
  const sliced = slicedBy(node, slice);
  const slicing = sliced.element.slicing ?? impliedSlicing(node.name);
  if (slicing === undefined)
    return refuse('slicing-missing', `${slice} is a slice, but nothing says by what it is told`);
  sliced.element = { ...sliced.element, slicing };
  const { slicing: _, ...inherited } = sliced.element;
  const types = node.name.endsWith('[x]') ? typesNamed(node, slice) : undefined;
  const added = makeNode(
    { name: node.name, slice },
    { ...inherited, min: 0, ...(types === undefined || types.length === 0 ? {} : { type: types }) },
  );
  added.children = sliced.children.map(copyNode);
  sliced.slices.push(added);
  return added;
}

/** The node that a differential speaks of, made where it is not there yet. */
function reach(root: ElementNode, steps: readonly Step[], making: Making): ElementNode | Refusal {
  let node = root;
  for (const [at, step] of steps.entries()) {
    const refusal = unfold(node, root, making);
    if (refusal !== undefined) return refusal;
    const found = findChild(node, step);
    if (found === undefined) return refuse('element-unknown', `${step.name} is no element there`);
    node = found.child;
    if (found.slice === undefined) continue;
    const slice = sliceOf(node, found.slice);
    const isDeclared = at === steps.length - 1 || node.name.endsWith('[x]');
    if (slice === undefined && !isDeclared)
      return refuse('slice-unknown', `The slice ${found.slice} is not declared before what stands in it`);
    const next = slice ?? addSlice(node, found.slice);
    if (isRefusal(next)) return next;
    node = next;
  }
  return node;
}

function applyDifferential(
  definition: StructureDefinition,
  base: ElementNode,
  making: Making,
): GuideResult<ElementNode> {
  const root = copyNode(base);
  const elements = definition.differential?.element ?? [];
  const problems: GuideProblem[] = [];
  for (const [at, [first, ...steps]] of stepsOfElements(elements).entries()) {
    const element = elements[at];
    if (element === undefined || first === undefined) continue;
    const id = element.id ?? element.path;
    const node =
      first.name === root.name ? reach(root, steps, making) : refuse('element-unknown', `Not in ${root.name}`);
    if (isRefusal(node)) {
      problems.push(problemOf(definition, id, node));
      continue;
    }
    const isOfSlice = node.slice !== undefined;
    const refusals = checkNarrower(node.element, element, isOfSlice ? 'slice' : 'element');
    problems.push(...refusals.map((refusal) => problemOf(definition, id, refusal)));
    node.element = mergeElement(node.element, element, definition.url);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: root };
}

function makeTree(definition: StructureDefinition, making: Making): GuideResult<ElementNode> {
  const failed = (code: string, path: string, text: string): GuideResult<ElementNode> => ({
    ok: false,
    problems: [problemOf(definition, path, { code, text })],
  });
  const { url, baseDefinition, derivation } = definition;
  if (making.underWay.includes(url))
    return failed('snapshot-cycle', url, `It is needed for its own snapshot: ${[...making.underWay, url].join(' → ')}`);
  if (derivation !== 'constraint')
    return failed(
      'snapshot-not-profile',
      'StructureDefinition.derivation',
      'Only profiles have a differential to apply',
    );
  if (baseDefinition === undefined)
    return failed('base-missing', 'StructureDefinition.baseDefinition', 'A profile has a base');
  const inner = { ...making, underWay: [...making.underWay, url] };
  const base = treeOfCanonical(baseDefinition, inner);
  if (base === undefined)
    return failed('base-missing', 'StructureDefinition.baseDefinition', `${baseDefinition} is not loaded`);
  return base.ok ? applyDifferential(definition, base.value, inner) : base;
}

/**
 * The definition with a snapshot that is made from its differential and its base, whose snapshot is made too where it
 * lacks one. A snapshot of its own is not looked at. Fails with every element of the differential that has no place in
 * the base, and where a profile is needed for its own snapshot.
 */
export function makeSnapshot(definition: StructureDefinition, baseOf: BaseOf): GuideResult<StructureDefinition> {
  const made = makeTree(definition, { baseOf, underWay: [], trees: new Map() });
  return made.ok ? { ok: true, value: { ...definition, snapshot: { element: elementsOf(made.value) } } } : made;
}
