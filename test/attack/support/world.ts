/*
 * Three patients whose every string, number and date says whose it is, so that an answer can be judged without knowing
 * how it was made. Ids are `idalpha…`, texts hold `zqalpha`; what belongs to nobody is `idshare…`. All ids of owners
 * have one length, so that a question about a stranger and one about nobody are equally long.
 */
export type Owner = 'alpha' | 'bravo' | 'charl';

export interface Resource {
  readonly resourceType: string;
  readonly id: string;
  readonly meta: { readonly versionId: string; readonly lastUpdated: string };
  readonly [element: string]: unknown;
}

export const MRN_SYSTEM = 'urn:example:mrn';
export const OWNERS: readonly Owner[] = ['alpha', 'bravo', 'charl'];
/** In every address that only the EHR knows. */
export const HOST_MARKER = 'zqhost';
/** Laboratory and encounter-diagnosis entries also hold it: a granular scope for another category must keep it out. */
export const OTHER_CATEGORY_MARKER = 'zqother';
/** What a counting EHR says there are; no sum of what a patient has. */
export const TOTAL_MARKER = 720_202;

export const idOf = (owner: Owner): string => `id${owner}`;
export const wordOf = (owner: Owner): string => `zq${owner}`;
export const mrnOf = (owner: Owner): string => `M-${wordOf(owner)}`;
const NUMBERS: Readonly<Record<Owner, number>> = { alpha: 7101.01, bravo: 7202.02, charl: 7303.03 };
const DATES: Readonly<Record<Owner, string>> = { alpha: '1911-01-11', bravo: '1922-02-22', charl: '1933-03-03' };

/** Whatever of these is in an answer came from this patient. */
export const markersOf = (owner: Owner): readonly string[] => [
  idOf(owner),
  wordOf(owner),
  String(NUMBERS[owner]),
  DATES[owner],
  ...(owner === 'bravo' ? [String(TOTAL_MARKER)] : []),
];

export const OBSERVATION_CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category';
export const CONDITION_CATEGORY = 'http://terminology.hl7.org/CodeSystem/condition-category';

const coded = (system: string, code: string, text?: string): unknown => ({
  coding: [{ system, code }],
  ...(text === undefined ? {} : { text }),
});
export const to = (reference: string, display?: string): unknown => ({
  reference,
  ...(display === undefined ? {} : { display }),
});

/** The types that belong to one patient by an element of their own, in the order of the world. */
export const OWNED_TYPES = [
  'Patient',
  'Observation',
  'DiagnosticReport',
  'Device',
  'Provenance',
  'Specimen',
  'DocumentReference',
  'Encounter',
  'Condition',
  'MedicationRequest',
  'AllergyIntolerance',
  'Immunization',
  'Procedure',
  'Flag',
  'CarePlan',
  'CareTeam',
  'Goal',
] as const;

/** One resource of every owned type that is surely this patient's. */
export const ownId = (type: string, owner: Owner): string =>
  type === 'Patient' ? idOf(owner) : `${idOf(owner)}-${KEYS[type] ?? ''}`;
const KEYS: Readonly<Record<string, string>> = {
  Observation: 'obs',
  DiagnosticReport: 'rep',
  Device: 'dev',
  Provenance: 'prov',
  Specimen: 'spec',
  DocumentReference: 'doc',
  Encounter: 'enc',
  Condition: 'cond',
  MedicationRequest: 'medreq',
  AllergyIntolerance: 'allergy',
  Immunization: 'imm',
  Procedure: 'proc',
  Flag: 'flag',
  CarePlan: 'plan',
  CareTeam: 'team',
  Goal: 'goal',
};

type Elements = Readonly<Record<string, unknown>>;

