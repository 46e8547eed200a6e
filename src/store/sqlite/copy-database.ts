import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { StartError } from '../../kernel/index.ts';
import { flush } from './flush.ts';
import { openReader } from './open-database.ts';

/** 4 MB: a step is short, and there are some hundred of them in a large database. */
const PAGES_A_STEP = 1_024;

function openAtOneMoment(file: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = openReader(file);
    // A transaction begins with its first look.
    db.exec('BEGIN; SELECT count(*) FROM sqlite_schema;');
    return db;
  } catch (thrown) {
    db?.close();
    throw new StartError('store.unreadable', 'The database cannot be opened for reading. Check its path.', thrown);
  }
}

/**
 * Copies a database that others write to, as it was at one moment: the open read transaction keeps that moment while
 * the log of the original grows. The copy is one file without a log of its own, and on the disk when this ends. Answers
 * its size in bytes.
 */
export async function copySqlite(
  file: string,
  to: string,
  onStep: (done: number, total: number) => void,
): Promise<number> {
  const from = openAtOneMoment(file);
  try {
    // For us alone from its first byte on.
    rmSync(to, { force: true });
    closeSync(openSync(to, 'wx', 0o600));
    await backup(from, to, {
      rate: PAGES_A_STEP,
      progress: ({ totalPages, remainingPages }) => onStep(totalPages - remainingPages, totalPages),
    });
  } finally {
    from.close();
  }
  const copy = new DatabaseSync(to);
  try {
    copy.exec('PRAGMA journal_mode=DELETE');
  } finally {
    copy.close();
  }
  flush(to);
  return statSync(to).size;
}
