import type { ElementDefinition, StructureDefinition } from '@medplum/fhirtypes';
import { compileGuides, type GuideContent, type ProfileSet } from '../../src/r4/index.ts';

export const ADDRESS = 'https://guide.example.org/fhir/StructureDefinition/';

export type SomeElement = Partial<ElementDefinition> & { readonly path: string };

/** A profile by its differential. An element is named by its path, or by its id where it is a slice. */
export const aProfile = (name: string, type: string, elements: readonly SomeElement[]): StructureDefinition => ({
  resourceType: 'StructureDefinition',
  url: ADDRESS + name,
  version: '1.2.0',
  name,
  status: 'active',
  fhirVersion: '4.0.1',
  kind: type === 'HumanName' ? 'complex-type' : 'resource',
  abstract: false,
  type,
  baseDefinition: `http://hl7.org/fhir/StructureDefinition/${type}`,
  derivation: 'constraint',
  differential: { element: [{ path: type }, ...elements].map((one) => ({ id: one.path, ...one })) },
});

export const aGuide = (...structures: readonly StructureDefinition[]): GuideContent => ({
  name: 'example.guide',
  version: '1.2.0',
  fhirVersions: ['4.0.1'],
  dependencies: {},
  structures,
  valueSets: [],
  codeSystems: [],
  files: new Map(),
  examples: [],
});

export function profilesOf(...structures: readonly StructureDefinition[]): ProfileSet {
  const compiled = compileGuides([aGuide(...structures)]);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.value;
}

/** An Observation that says how it was measured, of a patient who has a name. */
export const METHOD = `${ADDRESS}with-method`;
/** A Patient with a name. */
export const NAMED = `${ADDRESS}named-patient`;

export const someProfiles = (): ProfileSet =>
  profilesOf(
    aProfile('with-method', 'Observation', [
      { path: 'Observation.subject', min: 1, type: [{ code: 'Reference', targetProfile: [NAMED] }] },
      { path: 'Observation.method', min: 1 },
    ]),
    aProfile('named-patient', 'Patient', [{ path: 'Patient.name', min: 1 }]),
  );

/** Three profiles of two types, with a binding whose members nobody knows. */
export const smallGuide = (): ProfileSet =>
  profilesOf(
    aProfile('about-somebody', 'Observation', [
      {
        path: 'Observation.code',
        binding: { strength: 'required', valueSet: 'https://guide.example.org/ValueSet/unknown' },
      },
      { path: 'Observation.subject', min: 1 },
    ]),
    aProfile('final-result', 'Observation', [{ path: 'Observation.status', fixedCode: 'final' }]),
    aProfile('known-patient', 'Patient', [{ path: 'Patient.birthDate', min: 1 }]),
  );
