import type { CodeSystem, StructureDefinition, ValueSet } from '@medplum/fhirtypes';
import { isObject } from '../../kernel/index.ts';
import { JSON_LIMITS } from '../json/limits.ts';
import { isWithin } from '../json/parse-lossless.ts';
import { scanBytes } from '../json/scan-bytes.ts';
import { checkShape } from './check-shape.ts';
import { isR4Version, type GuideProblem, type GuideResult } from './guide-problem.ts';
import { leaveOutWords } from './leave-out-words.ts';

/** What a guide defines. Texts that only people read (narrative, displays, comments, mappings) are left out. */
export interface GuideContent {
  readonly name: string;
  readonly version: string;
  readonly fhirVersions: readonly string[];
  /** Package → version, as the package names them. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly structures: readonly StructureDefinition[];
  readonly valueSets: readonly ValueSet[];
  readonly codeSystems: readonly CodeSystem[];
  /** Canonical address → the file that defines it. */
  readonly files: ReadonlyMap<string, string>;
  /** The files of the folder `example`, by name. */
  readonly examples: readonly string[];
}

/** Gathers the files of one guide, in any order, with all that is wrong with them. */
export interface GuideCollector {
  readonly add: (name: string, bytes: Uint8Array) => void;
  readonly addExample: (name: string) => void;
  readonly refuse: (code: string, file: string, path: string, text: string) => void;
  readonly finish: () => GuideResult<GuideContent>;
}

/** The definitions stand beside package.json; folders hold examples and other renderings of the same. */
export const isDefinitionFile = (name: string): boolean => /^[^/]+\.json$/.test(name) && !name.startsWith('.');
export const isExampleFile = (name: string): boolean => /^examples?\/[^/.][^/]*\.json$/.test(name);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly fhirVersions: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}

