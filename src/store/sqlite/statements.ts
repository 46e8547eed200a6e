import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqliteDb } from '../commands.ts';

const TRANSACTION = /^\s*(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA|VACUUM)\b/i;

/** It removes rows without asking the triggers that forbid it. */
const REPLACES = /\bOR\s+REPLACE\b|\bREPLACE\s+INTO\b/i;

/** Each distinct text is prepared once; texts are constants of the code base, so the map stays small. */
export function makeStatements(db: DatabaseSync): SqliteDb {
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    let found = prepared.get(sql);
    if (found === undefined) {
      if (TRANSACTION.test(sql)) throw new Error('a command does not begin or end transactions');
      if (REPLACES.test(sql)) throw new Error('a command replaces no rows');
      found = db.prepare(sql);
      prepared.set(sql, found);
    }
    return found;
  };
  return {
    get: (sql, ...params) => statement(sql).get(...params),
    all: (sql, ...params) => statement(sql).all(...params),
    run: (sql, ...params) => {
      const { changes, lastInsertRowid } = statement(sql).run(...params);
      return { changes: Number(changes), seq: Number(lastInsertRowid) };
    },
  };
}
