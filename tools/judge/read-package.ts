import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isObject, textOf, type JsonObject } from './json-sites.ts';

export interface GuidePackage {
  readonly name: string;
  readonly version: string;
  /** Profiles, value sets and the like: the files beside package.json. */
  readonly definitions: readonly JsonObject[];
  readonly examples: readonly JsonObject[];
}

interface PackageFile {
  readonly path: string;
  readonly text: string;
}

const BLOCK = 512;

/** The regular files of a tar archive. Longer names than the header holds are given by the entry before (pax, GNU). */
function readTar(bytes: Buffer): readonly PackageFile[] {
  const files: PackageFile[] = [];
  const field = (from: number, length: number): string =>
    bytes.toString('utf8', from, from + length).replace(/\0.*$/s, '');
  let longName: string | null = null;
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const name = field(at, 100);
    if (name === '') break;
    const size = Number.parseInt(field(at + 124, 12).trim(), 8);
    const kind = field(at + 156, 1);
    const prefix = field(at + 345, 155);
    const body = (): string => bytes.toString('utf8', at + BLOCK, at + BLOCK + size);
    if (kind === 'x') longName = /\d+ path=(.*)\n/.exec(body())?.[1] ?? null;
    else if (kind === 'L') longName = body().replace(/\0.*$/s, '');
    else {
      if (kind === '0' || kind === '')
        files.push({ path: longName ?? (prefix === '' ? name : `${prefix}/${name}`), text: body() });
      longName = null;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

function readFolder(folder: string, under: string): readonly PackageFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'example' ? readFolder(path, `${under}example/`) : [];
    return entry.name.endsWith('.json') ? [{ path: `${under}${entry.name}`, text: readFileSync(path, 'utf8') }] : [];
  });
}

/** A FHIR NPM package, as .tgz or as unpacked folder. */
export function readPackage(path: string): GuidePackage {
  const files = statSync(path).isDirectory()
    ? readFolder(existsSync(join(path, 'package')) ? join(path, 'package') : path, 'package/')
    : readTar(gunzipSync(readFileSync(path)));
  const definitions: JsonObject[] = [];
  const examples: JsonObject[] = [];
  let manifest: JsonObject = {};
  for (const { path: name, text } of files) {
    const place = /^package\/(example\/)?[^/]+\.json$/.exec(name);
    if (place === null) continue;
    const json: unknown = JSON.parse(text);
    if (!isObject(json)) continue;
    if (name === 'package/package.json') manifest = json;
    else if (typeof json['resourceType'] === 'string') (place[1] === undefined ? definitions : examples).push(json);
  }
  return { name: textOf(manifest['name']), version: textOf(manifest['version']), definitions, examples };
}