type Refuse = GuideCollector['refuse'];

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function readManifest(content: Readonly<Record<string, unknown>>, refuse: Refuse): Manifest {
  const bad = (path: string, text: string): void => refuse('package-json-shape', 'package.json', path, text);
  const { name, version, dependencies = {} } = content;
  if (typeof name !== 'string' || name === '') bad('name', 'A package has a name');
  if (typeof version !== 'string' || version === '') bad('version', 'A package has a version');
  const named = content['fhirVersions'] ?? content['fhir-version-list'] ?? content['fhirVersion'];
  const versions = typeof named === 'string' ? [named] : named;
  const fhirVersions = isTextList(versions) ? versions : [];
  if (fhirVersions.length === 0)
    refuse('fhir-version-missing', 'package.json', 'fhirVersions', 'The package does not say for which FHIR it is');
  else if (!fhirVersions.some(isR4Version))
    refuse(
      'fhir-version',
      'package.json',
      'fhirVersions',
      `It is for FHIR ${fhirVersions.join(', ')}, not for R4 (4.0)`,
    );
  const pairs = isObject(dependencies) ? Object.entries(dependencies) : [];
  if (!isObject(dependencies) || pairs.some(([, one]) => typeof one !== 'string'))
    bad('dependencies', 'Each dependency is a package and its version');
  return {
    name: String(name),
    version: String(version),
    fhirVersions,
    dependencies: Object.fromEntries(pairs.map(([key, one]) => [key, String(one)])),
  };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

interface Parsed {
  readonly value: unknown;
  /** How many values, keys and brackets the text holds: what keeping it costs, whatever its size in bytes. */
  readonly values: number;
}

function parse(bytes: Uint8Array): Parsed | { readonly code: string; readonly text: string } {
  const scan = scanBytes(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (scan.depth > JSON_LIMITS.depthMax)
    return { code: 'json-too-deep', text: `It is nested deeper than ${JSON_LIMITS.depthMax}` };
  if (!isWithin(scan, JSON_LIMITS))
    return { code: 'json-too-many-values', text: `It holds more than ${JSON_LIMITS.tokensMax} values` };
  try {
    return { value: JSON.parse(decoder.decode(bytes)) as unknown, values: scan.tokens + scan.keys };
  } catch (error) {
    // By name, because a realm other than ours may have made it: bytes that are no UTF-8, or a text that is no JSON.
    const name = (error as Error | undefined)?.name;
    if (name === 'TypeError') return { code: 'json-unreadable', text: 'It is not UTF-8' };
    if (name === 'SyntaxError') return { code: 'json-unreadable', text: 'It is not JSON' };
    throw error;
  }
}

/** Enough to see what is wrong with one file. */
const SHAPE_PROBLEMS_MAX = 20;

function isSound(resource: Readonly<Record<string, unknown>>, type: string, file: string, refuse: Refuse): boolean {
  let count = 0;
  checkShape(resource, type, type, (path, text) => {
    if (++count <= SHAPE_PROBLEMS_MAX) refuse('definition-shape', file, path, text);
  });
  const fhirVersion = type === 'StructureDefinition' ? resource['fhirVersion'] : undefined;
  const isOther = typeof fhirVersion === 'string' && !isR4Version(fhirVersion);
  if (isOther) refuse('fhir-version', file, `${type}.fhirVersion`, `It is for FHIR ${fhirVersion}, not for R4 (4.0)`);
  return count === 0 && !isOther;
}

/** What all definitions of a guide may cost together, in memory. */
export interface GuideLimits {
  readonly definitionBytesMax: number;
  readonly definitionValuesMax: number;
}

/** Makes the collector of one guide. `finish` may be asked once, after everything was added. */
export function makeGuideCollector({ definitionBytesMax, definitionValuesMax }: GuideLimits): GuideCollector {
  const problems: GuideProblem[] = [];
  const structures: StructureDefinition[] = [];
  const valueSets: ValueSet[] = [];
  const codeSystems: CodeSystem[] = [];
  const files = new Map<string, string>();
  const examples: string[] = [];
  let manifest: Manifest | 'missing' = 'missing';
  let [bytesTotal, valuesTotal] = [0, 0];

  const refuse: Refuse = (code, file, path, text) => void problems.push({ code, file, path, text });

  function addDefinition(resource: Readonly<Record<string, unknown>>, type: string, file: string): void {
    const { url } = resource;
    const other = typeof url === 'string' ? files.get(url) : undefined;
    if (typeof url !== 'string' || url === '')
      refuse('url-missing', file, `${type}.url`, `A ${type} of a guide has an address`);
    else if (other !== undefined) refuse('url-duplicate', file, `${type}.url`, `${other} defines ${url} too`);
    else files.set(url, file);
    const slim: unknown = leaveOutWords(resource);
    if (!isSound(slim as typeof resource, type, file, refuse)) return;
    if (type === 'ValueSet') valueSets.push(slim as ValueSet);
    else if (type === 'CodeSystem') codeSystems.push(slim as CodeSystem);
    else structures.push(slim as StructureDefinition);
  }

  /** Whether the guide is still within its limits with one more definition; the first beyond them is told of. */
  function isAffordable(bytes: number, values: number, file: string): boolean {
    const wasWithin = bytesTotal <= definitionBytesMax && valuesTotal <= definitionValuesMax;
    bytesTotal += bytes;
    valuesTotal += values;
    const isWithinNow = bytesTotal <= definitionBytesMax && valuesTotal <= definitionValuesMax;
    if (wasWithin && !isWithinNow) {
      const text = `The definitions together are larger than ${definitionBytesMax} bytes or ${definitionValuesMax} values`;
      refuse('guide-too-large', file, '', text);
    }
    return isWithinNow;
  }

  function addValue({ value, values }: Parsed, bytes: number, file: string): void {
    if (file === 'package.json') {
      manifest = readManifest(isObject(value) ? value : {}, refuse);
      return;
    }
    // Guides carry other files beside their definitions, some of which are no resources.
    const type = isObject(value) ? value['resourceType'] : undefined;
    if (!isObject(value) || (type !== 'StructureDefinition' && type !== 'ValueSet' && type !== 'CodeSystem')) return;
    if (isAffordable(bytes, values, file)) addDefinition(value, type, file);
  }

  return {
    refuse,
    addExample: (name) => void examples.push(name),
    add(file, bytes) {
      const read = parse(bytes);
      if ('code' in read) refuse(read.code, file, '', read.text);
      else addValue(read, bytes.length, file);
    },
    finish() {
      // What has no file is wrong with the archive: whether the rest of it has a package.json, nobody knows.
      const isUnread = problems.some(({ file }) => file === 'package.json' || file === '');
      if (manifest === 'missing' && !isUnread)
        refuse('package-json-missing', 'package.json', '', 'A FHIR package has a package.json beside its definitions');
      if (problems.length > 0 || manifest === 'missing') return { ok: false, problems };
      return { ok: true, value: { ...manifest, structures, valueSets, codeSystems, files, examples } };
    },
  };
}
