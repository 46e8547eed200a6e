import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  collectChoices,
  readStructures,
  resourceTypesOf,
  type Structure,
  type StructureRow,
} from './read-structures.ts';

export interface Invariant {
  readonly severity: string;
  readonly human: string;
  readonly expression: string;
}

/** Members of a value set: codes of one kind, or codes by system where Coding and CodeableConcept are bound. */
export type ValueSet = readonly string[] | Readonly<Record<string, readonly string[]>>;

export interface Definitions {
  readonly structures: ReadonlyMap<string, Structure>;
  readonly choices: ReadonlyMap<string, readonly string[]>;
  readonly resourceTypes: ReadonlySet<string>;
  readonly valueSets: Readonly<Record<string, ValueSet>>;
  readonly invariants: Readonly<Record<string, Invariant>>;
}

export const readDefinition = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

let loaded: Definitions | undefined;

/** Reads the committed table once per process. */
export function loadDefinitions(): Definitions {
  if (loaded !== undefined) return loaded;
  const structures = readStructures(JSON.parse(readDefinition('structures.json')) as Record<string, StructureRow>);
  loaded = {
    structures,
    choices: collectChoices(structures),
    resourceTypes: resourceTypesOf(structures),
    valueSets: JSON.parse(readDefinition('value-sets.json')) as Record<string, ValueSet>,
    invariants: JSON.parse(readDefinition('invariants.json')) as Record<string, Invariant>,
  };
  return loaded;
}
