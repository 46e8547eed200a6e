import { StartError } from '../kernel/index.ts';
import { COMPARTMENT_TYPES, searchParamsOf, type SearchParam } from '../r4/index.ts';

/**
 * How it is known whose record a resource is. `subject`: by the one element that says whom it is about. R4's
 * compartment also counts performers, recipients and members, which would show a patient what was written about
 * somebody else. `targets`: it is about other resources, and readable where one of them is, cut to those. `shared`: it is nobody's
 * record (a practitioner, a medication): read by id, along with what refers to it, or searched by what it is called.
 */
export type TypeRule =
  | { readonly kind: 'patient' }
  | { readonly kind: 'subject'; readonly param: 'patient' | 'subject'; readonly subject: SearchParam }
  | { readonly kind: 'targets' }
  | { readonly kind: 'shared'; readonly by: readonly string[] };

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
  'PractitionerRole',
  'Location',
  'Endpoint',
  'RelatedPerson',
  'ServiceRequest',
  'QuestionnaireResponse',
  'Coverage',
  'MedicationDispense',
  'Media',
] as const;

const ADDRESS = ['address', 'address-city', 'address-state', 'address-postalcode', 'address-country'] as const;
/** What is nobody's record, and by what it is found; one of these must be there beside whatever else is asked. */
const SHARED: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['Practitioner', ['name', 'family', 'given', 'identifier']],
  ['PractitionerRole', ['practitioner', 'organization', 'specialty', 'role', 'location', 'identifier']],
  ['Organization', ['name', 'identifier', 'partof', ...ADDRESS]],
  ['Location', ['name', 'identifier', 'organization', 'partof', ...ADDRESS]],
  ['Endpoint', ['name', 'identifier', 'organization']],
  ['HealthcareService', ['name', 'identifier', 'organization', 'specialty']],
  ['Medication', ['code', 'identifier']],
  ['Substance', ['code', 'identifier']],
]);
/** Outside R4's compartment, yet of one patient; US Core searches it by patient. */
const BESIDE_COMPARTMENT = new Set(['Device']);
/** A Person links several identities, so it belongs to no single patient. */
const NEVER = new Set(['Person', 'AuditEvent', 'Group']);

function ruleOf(type: string): TypeRule | null {
  if (type === 'Patient') return { kind: 'patient' };
  if (type === 'Provenance') return { kind: 'targets' };
  const by = SHARED.get(type);
  if (by !== undefined) return { kind: 'shared', by };
  if (NEVER.has(type) || !(COMPARTMENT_TYPES.includes(type) || BESIDE_COMPARTMENT.has(type))) return null;
  const params = searchParamsOf(type);
  for (const param of ['patient', 'subject'] as const) {
    const subject = params.get(param);
    if (subject?.isPlain === true && subject.paths.length === 1) return { kind: 'subject', param, subject };
  }
  return null;
}

const refuse = (what: string): never => {
  throw new StartError('read.types', `CHARTGATE_READ_TYPES ${what}.`);
};

/**
 * The types that are served, with their rules: the standard ones and these, less those with a `-` before them. Throws a
 * StartError for a type that has no rule, or that cannot be taken away.
 */
export function loadServed(more: readonly string[]): Served {
  const without = more.filter((type) => type.startsWith('-')).map((type) => type.slice(1));
  const standard: readonly string[] = STANDARD_TYPES;
  if (without.some((type) => type === 'Patient' || !standard.includes(type)))
    refuse('takes a type away that is not a standard one, or without which nothing can be served');
  const types = [...standard, ...more.filter((type) => !type.startsWith('-'))];
  return new Map(
    [...new Set(types)]
      .filter((type) => !without.includes(type))
      .map((type) => [type, ruleOf(type) ?? refuse('names a type of which nobody can say whose record it is')]),
  );
}
