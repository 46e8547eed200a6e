import type { Expected } from './oracle.ts';
import type { AttackRow } from './start-attacked.ts';
import { CONDITION_CATEGORY, OBSERVATION_CATEGORY, OTHER_CATEGORY_MARKER } from './world.ts';

/*
 * What a scope does not say it does not allow, letter by letter. The patient in context is alpha unless the line takes
 * her away.
 */
type Line = readonly [scope: string, question: string, expected: Expected];

const FORM = [['Content-Type', 'application/x-www-form-urlencoded']] as const;

function rowOf([scope, question, expected]: Line, more: Partial<AttackRow> = {}): AttackRow {
  const [method = 'GET', path = '', body] = question.includes(' ') ? question.split(' ') : ['GET', question];
  return {
    method,
    path: `/fhir/${path}`,
    expected,
    ...more,
    ...(body === undefined ? {} : { headers: FORM, body }),
    claims: { scope, ...more.claims },
  };
}

const READ = 'Observation/idalpha-obs';
const FIND = 'Observation?patient=idalpha';
const POST_FIND = 'POST Observation/_search patient=idalpha';

/** Not one of these is a scope that allows to read or to search an Observation. */
const NOT_ENOUGH = [
  '',
  'launch',
  'launch/patient',
  'openid fhirUser offline_access',
  'launch launch/patient launch/encounter openid profile online_access',
  'patient/Condition.rs',
  'patient/Patient.rs',
  'patient/Observation.c',
  'patient/Observation.u',
  'patient/Observation.d',
  'patient/Observation.cud',
  'patient/Observation.write',
  'patient/observation.rs',
  'patient/OBSERVATION.rs',
  'Patient/Observation.rs',
  'PATIENT/Observation.rs',
  'patient/Observation',
  'patient/Observation.',
  'patient/Observation.sr',
  'patient/Observation.dus',
  'patient/Observation.rr',
  'patient/Observation.rx',
  'patient/Observation.READ',
  'patient/Observation.reads',
  'patient/Observation.readx',
  'patient/Observation.rs.rs',
  'patient/Observation.rs,patient/Condition.rs',
  'patient/Obs*.rs',
  'patient/Observation*.rs',
  'patient/**.rs',
  'patient/.rs',
  'patient.Observation.rs',
  'patient/Observation/rs',
  'patient/Observation:rs',
  'patient\\Observation.rs',
  '/Observation.rs',
  '*/Observation.rs',
  '*',
  '*/*.*',
  'patient',
  'xpatient/Observation.rs',
  'patient/Observation.rs?',
  'patient/Observation.rs?category',
  'patient/Observation.rs?category=',
  'patient/Observation.rs?=vital-signs',
  'patient/Observation.rs?unknown=x',
  'patient/Observation.rs?category:not=x',
  'patient/Observation.rs?patient.name=x',
  'patient/Observation.rs?_filter=x',
  'patient/Observation.rs?_has:Provenance:target:agent=x',
  'fhir/patient/Observation.rs',
  'system/Observation.c',
  '__proto__',
  'patient/__proto__.rs',
  'patient/constructor.rs',
] as const;

export const INSUFFICIENT: readonly AttackRow[] = NOT_ENOUGH.flatMap((scope) =>
  [READ, FIND, POST_FIND].map((question) =>
    rowOf([scope, question, scope === '' ? 'refused' : 'forbidden'], { strangers: ['alpha', 'bravo', 'charl'] }),
  ),
);

const JSON_BODY = [['Content-Type', 'application/fhir+json']] as const;
const SENT = JSON.stringify({ resourceType: 'Observation', status: 'final', code: { text: 'x' } });
const judged = (scope: string, expected: Expected, more: Partial<AttackRow> = {}): AttackRow =>
  rowOf([scope, 'POST Observation/$validate', expected], { headers: JSON_BODY, body: SENT, ...more });

