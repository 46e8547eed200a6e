import type { CodeSystem, ConceptMap } from '@medplum/fhirtypes';
import { createHash } from 'node:crypto';
import { fail, ok, type Result } from '../kernel/index.ts';
import { loadValidator, parseLossless, type Validator } from '../r4/index.ts';
import { buildConsistency } from './build-consistency.ts';
import { buildConversions } from './build-conversions.ts';
import { buildDialects } from './build-dialects.ts';
import { LAB_FORM, buildLabs } from './build-labs.ts';
import { buildLocal } from './build-local.ts';
import { METRIC_FORM, PROFILE_FORM, SIGNAL_FORM, buildMetrics, buildProfile, buildSignals } from './build-metrics.ts';
import { buildPlausibility } from './build-plausibility.ts';
import { buildStandard } from './build-standard.ts';
import {
  CATEGORY_FORM,
  PANEL_FORM,
  DEVICE_FORM,
  INTERPRETATION_FORM,
  SNOMED_FORM,
  UNIT_FORM,
  buildUnitTexts,
  buildWords,
  checkInterpretations,
} from './build-words.ts';
import { checkConversions } from './check-conversions.ts';
import { checkUnitTexts } from './check-unit-texts.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { Mappings, SourceUris } from './mapping.ts';
import type { Problem, Report } from './problem.ts';
import { readConceptMap, type MapForm, type MapRow } from './read-concept-map.ts';
import { UNITS_FILE } from './read-units.ts';
import { URIS_FILE, checkSourceUris } from './source-uris.ts';
import { LOCAL } from './systems.ts';

/** The files of the mapping data by their name below the folder: `units.json`, `dialects/default.json`. */
export type MappingFiles = ReadonlyMap<string, Uint8Array>;

const LOCAL_FILE = 'codesystem-local.json';
const PLAUSIBILITY_FILE = 'plausibility.json';

const MAPS = {
  metrics: ['conceptmap-metrics.json', METRIC_FORM],
  signals: ['conceptmap-alert-signals.json', SIGNAL_FORM],
  profile: ['conceptmap-profile-metrics.json', PROFILE_FORM],
  labs: ['conceptmap-lab-names.json', LAB_FORM],
  panels: ['conceptmap-lab-panels.json', PANEL_FORM],
  units: ['conceptmap-units.json', UNIT_FORM],
  categories: ['conceptmap-categories.json', CATEGORY_FORM],
  interpretation: ['conceptmap-interpretation.json', INTERPRETATION_FORM],
  deviceTypes: ['conceptmap-device-types.json', DEVICE_FORM],
  qualitative: ['conceptmap-qualitative-snomed.json', SNOMED_FORM],
  specimens: ['conceptmap-specimens-snomed.json', SNOMED_FORM],
} as const satisfies Record<string, readonly [string, MapForm]>;

/** SNOMED CT needs a licence in many countries: whoever has none deletes these. */
const OPTIONAL: readonly string[] = [MAPS.qualitative[0], MAPS.specimens[0]];

const KNOWN = [
  LOCAL_FILE,
  UNITS_FILE,
  'dialects/default.json',
  PLAUSIBILITY_FILE,
  URIS_FILE,
  ...Object.values(MAPS).map(([file]) => file),
];
const isDialect = (name: string): boolean => /^dialects\/[^/]+\.json$/.test(name);

function versionOf(files: MappingFiles): string {
  const hash = createHash('sha256');
  for (const name of [...files.keys()].sort()) {
    const bytes = files.get(name) ?? new Uint8Array();
    hash.update(JSON.stringify([name, bytes.length])).update(bytes);
  }
  return hash.digest('hex');
}

function readJson(files: MappingFiles, validator: Validator, report: Report): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, bytes] of files) {
    if (/^(?:conceptmap|codesystem)-/.test(name)) {
      const checked = validator.checkText(bytes);
      for (const { expression, text } of checked.issues) report(name, `${expression} ${text}`.trim());
      if (checked.kind === 'read' && checked.issues.length === 0) values.set(name, checked.value);
      continue;
    }
    const parsed = parseLossless(bytes);
    if (parsed.ok) values.set(name, parsed.value);
    else report(name, parsed.fault.text);
  }
  return values;
}

/**
 * Pure. All problems at once, or sound data: check digits, UCUM, dimensions, conversions there and back and against
 * known pairs, valid R4, no key twice, every row with its source and reviewer.
 */
