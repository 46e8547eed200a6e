import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders whose content decides what is generated and what it calls. */
const FOLDERS = ['definitions', 'generate', 'fhirpath', 'runtime'] as const;

/** Names the generated code by what it is made of, so that no step can be forgotten and nothing can be stale. */
export function digestOfGenerator(): string {
  const hash = createHash('sha256');
  for (const folder of FOLDERS) {
    const path = join(import.meta.dirname, '..', folder);
    for (const file of readdirSync(path).sort()) hash.update(file).update(readFileSync(join(path, file)));
  }
  return hash.digest('hex').slice(0, 24);
}
