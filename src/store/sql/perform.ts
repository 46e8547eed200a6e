import type { PostgresDb, SqliteDb, SqlValue } from '../commands.ts';
import { makeRender, type Bound } from './render.ts';
import type { Addition, Insertion, Program, Series, Step } from './statement.ts';

const toSqlite = (value: Bound): SqlValue =>
  typeof value === 'boolean' ? Number(value) : Array.isArray(value) ? JSON.stringify(value) : (value as SqlValue);

const forSqlite = makeRender('sqlite', toSqlite);
const forPostgres = makeRender('postgres');

/** The database of a program, and what it adds to counters; who only reads adds nothing. */
interface Performing<Db> {
  readonly db: Db;
  readonly additions?: Addition[];
}

function addLater({ additions }: Performing<unknown>, addition: Addition): void {
  if (additions === undefined) throw new Error('a query adds to no counters');
  additions.push(addition);
}

function checkOne({ unlessOne }: Series, changed: unknown): void {
  if (unlessOne !== undefined && changed !== 1) throw new Error(unlessOne);
}

/** Each number of rows is a text of its own, which is prepared and kept: this bounds how many there are. */
const ROWS_A_STATEMENT = 32;

function insertSqlite(db: SqliteDb, { into, rows, common }: Insertion): void {
  const same = into.common.map((column) => toSqlite(common[column] ?? null));
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
    const some = rows.length <= ROWS_A_STATEMENT ? rows : rows.slice(from, from + ROWS_A_STATEMENT);
    const values = [...same];
    for (const row of some) for (const column of into.columns) values.push(toSqlite(row[column] ?? null));
    db.run(into.sqlite(some.length), ...values);
  }
}

function stepSqlite(on: Performing<SqliteDb>, step: Step): unknown {
  const { db } = on;
  if (step.kind === 'addition') {
    addLater(on, step);
    return undefined;
  }
  if (step.kind === 'insertion') {
    insertSqlite(db, step);
    return undefined;
  }
  if (step.kind === 'series') {
    for (const statement of step.statements) checkOne(step, stepSqlite(on, statement));
    return undefined;
  }
  if (step.kind === 'lock' || step.kind === 'try-lock') return true;
  const { text, values } = forSqlite(step);
  switch (step.want) {
    case 'get':
      return db.get(text, ...values);
    case 'all':
      return db.all(text, ...values);
    case 'run':
      return db.run(text, ...values).changes;
    case 'seq':
      return db.run(text, ...values).seq;
  }
}

async function stepPostgres(on: Performing<PostgresDb>, step: Step): Promise<unknown> {
  const { db } = on;
  if (step.kind === 'addition') {
    addLater(on, step);
    return undefined;
  }
  if (step.kind === 'insertion') {
    const { common, columns, postgres } = step.into;
    const same = common.map((column) => step.common[column] ?? null);
    return db.run(postgres, ...same, ...columns.map((column) => step.rows.map((row) => row[column] ?? null)));
  }
  if (step.kind === 'series')
    return Promise.all(step.statements.map(async (statement) => checkOne(step, await stepPostgres(on, statement))));
  if (step.kind === 'lock') {
    const rows = await Promise.all(step.statements.map((statement) => stepPostgres(on, statement)));
    return rows.every((row) => row !== undefined);
  }
  if (step.kind === 'try-lock') {
    const row = await db.get('SELECT pg_try_advisory_xact_lock($1::bigint) AS alone', step.key.toString());
    return row?.['alone'] === true;
  }
  const { text, values } = forPostgres(step);
  switch (step.want) {
    case 'get':
      return db.get(text, ...values);
    case 'all':
      return db.all(text, ...values);
    case 'run':
      return (await db.run(text, ...values)).changes;
    case 'seq':
      return Number((await db.get(text, ...values))?.['seq']);
  }
}

/** Without a pause, inside the writer or a reader of SQLite. */
export function performSqlite<T>(on: Performing<SqliteDb>, program: Program<T>): T {
  let next = program.next();
  while (next.done !== true) {
    let found: unknown;
    try {
      found = stepSqlite(on, next.value);
    } catch (thrown) {
      next = program.throw(thrown);
      continue;
    }
    next = program.next(found);
  }
  return next.value;
}

const UNHEARD: ReadonlySet<Step['kind']> = new Set(['addition', 'insertion', 'series']);
/** Whether a program is told nothing by the answer, and so goes on before it comes. */
const isUnheard = (step: Step): boolean => (step.kind === 'lock' ? step.isHeard === false : UNHEARD.has(step.kind));

/**
 * Statement by statement, on the connection of the command, which carries them out in their order. What finds nothing
 * is not waited for before the next is sent; should it fail, the program hears of it at what it waits for next, and at
 * its end at the latest.
 */
export async function performPostgres<T>(on: Performing<PostgresDb>, program: Program<T>): Promise<T> {
  const unheard: Promise<unknown>[] = [];
  try {
    let next = program.next();
    while (next.done !== true) {
      const answer = stepPostgres(on, next.value);
      answer.catch(() => undefined);
      if (isUnheard(next.value)) {
        unheard.push(answer);
        next = program.next();
        continue;
      }
      let found: unknown;
      try {
        // In this order: behind one that failed the server refuses all others.
        for (const before of unheard.splice(0)) await before;
        found = await answer;
      } catch (thrown) {
        next = program.throw(thrown);
        continue;
      }
      next = program.next(found);
    }
    return next.value;
  } finally {
    for (const before of unheard) await before;
  }
}
