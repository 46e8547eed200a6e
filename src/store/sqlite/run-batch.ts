import type { DatabaseSync } from 'node:sqlite';
import type { Ask } from '../write-queue.ts';
import { isBeyondTrust, storeFault } from './errors.ts';
import { toThreadError, type ThreadOutcome } from './protocol.ts';

/** A promise would be answered before its work is done, and a function cannot leave the thread. */
function plain(out: unknown): unknown {
  if (typeof out === 'function' || (typeof out === 'object' && out !== null && 'then' in out))
    throw new TypeError('a command answers plain data');
  return out;
}

/** One transaction for the batch, one savepoint for each command: a bad one fails alone. */
export function makeRunBatch(
  db: DatabaseSync,
  run: (ask: Ask) => unknown,
  onBroken: (thrown: unknown) => void,
): (asks: readonly Ask[]) => ThreadOutcome[] {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const savepoint = db.prepare('SAVEPOINT command');
  const release = db.prepare('RELEASE command');
  const back = db.prepare('ROLLBACK TO command');

  const undo = (): void => {
    if (db.isTransaction) db.exec('ROLLBACK');
  };
  const allFail = (asks: readonly Ask[], thrown: unknown): ThreadOutcome[] => {
    const error = toThreadError(thrown);
    const store = storeFault(thrown) ?? 'store.io';
    return asks.map(() => ({ done: false, store, error }));
  };

  return (asks) => {
    const outcomes: ThreadOutcome[] = [];
    try {
      begin.run();
      for (const ask of asks) {
        savepoint.run();
        try {
          outcomes.push({ done: true, out: plain(run(ask)) });
        } catch (thrown) {
          // The trouble of the whole database, and what SQLite has already rolled back, fails the batch.
          if (storeFault(thrown) !== null || !db.isTransaction) throw thrown;
          back.run();
          outcomes.push({ done: false, error: toThreadError(thrown) });
        }
        release.run();
      }
      db.exec('COMMIT');
      return outcomes;
    } catch (thrown) {
      if (isBeyondTrust(thrown)) onBroken(thrown);
      else undo();
      return allFail(asks, thrown);
    }
  };
}
