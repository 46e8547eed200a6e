/*
 * Bundles the console into static files with hashed names: `npm run build` for the package, and at `npm start` where
 * something changed since. `node console/build.ts [FOLDER]`; without a folder into console/dist.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Metafile, Plugin } from 'esbuild';
import { ROUTE_TABLE } from '../src/admin/index.ts';
import { ICON_URL } from '../src/kernel/index.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ENTRY = 'console/src/main.tsx';
/** The best would take five seconds, for an eighth less. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
/** Holds the digest of what a bundle was made of. */
const MADE_OF = 'made-of';

/** The browser asks by the table of routes alone: the contracts' schemas stay here. */
const routesPlugin: Plugin = {
  name: 'routes',
  setup(of) {
    of.onLoad({ filter: /console\/src\/api\/routes\.ts$/ }, () => ({
      contents: `export const ROUTE_TABLE = ${JSON.stringify(ROUTE_TABLE)};`,
      loader: 'js',
    }));
  },
};

function digestOfSources(): string {
  const hash = createHash('sha256').update(JSON.stringify(ROUTE_TABLE));
  const files = globSync(['console/src/**/*', 'console/build.ts', 'package-lock.json'], {
    cwd: ROOT,
    withFileTypes: true,
  })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .sort();
  for (const file of files) hash.update(file.slice(ROOT.length)).update(readFileSync(file));
  return hash.digest('hex');
}

function page({ outputs }: Metafile): string {
  const [script] = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint === ENTRY);
  if (script === undefined) throw new Error('the bundle has no entry');
  const [name, { cssBundle }] = script;
  const style =
    cssBundle === undefined ? '' : `\n<link rel="stylesheet" href="/console/assets/${basename(cssBundle)}">`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Chartgate</title>
<link rel="icon" type="image/svg+xml" href="${ICON_URL}">${style}
<script type="module" src="/console/assets/${basename(name)}"></script>
</head>
<body>
<div id="root"></div>
<noscript><p>The console needs JavaScript. The command line does the same: chartgate --help.</p></noscript>
</body>
</html>
`;
}

/** Answers whether anything had to be made. */
export async function buildConsole(folder = join(ROOT, 'console/dist')): Promise<'made' | 'there'> {
  const digest = digestOfSources();
  const mark = join(folder, MADE_OF);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return 'there';
  const { build } = await import('esbuild');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'assets'), { recursive: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [ENTRY],
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    plugins: [routesPlugin],
    logLevel: 'warning',
  });
  for (const file of Object.keys(metafile.outputs))
    writeFileSync(join(ROOT, `${file}.br`), brotliCompressSync(readFileSync(join(ROOT, file)), QUICKLY));
  writeFileSync(join(folder, 'index.html'), page(metafile));
  writeFileSync(mark, digest);
  return 'made';
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildConsole(process.argv[2] === undefined ? undefined : resolve(process.argv[2]));
