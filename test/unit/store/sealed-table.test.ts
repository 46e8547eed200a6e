import { expect, test } from '@jest/globals';
import {
  oldValues,
  pageOf,
  sealAnew,
  updateOf,
  walkedOf,
  type SealedTable,
} from '../../../src/store/reseal/sealed-table.ts';
import { makeRender } from '../../../src/store/sql/render.ts';
import { runEach, type Program, type Series, type Statement, type Step } from '../../../src/store/sql/statement.ts';
import { makeVault } from '../../../src/store/vault.ts';

const key = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const vaultOf = (...data: Uint8Array[]) => makeVault({ data, pseudonym: key(9) });
const [before, both] = [vaultOf(key(1)), vaultOf(key(2), key(1))];
const of: SealedTable = {
  table: 'thing',
  columns: ['a_sealed', 'b_sealed'],
  key: ['tenant', 'id'],
  place: ['id', 'index'],
};
const walk = { of, after: null, limit: 2, ids: [before.keyId] };
const place = 'thing.b_sealed/x/ff';
const row = (b: Uint8Array | null) => ({ k0: 't', k1: 'x', p0: 'x', p1: Uint8Array.of(255), v0: null, v1: b });

const forPostgres = makeRender('postgres');
const rendered = (statement: Statement) => {
  const { text, values } = forPostgres(statement);
  return [text.replaceAll(/\s+/g, ' '), ...values];
};
const first = (program: Program<unknown>): Step => program.next().value as Step;

test('a page goes on behind a key, in the order of keys', () => {
  expect(rendered(first(pageOf(walk)) as Statement)).toEqual([
    'SELECT t.tenant AS k0, t.id AS k1, t.id AS p0, t.index AS p1, t.a_sealed AS v0, t.b_sealed AS v1 FROM thing t ORDER BY t.tenant, t.id LIMIT $1',
    2,
  ]);
  const joined = { ...of, columns: ['a_sealed'], place: ['d.id'], join: 'JOIN d', only: 'd.x' };
  expect(rendered(first(pageOf({ ...walk, of: joined, after: ['t', 'x'] })) as Statement)).toEqual([
    'SELECT t.tenant AS k0, t.id AS k1, d.id AS p0, CASE WHEN d.x THEN t.a_sealed END AS v0 FROM thing t JOIN d WHERE (t.tenant, t.id) > ($1, $2) ORDER BY t.tenant, t.id LIMIT $3',
    't',
    'x',
    2,
  ]);
});

test('a value is replaced where it stands, and only while it is the one that was read', () => {
  const [was, sealed] = [key(1), Buffer.from(key(2))];
  const series = first(runEach([updateOf(of, { column: 'b_sealed', key: ['t', 'x'], place, was, sealed })])) as Series;
  expect(series.statements.map(rendered)).toEqual([
    ['UPDATE thing SET b_sealed = $1 WHERE b_sealed = $2 AND tenant = $3 AND id = $4', sealed, was, 't', 'x'],
  ]);
});

test('only values of the old key are found, by their place', () => {
  const old = before.seal(Buffer.from('plain'), place);
  expect(oldValues(walk, [row(old)], both)).toEqual([{ column: 'b_sealed', key: ['t', 'x'], place, was: old }]);
  for (const other of [null, new Uint8Array(0), both.seal(Buffer.from('plain'), place), Buffer.from('{"to":"x"}')])
    expect(oldValues(walk, [row(other)], both)).toEqual([]);
});

test('what opens is sealed anew by the first key; what does not is left', () => {
  const [anew] = sealAnew(walk, [row(before.seal(Buffer.from('plain'), place))], both);
  expect(
    vaultOf(key(2))
      .open(anew?.sealed ?? key(0), place)
      .toString(),
  ).toBe('plain');
  expect(sealAnew(walk, [row(before.seal(Buffer.from('plain'), 'elsewhere'))], both)).toEqual([]);
});

test('a short page is the last', () => {
  const rows = [row(null), { ...row(null), k1: 'y' }];
  expect(walkedOf(walk, rows, 1)).toEqual({ last: ['t', 'y'], rows: 2, found: 1 });
  expect(walkedOf(walk, rows.slice(1), 0)).toEqual({ last: null, rows: 1, found: 0 });
  expect(walkedOf(walk, [], 0)).toEqual({ last: null, rows: 0, found: 0 });
});
