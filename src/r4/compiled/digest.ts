import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFINITION_FILES, readDefinition } from '../definitions/load-definitions.ts';

/** The folders whose content decides what is generated. */
const GENERATOR = ['generate', 'fhirpath'] as const;

/** Names the generated code by what it is made of, so that no step can be forgotten and nothing can be stale. */
export function digestOfGenerator(): string {
  const hash = createHash('sha256');
  for (const file of DEFINITION_FILES) hash.update(readDefinition(file));
  for (const folder of GENERATOR) {
    const path = join(import.meta.dirname, '..', folder);
    for (const file of readdirSync(path).sort()) hash.update(file).update(readFileSync(join(path, file)));
  }
  return hash.digest('hex').slice(0, 24);
}
