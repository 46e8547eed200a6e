import type { DatabaseSync } from 'node:sqlite';
import { dropBytes } from '../../kernel/index.ts';
import type { CommandContext } from '../commands.ts';
import { writeAdditions } from '../sql/additions.ts';
import { performSqlite } from '../sql/perform.ts';
import type { Addition } from '../sql/statement.ts';
import type { Ask } from '../write-queue.ts';
import { makeWriterMemory } from '../writer-memory.ts';
import { isBeyondTrust, storeFault } from './errors.ts';
import type { OpenedBlock } from './journal/format.ts';
import { putAside } from './journal/put-aside.ts';
import type { Run } from './load-commands.ts';
import { toThreadError, type BatchDone, type ThreadOutcome } from './protocol.ts';
import { makeStatements } from './statements.ts';

/** A promise would be answered before its work is done, and a function cannot leave the thread. */
function plain(out: unknown): unknown {
  if (typeof out === 'function' || (typeof out === 'object' && out !== null && 'then' in out))
    throw new TypeError('a command answers plain data');
  return out;
}

/**
 * One transaction for the batch, in which what was journaled comes first. A command hardly ever throws, so all of them go
 * without savepoints first: those cost two statements each and a copy of every page that a command touches. Where one
 * throws, the batch is undone and repeated with a savepoint for each, and a bad one fails alone. So a command must do
 * nothing that a rollback does not undo. What was journaled was acknowledged: of it a bad one is put aside.
 */
export function makeRunBatch(
  db: DatabaseSync,
  { vault, writer }: Pick<CommandContext, 'vault' | 'writer'>,
  commands: ReadonlyMap<string, Run>,
  on: {
    readonly broken: (thrown: unknown) => void;
    /** Something journaled was put aside at this time. */
    readonly aside: (name: string, thrown: unknown) => number;
  },
): (asks: readonly Ask[], journaled?: readonly OpenedBlock[]) => BatchDone {
  const additions: Addition[] = [];
  const memory = makeWriterMemory();
  const statements = makeStatements(db);
  const context = {
    db: statements,
    vault,
    writer,
    memory,
    engine: 'sqlite' as const,
    additions,
    place: null as number | null,
  };
  const begin = db.prepare('BEGIN IMMEDIATE');
  const savepoint = db.prepare('SAVEPOINT command');
  const release = db.prepare('RELEASE command');
  const back = db.prepare('ROLLBACK TO command');

  function run(name: string, args: unknown, place: number | null): unknown {
    const command = commands.get(name);
    if (command === undefined) throw new Error(`no command is named ${name}`);
    context.place = place;
    return plain(command(context, args));
  }

  const carryOut = ({ name, args }: Ask): ThreadOutcome => ({ done: true, out: run(name, args, null) });

  /** Whatever they add to counters is written with them. */
  function withAdditions<T>(carryOutSome: () => T): T {
    additions.length = 0;
    const done = carryOutSome();
    performSqlite(context, writeAdditions(additions));
    return done;
  }

  /** The trouble of the whole database, and what SQLite has already rolled back, fails the batch. */
  const passOn = (thrown: unknown): void => {
    if (storeFault(thrown) !== null || !db.isTransaction) throw thrown;
  };

  function apart<T>(work: () => T, otherwise: (thrown: unknown) => T): T {
    savepoint.run();
    let done: T;
    try {
      done = withAdditions(work);
    } catch (thrown) {
      passOn(thrown);
      memory.forget();
      back.run();
      done = otherwise(thrown);
    }
    release.run();
    return done;
  }

  function markCarried(journaled: readonly OpenedBlock[]): void {
    const place = journaled.at(-1)?.entries.at(-1)?.place;
    if (place !== undefined) statements.run('UPDATE store_journal SET carried_place = ?', place);
  }

  function carryOutAll(asks: readonly Ask[], journaled: readonly OpenedBlock[]): ThreadOutcome[] {
    begin.run();
    try {
      return withAdditions(() => {
        for (const { entries } of journaled) for (const { place, name, args } of entries) run(name, args, place);
        markCarried(journaled);
        return asks.map(carryOut);
      });
    } catch (thrown) {
      passOn(thrown);
    }
    memory.forget();
    db.exec('ROLLBACK');
    begin.run();
    for (const { entries } of journaled)
      for (const entry of entries)
        apart<unknown>(
          () => run(entry.name, entry.args, entry.place),
          (thrown) => putAside(statements, vault, entry, on.aside(entry.name, thrown)),
        );
    markCarried(journaled);
    return asks.map((ask) =>
      apart<ThreadOutcome>(
        () => carryOut(ask),
        (thrown) => ({ done: false, error: toThreadError(thrown) }),
      ),
    );
  }

  const undo = (): void => {
    if (db.isTransaction) db.exec('ROLLBACK');
  };
  const allFail = (asks: readonly Ask[], thrown: unknown): BatchDone => {
    const failure = { done: false, store: storeFault(thrown) ?? 'store.io', error: toThreadError(thrown) } as const;
    return { outcomes: asks.map(() => failure), failure };
  };

  return (asks, journaled = []) => {
    try {
      const outcomes = carryOutAll(asks, journaled);
      db.exec('COMMIT');
      return { outcomes, failure: null };
    } catch (thrown) {
      memory.forget();
      if (isBeyondTrust(thrown)) on.broken(thrown);
      else undo();
      return allFail(asks, thrown);
    } finally {
      for (const { memory: bytes } of journaled) dropBytes(bytes);
    }
  };
}
