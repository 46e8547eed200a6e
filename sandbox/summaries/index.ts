/**
 * From what the sources say to what the service sends: summaries, clinical documents, granular events, pre-existing
 * data.
 */
export { cleanDay, type CleanOptions } from './clean-day.ts';
export {
  asSent,
  buildClinicalReady,
  documentIdOf,
  isSameClinicalContent,
  nextClinicalReady,
  type About,
  type ClinicalObservation,
  type ClinicalReadyPayload,
  type ClinicalReadyQuestion,
  type SentDocument,
} from './clinical-ready.ts';
export { CLINICAL_METRICS, clinicalValuesOf, SUMMARY_GROUPS, type SummaryGroup } from './clinical-metrics.ts';
export { asSentSummary, nextDailySummary, type DailySummaryPayload } from './daily-summary.ts';
export { buildGranularEvents, DEVICE_EVENTS, type GranularPayload, type GranularQuestion } from './granular-events.ts';
export { buildHealthScore, healthScoreOf, type HealthScorePayload } from './health-score.ts';
export { PRE_EXISTING_DAYS, preExistingDates, preExistingOf, type PreExistingQuestion } from './pre-existing.ts';
export { stableUuid } from './stable-uuid.ts';