/** Nothing of a chart is shown for it, yet it is no service for everybody. */
export const JUDGED: readonly AttackRow[] = [
  ...NOT_ENOUGH.map((scope) => judged(scope, scope === '' ? 'refused' : 'forbidden')),
  judged('patient/Observation.r', 'harmless'),
  judged('patient/Observation.s', 'harmless'),
  judged('patient/*.rs', 'forbidden', { claims: { patient: undefined } }),
  judged('user/AuditEvent.rs', 'forbidden'),
  judged('user/AuditEvent.rs', 'refused', { path: '/fhir/AuditEvent/$validate' }),
  judged('system/*.rs', 'refused', { path: '/fhir/Bundle/$validate' }),
  judged('system/*.rs', 'refused', { path: '/fhir/Observation/idbravo-obs/$validate' }),
];

export const LETTERS: readonly AttackRow[] = (
  [
    ['patient/Observation.r', READ, 'own'],
    ['patient/Observation.r', FIND, 'forbidden'],
    ['patient/Observation.r', POST_FIND, 'forbidden'],
    ['patient/Observation.r', `${READ}/_history/1`, 'own-at-most'],
    ['patient/Observation.r', 'Observation?_id=idalpha-obs', 'forbidden'],
    ['patient/Observation.s', FIND, 'own'],
    ['patient/Observation.s', READ, 'forbidden'],
    ['patient/Observation.s', `${READ}/_history`, 'forbidden'],
    ['patient/Observation.s', `${READ}/_history/1`, 'forbidden'],
    ['patient/Observation.s', `${READ}/_history?_count=1`, 'forbidden'],
    ['patient/Observation.s', `${READ}?_summary=true`, 'forbidden'],
    ['patient/Binary.r', 'Binary/idalpha-bin', 'forbidden'],
    ['patient/DocumentReference.rs', 'Binary/idalpha-bin', 'forbidden'],
    ['patient/Binary.r patient/DocumentReference.r', 'Binary/idalpha-bin', 'forbidden'],
    ['patient/Binary.s patient/DocumentReference.rs', 'Binary/idalpha-bin', 'forbidden'],
    ['patient/Binary.r patient/DocumentReference.s', 'Binary/idalpha-bin?_format=json', 'own'],
    ['patient/Binary.r patient/DocumentReference.rs', 'Binary/idbravo-bin?_format=json', 'refused'],
    ['patient/Binary.r patient/DocumentReference.rs', 'Binary/idbravo-bin', 'refused'],
    ['patient/Binary.r patient/DocumentReference.rs', 'Binary/idneutral-bin', 'refused'],
    ['patient/Observation.s', `HEAD ${READ}`, 'forbidden'],
    // A type beyond the scopes is refused by its name; it is not left out in silence.
    ['patient/Patient.r patient/Observation.s', 'Patient/idalpha/$everything?_type=Observation', 'own'],
    ['patient/Patient.r patient/Observation.s', 'Patient/idalpha/$everything?_type=Condition', 'forbidden'],
    ['patient/Patient.r patient/Observation.s', 'Patient/idalpha/$everything?_type=Observation,Condition', 'forbidden'],
    ['patient/Patient.r patient/Observation.r', 'Patient/idalpha/$everything?_type=Observation', 'forbidden'],
    ['patient/Patient.r patient/*.s', 'Patient/idalpha/$everything?_type=Practitioner', 'forbidden'],
    [
      'patient/Patient.r patient/Observation.s patient/Provenance.r',
      'Patient/idalpha/$everything?_type=Provenance',
      'forbidden',
    ],
    ['patient/Patient.s patient/Observation.s', 'Patient/idalpha/$everything?_type=Observation', 'forbidden'],
    ['patient/Observation.s', 'Patient/idalpha/$everything?start=1900', 'forbidden'],
    ['patient/Observation.rs', READ, 'own'],
    ['patient/Observation.rs', FIND, 'own'],
    ['patient/Observation.cruds', FIND, 'own'],
    ['patient/Observation.read', READ, 'own'],
    ['patient/Observation.read', FIND, 'own'],
    ['patient/Observation.*', FIND, 'own'],
    ['patient/*.read', FIND, 'own'],
    ['patient/*.*', READ, 'own'],
    ['patient/*.rs', FIND, 'own'],
    ['patient/*.r', FIND, 'forbidden'],
    ['patient/*.s', READ, 'forbidden'],
    ['patient/*.cruds', 'DELETE Observation/idalpha-obs', 'refused'],
    ['patient/*.cruds', 'PUT Observation/idalpha-obs x', 'refused'],
    ['patient/Observation.r patient/Observation.s', FIND, 'own'],
    ['patient/Observation.r patient/Observation.s', READ, 'own'],
    // Of two scopes the one that allows counts, and no letter moves from one type to another.
    ['patient/Observation.r patient/Condition.s', FIND, 'forbidden'],
    ['patient/Observation.r patient/Condition.s', 'Condition/idalpha-cond', 'forbidden'],
    ['patient/Condition.rs launch/patient', 'Observation?patient=idalpha', 'forbidden'],
    ['patient/Patient.r', 'Patient/idalpha', 'own'],
    ['patient/Patient.rs', 'Patient/idalpha/Observation', 'refused'],
    ['patient/Patient.rs', 'Patient/idalpha/*', 'refused'],
    ['patient/Encounter.rs', 'Encounter/idalpha-enc/Observation', 'refused'],
  ] as const satisfies readonly Line[]
).map((line) => rowOf(line));

