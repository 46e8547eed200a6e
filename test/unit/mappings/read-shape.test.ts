import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { parseLossless } from '../../../src/r4/index.ts';
import {
  count,
  countOrNull,
  decimal,
  list,
  listOrNull,
  number,
  numberOrNull,
  object,
  oneOf,
  readShape,
  words,
} from '../../../src/mappings/read-shape.ts';

const read = (value: unknown, shape: z.ZodType) => {
  const problems: string[] = [];
  const found = readShape(value, shape, 'file#row', (row, text) => problems.push(`${row}: ${text}`));
  return { found, problems };
};

test.each<[string, z.ZodType, readonly unknown[], readonly unknown[], string]>([
  ['words', words, ['a', ' a '], ['', ' ', 1, null], 'text'],
  ['oneOf', oneOf('a', 'b'), ['a'], ['c', null, 1], 'one of a, b'],
  ['list', list, [[], [1]], [{}, null, 'a'], 'a list'],
  ['object', object, [{}, { a: 1 }], [[], null, 'a'], 'an object'],
  ['listOrNull', listOrNull, [null, ['a']], [[], {}, 'a'], 'null or a list of texts'],
  ['count', count, [1, 7], [0, -1, 1.5, '1', null, 2 ** 60], 'a whole number above 0'],
  ['countOrNull', countOrNull, [null, 1], [0, 'a'], 'null or a whole number above 0'],
  ['number', number, [1.5, -2], ['1', null], 'a number'],
  ['numberOrNull', numberOrNull, [null, 0], ['1', {}], 'null or a number'],
  ['decimal', decimal, ['1', '-0.50'], ['1.', 1, '1e3'], 'a decimal number as text'],
])('%s: what is right is taken as it is, what is wrong is named once', (_name, kind, right, wrong, must) => {
  const shape = z.strictObject({ a: kind });
  for (const value of right) expect(read({ a: value }, shape)).toEqual({ found: { a: value }, problems: [] });
  for (const value of wrong)
    expect(read({ a: value }, shape)).toEqual({ found: null, problems: [`file#row: a must be ${must}`] });
});

test('a number whose digits are kept is worth what they say', () => {
  const parsed = parseLossless(Buffer.from('{"a":1.50}'));
  expect(parsed.ok && read(parsed.value, z.strictObject({ a: number })).found).toEqual({ a: 1.5 });
});

test('every problem of a row is told: what is missing, what is wrong within, what is not known', () => {
  const shape = z.strictObject({ a: words, b: z.array(words, 'a list of texts'), c: words.optional(), d: list });
  expect(read({ b: ['x', 1], d: 1, e: 1, f: 2 }, shape).problems).toEqual([
    'file#row: a is missing',
    'file#row: b.1 must be text',
    'file#row: d must be a list',
    'file#row: e is not known',
    'file#row: f is not known',
  ]);
});

test.each([null, [], 'a', 1])('%j is no row', (value) => {
  expect(read(value, z.strictObject({ a: words })).problems).toEqual(['file#row: must be an object']);
});
