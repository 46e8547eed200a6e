import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseLossless } from '../r4/index.ts';
import type { SourceUris } from './mapping.ts';
import { MappingsError, type Problem, type Report } from './problem.ts';
import { hasShape, type Check } from './read-shape.ts';

export const URIS_FILE = 'source-uris.json';

/** The mapping data that Chartgate ships; from the sources and from `dist/` it is two folders up. */
export const SHIPPED_FOLDER = fileURLToPath(new URL('../../mappings/', import.meta.url));

const uri: Check = (value) =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(value) ? null : 'an absolute URI';
const SHAPE = { code: uri, userIdentifier: uri, tag: uri, context: uri } satisfies Record<keyof SourceUris, Check>;

/** Null when something is wrong, which is reported. */
export function checkSourceUris(value: unknown, file: string, report: Report): SourceUris | null {
  if (!hasShape(value, SHAPE, file, report)) return null;
  const { code, userIdentifier, tag, context } = value as SourceUris;
  return { code, userIdentifier, tag, context };
}

/** Boot only: the URIs of the source from a file, or the defaults that the sandbox uses. Throws `MappingsError`. */
export function readSourceUris(file: string | null): SourceUris {
  const problems: Problem[] = [];
  const path = file ?? join(SHIPPED_FOLDER, URIS_FILE);
  const report: Report = (row, text) => problems.push({ row, text });
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new MappingsError([
      { row: path, text: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` },
    ]);
  }
  const parsed = parseLossless(bytes);
  if (!parsed.ok) throw new MappingsError([{ row: path, text: parsed.fault.text }]);
  const uris = checkSourceUris(parsed.value, path, report);
  if (uris === null) throw new MappingsError(problems);
  return Object.freeze(uris);
}
