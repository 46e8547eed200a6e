import type { DatabaseSync } from 'node:sqlite';
import type { CommandContext } from '../commands.ts';
import { writeAdditions } from '../sql/additions.ts';
import { performSqlite } from '../sql/perform.ts';
import type { Addition } from '../sql/statement.ts';
import type { Ask } from '../write-queue.ts';
import { makeWriterMemory } from '../writer-memory.ts';
import { isBeyondTrust, storeFault } from './errors.ts';
import type { Run } from './load-commands.ts';
import { toThreadError, type ThreadOutcome } from './protocol.ts';
import { makeStatements } from './statements.ts';

/** A promise would be answered before its work is done, and a function cannot leave the thread. */
function plain(out: unknown): unknown {
  if (typeof out === 'function' || (typeof out === 'object' && out !== null && 'then' in out))
    throw new TypeError('a command answers plain data');
  return out;
}

/**
 * One transaction for the batch. A command hardly ever throws, so all of them go without savepoints first: those cost
 * two statements each and a copy of every page that a command touches. Where one throws, the batch is undone and
 * repeated with a savepoint for each, and a bad one fails alone. So a command must do nothing that a rollback does not
 * undo.
 */
export function makeRunBatch(
  db: DatabaseSync,
  { vault, writer }: Pick<CommandContext, 'vault' | 'writer'>,
  commands: ReadonlyMap<string, Run>,
  onBroken: (thrown: unknown) => void,
): (asks: readonly Ask[]) => ThreadOutcome[] {
  const additions: Addition[] = [];
  const memory = makeWriterMemory();
  const context = { db: makeStatements(db), vault, writer, memory, engine: 'sqlite', additions } as const;
  const begin = db.prepare('BEGIN IMMEDIATE');
  const savepoint = db.prepare('SAVEPOINT command');
  const release = db.prepare('RELEASE command');
  const back = db.prepare('ROLLBACK TO command');

  function carryOut({ name, args }: Ask): ThreadOutcome {
    const command = commands.get(name);
    if (command === undefined) throw new Error(`no command is named ${name}`);
    return { done: true, out: plain(command(context, args)) };
  }

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

  function carryOutApart(ask: Ask): ThreadOutcome {
    savepoint.run();
    let outcome: ThreadOutcome;
    try {
      outcome = withAdditions(() => carryOut(ask));
    } catch (thrown) {
      passOn(thrown);
      memory.forget();
      back.run();
      outcome = { done: false, error: toThreadError(thrown) };
    }
    release.run();
    return outcome;
  }

  function carryOutAll(asks: readonly Ask[]): ThreadOutcome[] {
    begin.run();
    try {
      return withAdditions(() => asks.map(carryOut));
    } catch (thrown) {
      passOn(thrown);
    }
    memory.forget();
    db.exec('ROLLBACK');
    begin.run();
    return asks.map(carryOutApart);
  }

  const undo = (): void => {
    if (db.isTransaction) db.exec('ROLLBACK');
  };
  const allFail = (asks: readonly Ask[], thrown: unknown): ThreadOutcome[] => {
    const error = toThreadError(thrown);
    const store = storeFault(thrown) ?? 'store.io';
    return asks.map(() => ({ done: false, store, error }));
  };

  return (asks) => {
    try {
      const outcomes = carryOutAll(asks);
      db.exec('COMMIT');
      return outcomes;
    } catch (thrown) {
      memory.forget();
      if (isBeyondTrust(thrown)) onBroken(thrown);
      else undo();
      return allFail(asks, thrown);
    }
  };
}
