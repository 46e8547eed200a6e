export { SIGNALS, type AlertEvent, type AlertSignal, type AlertSummary } from './alerts.ts';
export type { AnyResource, ClinicalReady } from './clinical-ready.ts';
export type { SourceDevice } from './device.ts';
export type { Envelope, JsonNumber, SourceUserId } from './envelope.ts';
export type { Finding } from './finding.ts';
export type { LabResult } from './lab-result.ts';
export { parseNotification, type Notification } from './notification.ts';
export {
  KNOWN_STRUCTURES,
  parsePayload,
  type Document,
  type Payload,
  type PayloadOptions,
  type UnknownDocument,
} from './parse-payload.ts';
export type { StepsEvent, StepsEvents } from './steps-event.ts';
export { withoutUnzonedTimes } from './unzoned-times.ts';
export { DOMAINS, levelOf, type Domain, type DomainProfile, type UserProfile } from './user-profile.ts';
