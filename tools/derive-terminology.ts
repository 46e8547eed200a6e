/**
 * For maintainers: derives HL7's own code systems and value sets for `src/r4` from HL7's packages.
 *
 *   npm pack hl7.terminology.r4@7.0.1 hl7.fhir.r4.examples@4.0.1
 *   node tools/derive-terminology.ts hl7.terminology.r4-7.0.1.tgz hl7.fhir.r4.examples-4.0.1.tgz
 *
 * Codes only: no displays, no definitions. One line for each code system and value set, in the notation that
 * `src/r4/definitions/hl7-terminology.ts` reads. HL7 Terminology is newer than R4 and goes before it; codes that only R4's
 * edition of a system had are kept, so that what was valid stays so.
 */
import type { CodeSystem, CodeSystemConcept, ValueSet, ValueSetComposeInclude } from '@medplum/fhirtypes';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGuidePackage, type GuideContent } from '../src/r4/guides/read-package.ts';

/** A code, and after it, where it has narrower ones, the list of them. */
type Tree = (string | Tree)[];

interface SystemRow {
  readonly codes: Tree;
  readonly also?: Record<string, string[]>;
  readonly abstract?: string[];
  readonly anyCase?: true;
}

const OWN_SYSTEM = /^http:\/\/(?:terminology\.hl7\.org\/CodeSystem|hl7\.org\/fhir)\//;
const OWN_SET = /^http:\/\/(?:terminology\.hl7\.org|hl7\.org\/fhir)\/ValueSet\//;

async function readPackage(file: string | undefined): Promise<GuideContent> {
  if (file === undefined) throw new Error('Name the packages: HL7 Terminology, and R4 with its examples.');
  const read = await readGuidePackage(readFileSync(file));
  if (!read.ok) throw new Error(`${file}: ${JSON.stringify(read.problems, null, 2)}`);
  return read.value;
}

const terminology = await readPackage(process.argv[2]);
const r4 = await readPackage(process.argv[3]);

interface Found {
  /** Code → its parents, in the order of the system. */
  readonly parents: Map<string, Set<string>>;
  readonly abstract: Set<string>;
}

function collect(
  concepts: readonly CodeSystemConcept[] = [],
  parent: string | undefined,
  isA: boolean,
  found: Found,
): void {
  for (const { code, concept, property = [] } of concepts) {
    const parents = found.parents.get(code) ?? new Set();
    found.parents.set(code, parents);
    if (isA && parent !== undefined) parents.add(parent);
    for (const { code: name, valueCode, valueBoolean } of property) {
      if (isA && (name === 'subsumedBy' || name === 'parent') && valueCode !== undefined) parents.add(valueCode);
      if ((name === 'notSelectable' || name === 'abstract') && valueBoolean === true) found.abstract.add(code);
    }
    collect(concept, code, isA, found);
  }
}

/** The codes as a tree by their first parents; the other parents apart. */
function describeSystem(systems: readonly CodeSystem[]): SystemRow {
  const found: Found = { parents: new Map(), abstract: new Set() };
  const [newest] = systems;
  for (const system of systems) {
    const isA = system === newest && (system.hierarchyMeaning ?? 'is-a') === 'is-a';
    collect(system.concept, undefined, isA, found);
  }
  const childrenOf = Map.groupBy(found.parents.keys(), (code) => {
    const [first] = found.parents.get(code) ?? [];
    return first !== undefined && found.parents.has(first) && first !== code ? first : '';
  });
  const build = (parent: string): Tree =>
    (childrenOf.get(parent) ?? []).flatMap((code) => {
      const inner = build(code);
      return inner.length === 0 ? [code] : [code, inner];
    });
  const also = Object.fromEntries(
    [...found.parents].flatMap(([code, parents]) => {
      const others = [...parents].slice(1).filter((one) => found.parents.has(one));
      return others.length === 0 ? [] : [[code, others]];
    }),
  );
  return {
    codes: build(''),
    ...(Object.keys(also).length > 0 ? { also } : {}),
    ...(found.abstract.size > 0 ? { abstract: [...found.abstract] } : {}),
    ...(newest?.caseSensitive === true ? {} : { anyCase: true }),
  };
}

