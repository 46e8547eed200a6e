import type { Result } from '../kernel/index.ts';
import type { Addition, Engine, Program } from './sql/statement.ts';
import type { Vault } from './vault.ts';
import type { WriterMemory } from './writer-memory.ts';

/** The operations of one module by name: what goes in and what comes out, both plain data (structured clone). */
export type Operations = Record<string, { readonly args: unknown; readonly out: unknown }>;

export type SqlValue = string | number | bigint | null | Uint8Array;
export type Row = Record<string, SqlValue>;

/** Inside the SQLite writer everything is synchronous. Statements are prepared once for each distinct text. */
export interface SqliteDb {
  get(sql: string, ...params: SqlValue[]): Row | undefined;
  all(sql: string, ...params: SqlValue[]): Row[];
  /** `seq`: where the row stands that was inserted last. */
  run(sql: string, ...params: SqlValue[]): { readonly changes: number; readonly seq: number };
}

export interface PostgresDb {
  get(sql: string, ...params: unknown[]): Promise<Record<string, unknown> | undefined>;
  all(sql: string, ...params: unknown[]): Promise<Record<string, unknown>[]>;
  run(sql: string, ...params: unknown[]): Promise<{ readonly changes: number }>;
}

/** What a command has beside its arguments: the database it reaches by the statements that it yields. */
export interface CommandContext {
  readonly vault: Vault;
  /** Names the single writer that this context belongs to; it is the name of its audit chain. */
  readonly writer: string;
  /** What the commands of this writer remember; one that only reads remembers nothing. */
  readonly memory: WriterMemory;
  /** Of what was journaled, its place in the journal, which only grows; null for everything else. */
  readonly place?: number | null;
  /**
   * For what is another thing on a database that one process has to itself and that has no clock of its own, as SQLite
   * is. Words that the engines say differently are parts of a statement.
   */
  readonly engine: Engine;
}
export interface SqliteContext extends CommandContext {
  readonly db: SqliteDb;
  /** What the commands of a batch have added to counters so far. */
  readonly additions?: Addition[];
  readonly engine: 'sqlite';
}
export interface PostgresContext extends CommandContext {
  readonly db: PostgresDb;
  readonly additions?: Addition[];
  readonly engine: 'postgres';
}

/** Operations that are written once for both engines. */
export type Programs<O extends Operations> = {
  readonly [K in keyof O]: (context: CommandContext, args: O[K]['args']) => Program<O[K]['out']>;
};

/** The same command for several arguments at once, in their order, with one result each: saves round trips. */
export type PostgresMany<O extends Operations> = {
  readonly [K in keyof O]?: (
    context: PostgresContext,
    args: readonly O[K]['args'][],
  ) => Promise<readonly O[K]['out'][]>;
};

/** What a file with the commands of a module for both engines exports. */
export interface CommandFile<W extends Operations = Operations, R extends Operations = Operations> {
  readonly writes: Programs<W>;
  readonly writesMany?: PostgresMany<W>;
  readonly reads: Programs<R>;
}
declare const writesOf: unique symbol;
declare const readsOf: unique symbol;

export interface Journaled<O extends { readonly args: unknown; readonly out: unknown }> {
  readonly answer: (place: number) => O['out'];
  /** Throws for what could not be carried out. */
  readonly check: (args: O['args']) => void;
  /**
   * What follows when one could not be carried out all the same: the next ones of the set are answered once they are
   * committed, until one was; or they go on as before.
   */
  readonly whenPutAside: 'commit-first' | 'go-on';
}