/** Included resources need a scope of their own. */
export const INCLUDES: readonly AttackRow[] = (
  [
    ['patient/Observation.rs', `${FIND}&_include=Observation:subject`],
    ['patient/Observation.rs', `${FIND}&_include=Observation:encounter`],
    ['patient/Observation.rs', `${FIND}&_include=*`],
    ['patient/Observation.rs', `${FIND}&_revinclude=Provenance:target`],
    ['patient/Observation.rs', `${FIND}&_revinclude=DiagnosticReport:result`],
    ['patient/Observation.rs patient/Encounter.s', `${FIND}&_revinclude:iterate=*`],
    ['patient/MedicationRequest.rs', 'MedicationRequest?patient=idalpha&_include=MedicationRequest:medication'],
    ['patient/Patient.rs', 'Patient?_id=idalpha&_revinclude=Observation:subject'],
    ['patient/Patient.rs', 'Patient?_id=idalpha&_include=Patient:general-practitioner'],
    ['patient/Patient.r', 'Patient/idalpha/$everything'],
    ['patient/Patient.rs', 'Patient/idalpha/$everything'],
    ['patient/Patient.rs patient/Condition.rs', 'Patient/idalpha/$everything'],
  ] as const
).map(([scope, question]) => ({
  ...rowOf([scope, question, 'own-at-most']),
  allowedTypes: scope.split(' ').map((one) => /\/(\w+)\./.exec(one)?.[1] ?? ''),
}));

const VITALS = `${OBSERVATION_CATEGORY}|vital-signs`;
const LABS = `${OBSERVATION_CATEGORY}|laboratory`;
const PROBLEMS = `${CONDITION_CATEGORY}|problem-list-item`;
const GRANULAR = `patient/Observation.rs?category=${VITALS}`;
const WITH_PROVENANCE = `${GRANULAR} patient/Provenance.rs patient/DiagnosticReport.rs patient/Patient.rs`;

