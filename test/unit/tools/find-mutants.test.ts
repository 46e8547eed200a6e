import { expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { choose, findMutants, plant } from '../../../tools/mutate/find-mutants.ts';
import { MODULES } from '../../../tools/mutate/modules.ts';

const all = (text: string): string[] => findMutants(text).map((mutant) => plant(text, mutant));

test('a mutant is one small change, where something is decided', () => {
  expect(all('const f = (a: number) => a < 3 && !g(a);')).toEqual([
    'const f = (a: number) => a <= 3 && !g(a);',
    'const f = (a: number) => a < (3 + 1) && !g(a);',
    'const f = (a: number) => a < 3 || !g(a);',
    'const f = (a: number) => a < 3 && g(a);',
  ]);
  expect(all('if (a) return b ? 1 : 2;')).toEqual([
    'if (false) return b ? 1 : 2;',
    'if (a) return b ? 2 : 1;',
    'if (a) return b ? (1 + 1) : 2;',
    'if (a) return b ? 1 : (2 + 1);',
  ]);
  expect(all('const waitMs = 8_500, tries = 99;')).toEqual([
    'const waitMs = (8_500 * 2), tries = 99;',
    'const waitMs = 8_500, tries = (99 + 1);',
  ]);
  expect(all('x.filter(f).some(g) ?? 0')).toContain('x.some(g) ?? 0');
});

test('types and imports have none, and texts are not subtracted', () => {
  expect(all("import { a } from './b.ts'; type T = 1 | true; interface I { x: 2 } const s = 'a' + b;")).toEqual([]);
});

test('the same seed chooses the same ones, each once', () => {
  const numbers = Array.from({ length: 50 }, (_, i) => i);
  expect(choose(numbers, 10, 4)).toEqual(choose(numbers, 10, 4));
  expect(choose(numbers, 10, 4)).not.toEqual(choose(numbers, 10, 5));
  expect(choose(numbers, 99, 4).sort((a, b) => a - b)).toEqual(numbers);
});

test('every module of the list is there, and so are its tests', () => {
  const paths = MODULES.flatMap(({ file, tests }) => [file, ...tests]);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});
