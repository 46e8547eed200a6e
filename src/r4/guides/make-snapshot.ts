import type { StructureDefinition } from '@medplum/fhirtypes';
import { checkNarrower } from './check-narrower.ts';
import { copyNode, elementsOf, stepsOfElements, treeOf, type ElementNode } from './element-tree.ts';
import { withoutVersion, type GuideProblem, type GuideResult } from './guide-problem.ts';
import { mergeElement } from './merge-element.ts';
import { closeChoice, namesBelow, reach } from './reach-element.ts';
import { isRefusal, refuse, treeOfCore, type Refusal, type TreeOfCanonical } from './unfold-element.ts';

/** Where a definition is found by its canonical address, with or without a version. */
export type BaseOf = (canonical: string) => StructureDefinition | undefined;

/** What the making of one snapshot shares with that of its bases. */
interface Making {
  readonly baseOf: BaseOf;
  /** Whose snapshots are being made, outermost first: one that appears again is its own base. */
  readonly underWay: readonly string[];
  readonly trees: Map<string, GuideResult<ElementNode>>;
}

/** The largest published snapshots have some thousands. */
const ELEMENTS_MAX = 50_000;
const DIFFERENTIAL_MAX = 10_000;
const BASES_MAX = 30;

const problemOf = (definition: StructureDefinition, path: string, { code, text }: Refusal): GuideProblem => ({
  code,
  file: definition.url,
  path,
  text,
});

function findTree(canonical: string, making: Making): GuideResult<ElementNode> | undefined {
  const core = treeOfCore(canonical);
  if (core !== undefined) return { ok: true, value: core };
  const definition = making.baseOf(canonical) ?? making.baseOf(withoutVersion(canonical));
  if (definition === undefined) return undefined;
  const published = treeOf(definition.snapshot?.element ?? []);
  return published === undefined ? makeTree(definition, making) : { ok: true, value: published };
}

const makeTreeOf =
  (making: Making): TreeOfCanonical =>
  (canonical) => {
    const found = making.trees.get(canonical) ?? findTree(canonical, making);
    if (found !== undefined) making.trees.set(canonical, found);
    return found;
  };

function applyDifferential(
  definition: StructureDefinition,
  base: ElementNode,
  making: Making,
): GuideResult<ElementNode> {
  const root = copyNode(base);
  const elements = definition.differential?.element ?? [];
  if (elements.length > DIFFERENTIAL_MAX) {
    const text = `The differential has more than ${DIFFERENTIAL_MAX} elements`;
    return { ok: false, problems: [problemOf(definition, root.name, refuse('snapshot-too-large', text))] };
  }
  const problems: GuideProblem[] = [];
  const allSteps = stepsOfElements(elements);
  const names = namesBelow(allSteps.map(([, ...steps]) => steps));
  const ground = { root, base, treeOfCanonical: makeTreeOf(making), budget: { elements: ELEMENTS_MAX } };
  for (const [at, [first, ...steps]] of allSteps.entries()) {
    const element = elements[at];
    if (element === undefined || first === undefined) continue;
    const id = element.id ?? element.path;
    const reached =
      first.name === root.name ? reach(steps, names, ground) : refuse('element-unknown', `It is not in ${root.name}`);
    if (isRefusal(reached)) {
      problems.push(problemOf(definition, id, reached));
      continue;
    }
    const { node } = reached;
    const refusals = checkNarrower(node.element, element);
    problems.push(...refusals.map((refusal) => problemOf(definition, id, refusal)));
    node.element = mergeElement(node.element, element, definition.url);
    closeChoice(reached);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: root };
}

function makeTree(definition: StructureDefinition, making: Making): GuideResult<ElementNode> {
  const failed = (code: string, path: string, text: string): GuideResult<ElementNode> => ({
    ok: false,
    problems: [problemOf(definition, path, { code, text })],
  });
  const { url, type, baseDefinition, derivation } = definition;
  if (making.underWay.includes(url))
    return failed('snapshot-cycle', url, `It is needed for its own snapshot: ${[...making.underWay, url].join(' → ')}`);
  if (making.underWay.length >= BASES_MAX)
    return failed('base-too-deep', 'StructureDefinition.baseDefinition', `It has more than ${BASES_MAX} bases`);
  if (derivation !== 'constraint')
    return failed(
      'snapshot-not-profile',
      'StructureDefinition.derivation',
      'Only profiles have a differential to apply',
    );
  if (baseDefinition === undefined)
    return failed('base-missing', 'StructureDefinition.baseDefinition', 'A profile has a base');
  const inner = { ...making, underWay: [...making.underWay, url] };
  const base = makeTreeOf(inner)(baseDefinition);
  if (base === undefined)
    return failed('base-missing', 'StructureDefinition.baseDefinition', `${baseDefinition} is not loaded`);
  if (!base.ok) return base;
  if (base.value.name !== type) {
    const text = `It is a profile of ${type}, but its base is one of ${base.value.name}`;
    return failed('base-other-type', 'StructureDefinition.type', text);
  }
  return applyDifferential(definition, base.value, inner);
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
