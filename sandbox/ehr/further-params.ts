import type { SearchParam } from './search-params.ts';

type Read = SearchParam['read'];
type Params = Readonly<Record<string, Readonly<Record<string, SearchParam>>>>;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
const child = (value: unknown, name: string): unknown[] =>
  typeof value === 'object' && value !== null ? listOf((value as Record<string, unknown>)[name]) : [];

/** Through lists, as FHIRPath goes. */
export const at =
  (...path: string[]): Read =>
  (from) =>
    path.reduce((found: unknown[], name) => found.flatMap((one) => child(one, name)), [from]);

const contactsBy =
  (system: string): Read =>
  (from) =>
    at('telecom')(from).filter((contact) => child(contact, 'system')[0] === system);

const extensionsBy = (from: unknown, url: string): unknown[] =>
  at('extension')(from).filter((extension) => child(extension, 'url')[0] === url);

const US_CORE = 'http://hl7.org/fhir/us/core/StructureDefinition';

/** `race` and `ethnicity`: the codes of all parts of such an extension. */
const partsOfExtension =
  (url: string): Read =>
  (from) =>
    extensionsBy(from, url).flatMap(at('extension', 'valueCoding'));

const valueOfExtension =
  (url: string, value: string): Read =>
  (from) =>
    extensionsBy(from, url).flatMap(at(value));

/** Parameters of R4 whose expression is more than a path. */
export const EXPRESSIONS: Readonly<Record<string, Read>> = {
  'Patient.deceased': (from) => [
    at('deceasedDateTime')(from).length > 0 || at('deceasedBoolean')(from).some((is) => is === true),
  ],
  ...Object.fromEntries(
    ['Patient', 'Practitioner', 'PractitionerRole', 'RelatedPerson'].flatMap((type) => [
      [`${type}.email`, contactsBy('email')],
      [`${type}.phone`, contactsBy('phone')],
    ]),
  ),
};

const token = (read: Read): SearchParam => ({ kind: 'token', targets: [], read });
const date = (read: Read): SearchParam => ({ kind: 'date', targets: [], read });

/** What US Core (3.1.1 to 8.0.0) searches by and R4 does not. */
export const US_CORE_PARAMS: Params = {
  CareTeam: { role: token(at('participant', 'role')) },
  Condition: {
    'asserted-date': date(
      valueOfExtension('http://hl7.org/fhir/StructureDefinition/condition-assertedDate', 'valueDateTime'),
    ),
  },
  Encounter: { 'discharge-disposition': token(at('hospitalization', 'dischargeDisposition')) },
  Goal: { description: token(at('description')) },
  Patient: {
    race: token(partsOfExtension(`${US_CORE}/us-core-race`)),
    ethnicity: token(partsOfExtension(`${US_CORE}/us-core-ethnicity`)),
    'gender-identity': token(valueOfExtension(`${US_CORE}/us-core-genderIdentity`, 'valueCodeableConcept')),
  },
};

/** What this server adds. */
export const OWN_PARAMS: Params = {
  Flag: { status: token(at('status')), category: token(at('category')), code: token(at('code')) },
};
