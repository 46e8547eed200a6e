export {
  nextStepsEvent,
  type NextSteps,
  type StepsEventPayload,
  type StepsFailure,
  type StepsState,
  type Whose,
} from './next-steps-event.ts';
export { STEPS_SOURCES, stepsPolls, type StepsAnswer, type StepsPoll } from './steps-polls.ts';
export { buildProfile, profileDate, type Demographics, type ProfileInput, type ProfileState } from './build-profile.ts';
export type { ProfilePayload } from './profile-payload.ts';
export { NO_BASELINES, nextBaselines, type Baseline, type Baselines } from './baselines.ts';
export {
  nextAlertEvents,
  oxygenSamples,
  type Alerted,
  type AlertEventInput,
  type AlertEventPayload,
  type OxygenSample,
} from './alert-events.ts';
export {
  nextAlertSummary,
  summaryStateOf,
  type AlertSummaryPayload,
  type SummaryInput,
  type SummaryState,
} from './alert-summary.ts';
export { SIGNAL_TYPES, type Bounds, type RuleOf, type SignalObject, type SignalType } from './signals.ts';
