import type { StructureDefinition } from '@medplum/fhirtypes';
import { makeProfileSet } from '../../src/r4/profile-engine/make-profile-set.ts';
import type { ProfileSet } from '../../src/r4/index.ts';

export const GUIDE = 'https://guide.example.org/StructureDefinition';

function profile(name: string, type: string, elements: readonly object[]): StructureDefinition {
  const base = `http://hl7.org/fhir/StructureDefinition/${type}`;
  return {
    resourceType: 'StructureDefinition',
    url: `${GUIDE}/${name}`,
    version: '1.2.0',
    name,
    status: 'active',
    kind: 'resource',
    abstract: false,
    type,
    baseDefinition: base,
    derivation: 'constraint',
    fhirVersion: '4.0.1',
    snapshot: {
      element: [
        { id: type, path: type, definition: type, min: 0, max: '*', base: { path: type, min: 0, max: '*' } },
        ...elements,
      ],
    },
  } as StructureDefinition;
}

const element = (path: string, more: object): object => ({
  id: path,
  path,
  definition: path,
  min: 1,
  max: '1',
  base: { path, min: 0, max: '1' },
  ...more,
});

/** Three profiles of two types, with a binding whose members nobody knows. */
export function smallGuide(): ProfileSet {
  const { set, problems } = makeProfileSet(
    [
      profile('about-somebody', 'Observation', [
        element('Observation.status', { type: [{ code: 'code' }] }),
        element('Observation.code', {
          type: [{ code: 'CodeableConcept' }],
          binding: { strength: 'required', valueSet: 'https://guide.example.org/ValueSet/unknown' },
        }),
        element('Observation.subject', { type: [{ code: 'Reference' }] }),
      ]),
      profile('final-result', 'Observation', [
        element('Observation.status', { type: [{ code: 'code' }], fixedCode: 'final' }),
      ]),
      profile('known-patient', 'Patient', [element('Patient.birthDate', { type: [{ code: 'date' }] })]),
    ],
    () => ({ notExpanded: 'it is defined elsewhere' }),
  );
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return set;
}
