import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { StartError } from '../../src/kernel/index.ts';
import { runTool } from './run-tool.ts';

const HERE = import.meta.dirname;
const POM = join(HERE, 'pom.xml');
const SOURCE = join(HERE, 'Hapi.java');
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
async function findLibraries(folder: string, { say, signal }: Steps): Promise<string> {
  const kept = join(folder, `libraries-${digestOf(readFileSync(POM, 'utf8'))}.txt`);
  const read = (): string => readFileSync(kept, 'utf8').trim();
  if (existsSync(kept) && read().split(delimiter).every(existsSync)) return read();
  say('asking Maven for the libraries (about 300 MB, once)');
  const part = `${kept}.part`;
  let files = 0;
  const ticks = setInterval(() => say(`${files} files fetched`), SAY_EVERY_MS);
  const { code, text } = await runTool(
    'mvn',
    [
      '--batch-mode',
      '-Dstyle.color=never',
      '--file',
      POM,
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

async function compile(folder: string, libraries: string, { say, signal }: Steps): Promise<string> {
  const classes = join(folder, `classes-${digestOf(readFileSync(SOURCE, 'utf8'), libraries)}`);
  if (existsSync(classes)) return classes;
  say('compiling Hapi.java');
  const part = `${classes}.part`;
  rmSync(part, { recursive: true, force: true });
  const { code, text } = await runTool('javac', ['-proc:none', '-nowarn', '-d', part, SOURCE], {
    signal,
    env: { ...process.env, CLASSPATH: libraries },
  });
  if (code !== 0) throw new StartError('hapi.compile', `javac refused Hapi.java:\n${lastLines(text)}`);
  renameSync(part, classes);
  return classes;
}

/** Libraries and classes, made where they are not there yet. Gives the class path. */
export async function prepareHapi(folder: string, steps: Steps): Promise<string> {
  mkdirSync(folder, { recursive: true });
  // Nothing below is anybody's work.
  writeFileSync(join(folder, 'README'), 'Made by npm run ehr:hapi; may be removed at any time.\n');
  const libraries = await findLibraries(folder, steps);
  return [libraries, await compile(folder, libraries, steps)].join(delimiter);
}
