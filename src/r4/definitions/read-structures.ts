import { isPrimitiveName, type PrimitiveName } from '../runtime/primitives.ts';

/** One row of `definitions/structures.json`, as `tools/derive-r4.ts` writes it. */
export interface StructureRow {
  readonly kind: string;
  readonly abstract?: boolean;
  readonly elements: readonly string[];
  readonly invariants?: readonly string[];
}

export type ElementType =
  | { readonly kind: 'primitive'; readonly name: PrimitiveName; readonly isBare: boolean }
  | { readonly kind: 'reference'; readonly targets: readonly string[] }
  | { readonly kind: 'resource' }
  | { readonly kind: 'structure'; readonly name: string };

export interface Element {
  /** The structure whose row this is read for. */
  readonly owner: string;
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly type: ElementType;
  /** The stem of the choice this is one of the values of: `value` for `valueQuantity`. */
  readonly choice: string | null;
  readonly binding: string | null;
  readonly invariants: readonly string[];
  /** A list of backbone elements directly in a resource, with no rules but theirs: its items can be checked apart. */
  readonly isTopList: boolean;
}

export interface Structure {
  readonly name: string;
  readonly isResource: boolean;
  readonly isDomain: boolean;
  readonly isAbstract: boolean;
  readonly elements: readonly Element[];
  /** Stem → least number of values, for each choice element. */
  readonly choices: ReadonlyMap<string, number>;
  readonly invariants: readonly string[];
}

const ROW =
  /^(?<name>\w+)(?<choice>\[x\])? (?<min>\d+)\.\.(?<max>\d+|\*) (?<types>[^ ]+)(?: !(?<binding>[^ ]+))?(?<rules>(?: ~[^ ]+)*)$/;

const BASES: Readonly<Record<string, readonly string[]>> = {
  element: ['Element'],
  backbone: ['Element', 'BackboneElement'],
  resource: ['Resource'],
  domain: ['Resource', 'DomainResource'],
};

function readType(text: string, name: string): ElementType {
  // Of a resource, an id is no more than a text, which has no extensions.
  if (name === 'id' && text === 'id') return { kind: 'primitive', name: 'id', isBare: true };
  if (text.startsWith('#')) return { kind: 'structure', name: text.slice(1) };
  if (text.startsWith('bare-'))
    return { kind: 'primitive', name: text === 'bare-uri' ? 'uri' : 'string', isBare: true };
  if (isPrimitiveName(text)) return { kind: 'primitive', name: text, isBare: false };
  const reference = /^Reference(?:\((?<targets>.*)\))?$/.exec(text);
  if (reference !== null) return { kind: 'reference', targets: reference.groups?.['targets']?.split(',') ?? [] };
  return text === 'Resource' ? { kind: 'resource' } : { kind: 'structure', name: text };
}

function readElements(owner: string, row: string): Element[] {
  const groups = ROW.exec(row)?.groups;
  if (groups === undefined) throw new Error(`Definitions: cannot read "${row}"`);
  const { name = '', choice, min = '0', max = '1', types = '', binding = null, rules = '' } = groups;
  const isTopList = !owner.includes('.') && max === '*' && types.startsWith('#') && binding === null && rules === '';
  const shared = {
    owner,
    isTopList,
    max: max === '*' ? Infinity : Number(max),
    binding,
    invariants: rules.split(' ~').slice(1),
  };
  return types.split('|').map((text) => {
    const bare = text.replace(/\(.*$/, '');
    if (choice === undefined) return { ...shared, name, min: Number(min), type: readType(text, name), choice: null };
    const valueName = name + bare.charAt(0).toUpperCase() + bare.slice(1);
    // A choice is required as a whole, never one of its values.
    return {
      ...shared,
      name: valueName.replace(/SimpleQuantity$/, 'Quantity'),
      min: 0,
      type: readType(text, name),
      choice: name,
    };
  });
}

function choicesOf(rows: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const row of rows) {
    const match = /^(\w+)\[x\] (\d)/.exec(row);
    if (match?.[1] !== undefined) found.set(match[1], Number(match[2]));
  }
  return found;
}

export function readStructures(rows: Readonly<Record<string, StructureRow>>): ReadonlyMap<string, Structure> {
  const structures = new Map<string, Structure>();
  for (const [name, row] of Object.entries(rows)) {
    const bases = (BASES[row.kind] ?? []).filter((base) => base !== name);
    const inherited = name in { Element: 1, Resource: 1 } ? [] : bases.flatMap((base) => rows[base]?.elements ?? []);
    const all = [...inherited, ...row.elements];
    structures.set(name, {
      name,
      isResource: row.kind === 'domain' || row.kind === 'resource',
      isDomain: row.kind === 'domain',
      isAbstract: row.abstract === true,
      elements: all.flatMap((element) => readElements(name, element)),
      choices: choicesOf(all),
      invariants: row.invariants ?? [],
    });
  }
  const quantity = structures.get('Quantity');
  if (quantity !== undefined) {
    // R4's SimpleQuantity profile, used as if it were a type: a quantity without comparator (sqty-1).
    const elements = quantity.elements.filter((element) => element.name !== 'comparator');
    structures.set('SimpleQuantity', { ...quantity, name: 'SimpleQuantity', elements });
  }
  return structures;
}

/** Stem of each choice element → the names its values may have, over all of R4. */
export function collectChoices(structures: ReadonlyMap<string, Structure>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const { elements } of structures.values()) {
    for (const { choice, name } of elements) {
      if (choice === null) continue;
      const names = found.get(choice) ?? new Set();
      found.set(choice, names.add(name));
    }
  }
  return new Map([...found].map(([stem, names]) => [stem, [...names]]));
}

export const resourceTypesOf = (structures: ReadonlyMap<string, Structure>): ReadonlySet<string> =>
  new Set([...structures.values()].filter((s) => s.isResource && !s.isAbstract).map((s) => s.name));
