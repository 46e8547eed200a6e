import { baseSnapshotOf, CORE } from './base-snapshots.ts';
import { childOf, copyNode, treeOf, type ElementNode } from './element-tree.ts';
import { withoutVersion, type GuideResult } from './guide-problem.ts';

/** Why an element of a differential has no place. */
export interface Refusal {
  readonly code: string;
  readonly text: string;
}

export const refuse = (code: string, text: string): Refusal => ({ code, text });
export const isRefusal = (value: object): value is Refusal => Object.hasOwn(value, 'code');

/** The tree of another definition, by its canonical address. It is shared: whoever changes it copies it first. */
export type TreeOfCanonical = (canonical: string) => GuideResult<ElementNode> | undefined;

const coreTrees = new Map<string, ElementNode>();

/** The tree of one of R4's own types, shared too. */
export function treeOfCore(canonical: string): ElementNode | undefined {
  const address = withoutVersion(canonical);
  if (!address.startsWith(CORE)) return undefined;
  const known = coreTrees.get(address);
  if (known !== undefined) return known;
  const made = treeOf(baseSnapshotOf(address.slice(CORE.length))?.snapshot?.element ?? []);
  if (made !== undefined) coreTrees.set(address, made);
  return made;
}

/** What the making of one snapshot goes on. */
export interface Ground {
  /** The tree that the differential changes. */
  readonly root: ElementNode;
  /** The base as it was, in which content references are looked up. */
  readonly base: ElementNode;
  readonly treeOfCanonical: TreeOfCanonical;
  /** How many elements may still be copied: a differential that slices slices multiplies what it is written with. */
  readonly budget: { elements: number };
}

const countNodes = ({ children, slices }: ElementNode): number =>
  [...children, ...slices].reduce((sum, node) => sum + countNodes(node), 1);

/** Gives a node copies of the children of another one. */
export function copyChildren(from: ElementNode, to: ElementNode, { budget }: Ground): Refusal | undefined {
  budget.elements -= from.children.reduce((sum, node) => sum + countNodes(node), 0);
  if (budget.elements < 0) return refuse('snapshot-too-large', 'The snapshot has more elements than the limit');
  to.children = from.children.map(copyNode);
  return undefined;
}

/** What a content reference leads to: an element of the same structure. */
function findReferenced(reference: string, root: ElementNode): ElementNode | undefined {
  const [first = '', ...rest] = reference.slice(reference.indexOf('#') + 1).split('.');
  let node = root.name === first ? root : treeOfCore(CORE + first);
  for (const name of rest) node = node === undefined ? undefined : childOf(node, name);
  return node;
}

/** The tree that tells the children of an element: that of its profile, its type, or what all types have in common. */
function treeOfType({ element }: ElementNode, treeOfCanonical: TreeOfCanonical): ElementNode | Refusal {
  const codes = [...new Set((element.type ?? []).map(({ code }) => code))];
  const [code = ''] = codes;
  if (codes.length === 0) return refuse('element-untyped', 'The element has no type, so that nothing can stand in it');
  if (codes.length > 1) return treeOfCore(`${CORE}Element`) ?? refuse('type-unknown', 'R4 has no Element');
  const profiles = (element.type ?? []).flatMap(({ profile = [] }) => profile);
  if (profiles.length === 1 && profiles[0] !== undefined) {
    const found = treeOfCanonical(profiles[0]);
    if (found?.ok === true) return found.value;
    // A profile that is not there is checked, or missed, on its own: the type alone tells which children there are.
    if (found !== undefined) return refuse('profile-unmade', found.problems.map(({ text }) => text).join('; '));
  }
  return treeOfCore(CORE + code) ?? refuse('type-unknown', `The type ${code} is none of R4, or has no elements`);
}

/** Puts the children below an element that has none yet. A slice begins with those of the element that it is one of. */
export function unfold(node: ElementNode, sliced: ElementNode | undefined, ground: Ground): Refusal | undefined {
  if (node.children.length > 0) return undefined;
  if (sliced !== undefined && sliced.children.length > 0) return copyChildren(sliced, node, ground);
  const { contentReference } = node.element;
  const from =
    contentReference === undefined
      ? treeOfType(node, ground.treeOfCanonical)
      : (findReferenced(contentReference, ground.base) ??
        refuse('content-reference-unknown', `${contentReference} leads to no element of this structure`));
  return isRefusal(from) ? from : copyChildren(from, node, ground);
}
