import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../kernel/index.ts';
import {
  PACKAGE_LIMITS,
  readGuideFiles,
  readGuidePackage,
  type GuideContent,
  type GuideProblem,
  type GuideResult,
} from '../r4/index.ts';

/** A guide and the digest of the bytes that it was read from. */
export interface LoadedGuide {
  readonly content: GuideContent;
  readonly digest: string;
}

interface GuideName {
  readonly name: string;
  readonly version: string;
}

const refusal = (
  code: string,
  file: string,
  text: string,
): { readonly ok: false; readonly problems: GuideProblem[] } => ({
  ok: false,
  problems: [{ code, file, path: '', text }],
});

/** What stands in a folder, or in its folder `package`, as an archive would hold it. */
async function readFolder(folder: string): Promise<readonly (readonly [string, Uint8Array])[] | 'too-many'> {
  const names = await readdir(folder);
  if (!names.includes('package.json') && names.includes('package')) return readFolder(join(folder, 'package'));
  const files = names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
  if (files.length > PACKAGE_LIMITS.filesMax) return 'too-many';
  return Promise.all(files.map(async (name) => [name, await readFile(join(folder, name))] as const));
}

async function readFrom(path: string): Promise<GuideResult<LoadedGuide>> {
  const hash = createHash('sha256');
  const found = await stat(path);
  if (found.size > PACKAGE_LIMITS.archiveBytesMax)
    return refusal('archive-too-large', '', `The archive is larger than ${PACKAGE_LIMITS.archiveBytesMax} bytes.`);
  let read: GuideResult<GuideContent>;
  if (found.isDirectory()) {
    const files = await readFolder(path);
    if (files === 'too-many')
      return refusal('archive-files-too-many', '', `The folder holds more than ${PACKAGE_LIMITS.filesMax} files.`);
    for (const [name, bytes] of files) hash.update(name).update(bytes);
    read = await readGuideFiles(files);
  } else {
    const bytes = await readFile(path);
    hash.update(bytes);
    read = await readGuidePackage(bytes);
  }
  return read.ok ? { ok: true, value: { content: read.value, digest: hash.digest('hex') } } : read;
}

/** A guide from a FHIR package (`.tgz`) or from the folder that one was unpacked to. */
export async function loadGuide(path: string): Promise<GuideResult<LoadedGuide>> {
  try {
    const read = await readFrom(path);
    if (read.ok) return read;
    return { ok: false, problems: read.problems.map((one) => ({ ...one, file: join(path, one.file) })) };
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === null) throw thrown;
    return refusal('guide-unreadable', path, `It cannot be read (${code}).`);
  }
}

async function findGuide(folder: string, { name, version }: GuideName): Promise<string | null> {
  const wanted = [`${name}-${version}`, `${name}#${version}`, name].flatMap((one) => [`${one}.tgz`, one]);
  for (const one of wanted) {
    const path = join(folder, one);
    if (
      await stat(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return null;
}

async function loadNamed(folder: string, wanted: GuideName): Promise<GuideResult<LoadedGuide>> {
  const { name, version } = wanted;
  const path = await findGuide(folder, wanted);
  if (path === null)
    return refusal('guide-missing', folder, `There is no ${name}-${version}.tgz and no folder ${name}-${version}.`);
  const loaded = await loadGuide(path);
  if (!loaded.ok) return loaded;
  const { content } = loaded.value;
  if (content.name === name && content.version === version) return loaded;
  return refusal('guide-version', path, `It is ${content.name}#${content.version}, not ${name}#${version}.`);
}

const NAMED = /^(?<name>[A-Za-z0-9][\w.-]*)#(?<version>[\w.+-]+)$/;

/**
 * The guides that a setting names, `NAME#VERSION` in the folder of guides and paths as they are; with every problem of
 * all of them.
 */
export async function loadGuides(
  folder: string,
  wanted: readonly string[],
): Promise<GuideResult<readonly LoadedGuide[]>> {
  const all = await Promise.all(
    wanted.map((text) => {
      const { name, version } = NAMED.exec(text)?.groups ?? {};
      return name === undefined || version === undefined ? loadGuide(text) : loadNamed(folder, { name, version });
    }),
  );
  const problems = all.flatMap((one) => (one.ok ? [] : one.problems));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: all.flatMap((one) => (one.ok ? [one.value] : [])) };
}

/** One line for each problem, for a person. */
export const problemLines = (problems: readonly GuideProblem[]): readonly string[] =>
  problems.map(({ code, file, path, text }) => `${file}${path === '' ? '' : ` ${path}`}: ${text} (${code})`);
