import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from '@jest/globals';
import YAML from 'yaml';
import { KEYS, type Key } from '../../src/config/index.ts';
import { read } from './source-files.ts';

export type Tree = Readonly<Record<string, unknown>>;

/** A file of YAML with one document; `<<` is resolved. */
export const readYaml = (path: string): Tree => YAML.parse(read(path), { merge: true }) as Tree;

/** Several documents; those without content are left out. */
export const parseYamls = (text: string): Tree[] =>
  YAML.parseAllDocuments(text)
    .map((document): unknown => {
      const [problem] = document.errors;
      if (problem !== undefined) throw problem;
      return document.toJSON();
    })
    .filter((one): one is Tree => one !== null);

/** The value at a path of names and numbers. */
export function at(tree: unknown, path: string): unknown {
  let value = tree;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return value;
}

/** A program on the PATH, or where the variable says; null where it is not installed. */
export function findProgram(name: string, variable: string): string | null {
  const named = process.env[variable];
  if (named !== undefined && named !== '') return named;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? null;
}

/** Runs it to its end, and gives what it said on both ways. */
export function runProgram(
  program: string,
  args: readonly string[],
  more: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): { readonly code: number | null; readonly stdout: string; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 150_000, ...more });
  return { code: status, stdout, said: `${stdout}${stderr}` };
}

/** What a missing program leaves out is said, not passed over. */
export function testWith(what: string | null, why: string): typeof test | typeof test.skip {
  if (what !== null) return test;
  process.stderr.write(`NOT RUN: ${why}\n`);
  return test.skip;
}

/** Whether this is a variable that the gateway takes: a setting, or the file of one that is secret. */
export function isSetting(name: string): boolean {
  const known: Readonly<Record<string, Key>> = KEYS;
  return Object.hasOwn(known, name) || (name.endsWith('_FILE') && isSecretSetting(name.slice(0, -'_FILE'.length)));
}
export const isSecretSetting = (name: string): boolean =>
  (KEYS as Readonly<Record<string, Key>>)[name]?.isSecret === true;

/** The anchors of a page as a browser finds them. */
export const anchorsOf = (page: string): Set<string> =>
  new Set(
    [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
