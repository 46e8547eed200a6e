import { StartError } from '../kernel/index.ts';
import { COMPARTMENT_TYPES, searchParamsOf, type SearchParam } from '../r4/index.ts';

/**
 * How it is known whose record a resource is. `subject`: by the one element that says whom it is about. R4's
 * compartment also counts performers, recipients and members, which would show a patient what was written about
 * somebody else. `targets`: it is about other resources, and as readable as all of them. `shared`: it is nobody's
 * record (a practitioner, a medication): read by id or along with what refers to it, never searched freely.
 */
export type TypeRule =
  | { readonly kind: 'patient' }
  | { readonly kind: 'subject'; readonly param: 'patient' | 'subject'; readonly subject: SearchParam }
  | { readonly kind: 'targets' }
  | { readonly kind: 'shared' };

export type Served = ReadonlyMap<string, TypeRule>;

export const STANDARD_TYPES = [
  'Patient',
  'Observation',
  'DiagnosticReport',
  'Device',
  'Provenance',
  'Specimen',
  'DocumentReference',
  'Organization',
  'Practitioner',
  'Encounter',
  'Condition',
  'MedicationRequest',
  'Medication',
  'AllergyIntolerance',
  'Immunization',
  'Procedure',
  'Flag',
  'CarePlan',
  'CareTeam',
  'Goal',
] as const;

const SHARED = new Set([
  'Practitioner',
  'PractitionerRole',
  'Organization',
  'Location',
  'Medication',
  'HealthcareService',
  'Substance',
]);
/** Outside R4's compartment, yet of one patient; US Core searches it by patient. */
const BESIDE_COMPARTMENT = new Set(['Device']);
/** A Person links several identities, so it belongs to no single patient. */
const NEVER = new Set(['Person', 'AuditEvent', 'Group']);

function ruleOf(type: string): TypeRule | null {
  if (type === 'Patient') return { kind: 'patient' };
  if (type === 'Provenance') return { kind: 'targets' };
  if (SHARED.has(type)) return { kind: 'shared' };
  if (NEVER.has(type) || !(COMPARTMENT_TYPES.includes(type) || BESIDE_COMPARTMENT.has(type))) return null;
  const params = searchParamsOf(type);
  for (const param of ['patient', 'subject'] as const) {
    const subject = params.get(param);
    if (subject?.isPlain === true && subject.paths.length === 1) return { kind: 'subject', param, subject };
  }
  return null;
}

/** The types that are served, with their rules. Throws a StartError for a type of the configuration that has none. */
export function loadServed(more: readonly string[]): Served {
  return new Map(
    [...new Set([...STANDARD_TYPES, ...more])].map((type) => {
      const rule = ruleOf(type);
      if (rule === null)
        throw new StartError(
          'read.types',
          'CHARTGATE_READ_TYPES names a type of which nobody can say whose record it is.',
        );
      return [type, rule];
    }),
  );
}