/** The other category's entries hold a word of their own. */
export const GRANULAR_SCOPES: readonly AttackRow[] = (
  [
    [GRANULAR, FIND, 'own'],
    [GRANULAR, READ, 'own'],
    [GRANULAR, `${FIND}&category=vital-signs`, 'own'],
    [GRANULAR, `${FIND}&category=${VITALS}`, 'own'],
    [GRANULAR, POST_FIND, 'own'],
    [GRANULAR, 'Observation/idalpha-obs-lab', 'refused'],
    [GRANULAR, 'Observation/idalpha-obs-lab/_history/1', 'refused'],
    [GRANULAR, 'Observation/idalpha-obs-lab/_history', 'refused'],
    [GRANULAR, 'Observation?_id=idalpha-obs-lab', 'nothing'],
    [GRANULAR, `${FIND}&_id=idalpha-obs-lab`, 'nothing'],
    [GRANULAR, `${FIND}&category=laboratory`, 'nothing'],
    [GRANULAR, `${FIND}&category=${LABS}`, 'nothing'],
    [GRANULAR, `${FIND}&category=vital-signs,laboratory`, 'own-at-most'],
    [GRANULAR, `${FIND}&category=laboratory&category=vital-signs`, 'own-at-most'],
    [GRANULAR, `${FIND}&category:not=vital-signs`, 'nothing'],
    [GRANULAR, `${FIND}&code=2345-7`, 'nothing'],
    [GRANULAR, `${FIND}&_summary=count&category=laboratory`, 'nothing'],
    [GRANULAR, `${FIND}&_elements=code,note`, 'own-at-most'],
    [GRANULAR, 'Observation?patient=idbravo&category=vital-signs', 'nothing'],
    [WITH_PROVENANCE, `${FIND}&_revinclude=Provenance:target`, 'own-at-most'],
    [WITH_PROVENANCE, 'Provenance/idalpha-prov-lab', 'refused'],
    [WITH_PROVENANCE, 'Provenance?target=Observation/idalpha-obs-lab', 'nothing'],
    [WITH_PROVENANCE, 'DiagnosticReport?patient=idalpha&_include=DiagnosticReport:result', 'own-at-most'],
    [WITH_PROVENANCE, 'Patient?_id=idalpha&_revinclude=Observation:subject', 'own-at-most'],
    [WITH_PROVENANCE, 'Patient/idalpha/$everything', 'own'],
    [WITH_PROVENANCE, 'Patient/idalpha/$everything?_type=Provenance', 'own'],
    [WITH_PROVENANCE, 'Patient/idalpha/$everything?_type=Observation&start=1900', 'own'],
    [`patient/Condition.rs?category=${PROBLEMS}`, 'Condition?patient=idalpha', 'own'],
    [`patient/Condition.rs?category=${PROBLEMS}`, 'Condition/idalpha-cond-enc', 'refused'],
    [`patient/Condition.rs?category=${PROBLEMS}`, 'Condition?patient=idalpha&category=encounter-diagnosis', 'nothing'],
    // A granular read and a wide search do not add up to a wide read.
    [
      `patient/Observation.r?category=${VITALS} patient/Observation.s?category=${VITALS}`,
      'Observation/idalpha-obs-lab',
      'refused',
    ],
    [`patient/Observation.s?category=${VITALS} patient/Observation.r`, FIND, 'own'],
    [`patient/Observation.rs?category=urn:other|vital-signs`, FIND, 'nothing'],
    [`patient/Observation.rs?category=${VITALS}&code=http://loinc.org|0000-0`, FIND, 'nothing'],
  ] as const satisfies readonly Line[]
).map((line) => rowOf(line, { forbidden: [OTHER_CATEGORY_MARKER] }));

const NO_PATIENT = { patient: undefined };

/** Without a patient in context nothing of `patient/` is left. */
export const WITHOUT_PATIENT: readonly AttackRow[] = (
  [
    ['patient/*.rs', READ, 'forbidden'],
    ['patient/*.rs', FIND, 'forbidden'],
    ['patient/*.rs', 'Observation', 'forbidden'],
    ['patient/*.rs', 'Patient/idalpha', 'forbidden'],
    ['patient/*.rs', 'Patient', 'forbidden'],
    ['patient/*.rs launch/patient', 'Patient/idalpha', 'forbidden'],
    ['patient/*.*', POST_FIND, 'forbidden'],
  ] as const satisfies readonly Line[]
).map((line) => rowOf(line, { claims: NO_PATIENT, strangers: ['alpha', 'bravo', 'charl'] }));

/** A token for one who has no link reads nobody, not even herself. */
export const UNLINKED_PATIENT: readonly AttackRow[] = (
  [
    ['patient/*.rs', 'Patient/idcharl', 'refused'],
    ['patient/*.rs', 'Observation?patient=idcharl', 'nothing'],
    ['patient/*.rs', 'Observation/idcharl-obs', 'refused'],
    ['patient/*.rs', 'Patient/idcharl/$everything', 'refused'],
    ['patient/*.rs', FIND, 'nothing'],
    ['patient/*.rs', 'Patient/idalpha', 'refused'],
  ] as const satisfies readonly Line[]
).map((line) => rowOf(line, { claims: { patient: 'idcharl' }, strangers: ['alpha', 'bravo', 'charl'] }));

