import type { StructureDefinition } from '@medplum/fhirtypes';
import { readDefinition } from './load-definitions.ts';

let byUrl: ReadonlyMap<string, StructureDefinition> | undefined;

/** A profile or extension that R4 itself defines, without a snapshot. `tools/derive-core-profiles.ts` writes the table. */
export function coreProfile(url: string): StructureDefinition | undefined {
  byUrl ??= new Map(
    (JSON.parse(readDefinition('core-profiles.json')) as StructureDefinition[]).map((one) => [one.url, one]),
  );
  return byUrl.get(url);
}
