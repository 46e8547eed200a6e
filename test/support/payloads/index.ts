export { anAlertEvent, anAlertSummary, type AlertEventOverrides, type AlertSummaryOverrides } from './alerts.ts';
export {
  aClinicalBundle,
  aClinicalReady,
  type BundleOverrides,
  type ClinicalReadyOverrides,
} from './clinical-ready.ts';
export { CLIENT, OTHER_CLIENT, OTHER_USER, USER, envelopeOf, type EnvelopeOverrides } from './envelope.ts';
export { partAt, rawNumber, withAt, withoutAt, type Json } from './json.ts';
export { aLabBundle, aLabResult, aServiceLabResult, type LabResultOverrides } from './lab-result.ts';
export { aNotification, type NotificationOverrides } from './notification.ts';
export { aStepsEvent, type StepsEventOverrides } from './steps-event.ts';
export { aUserProfile, type UserProfileOverrides } from './user-profile.ts';
export {
  aClinicalReadyOf,
  anObservationOf,
  DAY,
  PATIENT_ID,
  PATIENT_URL,
  type Metric,
  type MetricsOverrides,
} from './metric.ts';
