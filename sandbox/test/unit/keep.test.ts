import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKeep } from '../../keep/index.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-keep-'));
  file = join(folder, 'keep.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('what was kept together is there as a whole, and a torn line leaves nothing of it', () => {
  const kept = openKeep(file);
  const [a, b] = [kept.table<number>('a'), kept.table<number>('b')];
  a.put('x', 1);
  kept.together(() => {
    a.put('x', 2);
    kept.together(() => b.put('y', 3));
    a.remove('nothing');
  });
  kept.close();
  const whole = readFileSync(file, 'utf8');
  expect(whole.trim().split('\n').length).toBe(2);

  writeFileSync(file, whole.slice(0, -5));
  const torn = openKeep(file);
  expect([torn.table('a').all(), torn.table('b').all()]).toEqual([[['x', 1]], []]);
  torn.close();

  writeFileSync(file, whole);
  appendFileSync(file, '["a","x",null]\n');
  const again = openKeep(file);
  expect([again.table('a').all(), again.table('b').all()]).toEqual([[], [['y', 3]]]);
  again.close();
});

test('what the work changed before it threw is kept, as it is in memory', () => {
  const kept = openKeep(file);
  const a = kept.table<number>('a');
  expect(() =>
    kept.together(() => {
      a.put('x', 1);
      throw new Error('no');
    }),
  ).toThrow('no');
  kept.close();
  const again = openKeep(file);
  expect(again.table('a').get('x')).toBe(1);
  again.close();
});

test('rows of any length and letters are read as they were written', () => {
  const kept = openKeep(file);
  const a = kept.table<string>('a');
  const rows = Array.from({ length: 40 }, (_, n) => [`ключ-${n}`, `${'ä€😀'.repeat(20_000)}${n}`] as const);
  for (const [key, row] of rows) a.put(key, row);
  kept.close();
  // The second time of what the first opening has rewritten.
  openKeep(file).close();
  const again = openKeep(file);
  expect(again.table<string>('a').all()).toEqual(rows);
  again.close();
});

test('the oldest rows are removed as long as they are over, also from the file', () => {
  const kept = openKeep(file);
  const a = kept.table<number>('a');
  for (const n of [1, 2, 5, 3, 4]) a.put(`k${n}`, n);
  a.put('k2', 2.5);
  a.removeOldest((n) => n < 4);
  const left = [
    ['k5', 5],
    ['k3', 3],
    ['k4', 4],
  ];
  expect(a.all()).toEqual(left);
  kept.close();
  const again = openKeep(file);
  expect(again.table<number>('a').all()).toEqual(left);
  again.close();
});