const WIDER_LINES = (level: 'user' | 'system'): readonly Line[] => [
  [`${level}/*.rs`, FIND, 'own'],
  [`${level}/*.rs`, READ, 'own'],
  [`${level}/*.rs`, 'Observation?patient=idcharl', 'nothing'],
  [`${level}/*.rs`, 'Observation?subject=Patient/idcharl', 'nothing'],
  [`${level}/*.rs`, 'Observation?patient=idalpha,idcharl', 'own-at-most'],
  [`${level}/*.rs`, 'Observation?patient=idalpha&patient=idcharl', 'nothing'],
  [`${level}/*.rs`, 'Patient/idcharl', 'hidden'],
  [`${level}/*.rs`, 'Observation/idcharl-obs', 'hidden'],
  [`${level}/*.rs`, 'Provenance/idcharl-prov', 'hidden'],
  [`${level}/*.rs`, 'Patient/idcharl/$everything', 'refused'],
  [`${level}/*.rs`, 'Patient/idcharl/$everything?_type=Observation', 'hidden'],
  [`${level}/*.rs`, 'Patient/idcharl/$everything?_count=1&start=1900', 'hidden'],
  [`${level}/Observation.rs`, 'Patient/idalpha/$everything?_type=Observation', 'forbidden'],
  [`${level}/*.rs`, 'Patient?_id=idcharl', 'nothing'],
  [`${level}/*.rs`, 'Patient?identifier=urn:example:mrn|M-zqcharl', 'nothing'],
  [`${level}/*.rs`, 'Patient?name=zqcharl', 'nothing'],
  [`${level}/*.rs`, 'Patient', 'own-at-most'],
  [`${level}/*.rs`, 'Patient?active=true', 'own-at-most'],
  // A search that names no patient is one over everybody.
  [`${level}/*.rs`, 'Observation', 'refused'],
  [`${level}/*.rs`, 'Observation?code=8867-4', 'own'],
  [`${level}/*.rs`, 'Observation', 'refused'],
  [`${level}/*.rs`, 'Observation?_count=200', 'refused'],
  [`${level}/*.rs`, 'Observation?_id=idcharl-obs', 'nothing'],
  [`${level}/*.rs`, 'Observation?_id=idalpha-obs,idcharl-obs', 'own'],
  [`${level}/*.rs`, 'Observation?identifier=urn:example:any|zqcharl-obs-2', 'nothing'],
  [`${level}/*.rs`, 'Observation?code=8867-4&_summary=count', 'own-at-most'],
  [`${level}/*.rs`, 'Observation?code=8867-4&_count=1', 'own'],
  [`${level}/*.rs`, 'Encounter?_id=idcharl-enc&_revinclude=Observation:encounter', 'nothing'],
  [`${level}/Encounter.rs`, 'Observation?code=8867-4', 'forbidden'],
  [`${level}/*.rs`, 'Observation?_id=idcharl-obs', 'nothing'],
  [`${level}/*.rs`, 'POST Observation/_search code=8867-4', 'own'],
  [`${level}/*.rs`, 'Observation?patient:missing=true', 'refused'],
  [`${level}/*.rs`, 'Observation?patient:not=idalpha', 'refused'],
  [`${level}/*.rs`, 'Observation?patient=', 'refused'],
  [`${level}/*.rs`, `${FIND}&_revinclude=*`, 'own-at-most'],
  [`${level}/*.rs`, 'Observation/_history', 'refused'],
  [`${level}/*.rs`, '$export', 'refused'],
  [`${level}/Observation.r`, FIND, 'forbidden'],
  [`${level}/Observation.s`, READ, 'forbidden'],
  [`${level}/Condition.rs`, READ, 'forbidden'],
];

