/**
 * FHIR R4 for anyone: a compiled strict validator, lossless JSON, reference walking and the patient compartment.
 * Knows nothing of the gateway.
 */
export { type Issue } from './issue.ts';
export { RULES } from './rules.ts';
export { onOutermost, type ValidatorOptions } from './engine.ts';
export { loadValidator, type Validator } from './load-validator.ts';
export { type Checked } from './check-text.ts';
export { type Judged } from './elsewhere/judged.ts';
export { prepareValidator } from './compiled/prepare-validator.ts';
export { type ProfileName, PROFILE_NAMES } from './profiles/index.ts';
export { toOperationOutcome } from './outcome.ts';
export { parseInChunks } from './check-in-chunks.ts';
export { digitsOf, numberOf, numberValue } from './runtime/raw-number.ts';
export { isElement } from './runtime/is-element.ts';
export { isUcum, measureUcum, type UcumMeasure } from './runtime/ucum.ts';
export { hasByteOrderMark } from './json/read-text.ts';
export { findExcess, parseLossless } from './json/parse-lossless.ts';
export { makeParseRecurring, type ParseRecurring } from './json/parse-recurring.ts';
export { isLastingElement } from './json/recurring-elements.ts';
export { type JsonFault, type JsonRule, JSON_RULES } from './json/json-fault.ts';
export { type JsonLimits, JSON_LIMITS } from './json/limits.ts';
export { walkReferences, rewriteReferences, type FoundReference } from './references/walk-references.ts';
export { compartmentParams, isInCompartment, COMPARTMENT_TYPES } from './compartment/patient-compartment.ts';
export { RESOURCE_TYPES, isResourceType } from './resource-types.ts';
export { searchParamsOf, type SearchParam } from './search/search-params.ts';
export { type Fit } from './search/compare-dates.ts';
export {
  compareSearch,
  elementsOfParam,
  isComparable,
  isMatchable,
  knownParam,
  matchesSearch,
  meetsByPart,
} from './search/compare-search.ts';
export { localReference, splitSearchValue, unescapeSearchValue, valuesOfParam } from './search/match-search.ts';
export {
  makeScanSearchset,
  type LocatedElement,
  type ScannedEntry,
  type ScannedSearchset,
  type ScanSearchset,
} from './search/scan-searchset.ts';
export { daysOfDate, daysOfParam, type DaySpan } from './search/days-of-param.ts';
export { mandatoryElements } from './definitions/mandatory-elements.ts';
export { summarize } from './definitions/summarize.ts';
export { compileGuides } from './compile-guides.ts';
export { PACKAGE_LIMITS, readGuideFiles, readGuidePackage, type GuideContent } from './guides/read-package.ts';
export { type GuideProblem, type GuideResult } from './guides/guide-problem.ts';
export { type ProfileSet } from './profile-engine/make-profile-set.ts';
export { type CompileSlowly, type NotChecked } from './profile-engine/profile-source.ts';
