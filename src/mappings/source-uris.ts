import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseLossless } from '../r4/index.ts';
import type { SourceUris } from './mapping.ts';
import { MappingsError, type Problem, type Report } from './problem.ts';
import { readShape } from './read-shape.ts';

export const URIS_FILE = 'source-uris.json';

/** The mapping data that Chartgate ships; from the sources and from `dist/` it is two folders up. */
export const SHIPPED_FOLDER = fileURLToPath(new URL('../../mappings/', import.meta.url));

const URI = 'an absolute URI';
const uri = z.string(URI).regex(/^[A-Za-z][A-Za-z0-9+.-]*:\S+$/, URI);
const SHAPE: z.ZodType<SourceUris> = z.strictObject({ code: uri, userIdentifier: uri, tag: uri, context: uri });

/** Null when something is wrong, which is reported. */
export const checkSourceUris = (value: unknown, file: string, report: Report): SourceUris | null =>
  readShape(value, SHAPE, file, report);

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
