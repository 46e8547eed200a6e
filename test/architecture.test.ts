import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { filesBelow, quoted, read, tableRows } from './support/source-files.ts';

const SOURCES = filesBelow('src', '.ts');
/** What its package ships: without its tests. */
const SANDBOX = filesBelow('sandbox', '.ts').filter((file) => !/^sandbox\/(?:dist|node_modules|test)\//.test(file));
const ALL = [...SOURCES, ...SANDBOX];
const importsOf = (file: string): string[] =>
  ts.preProcessFile(read(file)).importedFiles.map(({ fileName }) => fileName);
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
    expect(target.split('/').length === 2 ? 'door' : target.split('/').slice(2).join('/')).toMatch(
      /^(door|index\.ts)$/,
    );
    if (may !== 'everything') expect(may).toContain(to);
  }
});

/** What a file imports of the others. `isTyped`: by `import type` or `export type`, which are gone when it runs. */
function localImports(file: string): { readonly to: string; readonly isTyped: boolean }[] {
  const { statements } = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest);
  return statements.flatMap((one) => {
    if (!ts.isImportDeclaration(one) && !ts.isExportDeclaration(one)) return [];
    const from = one.moduleSpecifier;
    if (from === undefined || !ts.isStringLiteral(from) || !from.text.startsWith('.')) return [];
    const isTyped = ts.isImportDeclaration(one)
      ? one.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : one.isTypeOnly;
    return [{ to: new URL(from.text, `file:///${file}`).pathname.slice(1), isTyped }];
  });
}

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/'));

/** The files of a circle, in its order; none where there is none. */
function findCircle(arrows: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const walk = (file: string, way: readonly string[]): readonly string[] => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const to of arrows.get(file) ?? []) {
      const found = walk(to, [...way, file]);
      if (found.length > 0) return found;
    }
    done.add(file);
    return [];
  };
  for (const file of arrows.keys()) {
    const found = walk(file, []);
    if (found.length > 0) return found;
  }
  return [];
}

describe('circles of imports', () => {
  test('there are none, but for types inside one folder', () => {
    const arrows = new Map(
      ALL.map((file) => [
        file,
        localImports(file)
          .filter(({ to, isTyped }) => !isTyped || folderOf(to) !== folderOf(file))
          .map(({ to }) => to),
      ]),
    );
    expect([...arrows.values()].flat().length).toBeGreaterThan(ALL.length);
    expect(findCircle(arrows)).toEqual([]);
  });

  test('are found where they are', () => {
    const arrows = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['b']],
    ]);
    expect(findCircle(arrows)).toEqual(['b', 'd', 'b']);
  });
});

test('the threads of the store load no FHIR: each would hold it once more', () => {
  const loaded = new Set(
    SOURCES.filter((file) => /\/commands\/all\.ts$|^src\/store\/sqlite\/[a-z]+-thread\.ts$/.test(file)),
  );
  expect(loaded.size).toBeGreaterThan(10);
  for (const file of loaded) for (const { to, isTyped } of localImports(file)) if (!isTyped) loaded.add(to);
  expect([...new Set([...loaded].map(moduleOf))]).toContain('lanes');
  expect(
    [...loaded].filter((file) => ['r4', 'translate', 'mappings', 'smart', 'ehr'].includes(moduleOf(file))),
  ).toEqual([]);
});

/** Packages that one module, or one file, owns. */
const OWNERS: Readonly<Record<string, string>> = {
  winston: 'src/ops/winston-log.ts',
  'prom-client': 'src/ops/metrics.ts src/ops/merge-metrics.ts src/ops/standing-metrics.ts',
  'node:cluster': 'src/workers/',
  express: 'src/http/',
  helmet: 'src/http/',
  pg: 'src/store/postgres/',
  'node:sqlite': 'src/store/sqlite/',
  zod: 'src/config/ src/payloads/ src/mappings/ src/admin/',
  '@lhncbc/ucum-lhc': 'src/r4/',
  jsonata: 'src/templates/',
  'csv-parse': 'src/identity/parse-csv.ts',
  'fhir-kit-client': 'src/ehr/fhir-client.ts',
  '@medplum/core': 'src/ehr/ src/smart/',
  fhirpath: 'src/guides/slow-invariants.ts',
  undici: 'src/ehr/ src/source/ src/telemetry/',
  jose: 'src/ehr/ src/auth/',
  'oidc-provider': 'src/auth/',
  otpauth: 'src/factors/',
  qr: 'src/factors/',
  '@simplewebauthn/server': 'src/operators/',
  'openid-client': 'src/factors/',
};

test.each(Object.entries(OWNERS))('%s is imported only below %s', (name, owner) => {
  const others = SOURCES.filter(
    (file) => importsOf(file).includes(name) && !owner.split(' ').some((one) => file.startsWith(one)),
  );
  expect(others).toEqual([]);
});

