export { detailOf, isFaultCode } from './detail-of.ts';
export { type Judgement, judge } from './judge.ts';
export { type Judge, loadValidators, makeJudge } from './make-judge.ts';
export { type Ahead, type HeldAhead, holdAhead } from './pretranslated.ts';
export { type AtOnce, processReceived } from './process-received.ts';
export { type Reading, fhirOf, readDocument, saidAtOf, templateOf, toBundle } from './read-document.ts';
export {
  type ChosenDialect,
  type HeldReading,
  type ReadingHolder,
  type ReadingSettings,
  type Reloaded,
  makeReadingHolder,
} from './translation-context.ts';
