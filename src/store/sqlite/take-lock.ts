import { DatabaseSync } from 'node:sqlite';
import { StartError, isError } from '../../kernel/index.ts';

/** SQLITE_BUSY */
const BUSY = 5;

/**
 * One process a database: a second tiny database is held exclusively for the life of the process. The kernel lets go of
 * it when the process dies, however it dies, so that no stale lock is ever in the way.
 */
export function takeLock(file: string): () => void {
  const lock = new DatabaseSync(`${file}-lock`, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode=MEMORY; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE;');
  } catch (thrown) {
    lock.close();
    if (isError(thrown) && 'errcode' in thrown && thrown.errcode === BUSY)
      throw new StartError(
        'store.locked',
        'Another process has this database open. Stop it, or give this one another CHARTGATE_DATABASE_URL.',
      );
    throw thrown;
  }
  return () => lock.close();
}
