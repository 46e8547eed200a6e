import { StartError } from '../kernel/index.ts';
import type { AnyCommandSet, CommandSet, Operate, Operations } from './commands.ts';
import type { Database } from './open-store.ts';
import { readSqlite } from './sqlite/read-sqlite.ts';

/**
 * A database that is looked at and not touched: no lock, no migration, no keys. What is sealed in it cannot be opened.
 */
export interface ReadOnlyStore {
  use<W extends Operations, R extends Operations>(set: CommandSet<W, R>): Pick<Operate<W, R>, 'read'>;
  close(): Promise<void>;
}

/** Throws a StartError where the database cannot be opened. */
export async function openForReading(database: Database, sets: readonly AnyCommandSet[]): Promise<ReadOnlyStore> {
  try {
    const opened =
      database.engine === 'sqlite'
        ? await readSqlite(database.file, sets)
        : await (await import('./postgres/read-postgres.ts')).readPostgres(database.url.reveal(), sets);
    return { use: () => ({ read: opened.read }), close: opened.close };
  } catch (thrown) {
    throw new StartError(
      'store.unreadable',
      'The database cannot be opened for reading. Check its path or address.',
      thrown,
    );
  }
}
