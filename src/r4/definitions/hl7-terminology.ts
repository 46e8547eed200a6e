import { readDefinition } from './load-definitions.ts';

/** A code, and after it, where it has narrower ones, the list of them. */
type Tree = readonly (string | Tree)[];

/** One row of `code-systems.json`, as `tools/derive-terminology.ts` writes it. */
interface SystemRow {
  readonly codes: Tree;
  /** Further parents of a code, beside the one that it stands below. */
  readonly also?: Readonly<Record<string, readonly string[]>>;
  /** Codes that only group others and are not to be used. */
  readonly abstract?: readonly string[];
  readonly anyCase?: true;
}

interface IncludeRow {
  readonly system?: string;
  readonly codes?: readonly string[];
  readonly filters?: readonly (readonly [property: string, op: string, value: string])[];
  readonly sets?: readonly string[];
}

/** One row of `value-set-definitions.json`. */
export interface SetRow {
  readonly version?: string;
  readonly include: readonly IncludeRow[];
  readonly exclude?: readonly IncludeRow[];
}

export interface Hl7System {
  readonly codes: ReadonlySet<string>;
  readonly parents: ReadonlyMap<string, readonly string[]>;
  readonly abstract: readonly string[];
  readonly isCaseSensitive: boolean;
}

let systemRows: Readonly<Record<string, SystemRow>> | undefined;
let setRows: Readonly<Record<string, SetRow>> | undefined;
const systems = new Map<string, Hl7System>();

function readRow({ codes: tree, also = {}, abstract = [], anyCase }: SystemRow): Hl7System {
  const codes = new Set<string>();
  const parents = new Map<string, readonly string[]>();
  const walk = (list: Tree, parent: string | undefined): void => {
    let last: string | undefined;
    for (const one of list) {
      if (typeof one !== 'string') {
        walk(one, last);
        continue;
      }
      last = one;
      codes.add(one);
      if (parent !== undefined) parents.set(one, [parent, ...(also[one] ?? [])]);
    }
  };
  walk(tree, undefined);
  return { codes, parents, abstract, isCaseSensitive: anyCase !== true };
}

/** One of HL7's own code systems, with its hierarchy. Read from the committed table when it is first asked for. */
export function hl7System(system: string): Hl7System | undefined {
  const known = systems.get(system);
  if (known !== undefined) return known;
  systemRows ??= JSON.parse(readDefinition('code-systems.json')) as Record<string, SystemRow>;
  if (!Object.hasOwn(systemRows, system)) return undefined;
  const row = systemRows[system];
  if (row === undefined) return undefined;
  const read = readRow(row);
  systems.set(system, read);
  return read;
}

/** The codes of one of HL7's own code systems, all of them; undefined where the system is not HL7's or not complete. */
export const hl7CodeSystem = (system: string): ReadonlySet<string> | undefined => hl7System(system)?.codes;

/** How one of HL7's value sets is made up, where its codes may be listed here. */
export function hl7ValueSet(url: string): SetRow | undefined {
  setRows ??= JSON.parse(readDefinition('value-set-definitions.json')) as Record<string, SetRow>;
  return Object.hasOwn(setRows, url) ? setRows[url] : undefined;
}
