/**
 * For maintainers: derives the profiles and extensions that R4 itself defines, without what only people read, so that
 * guides can build on them.
 *
 *   npm install --prefix <folder> hl7.fhir.r4.examples@4.0.1
 *   node tools/derive-core-profiles.ts <folder>
 *
 * One line a definition. Only differentials: the snapshots are made when they are needed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StructureDefinition } from '@medplum/fhirtypes';
import { leaveOutWords } from '../src/r4/guides/leave-out-words.ts';

const [folder = ''] = process.argv.slice(2);
const source = join(folder, 'node_modules', 'hl7.fhir.r4.examples');
const CORE = 'http://hl7.org/fhir/StructureDefinition/';
const KEPT = [
  'url',
  'version',
  'name',
  'type',
  'kind',
  'derivation',
  'baseDefinition',
  'context',
  'contextInvariant',
  'differential',
] as const satisfies readonly (keyof StructureDefinition)[];

const isOfCore = (one: Partial<StructureDefinition>): boolean =>
  one.resourceType === 'StructureDefinition' &&
  one.derivation === 'constraint' &&
  one.kind !== 'logical' &&
  one.fhirVersion === '4.0.1' &&
  one.url?.startsWith(CORE) === true;

const found = readdirSync(source)
  .filter((name) => /^StructureDefinition-.*\.json$/.test(name))
  .map((name) => JSON.parse(readFileSync(join(source, name), 'utf8')) as Partial<StructureDefinition>)
  .filter(isOfCore)
  .map((one) => {
    const slim = leaveOutWords({ ...one });
    return Object.fromEntries(KEPT.flatMap((key) => (slim[key] === undefined ? [] : [[key, slim[key]]])));
  });
const lines = found.map((one) => JSON.stringify(one)).sort();
const file = join(import.meta.dirname, '..', 'src', 'r4', 'definitions', 'core-profiles.json');
writeFileSync(file, `[\n${lines.join(',\n')}\n]\n`);
process.stdout.write(`${lines.length} definitions\n`);
