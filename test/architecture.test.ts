import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { filesBelow, quoted, read, tableRows } from './support/source-files.ts';

const SOURCES = filesBelow('src', '.ts');
const importsOf = (file: string): string[] => ts.preProcessFile(read(file)).importedFiles.map(({ fileName }) => fileName);
const moduleOf = (file: string): string => file.split('/')[1] ?? '';

const MAY_IMPORT = new Map(
  tableRows('docs/architecture.md', 'may import').map(([module = '', , may = '']) => [
    quoted(module)[0] ?? '',
    may === 'everything' ? 'everything' : may === 'nothing' ? [] : may.split(', '),
  ]),
);

test('every module has its row in docs/architecture.md, and every row its module', () => {
  expect([...MAY_IMPORT.keys()].sort()).toEqual([...new Set(SOURCES.map(moduleOf))].sort());
});

test.each(SOURCES)('%s imports only doors, and only those that its module may', (file) => {
  const from = moduleOf(file);
  const may = MAY_IMPORT.get(from);
  for (const name of importsOf(file)) {
    if (!name.startsWith('.')) continue;
    const target = new URL(name, `file:///${file}`).pathname.slice(1);
    const to = moduleOf(target);
    if (to === from) continue;
    expect(target.split('/').length === 2 ? 'door' : target.split('/').slice(2).join('/')).toMatch(/^(door|index\.ts)$/);
    if (may !== 'everything') expect(may).toContain(to);
  }
});

/** Packages that one module, or one file, owns. */
const OWNERS: Readonly<Record<string, string>> = {
  winston: 'src/ops/winston-log.ts',
  'prom-client': 'src/ops/metrics.ts',
  express: 'src/http/',
  helmet: 'src/http/',
  pg: 'src/store/postgres/',
  'node:sqlite': 'src/store/sqlite/',
  zod: 'src/config/ src/payloads/',
  '@lhncbc/ucum-lhc': 'src/r4/',
  jsonata: 'src/templates/',
  'fhir-kit-client': 'src/ehr/send-request.ts',
  undici: 'src/ehr/ src/source/',
  busboy: 'src/sandbox/',
  qr: 'src/sandbox/',
  'fast-png': 'src/sandbox/',
  'pdf-lib': 'src/sandbox/',
  unpdf: 'src/sandbox/labs/',
  'tesseract.js-core': 'src/sandbox/labs/',
  jose: 'src/ehr/ src/auth/',
  'oidc-provider': 'src/auth/',
};

test.each(Object.entries(OWNERS))('%s is imported only below %s', (name, owner) => {
  const others = SOURCES.filter(
    (file) => importsOf(file).includes(name) && !owner.split(' ').some((one) => file.startsWith(one)),
  );
  expect(others).toEqual([]);
});

describe('what is ambient', () => {
  const uses = (pattern: RegExp): string[] =>
    SOURCES.filter((file) => pattern.test(read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')));

  test('the environment of the process is read by main.ts alone', () => {
    expect(uses(/process\.env/)).toEqual(['src/main.ts']);
  });

  test('the time is asked of the clock, but for the threads and timers that have none', () => {
    expect(uses(/Date\.now\(\)|new Date\(\)/)).toEqual(['src/kernel/clock.ts', 'src/store/sqlite/writer-thread.ts']);
  });

  test('chance is asked for where things are made, never inside a rule', () => {
    expect(uses(/Math\.random/)).toEqual([]);
  });
});

test('no file of src is a giant', () => {
  const long = SOURCES.filter((file) => read(file).split('\n').length > 320);
  expect(long).toEqual([]);
});

test('nothing under the name of a drawer', () => {
  expect(SOURCES.filter((file) => /\/(utils?|helpers?|common|misc|manager|service|types)\.ts$/.test(file))).toEqual([]);
});

describe('production dependencies', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  const lock = JSON.parse(read('package-lock.json')) as {
    packages: Record<
      string,
      { dev?: boolean; optional?: boolean; devOptional?: boolean; hasInstallScript?: boolean; os?: string[] }
    >;
  };

  test('are pinned, and none runs an install script or is bound to a platform', () => {
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const production = Object.entries(lock.packages).filter(
      ([, one]) => one.dev !== true && one.optional !== true && one.devOptional !== true,
    );
    expect(production.filter(([, one]) => one.hasInstallScript === true || one.os !== undefined).map(([name]) => name)).toEqual(
      [],
    );
  });
});
