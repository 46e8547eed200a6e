/*
 * SQL that is written once for both engines. A command is a generator: it yields statements and is handed what they
 * found. SQLite runs it to its end inside its writer without a pause, PostgreSQL awaits each answer that tells it
 * something.
 *
 *   const row = yield* get`SELECT seq, state FROM delivery WHERE tenant = ${tenant} AND id = ${id} ${FOR_UPDATE}`;
 *
 * What stands in `${}` is a value and never text, unless it was made by `part` or `words`. Those are constants of the
 * code base, as the text around them is: each distinct text is prepared once and kept.
 */

import type { ColumnType, Rows } from './rows.ts';

export type Row = Readonly<Record<string, unknown>>;
export type Engine = 'sqlite' | 'postgres';

export type Value = string | number | bigint | boolean | null | Uint8Array;

interface Part {
  readonly kind: 'part';
  readonly sqlite: string;
  readonly postgres: string;
}
interface Typed {
  readonly kind: 'typed';
  readonly type: ColumnType;
  readonly value: Value;
}
interface Now {
  readonly kind: 'now';
  readonly atMs: number;
  /** What PostgreSQL asks its clock. */
  readonly postgres: string;
}
interface List {
  readonly kind: 'list';
  /** Bytes are given in hex. */
  readonly type: 'text' | 'bigint' | 'bytea';
  readonly values: readonly (string | number)[];
}
interface Tuples {
  readonly kind: 'tuples';
  readonly types: readonly List['type'][];
  readonly rows: readonly (readonly (string | number)[])[];
}
/** SQL with values of its own, which is put into other statements. */
export interface Fragment {
  readonly kind: 'fragment';
  readonly strings: TemplateStringsArray;
  readonly values: readonly Interpolated[];
}
interface Joined {
  readonly kind: 'joined';
  readonly by: string;
  readonly fragments: readonly Fragment[];
}
export type Interpolated = Value | Part | Typed | Now | List | Tuples | Fragment | Joined;

/** A piece of SQL that the engines say differently. */
export const part = (sqlite: string, postgres: string): Part => ({ kind: 'part', sqlite, postgres });
/** A piece of SQL that both say alike: a list of columns, a condition that several statements share. */
export const words = (text: string): Part => part(text, text);
export type { Part };

/** The row is locked until the command ends. SQLite has one writer and needs no locks. */
export const FOR_UPDATE = part('', 'FOR UPDATE');
/** The same; a row that somebody else holds is left out instead of waited for. */
export const FOR_UPDATE_OF_FREE = part('', 'FOR UPDATE SKIP LOCKED');

/**
 * PostgreSQL has a clock of its own, which is the same for all replicas; for SQLite it is now when the command says so.
 */
export const now = (at: Date): Now => ({ kind: 'now', atMs: at.getTime(), postgres: 'now()' });
/**
 * The same as of this very statement. `now` is when the batch began, which was before the command waited for its locks.
 */
export const rightNow = (at: Date): Now => ({ kind: 'now', atMs: at.getTime(), postgres: 'clock_timestamp()' });
/** In milliseconds, for columns that hold those. */
export const rightNowMs = (at: Date): Now => ({
  kind: 'now',
  atMs: at.getTime(),
  postgres: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
});
/**
 * Ends every statement of `insertOne`. SQLite says where it has put a row without being asked, and makes a table of what
 * it is asked to return.
 */
export const RETURNING_SEQ = part('', 'RETURNING seq');

/** Before every other time. */
export const LONG_AGO = part('0', `'-infinity'`);
/** `${EARLIER}(a, b)`, of which neither may be null. */
export const EARLIER = part('min', 'least');
export const LATER = part('max', 'greatest');
/** `${now(at)} + ${typed('int', ms)}${MILLISECONDS}`: so much later. */
export const MILLISECONDS = part('', ` * interval '1 millisecond'`);

export const typed = (type: ColumnType, value: Value): Typed => ({ kind: 'typed', type, value });
/** `state ${among('text', STATES)}`: is one of them. */
export const among = (type: List['type'], values: readonly (string | number)[]): List => ({
  kind: 'list',
  type,
  values,
});

/** `(a, b) ${amongTuples(TYPES, rows)}`: together are one of them; `TYPES` is a constant. */
export const amongTuples = (types: readonly List['type'][], rows: Tuples['rows']): Tuples => ({
  kind: 'tuples',
  types,
  rows,
});

/** A condition, or another piece, that a statement takes in only sometimes: `fragment`state = ${state}``. */
export const fragment = (strings: TemplateStringsArray, ...values: readonly Interpolated[]): Fragment => ({
  kind: 'fragment',
  strings,
  values,
});
const [ONLY, ONLY_END] = [part('= ', '= ANY(ARRAY['), part('', '])')];
/**
 * `state ${only('text', state)} ORDER BY ${part('seq', 'state, seq')} LIMIT 1`: equal to this value, along the index
 * of state and seq. Of an equal sign PostgreSQL knows that the rows of one state are in the order of their places in the
 * primary key too, and walks that from its beginning until one fits, which of a rare state is the whole table.
 */
export const only = (type: ColumnType, value: Value): Fragment => fragment`${ONLY}${typed(type, value)}${ONLY_END}`;

/** All of these conditions; there is at least one. */
export const allOf = (fragments: readonly Fragment[]): Joined => ({ kind: 'joined', by: ' AND ', fragments });
/** `VALUES ${commaSeparated(rows)}` */
export const commaSeparated = (fragments: readonly Fragment[]): Joined => ({ kind: 'joined', by: ', ', fragments });
/** `(a, b) > (${listOf(values)})`: one after the other. */
export const listOf = (values: readonly Value[]): Joined => commaSeparated(values.map((value) => fragment`${value}`));