export function buildMappings(
  files: MappingFiles,
  options: { readonly uris: SourceUris | null },
): Result<Mappings, readonly Problem[]> {
  const problems: Problem[] = [];
  const report: Report = (row, text) => problems.push({ row, text });
  for (const name of KNOWN) if (!files.has(name) && !OPTIONAL.includes(name)) report(name, 'is missing');
  for (const name of files.keys()) if (!KNOWN.includes(name) && !isDialect(name)) report(name, 'is not known');
  const values = readJson(files, loadValidator(), report);

  const system = values.get(LOCAL_FILE) as CodeSystem | undefined;
  const codings = system === undefined ? new Map<string, never>() : buildLocal(LOCAL_FILE, system, report);
  const localCodes = new Set(codings.keys());
  const rowsOf = (map: keyof typeof MAPS): MapRow[] => {
    const [file, form] = MAPS[map];
    const value = values.get(file) as ConceptMap | undefined;
    return value === undefined ? [] : readConceptMap(file, value, form, localCodes, report);
  };

  const shipped = values.has(URIS_FILE) ? checkSourceUris(values.get(URIS_FILE), URIS_FILE, report) : null;
  const uris = options.uris ?? shipped;
  const metrics = buildMetrics(
    rowsOf('metrics'),
    (uri) => (uri === shipped?.code && uris !== null ? uris.code : uri),
    report,
  );
  const signals = buildSignals(rowsOf('signals'), report);
  const findProfileMetric = buildProfile(rowsOf('profile'), report);
  const labs = buildLabs(rowsOf('labs'), report);
  const unitRows = rowsOf('units');
  const findUnit = buildUnitTexts(unitRows);
  checkUnitTexts(findUnit, [...metrics.rows, ...signals.rows], labs.rows, report);
  const interpretations = rowsOf('interpretation');
  checkInterpretations(interpretations, report);
  const conversions = buildConversions(values.get(UNITS_FILE), report);
  checkConversions(conversions, report);
  const findPlausibility = buildPlausibility(
    values.get(PLAUSIBILITY_FILE),
    { conversions, localCodes, metrics: [...metrics.rows, ...signals.rows] },
    report,
  );
  const consistency = buildConsistency(values.get(PLAUSIBILITY_FILE), metrics.rows, report);
  const dialects = buildDialects(new Map([...values].filter(([name]) => isDialect(name))), report);
  const [panels, categories, deviceTypes] = [rowsOf('panels'), rowsOf('categories'), rowsOf('deviceTypes')];
  const [qualitative, specimens] = [rowsOf('qualitative'), rowsOf('specimens')];
  if (problems.length > 0 || uris === null) return fail(problems);
  const standard = buildStandard(metrics.entries);
  const watched = new Set(signals.rows.map(({ codings }) => codings[0]?.code));
  const panelCodes = new Set(panels.map(({ target }) => target.code));

  return ok(
    deepFreeze({
      version: versionOf(files),
      uris,
      dialects,
      findMetric: metrics.find,
      findStandard: standard.find,
      loincsOf: standard.loincsOf,
      findSignal: signals.find,
      isWatched: (code) => watched.has(code),
      readingsUnder: metrics.readingsUnder,
      findProfileMetric,
      findLab: labs.find,
      findArbitrary: labs.findArbitrary,
      checkLabCode: (code, question) => (panelCodes.has(code) ? 'known' : labs.checkCode(code, question)),
      labLoincsOf: labs.loincsOf,
      findPanel: buildWords(panels, PANEL_FORM),
      findUnit,
      findCategory: buildWords(categories, CATEGORY_FORM),
      findInterpretation: buildWords(interpretations, INTERPRETATION_FORM),
      findDeviceType: buildWords(deviceTypes, DEVICE_FORM),
      findQualitative: buildWords(qualitative, SNOMED_FORM),
      findSpecimen: buildWords(specimens, SNOMED_FORM),
      local: (code) => codings.get(code) ?? { system: LOCAL, code },
      consistency,
      findPlausibility,
      convert: (digits, from, to, decimalsMax) => conversions.convert(digits, from, to, decimalsMax),
      convertSubstance: (code, digits, from, to, decimalsMax) =>
        conversions.convert(digits, from, to, decimalsMax, code),
    } satisfies Mappings),
  );
}
