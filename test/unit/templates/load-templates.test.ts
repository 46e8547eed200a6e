import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StartError } from '../../../src/kernel/index.ts';
import { loadTemplates } from '../../../src/templates/index.ts';
import { ALLOWED, FORBIDDEN } from '../../../src/templates/functions.ts';
import { evaluate } from '../../../src/templates/evaluate.ts';
import { read } from '../../support/source-files.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'templates-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const GOOD = {
  dataStructure: 'x_event',
  description: 'd',
  source: 's',
  reviewer: 'r',
  key: 'id',
  resources: ['[', ']'],
};
const put = (name: string, content: unknown): void =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));

/** What is wrong, file by file, without the folder. */
function problems(known: readonly string[] = []): string[] {
  try {
    loadTemplates([folder], known);
  } catch (thrown) {
    expect((thrown as StartError).code).toBe('templates.invalid');
    return (thrown as StartError).message
      .split('\n')
      .slice(1)
      .map((line) => line.trim().replace(/^templates-\w+\//, ''));
  }
  return [];
}

test('a good file is a template, by its structure', () => {
  put('a.json', GOOD);
  put('README.md', '# for people');
  put('.hidden', '');
  const { x_event: template, ...others } = Object.fromEntries(loadTemplates([folder]));
  expect(template).toMatchObject({
    dataStructure: 'x_event',
    key: 'id',
    resources: '[\n]',
    source: 's',
    reviewer: 'r',
  });
  expect(template?.row).toMatch(/\/a\.json$/);
  expect(template?.version).toMatch(/^[0-9a-f]{64}$/);
  expect(others).toEqual({});
});

test('no folder, no templates', () => {
  expect(loadTemplates([join(folder, 'absent')]).size).toBe(0);
});

describe('of two folders', () => {
  const both = (files: Readonly<Record<string, unknown>>) => {
    for (const name of ['shipped', 'own']) mkdirSync(join(folder, name));
    put('shipped/a.json', GOOD);
    for (const [name, content] of Object.entries(files)) put(`own/${name}`, content);
    return loadTemplates([join(folder, 'shipped'), join(folder, 'own')]);
  };

  test('the later has its say of a structure that both have', () => {
    const templates = both({ 'b.json': { ...GOOD, key: 'other' }, 'c.json': { ...GOOD, dataStructure: 'y_event' } });
    expect([...templates].map(([name, { row }]) => [name, row])).toEqual([
      ['x_event', 'own/b.json'],
      ['y_event', 'own/c.json'],
    ]);
  });

  test('the later may want none, and says why', () => {
    expect(both({ 'b.json': { dataStructure: 'x_event', off: 'our results come as FHIR' } }).size).toBe(0);
  });

  test.each([
    ['no reason', { dataStructure: 'x_event', off: ' ' }],
    ['more than that', { dataStructure: 'x_event', off: 'because', key: 'id' }],
  ])('an off with %s is no off', (_what, content) => {
    expect(() => both({ 'b.json': content })).toThrow('own/b.json: off is no field of a template');
  });
});

test('every problem of every file is told at once', () => {
  put('a.json', GOOD);
  put('b.json', { ...GOOD, resources: ['[$now(),', '$foo]'], key: 'a b' });
  put('c.json', { ...GOOD, dataStructure: 'known', extra: 1, reviewer: ' ', key: '$random()' });
  put('d.json', '{"key": 1, "key": 2}');
  put('e.json', '[]');
  put('f.json', { ...GOOD, dataStructure: 'known', resources: '[]' });
  put('g.json', { ...GOOD, dataStructure: 'known' });
  put('h.yaml', '');
  expect(problems(['known'])).toEqual([
    'b.json: key, near line 1, column 4: S0201 Syntax error: "b"',
    'b.json: resources, near line 2, column 5: $foo is not known',
    'b.json: resources, near line 1, column 6: $now is not allowed: it asks for the time',
    expect.stringMatching(/^b\.json: .*\/?a\.json is for x_event too$/),
    'c.json: extra is no field of a template',
    'c.json: reviewer must be text',
    'c.json: key, near line 1, column 8: $random is not allowed: it asks for chance',
    'd.json: The property "key" appears twice (line 1, column 12)',
    'e.json: must hold one JSON object',
    'f.json: resources must be an array of lines of text',
    'g.json: the gateway reads known by itself',
    'h.yaml: is no template; its name must end in .json',
  ]);
});

describe.each(Object.keys(FORBIDDEN))('$%s', (name) => {
  const disguises = [
    `$${name}()`,
    `($f := $${name}; $f())`,
    `$map([1], $${name})`,
    `{'a': [1, {'b': $${name}('x')}]}`,
    `function($x) { $${name}($x) }(1)`,
    `a[$${name}() > 0]`,
    `a^($${name}())`,
    `a{$string($${name}()): 1}`,
    `x ~> $${name}`,
    `x ~> $${name}()`,
    `$${name}(?)`,
    `true ? 1 : $${name}()`,
    `-$${name}()`,
    `/* fine */ $ /* fine */ . $${name} ( )`,
    `(function($${name}) { 1 })(2)`,
    `($${name} := 1)`,
    `a@$${name}.b`,
    `a#$${name}.b`,
    `a.$${name}()`,
    `[1..$${name}()]`,
  ];
  test.each(disguises)('is refused at load as %s', (expression) => {
    put('a.json', { ...GOOD, key: expression });
    expect(problems().join()).toContain(`$${name} is not allowed`);
  });

  test.each([`$${name}()`, `($f := $${name}; $f())`, `$map([1], $${name})`])(
    'throws at run time as %s',
    async (expression) => {
      await expect(evaluate(expression, {})).rejects.toMatchObject({ code: 'C0001' });
    },
  );
});

test('the transform operator is refused', () => {
  put('a.json', { ...GOOD, key: "$ ~> | $sum | {'_jsonata_function': false} |" });
  expect(problems().join()).toContain('the transform operator');
});

test('variables of the template itself are known', () => {
  put('a.json', { ...GOOD, key: '($x := 1; $f := function($y) { $x + $y }; a@$v#$i.($f($i) & $v & $ & $$.z))' });
  expect(problems()).toEqual([]);
});

test('every function of the library is allowed or forbidden', () => {
  const library = read('node_modules/jsonata/jsonata.js');
  const names = [...library.matchAll(/(?:staticFrame|environment)\.bind\('(\w+)'/g)].map(([, name = '']) => name);
  expect([...new Set(names)].sort()).toEqual([...Object.keys(ALLOWED), ...Object.keys(FORBIDDEN)].sort());
});
