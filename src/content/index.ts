export { contentOf } from './chart-content.ts';
export { contentDigest, saidIn } from './digest.ts';
export { labelsOf } from './labels.ts';
export {
  digestOf,
  type Finished,
  type FinishedTranslation,
  finishedOf,
  finishTranslation,
  openTranslation,
  referencesIn,
  textWith,
  THIS_PATIENT,
} from './finish.ts';
