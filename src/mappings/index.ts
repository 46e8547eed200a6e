export type {
  CodeRow,
  ConsistencyRow,
  Converted,
  Dialect,
  Equivalence,
  ImposedProfile,
  LabCodeFound,
  LabFound,
  LabQuestion,
  LabRow,
  MappedCoding,
  Mappings,
  MetricQuestion,
  MetricRow,
  Origin,
  PlausibilityRow,
  Range,
  SourceUris,
  StandardFound,
  StandardQuestion,
  UnitRow,
} from './mapping.ts';
export { isLoinc } from './check-code.ts';
export { deepFreeze } from './deep-freeze.ts';
export { MappingsError, type Problem } from './problem.ts';
export { SHIPPED_FOLDER, readSourceUris } from './source-uris.ts';
export { buildMappings, type MappingFiles } from './build-mappings.ts';
export { makeFindLine } from './find-lines.ts';
export { listRows, type ListedRow } from './list-rows.ts';
export { loadMappings, readMappingFiles } from './load-mappings.ts';
export { makeProposeRows, type Proposal } from './propose-rows.ts';
export { recogniseDialect, type EhrSelfDescription } from './recognise-dialect.ts';
