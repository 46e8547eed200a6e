import { pipeline, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { isDefinitionFile, isExampleFile, makeGuideCollector } from './collect-guide.ts';
import type { GuideCollector, GuideContent, GuideLimits } from './collect-guide.ts';
import type { GuideResult } from './guide-problem.ts';
import { isUnsafeName, readTar, type TarItem } from './read-tar.ts';

export type { GuideContent } from './collect-guide.ts';

/** What a package may cost. Defaults: HL7's own largest packages pass, a bomb is refused before it has unfolded. */
export interface PackageLimits extends GuideLimits {
  readonly archiveBytesMax: number;
  readonly unpackedBytesMax: number;
  readonly fileBytesMax: number;
  readonly filesMax: number;
}

export const PACKAGE_LIMITS: PackageLimits = {
  archiveBytesMax: 64 * 1024 * 1024,
  unpackedBytesMax: 512 * 1024 * 1024,
  fileBytesMax: 48 * 1024 * 1024,
  filesMax: 20_000,
  definitionBytesMax: 128 * 1024 * 1024,
  definitionValuesMax: 4_000_000,
};

/** How long one turn of the event loop may be used before others get theirs. */
const TURN_MS = 10;
const PIECE_BYTES = 256 * 1024;
const FOLDER = 'package/';

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** What the reader found before the stream gave out, told by a code instead of an exception. */
interface Unpacking {
  ended?: { readonly code: string; readonly text: string };
}

const GZIP_FAULTS: Readonly<Record<string, string>> = { Z_BUF_ERROR: 'archive-truncated' };

/** Unpacks gzip; ends early, and says why in `unpacking`, where the bytes are none or more than the limit. */
async function* gunzip(bytes: Uint8Array, limit: number, unpacking: Unpacking): AsyncGenerator<Uint8Array> {
  const stream = createGunzip({ chunkSize: PIECE_BYTES });
  pipeline(Readable.from(piecesOf(bytes)), stream, () => undefined);
  let total = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      total += chunk.length;
      if (total > limit) {
        unpacking.ended = { code: 'archive-unpacked-too-large', text: `It unpacks to more than ${limit} bytes` };
        return;
      }
      yield chunk;
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
    if (!code.startsWith('Z_')) throw error;
    unpacking.ended = { code: GZIP_FAULTS[code] ?? 'archive-not-gzip', text: 'The bytes are not a whole gzip archive' };
  } finally {
    stream.destroy();
  }
}

function takeItem(item: TarItem, collector: GuideCollector, unpacking: Unpacking): void {
  const name = item.name.startsWith(FOLDER) ? item.name.slice(FOLDER.length) : item.name;
  if (item.kind === 'file') collector.add(name, item.bytes);
  else if (item.kind === 'passed') {
    if (item.name.startsWith(FOLDER) && isExampleFile(name)) collector.addExample(name);
  } else if (item.name !== '' || unpacking.ended === undefined) collector.refuse(item.code, name, '', item.text);
}

/** Gives way to the event loop whenever a turn is used up. */
function makeGiveWay(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await nextTurn();
    since = performance.now();
  };
}

/**
 * Reads a FHIR NPM package (a gzip tar). Fails with every problem of its files at once; what makes the archive itself
 * unreadable ends the reading.
 */
export async function readGuidePackage(
  bytes: Uint8Array,
  limits: Partial<PackageLimits> = {},
): Promise<GuideResult<GuideContent>> {
  const all = { ...PACKAGE_LIMITS, ...limits };
  const collector = makeGuideCollector(all);
  if (bytes.length > all.archiveBytesMax) {
    collector.refuse('archive-too-large', '', '', `The archive is larger than ${all.archiveBytesMax} bytes`);
    return collector.finish();
  }
  const unpacking: Unpacking = {};
  const isWanted = (name: string): boolean => name.startsWith(FOLDER) && isDefinitionFile(name.slice(FOLDER.length));
  const giveWay = makeGiveWay();
  for await (const item of readTar(gunzip(bytes, all.unpackedBytesMax, unpacking), isWanted, all)) {
    takeItem(item, collector, unpacking);
    await giveWay();
  }
  if (unpacking.ended !== undefined) collector.refuse(unpacking.ended.code, '', '', unpacking.ended.text);
  return collector.finish();
}

/**
 * Reads the files of an unpacked package, named relative to the folder that holds package.json. Limits as of an archive,
 * as far as they apply.
 */
export async function readGuideFiles(
  files: Iterable<readonly [name: string, bytes: Uint8Array]>,
  limits: Partial<PackageLimits> = {},
): Promise<GuideResult<GuideContent>> {
  const all = { ...PACKAGE_LIMITS, ...limits };
  const collector = makeGuideCollector(all);
  const giveWay = makeGiveWay();
  let count = 0;
  for (const [name, bytes] of files) {
    if (++count > all.filesMax) {
      collector.refuse('archive-files-too-many', '', '', `The folder holds more than ${all.filesMax} files`);
      break;
    }
    if (isUnsafeName(name)) collector.refuse('archive-path-unsafe', name, '', 'The path leads out of the package');
    else if (isExampleFile(name)) collector.addExample(name);
    else if (isDefinitionFile(name) && bytes.length > all.fileBytesMax)
      collector.refuse('file-too-large', name, '', `It is larger than ${all.fileBytesMax} bytes`);
    else if (isDefinitionFile(name)) collector.add(name, bytes);
    await giveWay();
  }
  return collector.finish();
}
