import type { DatabaseSync } from 'node:sqlite';
import { checkIdentity, makeIdentity, type IdentityRow, type StoreEnvironment } from '../identity.ts';
import { BOOKKEEPING, decideSteps, type Applied, type Migration } from '../migrations/index.ts';
import type { Vault } from '../vault.ts';

/** Each step commits together with its own mark, so that a kill in the middle leaves either all of it or nothing. */
export function migrate(db: DatabaseSync, migrations: readonly Migration[], nowMs: number): string[] {
  db.exec(BOOKKEEPING.sqlite);
  const applied = db.prepare('SELECT version, digest FROM schema_step ORDER BY version').all() as unknown as Applied[];
  const steps = decideSteps(migrations, 'sqlite', applied);
  for (const step of steps) {
    db.exec('BEGIN IMMEDIATE');
    try {
      db.exec(step.sql);
      db.prepare('INSERT INTO schema_step (version, name, digest, applied_at) VALUES (?, ?, ?, ?)').run(
        step.version,
        step.name,
        step.digest,
        nowMs,
      );
      db.exec('COMMIT');
    } catch (thrown) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw thrown;
    }
  }
  return steps.map((step) => step.name);
}

export function settleIdentity(
  db: DatabaseSync,
  vault: Vault,
  newId: string,
  environment: StoreEnvironment,
  nowMs: number,
): void {
  const made = makeIdentity(vault, newId, environment);
  db.prepare(
    'INSERT INTO store_identity (one, id, pseudonym, environment, beat_at) VALUES (1, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  ).run(made.id, made.pseudonym, made.environment, nowMs);
  const row = db.prepare('SELECT id, pseudonym, environment FROM store_identity').get() as unknown as IdentityRow;
  const used = db
    .prepare('SELECT id FROM store_key')
    .all()
    .map(({ id }) => String(id));
  checkIdentity(vault, row, used, environment);
  db.prepare('INSERT INTO store_key (id, first_used_at) VALUES (?, ?) ON CONFLICT DO NOTHING').run(vault.keyId, nowMs);
}
