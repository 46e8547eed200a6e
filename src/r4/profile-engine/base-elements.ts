import type { Definitions } from '../definitions/load-definitions.ts';
import type { Element, Structure } from '../definitions/read-structures.ts';
import { NATIVE_INVARIANTS } from '../generate/native-rules.ts';
import { propertyOf, type Property } from './read-items.ts';

/** What R4 itself says of an element, so that a profile is only asked for what it adds. */
export interface BaseElement {
  readonly properties: readonly Property[];
  readonly isChoice: boolean;
  readonly min: number;
  readonly max: number;
  readonly binding: string | null;
  /** The types that a reference may lead to; null where any may, or where it is no reference. */
  readonly targets: readonly string[] | null;
  readonly holdsResource: boolean;
  /** The structure of a backbone element; else the types say it. */
  readonly backbone: string | null;
}

/** R4's SimpleQuantity is a profile in the definitions of others and a type in ours. */
export function typeNameOf({ type }: Element): string {
  switch (type.kind) {
    case 'primitive':
      return type.name;
    case 'reference':
      return 'Reference';
    case 'resource':
      return 'Resource';
    case 'structure':
      return type.name === 'SimpleQuantity' ? 'Quantity' : type.name;
  }
}

const backboneOf = ({ type }: Element): string | null =>
  type.kind === 'structure' && type.name.includes('.') ? type.name : null;

/** `name` as in a definition: `code`, `value[x]`, or one value of a choice, `valueQuantity`. Null for what R4 lacks. */
export function baseElementOf(structure: Structure, name: string): BaseElement | null {
  const stem = name.endsWith('[x]') ? name.slice(0, -3) : null;
  const found = structure.elements.filter((one) => (stem === null ? one.name === name : one.choice === stem));
  const [first] = found;
  if (first === undefined) return null;
  const targets = found.flatMap(({ type }) => (type.kind === 'reference' ? type.targets : []));
  return {
    properties: found.map((one) => propertyOf(one.name, typeNameOf(one))),
    isChoice: stem !== null,
    min: stem === null ? first.min : (structure.choices.get(stem) ?? 0),
    max: first.max,
    binding: first.binding,
    targets: targets.length === 0 ? null : targets,
    holdsResource: first.type.kind === 'resource',
    backbone: backboneOf(first),
  };
}

/** The keys of R4's own invariants, which every snapshot repeats. */
export function baseInvariantKeys({ invariants }: Definitions): ReadonlySet<string> {
  const keys = Object.keys(invariants).map((key) => key.slice(key.indexOf(':') + 1));
  return new Set([
    ...keys,
    ...NATIVE_INVARIANTS,
    'ele-1',
    'ext-1',
    'sqty-1',
    'dom-1',
    'dom-2',
    'dom-3',
    'dom-4',
    'dom-5',
    'dom-6',
  ]);
}
