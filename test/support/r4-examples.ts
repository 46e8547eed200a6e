import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'r4-examples');

export type ExampleResource = Record<string, unknown> & { readonly resourceType: string };

/** A sample of HL7's own example instances (CC0), all of them sound. */
export const R4_EXAMPLES: readonly (readonly [name: string, resource: ExampleResource])[] = readdirSync(FOLDER)
  .sort()
  .map((file) => [file, JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as ExampleResource]);

export const exampleText = (file: string): Buffer => readFileSync(join(FOLDER, file));
