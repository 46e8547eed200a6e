export type {
  CodeRow,
  Converted,
  Dialect,
  Equivalence,
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
  UnitRow,
} from './mapping.ts';
export { MappingsError, type Problem } from './problem.ts';
export { SHIPPED_FOLDER, readSourceUris } from './source-uris.ts';
export { buildMappings, type MappingFiles } from './build-mappings.ts';
export { loadMappings, readMappingFiles } from './load-mappings.ts';
export { recogniseDialect, type Told } from './recognise-dialect.ts';
