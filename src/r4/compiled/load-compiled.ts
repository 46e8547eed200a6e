/**
 * The generated validator is a script in `generated/` at the root of the checkout (ignored by git), written by whoever
 * needs it first and found by the digest of table and generator. Nobody has to run a step, and nothing can be stale.
 *
 * For a published package or an image with a read-only root, the build writes it ahead of time. It must do so with the
 * code that will run (the digest covers the generator's own files), after copying `src/r4/definitions/*.json`:
 *
 *   const { prepareValidator } = await import('./dist/r4/index.js');
 *   prepareValidator();   // fills dist/r4-generated/
 *
 * Where nothing was prepared and nothing can be written, the script is generated and compiled in memory at each start.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { loadDefinitions } from '../definitions/load-definitions.ts';
import { emitModule } from '../generate/emit-module.ts';
import type { Context } from '../runtime/context.ts';
import { makeRuntime } from '../runtime/make-runtime.ts';
import { digestOfGenerator } from './digest.ts';
import { warmUp } from './warm-up.ts';

export interface Compiled {
  readonly fResource: (resource: unknown, c: Context, depth: number) => boolean;
  readonly rResource: (resource: unknown, c: Context, depth: number, path: string) => void;
  /**
   * `Bundle.entry`, `Questionnaire.item` and so on: what checks one item of a list that stands directly in a resource.
   */
  readonly lists: ReadonlyMap<string, ItemCheck>;
}

export interface ItemCheck {
  readonly fast: (item: unknown, c: Context, depth: number) => boolean;
  readonly report: (item: unknown, c: Context, depth: number, path: string) => void;
}

type Factory = (runtime: Readonly<Record<string, unknown>>) => Compiled;

export const PREPARED_FOLDER = join(import.meta.dirname, '..', '..', 'r4-generated');
const CHECKOUT_FOLDER = join(import.meta.dirname, '..', '..', '..', 'generated');

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

let writes = 0;

/** Written aside and renamed, because several processes may start at once. False where the folder cannot be written. */
function writeWhole(folder: string, name: string, content: string | Buffer): boolean {
  const aside = join(folder, `.${name}.${process.pid}.${performance.now()}.${writes++}`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(aside, content);
    renameSync(aside, join(folder, name));
    return true;
  } catch {
    try {
      rmSync(aside, { force: true });
    } catch {
      // It was never there: the folder itself cannot be.
    }
    return false;
  }
}

/** V8's code cache fits one version of one engine on one kind of machine. */
const cacheName = (digest: string): string => `r4-${digest}-${process.version}-${process.arch}.cache`;

function compile(
  source: string,
  cachedData: Buffer | undefined,
): { factory: Factory; script: Script; isFresh: boolean } {
  const script = new Script(source, {
    filename: 'chartgate-r4-validator.js',
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  return {
    script,
    factory: script.runInThisContext() as Factory,
    isFresh: cachedData === undefined || script.cachedDataRejected === true,
  };
}

/** `folders` in the order in which they are asked; the first that can be written receives what is missing. */
export function loadCompiled(folders: readonly string[] = [PREPARED_FOLDER, CHECKOUT_FOLDER]): Compiled {
  const digest = digestOfGenerator();
  const name = `r4-${digest}.js`;
  let home: string | undefined;
  let source: string | undefined;
  for (const folder of folders) {
    source = readIfThere(join(folder, name))?.toString('latin1');
    home = folder;
    if (source !== undefined) break;
  }
  const definitions = loadDefinitions();
  source ??= emitModule(definitions);
  const cached = home === undefined ? undefined : readIfThere(join(home, cacheName(digest)));
  const { factory, script, isFresh } = compile(source, cached);
  const compiled = factory(makeRuntime(definitions));
  if (home !== undefined && isFresh) {
    warmUp(compiled);
    if (writeWhole(home, name, Buffer.from(source, 'latin1')))
      writeWhole(home, cacheName(digest), script.createCachedData());
  }
  return compiled;
}
