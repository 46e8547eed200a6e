export { translate, type TranslateQuestion } from './translate.ts';
export { withoutReferences } from './lab/map-references.ts';
export { asAmended, asRetracted, isRetractable, isWithdrawn } from './restate.ts';
export type {
  CustomContent,
  Decision,
  DeliveryFacts,
  FindingCode,
  Group,
  LinkedPatient,
  Scope,
  Setting,
  Translation,
  TranslationFinding,
  Wanted,
} from './translation.ts';
