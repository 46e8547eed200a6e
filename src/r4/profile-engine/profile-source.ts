import type { ElementDefinition, StructureDefinition } from '@medplum/fhirtypes';
import type { Definitions } from '../definitions/load-definitions.ts';
import { treeOf, type ElementNode } from '../guides/element-tree.ts';
import { CORE } from '../guides/base-snapshots.ts';
import { withoutVersion } from '../guides/guide-problem.ts';
import type { InvariantCompiler } from './compile-invariants.ts';
import type { BindingPlan } from './plan.ts';

/** What a guide asks for and is not judged, each with its reason. */
export interface NotChecked {
  readonly profile: string;
  /** The id of the element. */
  readonly element: string;
  readonly what: 'invariant' | 'binding' | 'slicing' | 'profile';
  /** The key of the invariant, the address of the value set, and so on. */
  readonly name: string;
  readonly reason: string;
}

export interface ProfileProblem {
  readonly code: 'not-a-tree' | 'unknown-type';
  readonly profile: string;
  readonly element: string;
  readonly text: string;
}

/**
 * Evaluates an invariant that our compiler refuses, at the cost of a general engine. `base`: the path of the element that
 * it stands on. Null: that engine cannot either.
 */
export type CompileSlowly = (
  expression: string,
  base: string,
) => ((value: unknown, resource: unknown, root: unknown) => boolean) | null;

/** What compiling a profile may ask: the other definitions, value sets, and where problems go. */
export interface ProfileSource {
  readonly definitions: Definitions;
  readonly structureOf: (url: string) => StructureDefinition | undefined;
  readonly treeOf: (url: string) => ElementNode | null;
  readonly bindingOf: (valueSet: string) => BindingPlan | { readonly notExpanded: string };
  readonly invariants: InvariantCompiler;
  /** Null: what cannot be compiled is listed as not checked. */
  readonly compileSlowly: CompileSlowly | null;
  readonly notChecked: NotChecked[];
  readonly problems: ProfileProblem[];
}

/** Trees are built when first asked for: most extensions are only looked into for their url. */
export function makeTreeOf(structureOf: ProfileSource['structureOf']): ProfileSource['treeOf'] {
  const trees = new Map<string, ElementNode | null>();
  return (canonical) => {
    const url = withoutVersion(canonical);
    const known = trees.get(url);
    if (known !== undefined) return known;
    const structure = structureOf(url);
    const tree = treeOf(structure?.snapshot?.element ?? []) ?? null;
    trees.set(url, tree);
    return tree;
  };
}

/** The resource or data type that a canonical stands for; null where nobody knows it. */
export function typeOfProfile(canonical: string, source: ProfileSource): string | null {
  const url = withoutVersion(canonical);
  const structure = source.structureOf(url);
  if (structure?.type !== undefined) return structure.type;
  const name = url.startsWith(CORE) ? url.slice(CORE.length) : '';
  return source.definitions.structures.has(name) ? name : null;
}

/** Whether an address is that of a type itself, which asks for nothing beyond it. */
export const isBaseType = (canonical: string, source: ProfileSource): boolean => {
  const url = withoutVersion(canonical);
  const isType = url.startsWith(CORE) && source.definitions.structures.has(url.slice(CORE.length));
  return isType && source.structureOf(url)?.derivation !== 'constraint';
};

type Value = { readonly value: unknown } | null;

/** `fixedCode`, `patternCodeableConcept`, `minValueInteger`: the value, whatever its type. */
export function valueWith(prefix: 'fixed' | 'pattern' | 'minValue' | 'maxValue', definition: ElementDefinition): Value {
  const found = Object.entries(definition).find(
    ([key]) => key.startsWith(prefix) && /^[A-Z]/.test(key.slice(prefix.length)),
  );
  return found === undefined ? null : { value: found[1] };
}

const SYSTEM_TYPES: Readonly<Record<string, string>> = {
  'http://hl7.org/fhirpath/System.String': 'string',
  'http://hl7.org/fhirpath/System.Boolean': 'boolean',
  'http://hl7.org/fhirpath/System.Integer': 'integer',
  'http://hl7.org/fhirpath/System.Decimal': 'decimal',
  'http://hl7.org/fhirpath/System.Date': 'date',
  'http://hl7.org/fhirpath/System.DateTime': 'dateTime',
  'http://hl7.org/fhirpath/System.Time': 'time',
};

/** The names of the types that an element may have. */
export const typeCodesOf = ({ type = [] }: ElementDefinition): readonly string[] =>
  type.map(({ code }) => SYSTEM_TYPES[code] ?? code);
