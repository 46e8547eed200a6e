import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGuideFiles, type GuideContent } from '../../src/r4/index.ts';

/**
 * Guides of our own that use every feature of profiles, and resources that must meet them or not. What is expected was
 * written from the specification; where the HAPI validator differs, the case says so.
 */
export const OWN_GUIDES = join(import.meta.dirname, '../fixtures/guides');

export interface GuideCase {
  readonly name: string;
  readonly profile?: string;
  readonly profiles?: readonly string[];
  readonly expected: 'valid' | 'invalid';
  readonly resource: unknown;
}

export async function readOwnGuide(name: string): Promise<GuideContent> {
  const folder = join(OWN_GUIDES, name, 'package');
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const read = await readGuideFiles(files.map((file) => [file, readFileSync(join(folder, file))] as const));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

export const readOwnGuides = (): Promise<GuideContent[]> =>
  Promise.all(
    readdirSync(OWN_GUIDES)
      .filter((name) => existsSync(join(OWN_GUIDES, name, 'package')))
      .map(readOwnGuide),
  );

export const readGuideCases = (): GuideCase[] =>
  readdirSync(join(OWN_GUIDES, 'cases')).flatMap(
    (file) => JSON.parse(readFileSync(join(OWN_GUIDES, 'cases', file), 'utf8')) as GuideCase[],
  );
