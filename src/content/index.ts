export { contentOf } from './chart-content.ts';
export { contentDigest, saidIn } from './digest.ts';
export { labelsOf } from './labels.ts';
export type { Finished } from './finished-lines.ts';
export {
  digestOf,
  type FinishedTranslation,
  finishedOf,
  finishTranslation,
  openTranslation,
  referencesIn,
  textWith,
  THIS_PATIENT,
} from './finish.ts';