/** What everything that a patient owns looks like. */
function made(owner: Owner, resourceType: string, key: string, elements: Elements, versionId = '1'): Resource {
  const word = wordOf(owner);
  return {
    resourceType,
    id: key === '' ? idOf(owner) : key.startsWith('id') ? key : `${idOf(owner)}-${key}`,
    meta: { versionId, lastUpdated: `2026-01-0${versionId}T00:00:00.000Z` },
    text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${resourceType} of ${word}</div>` },
    ...elements,
  };
}

function observation(owner: Owner, key: string, more: Elements = {}, versionId = '1'): Resource {
  const word = wordOf(owner);
  return made(
    owner,
    'Observation',
    key,
    {
      identifier: [{ system: 'urn:example:any', value: `${word}-${key}` }],
      status: 'final',
      category: [coded(OBSERVATION_CATEGORY, 'vital-signs')],
      code: coded('http://loinc.org', '8867-4', `pulse of ${word}`),
      subject: to(`Patient/${idOf(owner)}`),
      effectiveDateTime: `${DATES[owner]}T00:00:00Z`,
      performer: [to('Practitioner/idshare-prac')],
      valueQuantity: { value: NUMBERS[owner], unit: '/min', system: 'http://unitsofmeasure.org', code: '/min' },
      note: [{ text: `note of ${word}` }],
      ...more,
    },
    versionId,
  );
}

function patient(owner: Owner, more: Elements = {}): Resource {
  const word = wordOf(owner);
  return made(owner, 'Patient', '', {
    identifier: [{ system: MRN_SYSTEM, value: mrnOf(owner) }],
    active: true,
    name: [{ family: word, given: [`given-${word}`] }],
    birthDate: DATES[owner],
    telecom: [{ system: 'email', value: `${word}@example.org` }],
    generalPractitioner: [to('Practitioner/idshare-prac')],
    managingOrganization: to('Organization/idshare-org'),
    ...more,
  });
}

function chartOf(owner: Owner): Resource[] {
  const word = wordOf(owner);
  const subject = to(`Patient/${idOf(owner)}`);
  const text = { text: `${word} text` };
  const identifier = [{ system: 'urn:example:any', value: `${word}-value` }];
  const at = DATES[owner];
  const id = idOf(owner);
  const one = (type: string, elements: Elements): Resource => made(owner, type, KEYS[type] ?? '', elements);
  return [
    patient(owner),
    observation(owner, 'obs', { encounter: to(`Encounter/${id}-enc`), device: to(`Device/${id}-dev`) }),
    observation(owner, 'obs-2', {
      // Neutral names for bravo's: alpha's chart may lead to them, and only following the way shows whose they are.
      ...(owner === 'alpha' ? { performer: [to('Practitioner/idshare-prac'), to('RelatedPerson/idneutral-rel')] } : {}),
    }),
    observation(owner, 'obs-3'),
    observation(owner, 'obs-lab', {
      category: [coded(OBSERVATION_CATEGORY, 'laboratory')],
      code: coded('http://loinc.org', '2345-7', `glucose of ${word}`),
      note: [{ text: `${OTHER_CATEGORY_MARKER} ${word}` }],
      specimen: to(`Specimen/${id}-spec`),
    }),
    one('DiagnosticReport', {
      identifier,
      status: 'final',
      category: [coded('http://terminology.hl7.org/CodeSystem/v2-0074', 'LAB')],
      code: coded('http://loinc.org', '11502-2', `${word} report`),
      subject,
      effectiveDateTime: `${at}T00:00:00Z`,
      result: [
        to(`Observation/${id}-obs`),
        to(`Observation/${id}-obs-lab`),
        ...(owner === 'alpha' ? [to('Observation/idneutral-obs')] : []),
      ],
      conclusion: `conclusion of ${word}`,
    }),
    one('Device', {
      identifier,
      patient: subject,
      deviceName: [{ name: `${word} watch`, type: 'user-friendly-name' }],
    }),
    one('Provenance', {
      target: [to(`Observation/${id}-obs`)],
      recorded: '2026-01-01T00:00:00Z',
      agent: [{ who: to('Organization/idshare-org', `for ${word}`) }],
    }),
    made(owner, 'Provenance', 'prov-lab', {
      target: [to(`Observation/${id}-obs-lab`)],
      recorded: '2026-01-01T00:00:00Z',
      agent: [{ who: to('Organization/idshare-org', `${OTHER_CATEGORY_MARKER} for ${word}`) }],
    }),
    one('Specimen', { identifier, subject, type: text }),
    one('DocumentReference', {
      identifier,
      status: 'current',
      subject,
      type: coded('http://loinc.org', '34133-9', word),
      description: `about ${word}`,
      content: [
        {
          attachment: {
            contentType: 'text/plain',
            title: word,
            data: Buffer.from(`letter of ${word}`).toString('base64'),
          },
        },
        { attachment: { contentType: 'text/plain', url: `Binary/${id}-bin` } },
        ...(owner === 'alpha' ? [{ attachment: { contentType: 'text/plain', url: 'Binary/idneutral-bin' } }] : []),
      ],
    }),
    one('Encounter', {
      identifier,
      status: 'finished',
      class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
      subject,
      reasonCode: [text],
      period: { start: `${at}T00:00:00Z` },
    }),
    one('Condition', {
      identifier,
      clinicalStatus: coded('http://terminology.hl7.org/CodeSystem/condition-clinical', 'active'),
      verificationStatus: coded('http://terminology.hl7.org/CodeSystem/condition-ver-status', 'confirmed'),
      category: [coded(CONDITION_CATEGORY, 'problem-list-item')],
      code: text,
      subject,
      recordedDate: at,
    }),
    made(owner, 'Condition', 'cond-enc', {
      clinicalStatus: coded('http://terminology.hl7.org/CodeSystem/condition-clinical', 'active'),
      category: [coded(CONDITION_CATEGORY, 'encounter-diagnosis')],
      code: { text: `${OTHER_CATEGORY_MARKER} ${word}` },
      subject,
    }),
    one('MedicationRequest', {
      identifier,
      status: 'active',
      intent: 'order',
      medicationReference: to('Medication/idshare-med'),
      subject,
      authoredOn: at,
      note: [text],
    }),
    one('AllergyIntolerance', { identifier, code: text, patient: subject, recordedDate: at }),
    one('Immunization', {
      identifier,
      status: 'completed',
      vaccineCode: text,
      patient: subject,
      occurrenceDateTime: at,
    }),
    one('Procedure', { identifier, status: 'completed', code: text, subject, performedDateTime: at }),
    one('Flag', { identifier, status: 'active', code: text, subject }),
    one('CarePlan', { identifier, status: 'active', intent: 'plan', subject, title: word }),
    one('CareTeam', { identifier, status: 'active', subject, name: word }),
    one('Goal', { identifier, lifecycleStatus: 'active', description: text, subject, startDate: at }),
    made(owner, 'RelatedPerson', 'rel', { identifier, patient: subject, name: [{ family: word }] }),
    made(owner, 'Task', 'task', { identifier, status: 'requested', intent: 'order', for: subject, description: word }),
    made(owner, 'Binary', 'bin', {
      contentType: 'text/plain',
      data: Buffer.from(`bytes of ${word}`).toString('base64'),
    }),
  ];
}

/** Bravo's, each made so that a careless rule takes it for alpha's. */
function decoys(): Resource[] {
  const alpha = to('Patient/idalpha');
  const bravo = to('Patient/idbravo');
  const text = { text: wordOf('bravo') };
  return [
    observation('bravo', 'obs-focus', { focus: [alpha], performer: [alpha] }),
    observation('bravo', 'obs-prefix', { subject: to('Patient/idalphabet') }),
    observation('bravo', 'obs-case', { subject: to('Patient/IDALPHA') }),
    observation('bravo', 'obs-foreign', { subject: to(`http://other.${HOST_MARKER}.example/fhir/Patient/idalpha`) }),
    observation('bravo', 'obs-group', { subject: to('Group/idbravo-group') }),
    observation('bravo', 'obs-type', { subject: to('Device/idalpha') }),
    observation('bravo', 'obs-nobody', { subject: undefined }),
    observation('bravo', 'obs-display', { subject: { display: 'Patient/idalpha' } }),
    observation('bravo', 'obs-inner', {
      contained: [{ resourceType: 'Patient', id: 'idalpha', name: [text] }],
      subject: to('#idalpha'),
    }),
    observation('bravo', 'obs-lists-alpha', {
      subject: bravo,
      hasMember: [to('Observation/idalpha-obs')],
      derivedFrom: [alpha],
    }),
    made('bravo', 'Provenance', 'idmixed-prov', {
      target: [to('Observation/idalpha-obs'), to('Observation/idbravo-obs')],
      recorded: '2026-01-01T00:00:00Z',
      reason: [{ text: wordOf('bravo') }],
      agent: [{ who: to('Organization/idshare-org', wordOf('bravo')) }, { who: bravo }],
      entity: [{ role: 'source', what: to('Observation/idbravo-obs', wordOf('bravo')) }],
      signature: [{ who: bravo, data: Buffer.from(wordOf('bravo')).toString('base64') }],
      contained: [{ resourceType: 'Organization', id: 'inner', name: wordOf('bravo') }],
    }),
    made('bravo', 'Provenance', 'idmixed-prov-patients', {
      target: [alpha, bravo],
      recorded: '2026-01-01T00:00:00Z',
      agent: [{ who: to('Organization/idshare-org', wordOf('bravo')) }],
    }),
    made('bravo', 'Provenance', 'prov-source', {
      target: [to('Observation/idbravo-obs')],
      recorded: '2026-01-01T00:00:00Z',
      agent: [{ who: alpha }],
      entity: [{ role: 'source', what: to('Observation/idalpha-obs') }],
    }),
    made('bravo', 'Procedure', 'proc-performer', {
      status: 'completed',
      code: text,
      subject: bravo,
      performer: [{ actor: alpha }],
    }),
    made('bravo', 'Condition', 'cond-asserter', { code: text, subject: bravo, asserter: alpha, recorder: alpha }),
    made('bravo', 'AllergyIntolerance', 'allergy-asserter', {
      code: text,
      patient: bravo,
      asserter: alpha,
      recorder: alpha,
    }),
    made('bravo', 'DocumentReference', 'doc-author', {
      status: 'current',
      subject: bravo,
      author: [alpha],
      description: wordOf('bravo'),
      content: [{ attachment: { url: `Binary/idbravo-bin` } }],
    }),
    // A document of alpha's names it; it says itself whose it is.
    made('bravo', 'Binary', 'idneutral-bin', {
      contentType: 'text/plain',
      securityContext: bravo,
      data: Buffer.from(`bytes of ${wordOf('bravo')}`).toString('base64'),
    }),
    made('bravo', 'CareTeam', 'team-member', {
      subject: bravo,
      name: wordOf('bravo'),
      participant: [{ member: alpha }],
    }),
    made('bravo', 'CarePlan', 'plan-performer', {
      status: 'active',
      intent: 'plan',
      subject: bravo,
      title: wordOf('bravo'),
      activity: [{ detail: { status: 'not-started', performer: [alpha] } }],
    }),
    made('bravo', 'List', 'list', {
      status: 'current',
      mode: 'working',
      title: wordOf('bravo'),
      subject: bravo,
      source: alpha,
      entry: [{ item: to('Observation/idbravo-obs') }, { item: to('Observation/idalpha-obs') }],
    }),
    made('bravo', 'Group', 'group', {
      type: 'person',
      actual: true,
      name: wordOf('bravo'),
      member: [{ entity: alpha }, { entity: bravo }],
    }),
    observation('bravo', 'idneutral-obs'),
    made('bravo', 'RelatedPerson', 'idneutral-rel', { patient: bravo, name: [text] }),
    made('bravo', 'Device', 'dev-unowned', {
      patient: undefined,
      deviceName: [{ name: wordOf('bravo'), type: 'other' }],
    }),
  ];
}

