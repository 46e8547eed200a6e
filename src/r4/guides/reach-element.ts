import type { ElementDefinition, ElementDefinitionType } from '@medplum/fhirtypes';
import { childOf, isTooDeep, makeNode, sliceOf, slicedBy, type ElementNode, type Step } from './element-tree.ts';
import { copyChildren, isRefusal, refuse, unfold, type Ground, type Refusal } from './unfold-element.ts';

/** Where a differential speaks: the node, and the choice that it is the only slice of, where the slicing is implied. */
export interface Reached {
  readonly node: ElementNode;
  readonly impliedChoice?: ElementNode;
}

/** Which names a differential uses below the element with an id. */
export type NamesBelow = ReadonlyMap<string, ReadonlySet<string>>;

const idOf = (steps: readonly Step[]): string =>
  steps.map(({ name, slice }) => (slice === undefined ? name : `${name}:${slice}`)).join('.');

export function namesBelow(all: readonly (readonly Step[])[]): NamesBelow {
  const found = new Map<string, Set<string>>();
  for (const steps of all)
    for (const [at, { name }] of steps.entries()) {
      const id = idOf(steps.slice(0, at));
      found.set(id, (found.get(id) ?? new Set()).add(name));
    }
  return found;
}

const isChoice = ({ name }: ElementNode): boolean => name.endsWith('[x]');
const stemOf = ({ name }: ElementNode): string => name.slice(0, -'[x]'.length);
const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The types of a choice whose value is written with this name: Quantity for `valueQuantity`. */
const typesNamed = (choice: ElementNode, name: string): ElementDefinitionType[] =>
  (choice.element.type ?? []).filter(({ code }) => stemOf(choice) + capitalise(code) === name);

/** Whether a differential speaks of one value of a choice alone. */
const isAlone = (choice: ElementNode, name: string, names: ReadonlySet<string> | undefined): boolean =>
  [...(names ?? [])].every(
    (one) => one === name || !one.startsWith(stemOf(choice)) || !/^[A-Z]/.test(one.slice(stemOf(choice).length)),
  );

/** Whether what stands in an element is defined with it, and not by its type. */
const isInline = ({ element }: ElementNode): boolean =>
  element.type?.every(({ code }) => code === 'BackboneElement' || code === 'Element') === true;

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
const impliedSlicing = (node: ElementNode): ElementDefinition['slicing'] =>
  /^(?:modifierE|e)xtension$/.test(node.name) ? SLICED_BY_URL : isChoice(node) ? SLICED_BY_TYPE : undefined;

/** A new slice begins as what it is a slice of, with all that was said of every item; it may be absent. */
function addSlice(node: ElementNode, slice: string, ground: Ground): ElementNode | Refusal {
  const sliced = slicedBy(node, slice);
  const slicing = sliced.element.slicing ?? impliedSlicing(node);
  if (slicing === undefined)
    return refuse('slicing-missing', `${slice} is a slice, but nothing says by what it is told`);
  sliced.element = { ...sliced.element, slicing };
  const { slicing: _, ...inherited } = sliced.element;
  const types = isChoice(node) ? typesNamed(node, slice) : [];
  const element = { ...inherited, min: 0, ...(types.length === 0 ? {} : { type: types }) };
  const added = makeNode({ name: node.name, slice }, element);
  const refusal = isInline(sliced) ? copyChildren(sliced, added, ground) : undefined;
  if (refusal !== undefined) return refusal;
  sliced.slices.push(added);
  return added;
}

/** The child that a step means; `valueQuantity` speaks of `value[x]` with that type. */
function findChild(
  node: ElementNode,
  { name, slice }: Step,
): { child: ElementNode; slice?: string; isShort: boolean } | undefined {
  const child = childOf(node, name);
  if (child !== undefined) return { child, isShort: false, ...(slice === undefined ? {} : { slice }) };
  const choice = node.children.find((one) => isChoice(one) && typesNamed(one, name).length > 0);
  return choice === undefined ? undefined : { child: choice, slice: name, isShort: true };
}

/** The node that a differential speaks of, made where it is not there yet. */
export function reach(steps: readonly Step[], names: NamesBelow, ground: Ground): Reached | Refusal {
  if (isTooDeep(steps)) return refuse('element-too-deep', 'It stands deeper than any element that is of use');
  let node = ground.root;
  let sliced: ElementNode | undefined;
  let impliedChoice: ElementNode | undefined;
  let isInSlice = false;
  for (const [at, step] of steps.entries()) {
    const refusal = unfold(node, sliced, ground);
    if (refusal !== undefined) return refusal;
    const found = findChild(node, step);
    if (found === undefined) return refuse('element-unknown', `${step.name} is no element there`);
    const { child, slice, isShort } = found;
    [node, sliced, impliedChoice] = [child, undefined, undefined];
    if (slice === undefined) continue;
    const isImplied = isShort && isAlone(child, slice, names.get(idOf(steps.slice(0, at))));
    if (isImplied && isInSlice && child.element.slicing === undefined) {
      // As HL7's publisher does: in a slice of a backbone element, the name of one type leaves no other.
      child.element = { ...child.element, type: typesNamed(child, slice) };
      continue;
    }
    const known = sliceOf(child, slice);
    if (known === undefined && at < steps.length - 1 && !isChoice(child))
      return refuse('slice-unknown', `The slice ${slice} is not declared before what stands in it`);
    if (isImplied && (known !== undefined || child.element.slicing === undefined)) impliedChoice = child;
    const next = known ?? addSlice(child, slice, ground);
    if (isRefusal(next)) return next;
    sliced = slicedBy(child, slice);
    isInSlice ||= isInline(child);
    node = next;
  }
  return impliedChoice === undefined ? { node } : { node, impliedChoice };
}

/**
 * A choice of which one value is required has that value and no other. A differential that names one value says nothing
 * of the others, unless it requires it.
 */
export function closeChoice({ node, impliedChoice }: Reached): void {
  const { min = 0, type } = node.element;
  if (impliedChoice === undefined || min === 0 || type === undefined) return;
  const slicing = { ...impliedChoice.element.slicing, rules: 'closed' as const };
  impliedChoice.element = { ...impliedChoice.element, min, type, slicing };
}