export interface Statement {
  readonly kind: 'statement';
  readonly want: 'get' | 'all' | 'run' | 'seq';
  readonly strings: TemplateStringsArray;
  readonly values: readonly Interpolated[];
}

/** Rows of one table that are inserted together. */
export interface Insertion {
  readonly kind: 'insertion';
  readonly into: Rows<string, string>;
  readonly rows: readonly Readonly<Record<string, Value>>[];
  /** What is the same for all of them. */
  readonly common: Readonly<Record<string, Value>>;
}

/** What is added to counters. */
export interface Addition {
  readonly kind: 'addition';
  readonly to: Rows<string>;
  readonly counters: Insertion['rows'];
}

/** Statements of which nobody waits for what they find. */
export interface Series {
  readonly kind: 'series';
  readonly statements: readonly Statement[];
  /** Thrown where one of them changes another number of rows than one. */
  readonly unlessOne?: string;
}

/** Statements, or keys, that only keep others away: SQLite has one writer and passes over them. */
interface Lock {
  readonly kind: 'lock';
  readonly statements: readonly Statement[];
  /** Whether anybody asks if there were rows. */
  readonly isHeard?: false;
}
interface TryLock {
  readonly kind: 'try-lock';
  readonly key: bigint;
}

export type Step = Statement | Insertion | Addition | Series | Lock | TryLock;

/** What a command does, step by step, and what it ends with. */
export type Program<T> = Generator<Step, T, unknown>;

const ask = (want: Statement['want'], strings: TemplateStringsArray, values: readonly Interpolated[]): Statement => ({
  kind: 'statement',
  want,
  strings,
  values,
});

/** The first row that it finds. */
export function* get(strings: TemplateStringsArray, ...values: readonly Interpolated[]): Program<Row | undefined> {
  return (yield ask('get', strings, values)) as Row | undefined;
}

/** Every row that it finds. */
export function* all(strings: TemplateStringsArray, ...values: readonly Interpolated[]): Program<readonly Row[]> {
  return (yield ask('all', strings, values)) as readonly Row[];
}

/** How many rows it changed. */
export function* run(strings: TemplateStringsArray, ...values: readonly Interpolated[]): Program<number> {
  return (yield ask('run', strings, values)) as number;
}

/** The `seq` of the one row that it inserts into a table that has it for its key: `INSERT … ${RETURNING_SEQ}`. */
export function* insertOne(strings: TemplateStringsArray, ...values: readonly Interpolated[]): Program<number> {
  return (yield ask('seq', strings, values)) as number;
}

/** A statement of which nobody asks how many rows it changed. PostgreSQL is sent what follows before it answers. */
export function* send(strings: TemplateStringsArray, ...values: readonly Interpolated[]): Program<void> {
  yield { kind: 'series', statements: [ask('run', strings, values)] };
}

/** The same, of a statement that changes one row, or else the command fails with these words. */
export function* sendOne(statement: Fragment, otherwise: string): Program<void> {
  const { strings, values } = statement;
  yield { kind: 'series', statements: [ask('run', strings, values)], unlessOne: otherwise };
}

/** Whole statements, in their order. PostgreSQL is sent all of them before it has answered the first. */
export function* runEach(statements: readonly Fragment[]): Program<void> {
  if (statements.length > 0)
    yield { kind: 'series', statements: statements.map(({ strings, values }) => ask('run', strings, values)) };
}

/**
 * `SELECT … FOR UPDATE` for the sake of the lock alone: others wait until the command has ended. Whether there was a row
 * to be locked; SQLite, where nobody needs to be kept away, says yes.
 */
export function* lock(strings: TemplateStringsArray, ...values: readonly Interpolated[]): Program<boolean> {
  return (yield { kind: 'lock', statements: [ask('get', strings, values)] }) as boolean;
}

/** The same for several, in their order. PostgreSQL is sent all of them before it has answered the first. */
export function* lockEach(locks: readonly Fragment[]): Program<void> {
  yield { kind: 'lock', statements: locks.map(({ strings, values }) => ask('get', strings, values)), isHeard: false };
}

/** Whether nobody else holds this key, which is then held until the command has ended. Never waits. */
export function* tryLock(key: bigint): Program<boolean> {
  return (yield { kind: 'try-lock', key }) as boolean;
}

/**
 * In their order, as if one after the other: one statement for all where the engine has arrays, for some dozens where
 * it does not.
 */
export function* insert<Column extends string>(
  into: Rows<Column>,
  rows: readonly Readonly<Record<Column, Value>>[],
): Program<void> {
  if (rows.length > 0) yield { kind: 'insertion', into, rows, common: {} };
}

/** The same, of rows that have much in common. */
export function* insertAlike<Column extends string, Common extends string>(
  into: Rows<Column, Common>,
  common: Readonly<Record<Common, Value>>,
  rows: readonly Readonly<Record<Column, Value>>[],
): Program<void> {
  if (rows.length > 0) yield { kind: 'insertion', into, rows, common };
}

/**
 * Adds to counters in the commit of this command, at its end, where the counters of all commands of a batch are summed
 * up. A command that reads them does not see what its batch adds.
 */
export function* add<Column extends string>(
  to: Rows<Column>,
  counters: readonly Readonly<Record<Column, Value>>[],
): Program<void> {
  if (counters.length > 0) yield { kind: 'addition', to, counters };
}
