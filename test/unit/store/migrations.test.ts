import { expect, test } from '@jest/globals';
import { MIGRATIONS, decideSteps, type Migration } from '../../../src/store/migrations/index.ts';

const step = (version: number): Migration => ({
  version,
  name: `step-${version}`,
  sqlite: `-- s${version}`,
  postgres: `-- p${version}`,
});
const applied = (migrations: readonly Migration[], engine: 'sqlite' | 'postgres') =>
  decideSteps(migrations, engine, []).map(({ version, digest }) => ({ version, digest }));

test('steps are taken in the order of their versions, and only those that are left', () => {
  const all = [step(3), step(1), step(2)];
  expect(decideSteps(all, 'sqlite', []).map((s) => s.version)).toEqual([1, 2, 3]);
  expect(decideSteps(all, 'sqlite', applied([step(1)], 'sqlite')).map((s) => s.version)).toEqual([2, 3]);
});

test('a database that is newer than the program is refused', () => {
  expect(() => decideSteps([step(1)], 'sqlite', applied([step(1), step(2)], 'sqlite'))).toThrow(
    expect.objectContaining({ code: 'store.newer' }),
  );
});

test('a step that differs from the one that was taken is refused', () => {
  expect(() => decideSteps([{ ...step(1), sqlite: '-- edited' }], 'sqlite', applied([step(1)], 'sqlite'))).toThrow(
    expect.objectContaining({ code: 'store.altered' }),
  );
});

test('versions are one to n, each once', () => {
  expect(MIGRATIONS.map((m) => m.version)).toEqual(MIGRATIONS.map((_, i) => i + 1));
});

test('both engines have the same tables with the same columns', () => {
  const shape = (sql: string): Record<string, string[]> =>
    Object.fromEntries(
      [...sql.matchAll(/CREATE TABLE (\w+) \(\n([\s\S]*?)\n\)/g)].map(([, table = '', body = '']) => [
        table,
        body
          .split('\n')
          .map((line) => line.trim().split(' ')[0] ?? '')
          .filter((word) => word !== 'PRIMARY'),
      ]),
    );
  for (const { sqlite, postgres } of MIGRATIONS) expect(shape(sqlite)).toEqual(shape(postgres));
});