const shared = (resourceType: string, key: string, elements: Elements): Resource => ({
  resourceType,
  id: `idshare-${key}`,
  meta: { versionId: '1', lastUpdated: '2026-01-01T00:00:00.000Z' },
  ...elements,
});

export const SHARED: readonly Resource[] = [
  shared('Organization', 'org', { name: 'Shared hospital' }),
  shared('Practitioner', 'prac', { name: [{ family: 'Shared' }] }),
  shared('Medication', 'med', { code: { text: 'Shared medicine' } }),
  shared('Location', 'loc', { name: 'Shared place' }),
];

/** Alpha's, with something of bravo inside: what the EHR says is alpha's and yet must not be handed on as it is. */
export const ENTANGLED: readonly Resource[] = [
  observation('alpha', 'obs-contains', { contained: [patient('bravo')], note: [{ text: 'see #idbravo' }] }),
  made('alpha', 'DiagnosticReport', 'rep-contains', {
    status: 'final',
    code: { text: 'report' },
    subject: to('Patient/idalpha'),
    contained: [observation('bravo', 'obs')],
    result: [to('#idbravo-obs', wordOf('bravo'))],
  }),
  made('alpha', 'Condition', 'cond-contains', {
    code: { text: 'condition' },
    subject: to('Patient/idalpha'),
    contained: [
      made('bravo', 'RelatedPerson', 'rel', { patient: to('Patient/idbravo'), name: [{ family: wordOf('bravo') }] }),
    ],
    asserter: to('#idbravo-rel'),
  }),
];

export interface World {
  readonly current: readonly Resource[];
  /** Every version, newest first. */
  readonly versions: (type: string, id: string) => readonly Resource[];
}

/** `idmoved-lost` was alpha's and is bravo's; `idmoved-won` was bravo's and is alpha's. */
const MOVED: readonly (readonly [Resource, Resource])[] = [
  [observation('bravo', 'idmoved-lost', {}, '2'), observation('alpha', 'idmoved-lost')],
  [observation('alpha', 'idmoved-won', {}, '2'), observation('bravo', 'idmoved-won')],
];

export function makeWorld(more: readonly Resource[] = []): World {
  const current = [...OWNERS.flatMap(chartOf), ...decoys(), ...MOVED.map(([now]) => now), ...SHARED, ...more];
  return {
    current,
    versions: (type, id) =>
      MOVED.find(([now]) => now.resourceType === type && now.id === id) ??
      current.filter((one) => one.resourceType === type && one.id === id),
  };
}
