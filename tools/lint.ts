/*
 * The lint of `npm test`: as `eslint .`, without the files that were clean before and of which nothing changed since:
 * neither they, nor what they import, directly or not, nor packages and settings. (eslint's own cache looks at the file
 * alone; half of our rules ask for types, which come from elsewhere.)
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ESLint } from 'eslint';

const KEPT = 'node_modules/.cache/chartgate-check/lint.json';
const AMBIENT = [
  'package-lock.json',
  'tsconfig.json',
  'eslint.config.js',
  'sandbox/clinician-app/web/tsconfig.json',
  'console/tsconfig.json',
];
const IMPORTED = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

const digestOf = (...parts: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length} ${part}`);
  return hash.digest('hex');
};

interface Source {
  readonly digest: string;
  readonly imports: readonly string[];
}
const sources = new Map<string, Source>();
function sourceOf(file: string): Source {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const imports = [...text.matchAll(IMPORTED)].map(([, to = '']) => normalize(join(dirname(file), to)));
  const source = { digest: digestOf(file, text), imports };
  sources.set(file, source);
  return source;
}

/** Of a file and of all that it imports. */
function wholeDigest(file: string, ambient: string): string {
  const reached = new Set([file]);
  for (const one of reached) for (const next of sourceOf(one).imports) reached.add(next);
  return digestOf(ambient, ...[...reached].sort().map((one) => sourceOf(one).digest));
}

const files = globSync('**/*.{ts,tsx,js}', {
  exclude: (name) => name === 'node_modules' || name.startsWith('.'),
}).sort();
const ambient = digestOf(
  process.version,
  ...[...AMBIENT, ...files.filter((file) => file.endsWith('.d.ts'))].map((file) => sourceOf(file).digest),
);
const eslint = new ESLint();
const digests = new Map<string, string>();
for (const file of files) if (!(await eslint.isPathIgnored(file))) digests.set(file, wholeDigest(file, ambient));

const clean = new Set(existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, 'utf8')) as string[]) : []);
const changed = [...digests].filter(([, digest]) => !clean.has(digest)).map(([file]) => file);
const results = changed.length === 0 ? [] : await eslint.lintFiles(changed);
const bad = new Set(
  results.filter(({ messages }) => messages.length > 0).map(({ filePath }) => filePath.slice(process.cwd().length + 1)),
);
mkdirSync(dirname(KEPT), { recursive: true });
writeFileSync(KEPT, JSON.stringify([...digests].filter(([file]) => !bad.has(file)).map(([, digest]) => digest)));
console.log(`${changed.length} of ${digests.size} files were looked at`);
if (bad.size > 0) console.log(await (await eslint.loadFormatter('stylish')).format(results));
process.exit(bad.size > 0 ? 1 : 0);
