import { loadMappings, SHIPPED_FOLDER, type Mappings } from '../../src/mappings/index.ts';

let loaded: Mappings | undefined;

/** The mapping data of this repository; read once for each test file. */
export function standardMappings(): Mappings {
  loaded ??= loadMappings(SHIPPED_FOLDER, { uris: null });
  return loaded;
}
