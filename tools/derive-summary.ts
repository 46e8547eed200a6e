/**
 * For maintainers: derives which elements R4 counts among the summary of a resource, from HL7's own package.
 *
 *   npm install --prefix <folder> hl7.fhir.r4.examples@4.0.1
 *   node tools/derive-summary.ts <folder>
 *
 * One line per structure: the names of its elements that are in the summary (`isSummary`) or mandatory, a choice by its
 * stem and `[x]`. A data type of which everything is in the summary has no line. What R4 does not count and stays:
 * extensions of data types, which may say why a mandatory value is absent, and extensions that change what the rest
 * means; an extension is whole.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDefinitions } from '../src/r4/definitions/load-definitions.ts';

interface Element {
  readonly path: string;
  readonly min: number;
  readonly isSummary?: boolean;
}

interface Structure {
  readonly name: string;
  readonly kind: string;
  readonly abstract: boolean;
  readonly derivation?: string;
  readonly snapshot: { readonly element: readonly Element[] };
}

const folder = process.argv[2];
if (folder === undefined) throw new Error('Name the folder that holds node_modules with the HL7 package.');
const from = join(folder, 'node_modules', 'hl7.fhir.r4.examples');
const { structures } = loadDefinitions();

const table: Record<string, string> = {};
for (const file of readdirSync(from).sort()) {
  if (!file.startsWith('StructureDefinition-') || !file.endsWith('.json')) continue;
  const { name, kind, abstract, derivation, snapshot } = JSON.parse(
    readFileSync(join(from, file), 'utf8'),
  ) as Structure;
  const isType = kind === 'resource' || kind === 'complex-type';
  // Profiles of the package have names of their own, some of them a type's.
  if (!isType || abstract || derivation === 'constraint' || name === 'Extension' || !structures.has(name)) continue;
  const byParent = Map.groupBy(
    snapshot.element.filter(({ path }) => path.includes('.')),
    ({ path }) => path.slice(0, path.lastIndexOf('.')),
  );
  for (const [parent, elements] of byParent) {
    const isDataType = kind === 'complex-type' && parent === name;
    const isKept = ({ path, isSummary, min }: Element): boolean =>
      isSummary === true ||
      min > 0 ||
      /\.(id|modifierExtension)$/.test(path) ||
      (isDataType && path.endsWith('.extension'));
    const kept = elements.filter(isKept);
    if (isDataType && kept.length === elements.length) continue;
    table[parent] = kept.map(({ path }) => path.slice(parent.length + 1)).join(' ');
  }
}

const lines = Object.keys(table)
  .sort()
  .map((name) => `${JSON.stringify(name)}:${JSON.stringify(table[name])}`);
writeFileSync(
  join(import.meta.dirname, '..', 'src', 'r4', 'definitions', 'summaries.json'),
  `{\n${lines.join(',\n')}\n}\n`,
);
console.log(`summaries.json: ${lines.length} rows`);
