/** How values of a parameter are found in a resource: `paths` go through arrays, as FHIRPath does. */
export interface SearchParam {
  readonly kind: 'token' | 'reference' | 'date' | 'string' | 'uri';
  readonly paths: readonly string[];
  /** Only references to this type count: `patient` is `subject` where that is a Patient. */
  readonly target?: string;
}

const token = (...paths: string[]): SearchParam => ({ kind: 'token', paths });
const reference = (...paths: string[]): SearchParam => ({ kind: 'reference', paths });
const date = (...paths: string[]): SearchParam => ({ kind: 'date', paths });
const text = (...paths: string[]): SearchParam => ({ kind: 'string', paths });
const patient = (path: string): SearchParam => ({ kind: 'reference', paths: [path], target: 'Patient' });

const ALL: Readonly<Record<string, SearchParam>> = {
  _id: token('id'),
  _lastUpdated: date('meta.lastUpdated'),
  _tag: token('meta.tag'),
  _profile: { kind: 'uri', paths: ['meta.profile'] },
};
const named = { identifier: token('identifier') };
const ofSubject = { patient: patient('subject'), subject: reference('subject') };
const event = (...paths: string[]): Readonly<Record<string, SearchParam>> => ({
  ...named,
  ...ofSubject,
  date: date(...paths),
  status: token('status'),
});

/** The types that this server keeps, with the parameters that it searches by. */
const TYPES: Readonly<Record<string, Readonly<Record<string, SearchParam>>>> = {
  AllergyIntolerance: {
    ...named,
    patient: patient('patient'),
    'clinical-status': token('clinicalStatus'),
    code: token('code'),
    category: token('category'),
    date: date('recordedDate'),
  },
  AuditEvent: {
    date: date('recorded'),
    patient: { kind: 'reference', paths: ['agent.who', 'entity.what'], target: 'Patient' },
    type: token('type'),
  },
  Basic: { ...named, ...ofSubject, code: token('code') },
  CarePlan: { ...event('period'), category: token('category') },
  CareTeam: { ...event('period'), category: token('category'), participant: reference('participant.member') },
  Communication: { ...named, ...ofSubject, status: token('status'), sent: date('sent') },
  Condition: {
    ...named,
    ...ofSubject,
    'clinical-status': token('clinicalStatus'),
    category: token('category'),
    code: token('code'),
    encounter: reference('encounter'),
    'onset-date': date('onsetDateTime', 'onsetPeriod'),
    'recorded-date': date('recordedDate'),
  },
  DetectedIssue: {
    ...named,
    patient: patient('patient'),
    code: token('code'),
    identified: date('identifiedDateTime', 'identifiedPeriod'),
  },
  Device: {
    ...named,
    patient: patient('patient'),
    type: token('type'),
    status: token('status'),
    'device-name': text('deviceName.name', 'type.text'),
    manufacturer: text('manufacturer'),
    model: text('modelNumber'),
  },
  DiagnosticReport: {
    ...event('effectiveDateTime', 'effectivePeriod'),
    category: token('category'),
    code: token('code'),
    issued: date('issued'),
    result: reference('result'),
    encounter: reference('encounter'),
  },
  DocumentReference: {
    ...event('date'),
    identifier: token('masterIdentifier', 'identifier'),
    type: token('type'),
    category: token('category'),
    period: date('context.period'),
  },
  Encounter: { ...event('period'), class: token('class'), type: token('type') },
  Flag: {
    ...named,
    ...ofSubject,
    date: date('period'),
    status: token('status'),
    category: token('category'),
    code: token('code'),
  },
  Goal: {
    ...named,
    ...ofSubject,
    'lifecycle-status': token('lifecycleStatus'),
    category: token('category'),
    'target-date': date('target.dueDate'),
  },
  Group: { ...named, member: reference('member.entity'), type: token('type') },
  Immunization: {
    ...named,
    patient: patient('patient'),
    date: date('occurrenceDateTime'),
    status: token('status'),
    'vaccine-code': token('vaccineCode'),
  },
  Location: { ...named, name: text('name'), status: token('status') },
  Media: { ...named, ...ofSubject, status: token('status'), created: date('createdDateTime', 'createdPeriod') },
  Medication: { ...named, code: token('code'), status: token('status') },
  MedicationRequest: {
    ...named,
    ...ofSubject,
    status: token('status'),
    intent: token('intent'),
    code: token('medicationCodeableConcept'),
    medication: reference('medicationReference'),
    authoredon: date('authoredOn'),
    encounter: reference('encounter'),
  },
  Observation: {
    ...event('effectiveDateTime', 'effectivePeriod', 'effectiveInstant'),
    category: token('category'),
    code: token('code'),
    'combo-code': token('code', 'component.code'),
    'component-code': token('component.code'),
    device: reference('device'),
    performer: reference('performer'),
    encounter: reference('encounter'),
    focus: reference('focus'),
    specimen: reference('specimen'),
    'has-member': reference('hasMember'),
    'derived-from': reference('derivedFrom'),
    'value-concept': token('valueCodeableConcept'),
  },
  Organization: { ...named, name: text('name', 'alias'), active: token('active'), type: token('type') },
  Patient: {
    ...named,
    name: text('name'),
    family: text('name.family'),
    given: text('name.given'),
    birthdate: date('birthDate'),
    gender: token('gender'),
    active: token('active'),
    'general-practitioner': reference('generalPractitioner'),
    organization: reference('managingOrganization'),
    link: reference('link.other'),
  },
  Practitioner: { ...named, name: text('name'), family: text('name.family'), given: text('name.given'), active: token('active') },
  PractitionerRole: {
    ...named,
    practitioner: reference('practitioner'),
    organization: reference('organization'),
    specialty: token('specialty'),
  },
  Procedure: {
    ...event('performedDateTime', 'performedPeriod'),
    code: token('code'),
    category: token('category'),
    encounter: reference('encounter'),
  },
  Provenance: {
    target: reference('target'),
    patient: patient('target'),
    recorded: date('recorded'),
    agent: reference('agent.who'),
  },
  QuestionnaireResponse: { ...named, ...ofSubject, status: token('status'), authored: date('authored') },
  RelatedPerson: { ...named, patient: patient('patient'), name: text('name') },
  ServiceRequest: {
    ...named,
    ...ofSubject,
    status: token('status'),
    intent: token('intent'),
    code: token('code'),
    authored: date('authoredOn'),
  },
  Specimen: {
    ...named,
    ...ofSubject,
    type: token('type'),
    status: token('status'),
    collected: date('collection.collectedDateTime', 'collection.collectedPeriod'),
  },
};

const BY_TYPE = new Map(Object.entries(TYPES).map(([type, params]) => [type, new Map(Object.entries({ ...ALL, ...params }))]));

export const RESOURCE_TYPES: readonly string[] = [...BY_TYPE.keys()];
export const paramsOf = (type: string): ReadonlyMap<string, SearchParam> | undefined => BY_TYPE.get(type);