/** The commands of one module, for both engines. SQLite's are loaded inside its threads, hence by address. */
export interface CommandSet<W extends Operations, R extends Operations> {
  readonly sqlite: URL;
  /** Commands that only add what no kept answer tells of, so that the answers stay true; see `readKept`. */
  readonly adding?: readonly (keyof W & string)[];
  /**
   * On PostgreSQL no two of its batches run together in one process, nor with what gives way: for commands that hold
   * many rows which others of them want too, and would wait for each other.
   */
  readonly inOneLine?: true;
  /** Commands that nobody outside waits for: alone they may rest for some milliseconds, to share a commit with others. */
  readonly soon?: readonly (keyof W & string)[];
  /**
   * On SQLite these are answered, by what is given here, once their arguments stand in the journal on the disk; they are
   * carried out later, in their order, each once. They must be among `adding`. What they are given may only grow from one
   * release to the next: a start carries out what the one before has journaled.
   */
  readonly journaled?: { readonly [K in keyof W & string]?: Journaled<W[K]> };
  /** Of a command that is about something journaled, its place, or Infinity for whatever is: that is carried out before. */
  readonly afterPlace?: { readonly [K in keyof W & string]?: (args: W[K]['args']) => number };
  /**
   * Its queries see whatever was journaled before they are asked, or up to the place that is given here. `carried`: all up
   * to there is carried out.
   */
  readonly seesJournaled?:
    true | { readonly [K in keyof R & string]?: (args: R[K]['args'], carried: number) => number };
  readonly postgres: () => Promise<CommandFile<W, R>>;
  readonly [writesOf]?: W;
  readonly [readsOf]?: R;
}

/** A set of any module, as the engines hold it: who knows the arguments is the module alone. */
export interface AnyCommandFile {
  readonly writes: Readonly<Record<string, (context: CommandContext, args: never) => Program<unknown>>>;
  readonly writesMany?: Readonly<
    Record<string, ((context: PostgresContext, args: never) => Promise<readonly unknown[]>) | undefined>
  >;
  readonly reads: Readonly<Record<string, (context: CommandContext, args: never) => Program<unknown>>>;
}
export interface AnyCommandSet {
  readonly sqlite: URL;
  readonly adding?: readonly string[];
  readonly journaled?: object;
  readonly postgres: () => Promise<AnyCommandFile>;
}

export interface Operate<W extends Operations, R extends Operations> {
  /**
   * Runs a command wholly inside the writer and answers once its transaction is on stable storage, or its place in the
   * journal is.
   * A fault means that nothing of it was stored, except `store.commit-unknown`, where that cannot be known.
   * A bug in the command rejects, and fails nobody else's command.
   */
  write<K extends keyof W & string>(name: K, args: W[K]['args']): Promise<Result<W[K]['out']>>;
  /** The same, behind what others wait for: a few at a time while the writer is busy, all of it while it is not. */
  writeBehind<K extends keyof W & string>(name: K, args: W[K]['args']): Promise<Result<W[K]['out']>>;
  read<K extends keyof R & string>(name: K, args: R[K]['args']): Promise<Result<R[K]['out']>>;
  /**
   * The same. Where nobody but this process writes, an answer is kept and given again until anything was written that
   * may have changed it: for what is asked at every request. A time in its arguments must be a round one, or nothing is
   * ever asked twice.
   */
  readKept<K extends keyof R & string>(name: K, args: R[K]['args']): Promise<Result<R[K]['out']>>;
}

export interface StoreHealth {
  /** `ready`: takes writes. Any other: the fault code of why it does not. */
  readonly state:
    'ready' | 'store.full' | 'store.io' | 'store.unreachable' | 'store.not-durable' | 'store.busy' | 'store.closed';
  /** Of `store.not-durable`: what is wrong, in words. */
  readonly reason?: string;
  readonly queued: number;
  readonly queuedBytes: number;
  /** How many commands are acknowledged and not carried out; absent where there is no journal. */
  readonly journaled?: number;
}

export interface StoreFigures {
  readonly commits: number;
  readonly commands: number;
  readonly failures: number;
  readonly lastBatch: number;
  readonly lastCommitMs: number;
}

export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  /** `3.53.4`, `18.4`. */
  readonly engineVersion: string;
  use<W extends Operations, R extends Operations>(set: CommandSet<W, R>): Operate<W, R>;
  health(): StoreHealth;
  figures(): StoreFigures;
  /** Resolves the first time that the store can no longer be trusted and the process must end. */
  readonly broken: Promise<{ readonly code: 'store.io' | 'store.wrong-database'; readonly cause: unknown }>;
  /**
   * Sees to it that what was deleted stands in no file of the live database any more: the log of SQLite is cut off, its
   * pages are overwritten as they are freed; tables of PostgreSQL that hold keys and ids are written anew. `partly`:
   * not all of it could be done now.
   */
  scrub(): Promise<'done' | 'partly'>;
  /** Finishes what was taken, refuses what comes, frees the file or the connections. */
  close(): Promise<void>;
}
