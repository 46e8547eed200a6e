export { translate, type TranslateQuestion } from './translate.ts';
export { imposedProfiles } from './dialect/imposed-profiles.ts';
export { withoutReferences } from './lab/map-references.ts';
export { NOT_RECEIVED } from './translation.ts';
export { claimsIn, type IdentityClaims } from './lab/claims.ts';
export { hasMeaning, isTelling, meaningOf, meaningOfText, meaningText } from './meaning.ts';
export { isSharedElement } from './shared-elements.ts';
export { referenceTo } from './name.ts';
export { isZoned } from './times.ts';
export {
  asAmended,
  asRetracted,
  isRetractable,
  isWithdrawn,
  WITHDRAWN_BECAUSE,
  type WithdrawnBecause,
} from './restate.ts';
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
