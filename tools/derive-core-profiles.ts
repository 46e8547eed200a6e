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

/**
 * Where the published snapshot leaves one type of a choice and the differential only names that one, the differential is
 * made to say so: by its letter, other types would still be allowed.
 */
function closeChoices(one: Partial<StructureDefinition>): Partial<StructureDefinition> {
  const own = one.differential?.element ?? [];
  const said = new Set(own.map(({ id }) => id));
  const closed = (one.snapshot?.element ?? []).filter(({ id = '', type = [] }) => {
    const [, path = ''] = /^(.*)\[x\]$/.exec(id) ?? [];
    const name = `${path}${(type[0]?.code ?? '').replace(/^./, (letter) => letter.toUpperCase())}`;
    return path !== '' && !path.includes(':') && type.length === 1 && said.has(name) && !said.has(id);
  });
  const [root, ...rest] = own;
  if (root === undefined || closed.length === 0) return one;
  const added = closed.map(({ id, path, type }) => ({ id, path, type }));
  return {
    ...one,
    differential: { element: [root, ...added, ...rest] as NonNullable<StructureDefinition['differential']>['element'] },
  };
}

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
    const slim = leaveOutWords({ ...closeChoices(one) });
    return Object.fromEntries(KEPT.flatMap((key) => (slim[key] === undefined ? [] : [[key, slim[key]]])));
  });
const lines = found.map((one) => JSON.stringify(one)).sort();
const file = join(import.meta.dirname, '..', 'src', 'r4', 'definitions', 'core-profiles.json');
writeFileSync(file, `[\n${lines.join(',\n')}\n]\n`);
process.stdout.write(`${lines.length} definitions\n`);
