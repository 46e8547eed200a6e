import type { FaultKind } from './handling.ts';

/**
 * An expected failure, as a value. `code` is stable and documented in docs/faults.md; `cause` never reaches a caller.
 */
export interface Fault {
  readonly kind: FaultKind;
  readonly code: FaultCode;
  /** FHIRPath or JSON path of the place, where there is one. */
  readonly at?: string;
  /** What is taken instead, in words of ours: never what was given. */
  readonly detail?: string;
  /**
   * Every problem at once, for whoever mends them; of files, settings and the names of parameters, never of a patient.
   */
  readonly problems?: readonly string[];
  /** The number that a caller must name, where it named another. */
  readonly count?: number;
  /** How long another system asks to be left alone. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Every code that exists, with the kind it always has. A new failure is a new line here and in docs/faults.md. */
export const FAULT_CODES = {
  'http.malformed': 'malformed',
  'http.target': 'malformed',
  'http.framing': 'malformed',
  'http.encoding': 'unsupported-media',
  'http.host': 'misdirected',
  'http.method': 'method-not-allowed',
  'http.not-found': 'not-found',
  'http.too-large': 'too-large',
  'http.cut-short': 'malformed',
  'webhook.unauthenticated': 'unauthenticated',
  'webhook.not-configured': 'not-configured',
  'webhook.no-room': 'overloaded',
  'ops.unauthenticated': 'unauthenticated',
  'admin.unauthenticated': 'unauthenticated',
  'admin.not-configured': 'not-configured',
  'admin.forbidden': 'forbidden',
  'admin.parameter': 'malformed',
  'admin.no-room': 'overloaded',
  'smart.unauthenticated': 'unauthenticated',
  'client.not-found': 'not-found',
  'client.id-taken': 'conflict',
  'account.not-found': 'not-found',
  'account.name-taken': 'conflict',
  'launch.patient': 'invalid',
  'auth.external': 'conflict',
  'auth.issuer': 'issuer-unavailable',
  'delivery.not-found': 'not-found',
  'delivery.state': 'conflict',
  'delivery.no-body': 'gone',
  'delivery.unopenable': 'not-configured',
  'target.not-found': 'not-found',
  'shadow.mode': 'shadow-mode',
  'shadow.unconfirmed': 'unconfirmed',
  'link.not-found': 'not-found',
  'link.client': 'malformed',
  'link.unsettled': 'conflict',
  'erase.not-found': 'not-found',
  'erase.linked': 'conflict',
  'erase.busy': 'conflict',
  'links.csv': 'malformed',
  'links.too-many': 'too-large',
  'payload.shape': 'malformed',
  'payload.identity': 'invalid',
  'payload.foreign-client': 'invalid',
  'mappings.unsound': 'conflict',
  'template.timeout': 'unmapped',
  'template.failed': 'unmapped',
  'template.output': 'unmapped',
  'ehr.foreign-address': 'ehr-rejected',
  'ehr.unreachable': 'ehr-unavailable',
  'ehr.tls': 'ehr-unavailable',
  'ehr.timeout': 'ehr-timeout',
  'ehr.cut': 'ehr-unavailable',
  'ehr.abandoned': 'ehr-timeout',
  'ehr.answer-too-large': 'ehr-rejected',
  'ehr.unreadable': 'ehr-unavailable',
  'ehr.redirected': 'ehr-rejected',
  'ehr.busy': 'ehr-unavailable',
  'ehr.failed': 'ehr-unavailable',
  'ehr.unauthorized': 'ehr-rejected',
  'ehr.token': 'ehr-rejected',
  'ehr.token-unavailable': 'ehr-unavailable',
  'ehr.forbidden': 'ehr-rejected',
  'ehr.rejected': 'ehr-rejected',
  'ehr.not-found': 'not-found',
  'ehr.gone': 'gone',
  'ehr.conflict': 'conflict',
  'ehr.several': 'ehr-rejected',
  'ehr.too-large': 'ehr-rejected',
  'ehr.partial': 'ehr-rejected',
  'ehr.search-lag': 'ehr-unavailable',
  'ehr.capability': 'ehr-rejected',
  'ehr.paused': 'ehr-unavailable',
  'ehr.shadow': 'shadow-mode',
  'patient.none': 'patient-unresolved',
  'patient.many': 'patient-unresolved',
  'patient.inactive': 'patient-unresolved',
  'patient.unverified': 'patient-unresolved',
  'patient.merged': 'patient-unresolved',
  'patient.moved': 'patient-unresolved',
  'patient.not-created': 'patient-unresolved',
  'patient.other': 'patient-unresolved',
  'patient.differs': 'patient-unresolved',
  'patient.unchecked': 'patient-unresolved',
  'read.parameter': 'malformed',
  'read.patient-needed': 'malformed',
  'read.cursor': 'malformed',
  'read.scope': 'forbidden',
  'read.no-patient': 'forbidden',
  'read.other-patient': 'forbidden',
  'read.shared-search': 'forbidden',
  'read.not-found': 'not-found',
  'read.format': 'not-acceptable',
  'read.media': 'unsupported-media',
  'read.foreign': 'ehr-rejected',
  'read.busy': 'overloaded',
  'enrol.not-found': 'not-found',
  'enrol.mrn-unknown': 'mrn-unknown',
  'enrol.document': 'unsupported-media',
  'enrol.empty-document': 'malformed',
  'source.not-configured': 'not-configured',
  'source.unreachable': 'source-unavailable',
  'source.timeout': 'source-timeout',
  'source.cut': 'source-timeout',
  'source.failed': 'source-unavailable',
  'source.unauthorized': 'source-rejected',
  'source.not-activated': 'source-rejected',
  'source.data-source': 'malformed',
  'source.rule': 'invalid',
  'source.rejected': 'source-rejected',
  'source.unreadable': 'source-rejected',
  'source.too-large': 'too-large',
  'source.too-many': 'too-many',
  'store.queue-full': 'overloaded',
  'store.full': 'store-unavailable',
  'store.io': 'store-unavailable',
  'store.unreachable': 'store-unavailable',
  'store.commit-unknown': 'store-uncertain',
  'store.not-durable': 'store-unavailable',
  'store.busy': 'store-unavailable',
  'store.closed': 'store-unavailable',
  'internal.bug': 'internal',
} as const satisfies Record<string, FaultKind>;

export type FaultCode = keyof typeof FAULT_CODES;

export function fault(code: FaultCode, more: Omit<Fault, 'kind' | 'code'> = {}): Fault {
  return { kind: FAULT_CODES[code], code, ...more };
}
