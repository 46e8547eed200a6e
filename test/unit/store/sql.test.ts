import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DatabaseSync } from 'node:sqlite';
import { makeStatements } from '../../../src/store/sqlite/statements.ts';
import { performPostgres, performSqlite } from '../../../src/store/sql/perform.ts';
import { makeRender } from '../../../src/store/sql/render.ts';
import {
  all,
  allOf,
  among,
  amongTuples,
  fragment,
  FOR_UPDATE,
  get,
  insert,
  insertAlike,
  lock,
  MILLISECONDS,
  now,
  listOf,
  part,
  rightNow,
  rightNowMs,
  run,
  runEach,
  tryLock,
  typed,
  words,
  type Program,
  type Statement,
} from '../../../src/store/sql/statement.ts';
import { rowsOf } from '../../../src/store/sql/rows.ts';

const statementOf = (program: Program<unknown>): Statement => {
  const { value } = program.next();
  return value as Statement;
};
const [forSqlite, forPostgres] = [makeRender('sqlite'), makeRender('postgres')];

/** Both engines, which answer what they were asked. */
function makeEcho() {
  const asked: (readonly unknown[])[] = [];
  const take = (want: string) =>
    ((text: string, ...values: readonly unknown[]) => {
      asked.push([want, text.replace(/\s+/g, ' ').trim(), ...values]);
      if (text.includes('broken')) throw new Error('broken');
      return want === 'run' ? { changes: 3 } : want === 'all' ? [{ n: 1 }] : { n: 1 };
    }) as never;
  const db = { get: take('get'), all: take('all'), run: take('run') };
  return { asked, db };
}

describe('a statement', () => {
  const find = (state: string | null, locked: boolean) =>
    statementOf(get`SELECT ${words('a, b')} FROM t WHERE x = ${1} AND y ${among('text', ['p', 'q'])}
      AND (${typed('text', state)} IS NULL OR state = ${state}) ${locked ? FOR_UPDATE : words('')}`);

  test('is said to each engine in its own words, with its values in the order of their places', () => {
    const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
    const [sqlite, postgres] = [forSqlite(find('s', true)), forPostgres(find('s', true))];
    expect(plain(sqlite.text)).toBe(
      'SELECT a, b FROM t WHERE x = ? AND y IN (SELECT value FROM json_each(?)) AND (? IS NULL OR state = ?)',
    );
    expect(plain(postgres.text)).toBe(
      'SELECT a, b FROM t WHERE x = $1 AND y = ANY($2::text[]) AND ($3::text IS NULL OR state = $4) FOR UPDATE',
    );
    expect(sqlite.values).toEqual([1, ['p', 'q'], 's', 's']);
    expect(postgres.values).toEqual(sqlite.values);
  });

  test('has one text for each shape that it takes, whatever its values are', () => {
    const texts = [find('s', true), find(null, false), find('other', true)].map((one) => forPostgres(one).text);
    expect(texts[0]).toBe(texts[2]);
    expect(texts[1]).not.toContain('FOR UPDATE');
    expect(forPostgres(find(null, true)).text).toBe(texts[0]);
  });

  test('tells SQLite what time it is, and asks PostgreSQL', () => {
    const until = (at: number, ms: number) =>
      statementOf(
        run`UPDATE t SET until = ${now(new Date(at))} + ${typed('int', ms)}${MILLISECONDS} WHERE id = ${'i'}`,
      );
    const both = [until(1000, 5), until(2000, 6)];
    expect(both.map(forSqlite)).toEqual([
      { text: 'UPDATE t SET until = ? + ? WHERE id = ?', values: [1000, 5, 'i'] },
      { text: 'UPDATE t SET until = ? + ? WHERE id = ?', values: [2000, 6, 'i'] },
    ]);
    const text = `UPDATE t SET until = now() + $1::int * interval '1 millisecond' WHERE id = $2`;
    expect(both.map(forPostgres)).toEqual([
      { text, values: [5, 'i'] },
      { text, values: [6, 'i'] },
    ]);
  });

  test('asks PostgreSQL for the time of its batch, of itself, or in milliseconds, and never mixes them up', () => {
    const at = new Date(7);
    const text = (time: ReturnType<typeof now>) => forPostgres(statementOf(run`UPDATE t SET a = ${time}`)).text;
    const texts = [now(at), rightNow(at), rightNowMs(at), now(at)].map(text);
    expect(texts).toEqual([
      'UPDATE t SET a = now()',
      'UPDATE t SET a = clock_timestamp()',
      'UPDATE t SET a = (extract(epoch FROM clock_timestamp()) * 1000)::bigint',
      'UPDATE t SET a = now()',
    ]);
    expect(forSqlite(statementOf(run`UPDATE t SET a = ${rightNowMs(at)}`)).values).toEqual([7]);
  });

  test('compares bytes, and several columns together, with lists of them', () => {
    const types = ['bytea', 'bigint'] as const;
    const find = (names: readonly string[]) =>
      statementOf(
        all`SELECT 1 WHERE a ${among('bytea', names)} AND (b, c) ${amongTuples(types, [[names[0] ?? '', 5]])}`,
      );
    // The first makes the text, the second finds it.
    for (const names of [['0a', 'ff'], ['0b']]) {
      expect(forSqlite(find(names))).toEqual({
        text:
          'SELECT 1 WHERE a IN (SELECT unhex(value) FROM json_each(?))' +
          ' AND (b, c) IN (SELECT unhex(value ->> 0), value ->> 1 FROM json_each(?))',
        values: [names, [[names[0], 5]]],
      });
      const bytes = names.map((name) => Buffer.from(name, 'hex'));
      expect(forPostgres(find(names))).toEqual({
        text:
          'SELECT 1 WHERE a = ANY($1::bytea[])' + ' AND (b, c) IN (SELECT * FROM unnest($2::bytea[], $3::bigint[]))',
        values: [bytes, [bytes[0]], [5]],
      });
    }
  });

  test('is put together from conditions, and numbers their places through', () => {
    const rendered = (conditions: readonly ReturnType<typeof fragment>[]) =>
      forPostgres(statementOf(all`SELECT 1 FROM t WHERE ${allOf(conditions)} LIMIT ${9}`));
    const [a, b] = [fragment`a = ${'x'}`, fragment`${part('s', 'p')} < ${2}`];
    expect(rendered([a])).toEqual({ text: 'SELECT 1 FROM t WHERE a = $1 LIMIT $2', values: ['x', 9] });
    expect(rendered([b, a])).toEqual({ text: 'SELECT 1 FROM t WHERE p < $1 AND a = $2 LIMIT $3', values: [2, 'x', 9] });
  });

  test('takes a list of values one after the other', () => {
    const behind = (values: readonly (string | number)[]) =>
      statementOf(all`SELECT 1 WHERE (a, b) > (${listOf(values)}) LIMIT ${9}`);
    expect(forPostgres(behind(['x', 2]))).toEqual({
      text: 'SELECT 1 WHERE (a, b) > ($1, $2) LIMIT $3',
      values: ['x', 2, 9],
    });
    expect(forSqlite(behind(['x', 2])).text).toBe('SELECT 1 WHERE (a, b) > (?, ?) LIMIT ?');
  });

  test('never takes a value for text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.integer(), fc.uint8Array(), fc.constant(null)), { maxLength: 6 }),
        (values) => {
          const strings = Object.assign(
            Array.from({ length: values.length + 1 }, () => '|'),
            { raw: [] },
          );
          for (const render of [forSqlite, forPostgres]) {
            const { text, values: bound } = render(statementOf(run(strings, ...values)));
            expect(text).toMatch(/^[|?$0-9]*$/);
            expect(bound).toEqual(values);
          }
        },
      ),
    );
  });
});

