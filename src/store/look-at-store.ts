import { keysOf, type StoreDeps } from './open-store.ts';
import { lookSqlite } from './sqlite/look-sqlite.ts';
import { makeVault } from './vault.ts';

export interface LookedAt {
  /** Null where there is no file yet. */
  readonly version: string | null;
  /** How many schema steps the database has seen; none: it is new. */
  readonly applied: number;
  /** How many the next start would take. */
  readonly steps: number;
}

/**
 * Whether a start could open the database: reachable, durable, of this environment, with these keys. Throws the start's
 * own StartError.
 */
export async function lookAtStore({
  database,
  keys,
  environment = 'production',
  ...deps
}: Pick<StoreDeps, 'database' | 'keys' | 'environment' | 'clock' | 'log'>): Promise<LookedAt> {
  const vault = makeVault(keysOf(keys));
  if (database.engine === 'sqlite')
    return lookSqlite({ file: database.file, folder: database.folder ?? 'existing' }, vault, environment);
  const { lookPostgres } = await import('./postgres/look-postgres.ts');
  return lookPostgres(database.url.reveal(), vault, environment, deps);
}
