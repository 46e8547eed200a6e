import { expect, test } from '@jest/globals';
import { buildMappings } from '../../../src/mappings/index.ts';
import { edited, shippedMappings, smallFiles } from '../../support/mapping-files.ts';

type Row = Record<string, unknown>;

test('every row has an action, its source and its reviewer', () => {
  const { consistency } = shippedMappings();
  expect(new Set(consistency.map(({ kind }) => kind))).toEqual(new Set(['order', 'body-mass-index', 'jump', 'repeat']));
  for (const { row, source, reviewer } of consistency) expect([row, source, reviewer]).not.toContain('');
  expect(consistency.filter(({ action }) => action === 'park').map(({ kind }) => kind)).toEqual(['order', 'order']);
});

test('the list may be left out', () => {
  const files = edited(
    smallFiles(),
    'plausibility.json',
    (value: { consistency?: unknown }) => delete value.consistency,
  );
  const result = buildMappings(files, { uris: null });
  expect(result.ok && result.value.consistency).toEqual([]);
});

test.each<[string, (row: Row) => unknown, RegExp]>([
  ['a kind that nobody knows', (row) => (row['kind'] = 'sum'), /kind must be one of/],
  ['an action that nobody knows', (row) => (row['action'] = 'drop'), /action must be one of/],
  ['no source', (row) => delete row['source'], /source is missing/],
  ['a wrong check digit', (row) => (row['upper'] = '8480-7'), /check digit/],
  ['a code that no metric becomes', (row) => (row['upper'] = '3141-9'), /no metric becomes 3141-9/],
  ['a key that is not known', (row) => (row['share'] = 1), /share is not known/],
])('%s is refused', (_, edit, text) => {
  const files = edited(smallFiles(), 'plausibility.json', ({ consistency }: { consistency: Row[] }) => {
    edit(consistency[0] ?? {});
  });
  const result = buildMappings(files, { uris: null });
  expect(result.ok ? [] : result.fault.map((one) => one.text)).toContainEqual(expect.stringMatching(text));
});

test('a share of nothing and a row that is there twice are refused', () => {
  const files = edited(smallFiles(), 'plausibility.json', ({ consistency }: { consistency: Row[] }) => {
    const jump = consistency.find(({ kind }) => kind === 'jump') ?? {};
    jump['share'] = 0;
    consistency.push({ ...jump });
  });
  const result = buildMappings(files, { uris: null });
  expect(result.ok ? [] : result.fault.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['share must be above 0', 'is there twice']),
  );
});