describe('a program', () => {
  function* work(): Program<unknown> {
    const row = yield* get`SELECT 1 WHERE ${true}`;
    const rows = yield* all`SELECT ${among('bigint', [1, 2])}`;
    const changed = yield* run`DELETE`;
    yield* insert(rowsOf('t', { a: 'text', b: 'bigint' }, 'ON CONFLICT DO NOTHING'), [
      { a: 'x', b: 1 },
      { a: 'y', b: null },
    ]);
    yield* insert(rowsOf('t', { a: 'text' }), []);
    return { row, rows, changed };
  }
  const ended = { row: { n: 1 }, rows: [{ n: 1 }], changed: 3 };

  test('runs to its end on SQLite without a pause', () => {
    const { asked, db } = makeEcho();
    expect(performSqlite({ db }, work())).toEqual(ended);
    expect(asked).toEqual([
      ['get', 'SELECT 1 WHERE ?', 1],
      ['all', 'SELECT IN (SELECT value FROM json_each(?))', '[1,2]'],
      ['run', 'DELETE'],
      ['run', 'INSERT INTO t (a, b) VALUES (?, ?), (?, ?) ON CONFLICT DO NOTHING', 'x', 1, 'y', null],
    ]);
  });

  test('does the same on PostgreSQL, with one statement for rows that go together', async () => {
    const { asked, db } = makeEcho();
    expect(await performPostgres({ db }, work())).toEqual(ended);
    expect(asked.at(-1)).toEqual([
      'run',
      'INSERT INTO t (a, b) SELECT * FROM unnest($1::text[], $2::bigint[]) WHERE true ON CONFLICT DO NOTHING',
      ['x', 'y'],
      [1, null],
    ]);
    expect(asked).toHaveLength(4);
  });

  test('binds what rows have in common once', async () => {
    const alike = () =>
      insertAlike(rowsOf('t', { a: 'text', b: 'bigint' }, '', { c: 'text', d: 'bytea' }), { c: 'same', d: null }, [
        { a: 'x', b: 1 },
        { a: 'y', b: 2 },
      ]);
    const { asked, db } = makeEcho();
    performSqlite({ db }, alike());
    await performPostgres({ db }, alike());
    expect(asked).toEqual([
      ['run', 'INSERT INTO t (c, d, a, b) VALUES (?, ?, ?, ?), (?1, ?2, ?, ?)', 'same', null, 'x', 1, 'y', 2],
      [
        'run',
        'INSERT INTO t (c, d, a, b) SELECT $1::text, $2::bytea, * FROM unnest($3::text[], $4::bigint[]) WHERE true',
        'same',
        null,
        ['x', 'y'],
        [1, 2],
      ],
    ]);
  });

  test('puts each of many rows, however many statements that takes, where the database has them', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('CREATE TABLE t (c TEXT, a INTEGER) STRICT');
    const rows = Array.from({ length: 70 }, (_, a) => ({ a }));
    performSqlite(
      { db: makeStatements(db) },
      insertAlike(rowsOf('t', { a: 'bigint' }, '', { c: 'text' }), { c: 'same' }, rows),
    );
    expect(db.prepare('SELECT c, a FROM t ORDER BY a').all()).toEqual(rows.map(({ a }) => ({ c: 'same', a })));
    db.close();
  });

  test('runs each of a series in its order; PostgreSQL is not waited for between them', async () => {
    const texts = ['x', 'y'];
    const series = () => runEach(texts.map((value) => fragment`UPDATE t SET a = ${value}`));
    const { asked, db } = makeEcho();
    performSqlite({ db }, series());
    expect(asked.splice(0)).toEqual([
      ['run', 'UPDATE t SET a = ?', 'x'],
      ['run', 'UPDATE t SET a = ?', 'y'],
    ]);
    const answers: (() => void)[] = [];
    const silent = (text: string, ...values: readonly unknown[]) => {
      asked.push(['run', text, ...values]);
      return new Promise((resolve) => answers.push(() => resolve({ changes: 1 })));
    };
    const performed = performPostgres({ db: { ...db, run: silent as never } }, series());
    expect(asked).toEqual([
      ['run', 'UPDATE t SET a = $1', 'x'],
      ['run', 'UPDATE t SET a = $1', 'y'],
    ]);
    for (const answer of answers) answer();
    await performed;
    await performPostgres({ db }, runEach([]));
    expect(asked).toHaveLength(2);
  });

  test('may catch what a statement throws, and is ended by what it does not catch', async () => {
    function* careful(): Program<string> {
      try {
        yield* run`broken`;
      } catch {
        yield* run`mended`;
      }
      return 'went on';
    }
    function* careless(): Program<void> {
      yield* run`broken`;
      yield* run`never`;
    }
    const { asked, db } = makeEcho();
    expect(performSqlite({ db }, careful())).toBe('went on');
    expect(await performPostgres({ db }, careful())).toBe('went on');
    expect(() => performSqlite({ db }, careless())).toThrow('broken');
    await expect(performPostgres({ db }, careless())).rejects.toThrow('broken');
    expect(asked.map(([, text]) => text)).not.toContain('never');
  });

  test('keeps others away on PostgreSQL, and passes over that on SQLite', async () => {
    function* careful(): Program<boolean> {
      yield* lock`SELECT 1 FROM t WHERE id = ${1} FOR UPDATE`;
      return yield* tryLock(-9n);
    }
    const sqlite = makeEcho();
    expect(performSqlite(sqlite, careful())).toBe(true);
    expect(sqlite.asked).toEqual([]);
    const postgres = makeEcho();
    expect(await performPostgres(postgres, careful())).toBe(false);
    expect(postgres.asked).toEqual([
      ['get', 'SELECT 1 FROM t WHERE id = $1 FOR UPDATE', 1],
      ['get', 'SELECT pg_try_advisory_xact_lock($1::bigint) AS alone', '-9'],
    ]);
    const alone = { get: () => Promise.resolve({ alone: true }) };
    expect(await performPostgres({ db: { ...postgres.db, ...alone } }, tryLock(1n))).toBe(true);
  });
});

test('a statement that is put together from pieces is the same whether or not its text was made before', () => {
  const conditions = [
    () => fragment`a = ${1}`,
    () => fragment`b ${among('text', ['x', 'y'])}`,
    () => fragment`c > ${typed('int', 3)} ${FOR_UPDATE}`,
    () => fragment`(${allOf([fragment`d = ${'four'}`, fragment`e < ${now(new Date(5))}`])})`,
  ];
  for (const engine of ['sqlite', 'postgres'] as const) {
    const remembering = makeRender(engine);
    fc.assert(
      fc.property(fc.array(fc.nat(conditions.length - 1), { minLength: 1, maxLength: 4 }), fc.nat(), (chosen, n) => {
        const pieces = chosen.map((i) => (conditions[i] ?? conditions[0])?.() ?? fragment`true`);
        const [step] = all`SELECT ${n} FROM t WHERE ${allOf(pieces)} LIMIT ${n + 1}`;
        expect(remembering(step as never)).toEqual(makeRender(engine)(step as never));
      }),
    );
  }
});
