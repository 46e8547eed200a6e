import { fail, fault, isObject, ok, type Result } from '../kernel/index.ts';

/** What the EHR says it does with one type. Whatever it does not say it does not do. */
export interface TypeCapability {
  readonly read: boolean;
  readonly vread: boolean;
  /** The history of one resource. */
  readonly history: boolean;
  readonly search: boolean;
  readonly create: boolean;
  readonly update: boolean;
  readonly delete: boolean;
  /** A PUT to an id that it does not know creates the resource under it. */
  readonly updateCreate: boolean;
  readonly conditionalCreate: boolean;
  readonly conditionalUpdate: boolean;
  readonly conditionalRead: 'not-supported' | 'modified-since' | 'not-match' | 'full-support';
  readonly versioning: 'no-version' | 'versioned' | 'versioned-update';
  readonly searchParams: readonly string[];
  /** What kind of parameter each is, where it says so: `token`, `date`. */
  readonly searchKinds: Readonly<Record<string, string>>;
  /** `Type:param`, or `*` for all. */
  readonly searchIncludes: readonly string[];
  /** Whether it says that Provenance comes along by `_revinclude=Provenance:target`. */
  readonly revIncludesProvenance: boolean;
  /** `Type:param` of records that come along because they refer to one that was found; empty where it does not say. */
  readonly revIncludes: readonly string[];
  /** Names of its operations on this type, without the dollar sign. */
  readonly operations: readonly string[];
  /** Canonicals of the profiles that it says its resources of this type meet. */
  readonly supportedProfiles: readonly string[];
}

export interface Capability {
  readonly fhirVersion: string;
  /** As the server calls itself, cut to 80 plain characters. */
  readonly software: string | null;
  readonly publisher: string | null;
  /** What it says of this installation, and under which address. */
  readonly implementation: string | null;
  /** Canonicals of the CapabilityStatements that it says it implements, and of the guides. */
  readonly instantiates: readonly string[];
  readonly implementationGuides: readonly string[];
  readonly transaction: boolean;
  readonly batch: boolean;
  readonly types: Readonly<Record<string, TypeCapability>>;
}

type Json = Readonly<Record<string, unknown>>;

const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const word = <const T extends readonly [string, ...string[]]>(value: unknown, words: T): T[number] =>
  words.find((one) => one === value) ?? words[0];
const codes = (value: unknown): Set<unknown> => new Set(objects(value).map(({ code }) => code));

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string').slice(0, 500) : [];

/** Absolute and of the letters of a URI, perhaps with a version: they are shown to apps as the EHR's own words. */
const CANONICAL = /^(https?:\/\/|urn:)[\w.~:/?#[\]@!$&'()*+,;=%-]{1,500}(\|[\w.+-]{1,64})?$/;
const canonicals = (value: unknown): string[] => [...new Set(texts(value).filter((one) => CANONICAL.test(one)))];

/** Lists of these run to thousands: they are looked through and not kept. */
const isListed = (value: unknown, wanted: string): boolean =>
  Array.isArray(value) && (value.includes(wanted) || value.includes('*'));

/** Of the records that apps have come along; a server that lists them all names thousands for each type. */
const COMES_ALONG =
  /^(\*|(Observation|DiagnosticReport|Condition|Procedure|Encounter|MedicationRequest|MedicationDispense|MedicationAdministration|DocumentReference|Immunization|AllergyIntolerance|CarePlan|CareTeam|Goal|ServiceRequest|Specimen|Media|QuestionnaireResponse|Coverage|RelatedPerson|Flag|Device):[a-z-]{1,40})$/;
const revIncludesOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((one): one is string => typeof one === 'string' && COMES_ALONG.test(one)).slice(0, 500)
    : [];

function readType(resource: Json): TypeCapability {
  const does = codes(resource['interaction']);
  const params = objects(resource['searchParam']).slice(0, 500);
  const names = params.map(({ name }) => name);
  const kinds = params.flatMap(({ name, type }): [string, string][] =>
    typeof name === 'string' && typeof type === 'string' ? [[name, type]] : [],
  );
  return {
    read: does.has('read'),
    vread: does.has('vread'),
    history: does.has('history-instance'),
    search: does.has('search-type'),
    create: does.has('create'),
    update: does.has('update'),
    delete: does.has('delete'),
    updateCreate: resource['updateCreate'] === true,
    conditionalCreate: resource['conditionalCreate'] === true,
    conditionalUpdate: resource['conditionalUpdate'] === true,
    conditionalRead: word(resource['conditionalRead'], [
      'not-supported',
      'modified-since',
      'not-match',
      'full-support',
    ]),
    versioning: word(resource['versioning'], ['no-version', 'versioned', 'versioned-update']),
    searchParams: texts(names),
    searchKinds: Object.fromEntries(kinds),
    searchIncludes: texts(resource['searchInclude']),
    revIncludesProvenance: isListed(resource['searchRevInclude'], 'Provenance:target'),
    revIncludes: revIncludesOf(resource['searchRevInclude']),
    operations: texts(objects(resource['operation']).map(({ name }) => name)).map((name) => name.replace(/^\$/, '')),
    supportedProfiles: canonicals(resource['supportedProfile']),
  };
}

function plain(...parts: readonly unknown[]): string | null {
  const words = parts.filter((part) => typeof part === 'string' && part !== '').join(' ');
  const cut = words.replace(/[^\x20-\x7e]/g, '').slice(0, 80);
  return cut === '' ? null : cut;
}
const partOf = (statement: Json, name: string): Json => (isObject(statement[name]) ? statement[name] : {});

/** Reads a CapabilityStatement. A fault where it is none, or of a server that does not speak R4. */
export function readCapability(statement: unknown): Result<Capability> {
  if (!isObject(statement) || statement['resourceType'] !== 'CapabilityStatement')
    return fail(fault('ehr.capability', { at: 'CapabilityStatement' }));
  const { fhirVersion } = statement;
  if (typeof fhirVersion !== 'string' || !/^4\.0\.\d{1,2}(-|$)/.test(fhirVersion))
    return fail(fault('ehr.capability', { at: 'CapabilityStatement.fhirVersion' }));
  const rest = objects(statement['rest']).find(({ mode }) => mode === 'server');
  if (rest === undefined) return fail(fault('ehr.capability', { at: 'CapabilityStatement.rest' }));
  const does = codes(rest['interaction']);
  const types: Record<string, TypeCapability> = Object.create(null) as Record<string, TypeCapability>;
  for (const resource of objects(rest['resource'])) {
    const { type } = resource;
    if (typeof type === 'string' && /^[A-Z][A-Za-z]{1,63}$/.test(type)) types[type] = readType(resource);
  }
  const [software, implementation] = [partOf(statement, 'software'), partOf(statement, 'implementation')];
  return ok({
    fhirVersion: fhirVersion.slice(0, 20),
    software: plain(software['name'], software['version']),
    publisher: plain(statement['publisher']),
    implementation: plain(implementation['description'], implementation['url']),
    instantiates: canonicals(statement['instantiates']),
    implementationGuides: canonicals(statement['implementationGuide']),
    transaction: does.has('transaction'),
    batch: does.has('batch'),
    types,
  });
}
