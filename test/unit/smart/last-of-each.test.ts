import { expect, test } from '@jest/globals';
import { groupByCode, lastOfEach } from '../../../src/smart/last-of-each.ts';
import type { Checked } from '../../../src/smart/check-page.ts';

const of = (id: string, codes: readonly string[], more: object = {}): Checked => ({
  mode: 'match',
  resource: {
    resourceType: 'Observation',
    id,
    code: { coding: codes.map((code) => ({ system: 's', code })) },
    ...more,
  },
});
const ids = (all: readonly Checked[]): string[] => all.map(({ resource }) => resource.id);

test('two that share a code with a third are of one thing, in whatever order they come', () => {
  const [a, b, both, c] = [of('a', ['x']), of('b', ['y']), of('both', ['x', 'y']), of('c', ['z'])];
  for (const given of [
    [a, b, both, c],
    [both, c, b, a],
    [c, a, both, b],
  ])
    expect(
      groupByCode(given)
        .map((group) => ids(group).sort().join())
        .sort(),
    ).toEqual(['a,b,both', 'c']);
});

test('what has no code is grouped by its text, else it is alone', () => {
  const text = (id: string, words: string): Checked => of(id, [], { code: { text: words } });
  expect(groupByCode([text('1', 'Pulse'), text('2', ' pulse'), of('3', []), of('4', [])]).map(ids)).toEqual([
    ['1', '2'],
    ['3'],
    ['4'],
  ]);
});

test('the latest by whatever says when, the undated last', () => {
  const all = [
    of('undated', ['x']),
    of('issued', ['x'], { issued: '2026-01-01T00:00:00Z' }),
    of('period', ['x'], { effectivePeriod: { start: '2025-01-01', end: '2026-02-01' } }),
    of('instant', ['x'], { effectiveInstant: '2026-01-15T00:00:00Z' }),
    of('day', ['x'], { effectiveDateTime: '2026-03-01' }),
  ];
  expect(ids(lastOfEach(all, 5))).toEqual(['day', 'period', 'instant', 'issued', 'undated']);
  expect(ids(lastOfEach(all, 2))).toEqual(['day', 'period']);
});
