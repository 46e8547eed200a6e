import { LIFE_MAX_SECONDS } from './adapter.ts';
import { parseResourceScope } from './scope.ts';

const ACCESS: Readonly<Record<string, string>> = {
  patient: 'of this patient',
  user: 'that you may see',
  system: 'of everybody',
};

/** What a scope over resources allows, in plain words. */
export function sentenceOf(text: string): string {
  const scope = parseResourceScope(text);
  if (scope === null) return text;
  if (scope.type === 'Subscription') return `Be told of changes ${ACCESS[scope.level] ?? ''}`.trim();
  const verb = scope.letters.has('r') ? (scope.letters.has('s') ? 'Read and search' : 'Read') : 'Search';
  const what = scope.type === '*' ? 'all records' : `${scope.type} records`;
  const part = scope.filter.map(([name, value]) => `${name} ${value.split('|').at(-1) ?? value}`).join(', ');
  return `${verb} ${what} ${ACCESS[scope.level] ?? ''}${part === '' ? '' : ` (${part})`}`;
}

/** Whether a scope is about being told of changes; every other lets somebody see records. */
export const isAboutTelling = (text: string): boolean => parseResourceScope(text)?.type === 'Subscription';

/** Words that make access last, which a person allows like a scope. */
export const LONG_ACCESS: Readonly<Record<string, string>> = {
  offline_access: 'Keep access when you are not there, until you or the operator end it',
  online_access: 'Renew access while you are signed in',
};
export const isLongAccess = (word: string): boolean => word in LONG_ACCESS;

/** What a person calls the records of a type. */
const PLAIN: Readonly<Record<string, string>> = {
  '*': 'The whole record',
  AllergyIntolerance: 'Allergies',
  AuditEvent: 'Who has looked at the record',
  CarePlan: 'Care plans, care teams and goals',
  CareTeam: 'Care plans, care teams and goals',
  Condition: 'Diagnoses and problems',
  Coverage: 'Insurance',
  Device: 'The devices that measured',
  DiagnosticReport: 'Reports of laboratory and imaging',
  DocumentReference: 'Documents and notes',
  Encounter: 'Visits and stays',
  Goal: 'Care plans, care teams and goals',
  Immunization: 'Vaccinations',
  MedicationDispense: 'Medicines',
  MedicationRequest: 'Medicines',
  MedicationStatement: 'Medicines',
  Observation: 'Measurements and laboratory results',
  Organization: 'Names of hospitals, laboratories and clinicians',
  Patient: 'Name, birth date, address and other personal details',
  Practitioner: 'Names of hospitals, laboratories and clinicians',
  PractitionerRole: 'Names of hospitals, laboratories and clinicians',
  Procedure: 'Procedures and operations',
  Provenance: 'Where the data come from',
};
/** What is in no patient's record. */
const OF_NO_PATIENT: ReadonlySet<string> = new Set(['Organization', 'Practitioner', 'PractitionerRole', 'Location']);
/** More than one patient is always said. */
const REACH: Readonly<Record<string, string>> = {
  patient: '',
  user: ', of every patient whom you may see',
  system: ', of everybody',
};

/** What scopes over resources let somebody see, each thing once and without technical names. */
export function plainWords(scopes: readonly string[]): readonly string[] {
  const said = scopes.map((text) => {
    const scope = parseResourceScope(text);
    if (scope === null || scope.type === 'Subscription') return sentenceOf(text);
    const part = scope.filter.map(([, value]) => value.split('|').at(-1) ?? value).join(', ');
    const what = PLAIN[scope.type] ?? `${scope.type} records`;
    const reach = OF_NO_PATIENT.has(scope.type) ? '' : (REACH[scope.level] ?? '');
    return `${what}${part === '' ? '' : ` (only ${part})`}${reach}`;
  });
  return [...new Set(said)];
}

const DAYS_MAX = LIFE_MAX_SECONDS / 86_400;

/** How long an app keeps what it is given, by the words that it asks with. */
export function durationOf(words: readonly string[]): string {
  if (words.includes('offline_access'))
    return `Also while you are away, until you end it. After ${DAYS_MAX} days at the latest it has to ask again.`;
  return words.includes('online_access')
    ? 'As long as you are signed in here, and no more than an hour longer.'
    : 'For one hour. Then it has to ask again.';
}
