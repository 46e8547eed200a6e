import type { ElementDefinition } from '@medplum/fhirtypes';

/** One part of an element's id: `component:systolic` is the name `component` and the slice `systolic`. */
export interface Step {
  readonly name: string;
  readonly slice: string | undefined;
}

/**
 * An element of a snapshot with what hangs below it. `slices` are slices of this element; a slice of a slice hangs below
 * its slice, and its `slice` is the whole name, `systolic/left`.
 */
export interface ElementNode {
  readonly name: string;
  readonly slice: string | undefined;
  element: ElementDefinition;
  children: ElementNode[];
  slices: ElementNode[];
}

function readStep(text: string): Step {
  const colon = text.indexOf(':');
  return colon < 0 ? { name: text, slice: undefined } : { name: text.slice(0, colon), slice: text.slice(colon + 1) };
}

/**
 * The steps to each element of a list. They come from the ids; an element without one stands below the slices of the
 * element before it, as far as their paths agree.
 */
export function stepsOfElements(elements: readonly ElementDefinition[]): Step[][] {
  let before: Step[] = [];
  return elements.map((element) => {
    const names = element.path.split('.');
    const named = element.id?.split('.').map(readStep);
    if (named?.length === names.length) return (before = named);
    let isSame = true;
    before = names.map((name, at) => {
      const step = before[at];
      isSame &&= step?.name === name;
      if (at === names.length - 1) return { name, slice: element.sliceName };
      return { name, slice: isSame ? step?.slice : undefined };
    });
    return before;
  });
}

/** Real profiles walk ten elements deep at most, and slice slices once. */
const STEPS_MAX = 40;
const SLICED_MAX = 10;

export const isTooDeep = (steps: readonly Step[]): boolean =>
  steps.length > STEPS_MAX || steps.some(({ slice }) => slice !== undefined && slice.split('/').length > SLICED_MAX);

export const childOf = (node: ElementNode, name: string): ElementNode | undefined =>
  node.children.find((child) => child.name === name);

/** A slice of a node by its whole name, also one of a slice. */
export function sliceOf(node: ElementNode, slice: string): ElementNode | undefined {
  for (const one of node.slices) {
    if (one.slice === slice) return one;
    const inner = slice.startsWith(`${one.slice ?? ''}/`) ? sliceOf(one, slice) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** The node below which a slice of this name hangs: the slice that its name begins with, or the element itself. */
export function slicedBy(node: ElementNode, slice: string): ElementNode {
  const outer = node.slices.find((one) => slice.startsWith(`${one.slice ?? ''}/`));
  return outer === undefined ? node : slicedBy(outer, slice);
}

export const makeNode = ({ name, slice }: Step, element: ElementDefinition): ElementNode => ({
  name,
  slice,
  element,
  children: [],
  slices: [],
});

/** The tree of a snapshot. What is too deep, or has no parent in the snapshot, is left out. */
export function treeOf(elements: readonly ElementDefinition[]): ElementNode | undefined {
  const steps = stepsOfElements(elements);
  let root: ElementNode | undefined;
  for (const [at, element] of elements.entries()) {
    const [first, ...rest] = steps[at] ?? [];
    const last = rest.pop();
    if (first === undefined || isTooDeep(rest)) continue;
    if (last === undefined) {
      root ??= makeNode(first, element);
      continue;
    }
    let parent = root;
    for (const { name, slice } of rest) {
      const child = parent === undefined ? undefined : childOf(parent, name);
      const isLabel = slice === undefined || child?.element.sliceName === slice;
      parent = child === undefined || isLabel ? child : sliceOf(child, slice);
    }
    if (parent === undefined) continue;
    const node = makeNode(last, element);
    if (last.slice === undefined) {
      parent.children.push(node);
      continue;
    }
    const sliced = childOf(parent, last.name);
    // Some definitions name an element as if it were a slice, without a slicing.
    if (sliced === undefined) parent.children.push({ ...node, slice: undefined });
    else slicedBy(sliced, last.slice).slices.push(node);
  }
  return root;
}

/** The node and all below it, anew; the definitions themselves are shared. */
export const copyNode = (node: ElementNode): ElementNode => ({
  ...node,
  children: node.children.map(copyNode),
  slices: node.slices.map(copyNode),
});

/** The elements of a tree in the order of a snapshot, each with the id and path of its place. */
export function elementsOf(node: ElementNode, idBefore = '', pathBefore = ''): ElementDefinition[] {
  const path = pathBefore + node.name;
  const id = idBefore + node.name + (node.slice === undefined ? '' : `:${node.slice}`);
  const { sliceName: _, ...rest } = node.element;
  const named = node.slice === undefined ? {} : { sliceName: node.slice };
  return [
    { ...rest, ...named, id, path },
    ...node.children.flatMap((child) => elementsOf(child, `${id}.`, `${path}.`)),
    ...node.slices.flatMap((slice) => elementsOf(slice, idBefore, pathBefore)),
  ];
}
