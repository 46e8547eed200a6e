import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { checkIdentity, type IdentityRow, type StoreEnvironment } from '../identity.ts';
import { decideSteps, MIGRATIONS, type Applied } from '../migrations/index.ts';
import type { Vault } from '../vault.ts';
import { versionOf } from './open-database.ts';
import { checkFolder } from './prepare-file.ts';
import { toThreadError, type ThreadData } from './protocol.ts';
import { toStartError } from './start-writer.ts';

/**
 * What a start would find there, without touching it. Throws what the start would throw; no steps are those of a new
 * database.
 */
export function lookSqlite(
  { file, folder }: Pick<ThreadData, 'file' | 'folder'>,
  vault: Vault,
  environment: StoreEnvironment,
) {
  checkFolder({ file, folder });
  if (!existsSync(file)) return { version: null, applied: 0, steps: MIGRATIONS.length };
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { readOnly: true });
    const has = (table: string): boolean =>
      db?.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined;
    const applied = has('schema_step')
      ? (db.prepare('SELECT version, digest FROM schema_step ORDER BY version').all() as unknown as Applied[])
      : [];
    const steps = decideSteps(MIGRATIONS, 'sqlite', applied).length;
    const row = has('store_identity')
      ? db.prepare('SELECT id, pseudonym, environment FROM store_identity').get()
      : undefined;
    const used = has('store_key') ? db.prepare('SELECT id FROM store_key').all() : [];
    if (row !== undefined)
      checkIdentity(
        vault,
        row as unknown as IdentityRow,
        used.map(({ id }) => String(id)),
        environment,
      );
    return { version: versionOf(db), applied: applied.length, steps };
  } catch (thrown) {
    throw toStartError(toThreadError(thrown));
  } finally {
    db?.close();
  }
}
