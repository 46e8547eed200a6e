export { checkData, type DataProblem } from './check-data.ts';
export { type Faults, checkIncoming, checkOutput, troubleOfOutput } from './check-profiles.ts';
export { detailOf, isFaultCode } from './detail-of.ts';
export { makeFreshBodies } from './fresh-bodies.ts';
export { type Judgement, judge } from './judge.ts';
export { type Judge, type Pretranslate, makeJudge } from './make-judge.ts';
export {
  type HeldTranslation,
  type Pretranslated,
  type Pretranslations,
  makePretranslations,
} from './pretranslated.ts';
export { processReceived } from './process-received.ts';
export { type TranslationContext, fhirOf, readDocument, saidAtOf, templateOf, toBundle } from './read-document.ts';
export type { FastClaims } from './settle-judged.ts';
export {
  type ChosenDialect,
  type LoadedTranslationContext,
  type TranslationContextHolder,
  type TranslationSettings,
  type Reloaded,
  loadSettingsGuides,
  makeTranslationContextHolder,
} from './translation-context.ts';
export { type Validators, validatorsOf } from './validators.ts';
