import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildMappings, type MappingFiles } from './build-mappings.ts';
import type { Mappings, SourceUris } from './mapping.ts';
import { MappingsError } from './problem.ts';

/** Every JSON file of the folder and of `dialects/` below it. Throws what the file system throws. */
export function readMappingFiles(folder: string): MappingFiles {
  const namesIn = (below: string): string[] =>
    readdirSync(join(folder, below), { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && entry.name.endsWith('.json'))
      .map((entry) => below + entry.name);
  return new Map(
    [...namesIn(''), ...namesIn('dialects/')].sort().map((name) => [name, readFileSync(join(folder, name))]),
  );
}

/**
 * Boot, and at the request of an operator. Throws `MappingsError` with every problem. `uris` null takes those of the
 * folder.
 */
export function loadMappings(folder: string, options: { readonly uris: SourceUris | null }): Mappings {
  let files: MappingFiles;
  try {
    files = readMappingFiles(folder);
  } catch (error) {
    throw new MappingsError([
      { row: folder, text: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` },
    ]);
  }
  const built = buildMappings(files, options);
  if (!built.ok) throw new MappingsError(built.fault);
  return built.value;
}
