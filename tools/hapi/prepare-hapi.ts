import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { StartError } from '../../src/kernel/index.ts';
import { runTool } from './run-tool.ts';

/** A program of one source file, and the pom that names its libraries. */
export interface JavaProgram {
  readonly pom: string;
  readonly source: string;
  /** What Maven fetches at the first start, in words. */
  readonly size: string;
  /** Who makes what is kept in the folder. */
  readonly madeBy: string;
}

const HAPI: JavaProgram = {
  pom: join(import.meta.dirname, 'pom.xml'),
  source: join(import.meta.dirname, 'Hapi.java'),
  size: 'about 300 MB',
  madeBy: 'npm run ehr:hapi',
};

const LINES_SHOWN = 15;
export const SAY_EVERY_MS = 10_000;

const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 12);

/** The end of what a tool said. */
const lastLines = (text: string): string => text.trim().split('\n').slice(-LINES_SHOWN).join('\n');

export interface Steps {
  /** Something lasting begins, or has come further. */
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Every library's file, as Maven keeps them; asked again where one of them is gone. */
async function findLibraries({ pom, size }: JavaProgram, folder: string, { say, signal }: Steps): Promise<string> {
  const kept = join(folder, `libraries-${digestOf(readFileSync(pom, 'utf8'))}.txt`);
  const read = (): string => readFileSync(kept, 'utf8').trim();
  if (existsSync(kept) && read().split(delimiter).every(existsSync)) return read();
  say(`asking Maven for the libraries (${size}, once)`);
  const part = `${kept}.part`;
  let files = 0;
  const ticks = setInterval(() => say(`${files} files fetched`), SAY_EVERY_MS);
  const { code, text } = await runTool(
    'mvn',
    [
      '--batch-mode',
      '-Dstyle.color=never',
      '--file',
      pom,
      'dependency:build-classpath',
      '-DincludeScope=runtime',
      `-Dmdep.outputFile=${part}`,
    ],
    {
      signal,
      onLine: (line) => {
        if (line.includes('Downloaded from ')) files += 1;
      },
    },
  ).finally(() => clearInterval(ticks));
  if (code !== 0 || !existsSync(part))
    throw new StartError('hapi.libraries', `Maven could not fetch the libraries:\n${lastLines(text)}`);
  // Named as whole only when it is.
  renameSync(part, kept);
  return read();
}

async function compile(
  { source }: JavaProgram,
  folder: string,
  libraries: string,
  { say, signal }: Steps,
): Promise<string> {
  const classes = join(folder, `classes-${digestOf(readFileSync(source, 'utf8'), libraries)}`);
  if (existsSync(classes)) return classes;
  say(`compiling ${basename(source)}`);
  const part = `${classes}.part`;
  rmSync(part, { recursive: true, force: true });
  const { code, text } = await runTool('javac', ['-proc:none', '-nowarn', '-d', part, source], {
    signal,
    env: { ...process.env, CLASSPATH: libraries },
  });
  if (code !== 0) throw new StartError('hapi.compile', `javac refused ${basename(source)}:\n${lastLines(text)}`);
  renameSync(part, classes);
  return classes;
}

/** Libraries and classes, made where they are not there yet. Gives the class path. */
export async function prepareJava(program: JavaProgram, folder: string, steps: Steps): Promise<string> {
  mkdirSync(folder, { recursive: true });
  // Nothing below is anybody's work.
  writeFileSync(join(folder, 'README'), `Made by ${program.madeBy}; may be removed at any time.\n`);
  const libraries = await findLibraries(program, folder, steps);
  return [libraries, await compile(program, folder, libraries, steps)].join(delimiter);
}

export const prepareHapi = (folder: string, steps: Steps): Promise<string> => prepareJava(HAPI, folder, steps);
