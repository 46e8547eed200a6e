/** How a kind of fault is answered, retried and logged. Nothing else in the code base mentions an error status. */
interface Handling {
  readonly status: number;
  /** FHIR issue type, http://hl7.org/fhir/R4/valueset-issue-type.html */
  readonly issue: string;
  readonly retry: 'never' | 'later' | 'after-a-person';
  readonly log: 'info' | 'warn' | 'error';
  /** What any caller may read: a constant, tells the reader what to do, holds nothing of a patient. */
  readonly text: string;
}

export const HANDLING = {
  malformed: {
    status: 400,
    issue: 'structure',
    retry: 'never',
    log: 'info',
    text: 'The request could not be read. Correct it and send it again.',
  },
  unauthenticated: {
    status: 401,
    issue: 'login',
    retry: 'never',
    log: 'info',
    text: 'Authentication is required. Send valid credentials.',
  },
  forbidden: {
    status: 403,
    issue: 'forbidden',
    retry: 'never',
    log: 'info',
    text: 'These credentials do not allow this. Ask for wider access.',
  },
  'not-found': {
    status: 404,
    issue: 'not-found',
    retry: 'never',
    log: 'info',
    text: 'There is nothing here. Check the address.',
  },
  'method-not-allowed': {
    status: 405,
    issue: 'not-supported',
    retry: 'never',
    log: 'info',
    text: 'This address does not take that method. The Allow header lists those it takes.',
  },
  'not-acceptable': {
    status: 406,
    issue: 'not-supported',
    retry: 'never',
    log: 'info',
    text: 'The wanted format is not offered. Ask for application/fhir+json or application/json.',
  },
  conflict: {
    status: 409,
    issue: 'conflict',
    retry: 'after-a-person',
    log: 'info',
    text: 'This contradicts what is stored. Read the current state and decide again.',
  },
  'shadow-mode': {
    status: 409,
    issue: 'conflict',
    retry: 'after-a-person',
    log: 'warn',
    text: 'The gateway is in shadow mode and writes nothing to the EHR. Set CHARTGATE_MODE=live and start it again first.',
  },
  unconfirmed: {
    status: 409,
    issue: 'conflict',
    retry: 'after-a-person',
    log: 'info',
    text: 'This is not the number of deliveries that it is about. Look again, and confirm the number that is shown.',
  },
  gone: { status: 410, issue: 'deleted', retry: 'never', log: 'info', text: 'This was here and has been removed.' },
  'too-large': {
    status: 413,
    issue: 'too-long',
    retry: 'never',
    log: 'warn',
    text: 'The request is larger than the limit. Send less, or have the limit raised.',
  },
  'unsupported-media': {
    status: 415,
    issue: 'not-supported',
    retry: 'never',
    log: 'info',
    text: 'The content type or encoding is not taken here. Send plain application/json or application/fhir+json.',
  },
  misdirected: {
    status: 421,
    issue: 'structure',
    retry: 'never',
    log: 'info',
    text: 'The request names its host more than once or not at all. Send one Host header.',
  },
  invalid: {
    status: 422,
    issue: 'invalid',
    retry: 'after-a-person',
    log: 'warn',
    text: 'The content breaks a rule. The findings name each place.',
  },
  'profile-unknown': {
    status: 422,
    issue: 'not-supported',
    retry: 'after-a-person',
    log: 'info',
    text: 'The gateway does not have this profile, so nothing was judged. Name one that it has, or have its guide loaded.',
  },
  unmapped: {
    status: 422,
    issue: 'code-invalid',
    retry: 'after-a-person',
    log: 'warn',
    text: 'A code or unit has no mapping. Add it to the mappings and replay.',
  },
  unlinked: {
    status: 422,
    issue: 'not-found',
    retry: 'after-a-person',
    log: 'info',
    text: 'The source user has no confirmed link to a patient. Confirm the link; delivery goes on by itself.',
  },
  'patient-unresolved': {
    status: 422,
    issue: 'not-found',
    retry: 'after-a-person',
    log: 'warn',
    text: 'The MRN does not lead to exactly one active patient of the EHR. Correct the patient there, or the link, and replay.',
  },
  'mrn-unknown': {
    status: 404,
    issue: 'not-found',
    retry: 'after-a-person',
    log: 'info',
    text: 'The EHR has no patient with this MRN, and nobody was enrolled. Check the MRN, or register the patient there first.',
  },
  'too-many': {
    status: 429,
    issue: 'throttled',
    retry: 'later',
    log: 'warn',
    text: 'Too many requests. Wait as long as Retry-After says.',
  },
  'ehr-rejected': {
    status: 502,
    issue: 'processing',
    retry: 'after-a-person',
    log: 'warn',
    text: 'The EHR refused the request. The EHR or its configuration needs attention.',
  },
  'ehr-unavailable': {
    status: 503,
    issue: 'transient',
    retry: 'later',
    log: 'warn',
    text: 'The EHR cannot be reached at the moment. Try again later.',
  },
  'ehr-timeout': {
    status: 504,
    issue: 'timeout',
    retry: 'later',
    log: 'warn',
    text: 'The EHR did not answer in time. Try again later.',
  },
  'issuer-unavailable': {
    status: 503,
    issue: 'transient',
    retry: 'later',
    log: 'warn',
    text: 'The token cannot be checked at the moment. Try again later.',
  },
  'source-rejected': {
    status: 502,
    issue: 'processing',
    retry: 'after-a-person',
    log: 'warn',
    text: 'The health data service refused the request. Its configuration, or ours, needs attention.',
  },
  'source-unavailable': {
    status: 503,
    issue: 'transient',
    retry: 'later',
    log: 'warn',
    text: 'The health data service cannot be reached at the moment. Try again later.',
  },
  'source-timeout': {
    status: 504,
    issue: 'timeout',
    retry: 'later',
    log: 'warn',
    text: 'The health data service did not answer in time. Look whether it was done, then try again.',
  },
  overloaded: {
    status: 503,
    issue: 'throttled',
    retry: 'later',
    log: 'warn',
    text: 'No room at the moment, and nothing was stored. Try again after Retry-After.',
  },
  'store-unavailable': {
    status: 503,
    issue: 'no-store',
    retry: 'later',
    log: 'error',
    text: 'The database cannot take this at the moment, and nothing was stored. Try again after Retry-After.',
  },
  'store-uncertain': {
    status: 503,
    issue: 'no-store',
    retry: 'later',
    log: 'error',
    text: 'It is not known whether this was stored. Send it again after Retry-After; a repetition is recognised.',
  },
  'not-configured': {
    status: 503,
    issue: 'security',
    retry: 'after-a-person',
    log: 'error',
    text: 'This is not configured. Whoever runs the gateway must set it up first.',
  },
  internal: {
    status: 500,
    issue: 'exception',
    retry: 'later',
    log: 'error',
    text: 'An error on our side. The request id leads the operator to it.',
  },
} as const satisfies Record<string, Handling>;

export type FaultKind = keyof typeof HANDLING;
