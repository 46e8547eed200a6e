import type { ElementDefinition, StructureDefinition } from '@medplum/fhirtypes';
import { makeProfileSet, type ProfileSet } from '../../src/r4/index.ts';

const ADDRESS = 'https://example.org/fhir/StructureDefinition/';

/** A profile with as much of a snapshot as says something. */
export const aProfile = (
  name: string,
  type: string,
  elements: readonly (Partial<ElementDefinition> & { readonly path: string })[],
): StructureDefinition => ({
  resourceType: 'StructureDefinition',
  url: ADDRESS + name,
  name,
  status: 'active',
  kind: 'resource',
  abstract: false,
  type,
  fhirVersion: '4.0.1',
  derivation: 'constraint',
  baseDefinition: `http://hl7.org/fhir/StructureDefinition/${type}`,
  snapshot: { element: [{ path: type }, ...elements].map((one) => ({ id: one.path, ...one })) },
});

/** An Observation that says how it was measured, of a patient who has a name. */
export const METHOD = `${ADDRESS}with-method`;
const withMethod = aProfile('with-method', 'Observation', [
  {
    path: 'Observation.subject',
    min: 1,
    max: '1',
    type: [{ code: 'Reference', targetProfile: [`${ADDRESS}named-patient`] }],
  },
  { path: 'Observation.method', min: 1, max: '1', type: [{ code: 'CodeableConcept' }] },
]);

/** A Patient with a name. */
export const NAMED = `${ADDRESS}named-patient`;
const namedPatient = aProfile('named-patient', 'Patient', [
  { path: 'Patient.name', min: 1, max: '*', type: [{ code: 'HumanName' }] },
]);

/** Both of them, as guides would bring them. */
export function someProfiles(): ProfileSet {
  const { set, problems } = makeProfileSet([withMethod, namedPatient], () => ({ notExpanded: 'no value sets' }));
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return set;
}
