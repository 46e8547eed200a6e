/**
 * The only way to the EHR: nothing else of the gateway opens a connection to it, holds its credentials or decides what
 * one of its answers means.
 */
export { openEhr, type Ehr, type EhrAuth, type EhrTarget, type Sent } from './open-ehr.ts';
export { isReadRequest, readOnlyEhr, type EhrAccess } from './refuse-writes.ts';
export { EHR_LIMITS, type EhrLimits, type EhrTls } from './open-pool.ts';
export type {
  AbandonSignal,
  AnswerBody,
  Answered,
  AnswerHeaders,
  EhrRequest,
  Exchange,
  Pairs,
  Unanswered,
} from './exchange.ts';
export { readLocation, type AddressGuard, type Located, type OwnAddress } from './guard-address.ts';
export { makeJwksRoutes, publicJwks, type Jwks } from './publish-jwks.ts';
export { loadClientKeys } from './load-client-key.ts';
export { rotateClientKeys } from './rotate-client-keys.ts';

export {
  classifyAnswer,
  classifyExchange,
  type Asked,
  type Effect,
  type ToClassify,
  type Verdict,
} from './classify-answer.ts';
export { classifyEntries, type BundleVerdict, type EntryAnswer } from './classify-entries.ts';
export { parseRetryAfter, RETRY_AFTER_MAX_MS } from './parse-retry-after.ts';
export { readIssues, readOutcome, type OutcomeIssue } from './read-outcome.ts';

export { readCapability, type Capability, type TypeCapability } from './read-capability.ts';
export { probeEhr, PROBED_TYPES, type Probed } from './probe-ehr.ts';
export { factsOf } from './probe-facts.ts';
export type { IdentifierFilter, VerifiedFilter } from './verify-identifier.ts';
export { choosePlan, type Identity, type Reason, type TypePlan, type WritePlan } from './choose-plan.ts';
export { watchCapability, type CapabilityState, type CapabilityWatch } from './watch-capability.ts';

export { readResource } from './fhir-client.ts';
export { escapeSearchValue, identifierToken } from './escape-search-value.ts';
export { searchResources, type Found, type Resource, type SearchBy } from './search-resources.ts';
export { judgeRemembered } from './pick-patient.ts';
export { previewOf, type PatientPreview } from './preview-patient.ts';
export {
  makeResolvePatient,
  type AskedPatient,
  type Mrn,
  type ResolvedPatient,
  type ResolvePatient,
} from './resolve-patient.ts';
export { rememberPatients, type PatientMemory } from './remember-patients.ts';

export { makeBackgroundShare, type BackgroundShare } from './background-share.ts';
export { BACKOFF, backoffMs, nextAttemptMs } from './back-off.ts';
export { kindOfRequest } from './kind-of-request.ts';
export { guardTarget, type Entry, type Permit, type TargetGuard, type TargetState } from './guard-target.ts';
export { openTarget, type OpenTarget } from './open-target.ts';
export type { RememberedPatient, Target } from './target.ts';