function describeInclude({ system, concept, filter, valueSet }: ValueSetComposeInclude): unknown {
  return {
    ...(system === undefined ? {} : { system }),
    ...(concept === undefined ? {} : { codes: concept.map(({ code }) => code) }),
    ...(filter === undefined ? {} : { filters: filter.map(({ property, op, value }) => [property, op, value]) }),
    ...(valueSet === undefined ? {} : { sets: valueSet }),
  };
}

function write(name: string, rows: ReadonlyMap<string, unknown>): void {
  const lines = [...rows.keys()].sort().map((key) => `${JSON.stringify(key)}:${JSON.stringify(rows.get(key))}`);
  const file = join(import.meta.dirname, '..', 'src', 'r4', 'definitions', name);
  const text = `{\n${lines.join(',\n')}\n}\n`;
  writeFileSync(file, text);
  console.log(`${name}: ${lines.length} rows, ${text.length} bytes`);
}

const byUrl = <T extends { readonly url?: string }>(all: readonly T[], own: RegExp): Map<string, T[]> =>
  Map.groupBy(
    all.filter(({ url }) => url !== undefined && own.test(url)),
    ({ url = '' }) => url,
  );

/** A system that the newer package has only in part is not whole, though R4's edition of it was. */
const partial = new Set(terminology.codeSystems.filter(({ content }) => content !== 'complete').map(({ url }) => url));
const systems = byUrl(
  [...terminology.codeSystems, ...r4.codeSystems].filter(
    ({ content, url }) => content === 'complete' && !partial.has(url),
  ),
  OWN_SYSTEM,
);
const systemRows = new Map([...systems].map(([url, found]) => [url, describeSystem(found)]));

/** Whose codes may be listed here beside HL7's own. LOINC, SNOMED CT, DICOM and others are their owners' to list. */
const OPEN_SYSTEMS = new Set([
  'http://unitsofmeasure.org',
  'urn:ietf:bcp:13',
  'urn:ietf:bcp:47',
  'urn:ietf:rfc:3986',
  'urn:iso:std:iso:3166',
]);

/** Whether a set could be expanded from what is written here. */
function canExpand(set: ValueSet): boolean {
  const includes = [...(set.compose?.include ?? []), ...(set.compose?.exclude ?? [])];
  return (
    includes.length > 0 &&
    includes.every(
      ({ system, concept }) =>
        system === undefined || systemRows.has(system) || (concept !== undefined && OPEN_SYSTEMS.has(system)),
    )
  );
}

const sets = byUrl([...terminology.valueSets, ...r4.valueSets], OWN_SET);

/** Of HL7 version 3's many sets those that R4 names, and what they are made of. */
const wanted = new Set([
  ...r4.valueSets.map(({ url }) => url ?? ''),
  ...[...sets.keys()].filter((url) => !/\/v3-/.test(url)),
]);
for (const url of wanted)
  for (const { valueSet = [] } of sets.get(url)?.[0]?.compose?.include ?? [])
    for (const one of valueSet) wanted.add(one.replace(/\|.*$/, ''));

const setRows = new Map(
  [...sets].flatMap(([url, [set]]) => {
    if (set?.compose === undefined || !wanted.has(url) || !canExpand(set)) return [];
    const { include, exclude } = set.compose;
    const row = {
      ...(set.version === undefined ? {} : { version: set.version }),
      include: include.map(describeInclude),
      ...(exclude === undefined ? {} : { exclude: exclude.map(describeInclude) }),
    };
    return [[url, row] as const];
  }),
);

write('code-systems.json', systemRows);
write('value-set-definitions.json', setRows);
