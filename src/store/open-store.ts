import type { Clock, Log, Secret } from '../kernel/index.ts';
import type { AnyCommandSet, Store } from './commands.ts';
import { keyBytes, type StoreKeys } from './find-key-problem.ts';
import type { StoreEnvironment } from './identity.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import type { QueueLimits } from './write-queue.ts';

export type Database =
  | {
      readonly engine: 'sqlite';
      readonly file: string;
      readonly filesystem: 'local' | 'any';
      /** Otherwise a new database is made only in a folder that is there: a wrong path is no empty database. */
      readonly folder?: 'make';
    }
  | { readonly engine: 'postgres'; readonly url: Secret };

export interface StoreDeps {
  readonly database: Database;
  readonly keys: StoreKeys;
  /** Names this process; its writers and audit chains carry it. */
  readonly instance: string;
  /** Of which environment of the source the data are. A database remembers it and is refused to the other. */
  readonly environment?: StoreEnvironment;
  readonly sets: readonly AnyCommandSet[];
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<QueueLimits>;
  /** How long a PostgreSQL that is not there yet is waited for. */
  readonly startPatienceMs?: number;
  /** How often PostgreSQL's settings are looked at again. */
  readonly checkMs?: number;
}

export const keysOf = ({ data, pseudonym }: StoreDeps['keys']) => ({
  data: data.map(keyBytes),
  pseudonym: keyBytes(pseudonym),
});

/** Opens, checks and migrates. Throws a StartError whose message says what to do. */
export async function openStore({ database, keys, environment = 'production', ...given }: StoreDeps): Promise<Store> {
  const deps = { ...given, environment };
  const vaultKeys = keysOf(keys);
  if (database.engine === 'sqlite') return openSqlite({ ...deps, ...database, keys: vaultKeys });
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  return openPostgres({ ...deps, url: database.url.reveal(), keys: vaultKeys });
}