export const WIDER_LEVELS: readonly AttackRow[] = [
  ...WIDER_LINES('user').map((line) => rowOf(line, { claims: NO_PATIENT, strangers: ['charl'] })),
  ...WIDER_LINES('system').map((line) =>
    rowOf(line, { claims: { ...NO_PATIENT, fhirUser: undefined, sub: 'attack-app' }, strangers: ['charl'] }),
  ),
  // Who reaches both still gets one patient's at a time, also of what tells of both.
  ...['', '?_type=Provenance', '?_type=Observation,Provenance&start=1900'].map((query) =>
    rowOf(['user/*.rs', `Patient/idalpha/$everything${query}`, 'own'], {
      claims: NO_PATIENT,
      strangers: ['bravo', 'charl'],
    }),
  ),
  // `user/` without a user is nobody's.
  rowOf(['user/*.rs', FIND, 'own-at-most'], { claims: { ...NO_PATIENT, fhirUser: undefined }, strangers: ['charl'] }),
  // A wide type of one level lends nothing to a narrow type of another.
  rowOf(['patient/Observation.rs user/Patient.rs', 'Observation?patient=idbravo', 'nothing'], {
    strangers: ['bravo', 'charl'],
  }),
  rowOf(['patient/Observation.rs user/Patient.rs', 'Observation/idbravo-obs', 'hidden'], {
    strangers: ['bravo', 'charl'],
  }),
  rowOf(['patient/Observation.rs user/Condition.rs', 'Patient/idbravo', 'refused'], { strangers: ['bravo', 'charl'] }),
  rowOf(['patient/Observation.r user/Observation.s', 'Observation/idbravo-obs', 'hidden'], {
    strangers: ['bravo', 'charl'],
  }),
  rowOf(['user/Observation.r patient/Observation.s', 'Observation?patient=idbravo', 'nothing'], {
    strangers: ['bravo', 'charl'],
  }),
  rowOf(
    [`user/Patient.rs patient/Observation.rs`, 'Patient?_id=idbravo&_revinclude=Observation:subject', 'own-at-most'],
    {
      strangers: ['charl'],
      forbidden: ['7202.02'],
      allowedTypes: ['Patient'],
    },
  ),
];

/** The audit tells of everybody: only a scope that names it, and not for one patient, shows any of it. */
const NOT_FOR_THE_AUDIT = [
  'patient/*.rs',
  'patient/*.cruds',
  'user/*.rs',
  'user/*.read',
  'user/*.*',
  'system/*.rs',
  'system/*.*',
  'patient/AuditEvent.rs',
  'patient/AuditEvent.read',
  'user/AuditEvent.cud',
  'user/AuditEvent.rs?type=rest',
  'system/AuditEvent.rs?patient=idalpha',
  'user/Auditevent.rs',
  'user/Provenance.rs user/Patient.rs',
] as const;
const AUDIT_QUESTIONS = [
  'AuditEvent',
  'AuditEvent?patient=idalpha',
  'AuditEvent?patient=idbravo',
  'AuditEvent?agent=attack-app',
  'POST AuditEvent/_search patient=idalpha',
  'AuditEvent/ins-0000000000-1',
] as const;
export const AUDIT_SCOPES: readonly AttackRow[] = [
  ...NOT_FOR_THE_AUDIT.flatMap((scope) =>
    AUDIT_QUESTIONS.map((question) => rowOf([scope, question, 'forbidden'], { strangers: ['bravo', 'charl'] })),
  ),
  ...(
    [
      ['user/AuditEvent.r', 'AuditEvent', 'forbidden'],
      ['user/AuditEvent.s', 'AuditEvent/ins-0000000000-1', 'forbidden'],
      ['user/AuditEvent.rs', 'AuditEvent/ins-0000000000-1', 'hidden'],
      ['user/AuditEvent.rs', 'AuditEvent/ins-0000000000-1/_history', 'refused'],
      ['user/AuditEvent.rs', 'AuditEvent/ins-0000000000-1/_history/1', 'refused'],
      ['user/AuditEvent.rs', 'AuditEvent?patient.name=x', 'refused'],
      ['user/AuditEvent.rs', 'AuditEvent?_has:Provenance:target:agent=x', 'refused'],
      ['user/AuditEvent.rs', 'AuditEvent?_include=AuditEvent:patient', 'refused'],
      ['user/AuditEvent.rs', 'AuditEvent?_revinclude=Provenance:target', 'refused'],
      ['user/AuditEvent.rs', "AuditEvent?agent=x'%20OR%201=1--", 'nothing'],
      ['user/AuditEvent.rs', 'AuditEvent?_cursor=AAAA', 'refused'],
      ['user/AuditEvent.rs', 'Observation?patient=idalpha', 'forbidden'],
      ['user/AuditEvent.rs', 'Patient/idalpha', 'forbidden'],
      ['user/AuditEvent.rs', 'Patient/idalpha/$everything', 'forbidden'],
    ] as const satisfies readonly Line[]
  ).map((line) => rowOf(line)),
];
