import type { PostgresDb, SqliteDb, SqlValue } from '../commands.ts';
import { makeRender, type Bound } from './render.ts';
import type { Insertion, Program, Step } from './statement.ts';

const forSqlite = makeRender('sqlite');
const forPostgres = makeRender('postgres');

const toSqlite = (value: Bound): SqlValue =>
  typeof value === 'boolean' ? Number(value) : Array.isArray(value) ? JSON.stringify(value) : (value as SqlValue);

/** Each number of rows is a text of its own, which is prepared and kept: this bounds how many there are. */
const ROWS_A_STATEMENT = 32;

function insertSqlite(db: SqliteDb, { into: { columns, sqlite }, rows }: Insertion): void {
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
    const some = rows.slice(from, from + ROWS_A_STATEMENT);
    const values: SqlValue[] = [];
    for (const row of some) for (const column of columns) values.push(toSqlite(row[column] ?? null));
    db.run(sqlite(some.length), ...values);
  }
}

function stepSqlite(db: SqliteDb, step: Step): unknown {
  if (step.kind === 'insertion') {
    insertSqlite(db, step);
    return undefined;
  }
  if (step.kind === 'series') {
    for (const statement of step.statements) stepSqlite(db, statement);
    return undefined;
  }
  if (step.kind === 'lock') return undefined;
  if (step.kind === 'try-lock') return true;
  const { text, values: given } = forSqlite(step);
  const values = given.map(toSqlite);
  switch (step.want) {
    case 'get':
      return db.get(text, ...values);
    case 'all':
      return db.all(text, ...values);
    case 'run':
      return db.run(text, ...values).changes;
  }
}

async function stepPostgres(db: PostgresDb, step: Step): Promise<unknown> {
  if (step.kind === 'insertion') {
    const { columns, postgres } = step.into;
    return db.run(postgres, ...columns.map((column) => step.rows.map((row) => row[column] ?? null)));
  }
  if (step.kind === 'series') return Promise.all(step.statements.map((statement) => stepPostgres(db, statement)));
  if (step.kind === 'lock') return stepPostgres(db, step.statement);
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
  }
}

/** Without a pause, inside the writer or a reader of SQLite. */
export function performSqlite<T>({ db }: { readonly db: SqliteDb }, program: Program<T>): T {
  let next = program.next();
  while (next.done !== true) {
    let found: unknown;
    try {
      found = stepSqlite(db, next.value);
    } catch (thrown) {
      next = program.throw(thrown);
      continue;
    }
    next = program.next(found);
  }
  return next.value;
}

/** Statement by statement, on the connection of the command. */
export async function performPostgres<T>({ db }: { readonly db: PostgresDb }, program: Program<T>): Promise<T> {
  let next = program.next();
  while (next.done !== true) {
    let found: unknown;
    try {
      found = await stepPostgres(db, next.value);
    } catch (thrown) {
      next = program.throw(thrown);
      continue;
    }
    next = program.next(found);
  }
  return next.value;
}
