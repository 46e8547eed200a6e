import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCompiled } from '../../../src/r4/compiled/load-compiled.ts';
import { loadDefinitions } from '../../../src/r4/definitions/load-definitions.ts';
import { RUNTIME_NAMES } from '../../../src/r4/generate/runtime-names.ts';
import { newContext } from '../../../src/r4/runtime/context.ts';
import { makeRuntime } from '../../../src/r4/runtime/make-runtime.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'r4-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const judges = (compiled: ReturnType<typeof loadCompiled>): boolean =>
  compiled.fResource(
    { resourceType: 'Patient' },
    newContext(null, {
      issuesMax: 1,
      withWarnings: false,
      isClosed: false,
      profileRules: [],
      hasCode: () => 'unknown',
      lasting: new WeakSet(),
    }),
    0,
  );

test('the first use writes the code, the next ones load it', () => {
  const home = join(folder, 'first');
  expect(judges(loadCompiled([home]))).toBe(true);
  expect(
    readdirSync(home)
      .map((file) => file.replace(/.*\./, ''))
      .sort(),
  ).toEqual(['cache', 'js']);
  expect(judges(loadCompiled([home]))).toBe(true);
});

test('a folder that cannot be written is no obstacle', () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  expect(judges(loadCompiled([join(file, 'below')]))).toBe(true);
  expect(judges(loadCompiled([]))).toBe(true);
});

test('a damaged code cache is replaced', () => {
  const home = join(folder, 'damaged');
  loadCompiled([home]);
  for (const name of readdirSync(home).filter((n) => n.endsWith('.cache'))) writeFileSync(join(home, name), 'x');
  expect(judges(loadCompiled([home]))).toBe(true);
});

test('several processes may start at once', async () => {
  const home = join(folder, 'race');
  const script = `
    const { loadCompiled } = await import(${JSON.stringify(new URL('../../../src/r4/compiled/load-compiled.ts', import.meta.url).href)});
    loadCompiled([${JSON.stringify(home)}]);`;
  const codes = await Promise.all(
    [1, 2, 3].map(async () => {
      const [code] = (await once(
        spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' }),
        'exit',
      )) as [number];
      return code;
    }),
  );
  expect(codes).toEqual([0, 0, 0]);
  expect(readdirSync(home).filter((file) => file.startsWith('.'))).toEqual([]);
});

test('the runtime offers exactly what generated code asks for', () => {
  const offered = Object.keys(makeRuntime(loadDefinitions())).sort();
  expect(offered).toEqual(expect.arrayContaining([...RUNTIME_NAMES]));
  expect(new Set(RUNTIME_NAMES).size).toBe(RUNTIME_NAMES.length);
});
