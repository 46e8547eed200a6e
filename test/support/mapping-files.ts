import {
  buildMappings,
  readMappingFiles,
  SHIPPED_FOLDER,
  type MappingFiles,
  type Mappings,
  type Problem,
} from '../../src/mappings/index.ts';

export interface Fact {
  property: string;
  system?: string;
  value: string;
  display?: string;
}

export interface Target {
  extension?: { url: string; valueString: string }[];
  code: string;
  equivalence: string;
  comment?: string;
  dependsOn?: Fact[];
  product?: Fact[];
}

export interface ConceptMapFile {
  group: { source: string; target: string; element: { code: string; target: Target[] }[] }[];
}

export const shippedFiles = (): MappingFiles => readMappingFiles(SHIPPED_FOLDER);

export const parsed = (files: MappingFiles, name: string): unknown =>
  JSON.parse(Buffer.from(files.get(name) ?? []).toString());

/** The files with one of them changed in place. `edit` says what it takes the file to hold. */
export function edited(files: MappingFiles, name: string, edit: (value: never) => void): MappingFiles {
  const value = parsed(files, name);
  edit(value as never);
  return new Map(files).set(name, Buffer.from(JSON.stringify(value)));
}

/** The files with the first target of one code changed in place. */
export const editedTarget = (
  files: MappingFiles,
  name: string,
  code: string,
  edit: (target: Target) => void,
): MappingFiles =>
  edited(files, name, ({ group }: ConceptMapFile) => {
    const target = group.flatMap(({ element }) => element).find((one) => one.code === code)?.target[0];
    if (target === undefined) throw new Error(`${name} has no ${code}`);
    edit(target);
  });

/** Few names of laboratory tests, so that building takes milliseconds. */
export const smallFiles = (): MappingFiles =>
  edited(shippedFiles(), 'conceptmap-lab-names.json', ({ group }: ConceptMapFile) => {
    for (const one of group)
      one.element = one.element.filter(({ code }) => ['glucose', 'hba1c', 'd dimer'].includes(code));
  });

export function built(files: MappingFiles): Mappings {
  const result = buildMappings(files, { uris: null });
  if (!result.ok) throw new Error(JSON.stringify(result.fault));
  return result.value;
}

export function problemsOf(files: MappingFiles): readonly Problem[] {
  const result = buildMappings(files, { uris: null });
  return result.ok ? [] : result.fault;
}

let shipped: Mappings | undefined;

/** The data that Chartgate ships, built once for each test file. */
export function shippedMappings(): Mappings {
  shipped ??= built(shippedFiles());
  return shipped;
}
