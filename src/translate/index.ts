export { translate, type TranslateQuestion } from './translate.ts';
export { withoutReferences } from './lab/map-references.ts';
export { referenceTo } from './name.ts';
export { isZoned } from './times.ts';
export { asAmended, asRetracted, isRetractable, isWithdrawn } from './restate.ts';
export type {
  CustomContent,
  Decision,
  DeliveryFacts,
  FindingCode,
  Group,
  LeftOut,
  LinkedPatient,
  Scope,
  Setting,
  Translation,
  TranslationFinding,
  Trouble,
  UnmappedPolicy,
  Wanted,
} from './translation.ts';