describe('the drawings of docs/architecture.md', () => {
  const drawings = [...read('docs/architecture.md').matchAll(/```mermaid\n([\s\S]*?)```/g)].map(
    ([, drawing = '']) => drawing,
  );
  const arrows = drawings.flatMap((drawing) =>
    [...drawing.matchAll(/^ {2}(\w+)(?:\(\[\w+\]\))? -->\|[^|]+\| (\w+)(\(\[\w+\]\))?$/gm)].map(
      ([, from = '', to = '']) => [from, to],
    ),
  );
  const outside = new Set(
    drawings.flatMap((drawing) => [...drawing.matchAll(/(\w+)\(\[/g)].map(([, name = '']) => name)),
  );

  test('are two, and every line of them is an arrow', () => {
    expect(drawings).toHaveLength(2);
    const lines = drawings.flatMap((drawing) => drawing.trimEnd().split('\n').slice(1));
    expect(arrows).toHaveLength(lines.length);
  });

  test('join modules that know each other, or that the wiring joins', () => {
    const may = (from: string, to: string): boolean => {
      const row = MAY_IMPORT.get(from);
      return row === 'everything' || row?.includes(to) === true;
    };
    const JOINED_BY_WIRING = [
      ['http', 'ingest'],
      ['http', 'smart'],
    ].map(String);
    const between = arrows.filter(([from = '', to = '']) => !outside.has(from) && !outside.has(to));
    expect(between.length).toBeGreaterThan(15);
    const unknown = between.filter(
      ([from = '', to = '']) => !JOINED_BY_WIRING.includes(String([from, to])) && !may(from, to) && !may(to, from),
    );
    expect(unknown).toEqual([]);
  });
});

describe('the sandbox', () => {
  const { dependencies: gatewayHas } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  const { dependencies: sandboxHas } = JSON.parse(read('sandbox/package.json')) as {
    dependencies: Record<string, string>;
  };

  test('is imported by nothing of the gateway', () => {
    expect(
      SOURCES.filter((file) => importsOf(file).some((name) => /(?:^|\/)(?:chartgate-)?sandbox\b/.test(name))),
    ).toEqual([]);
  });

  test('uses of the gateway what its package exports, and only the demonstration runs one', () => {
    const used = SANDBOX.flatMap((file) =>
      importsOf(file)
        .filter((name) => /^(?:\.\.\/)+src\//.test(name))
        .map((name) => [file.split('/')[1], name.replace(/^(?:\.\.\/)+src\//, '')] as const),
    );
    expect([...new Set(used.map(([, name]) => name))].sort()).toEqual(['embed.ts', 'kernel/index.ts', 'r4/index.ts']);
    expect([...new Set(used.filter(([, name]) => name === 'embed.ts').map(([folder]) => folder))]).toEqual(['demo']);
  });

  test('shares no package with the gateway but the one that draws addresses, and needs each of its own', () => {
    const named = new Set(
      SANDBOX.map(read).flatMap((text) => Object.keys(sandboxHas).filter((name) => text.includes(name))),
    );
    expect([...named].sort()).toEqual(Object.keys(sandboxHas).sort());
    expect(Object.keys(sandboxHas).filter((name) => Object.hasOwn(gatewayHas, name))).toEqual(['qr']);
  });
});

describe('what is ambient', () => {
  const uses = (pattern: RegExp): string[] =>
    ALL.filter((file) => pattern.test(read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')));

  test('the environment of the process is read by main.ts alone', () => {
    expect(uses(/process\.env/)).toEqual(['src/healthcheck.ts', 'src/main.ts']);
  });

  test('the time is asked of the clock, but for the threads and timers that have none', () => {
    expect(uses(/Date\.now\(\)|new Date\(\)/)).toEqual(['src/kernel/clock.ts', 'src/store/sqlite/writer-thread.ts']);
  });

  test('chance is asked for where things are made, never inside a rule', () => {
    expect(uses(/Math\.random/)).toEqual([]);
  });
});

test('the stages of a delivery tell unions apart by their kind, never by which names they have', () => {
  const stages = SOURCES.filter((file) => /^src\/(?:forward|judge|pipeline)\b/.test(file));
  expect(stages.filter((file) => /'\w+' in \w/.test(read(file)))).toEqual([]);
});

test('no file is a giant', () => {
  const long = ALL.filter((file) => read(file).split('\n').length > 320);
  expect(long).toEqual([]);
});

test('what an object is, is said once', () => {
  expect(ALL.filter((file) => /\b(?:const|function) is(?:Object|ObjectOrArray)\b/.test(read(file)))).toEqual([
    'src/kernel/is-object.ts',
  ]);
});

test('nothing under the name of a drawer', () => {
  expect(ALL.filter((file) => /\/(utils?|helpers?|common|misc|manager|service|types)\.ts$/.test(file))).toEqual([]);
});

describe('production dependencies', () => {
  const dependencies = ['package.json', 'sandbox/package.json'].flatMap((file) =>
    Object.values((JSON.parse(read(file)) as { dependencies: Record<string, string> }).dependencies),
  );
  const lock = JSON.parse(read('package-lock.json')) as {
    packages: Record<
      string,
      { dev?: boolean; optional?: boolean; devOptional?: boolean; hasInstallScript?: boolean; os?: string[] }
    >;
  };

  test('are pinned, and none runs an install script or is bound to a platform', () => {
    for (const version of dependencies) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const production = Object.entries(lock.packages).filter(
      ([, one]) => one.dev !== true && one.optional !== true && one.devOptional !== true,
    );
    expect(
      production.filter(([, one]) => one.hasInstallScript === true || one.os !== undefined).map(([name]) => name),
    ).toEqual([]);
  });
});
