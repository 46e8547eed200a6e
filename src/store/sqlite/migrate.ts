import type { DatabaseSync } from 'node:sqlite';
import { checkIdentity, makeIdentity, type IdentityRow, type StoreEnvironment } from '../identity.ts';
import { BOOKKEEPING, decideSteps, type Applied, type Migration } from '../migrations/index.ts';
import { HAS_AUDIT, KEPT, missingKeys, NOBODY, toKeptRows, withKeptKeys } from '../kept-keys.ts';
import { checkNotRetired, fromNote, NOTE } from '../reseal/note.ts';
import type { Vault, VaultKeys } from '../vault.ts';

/**
 * Each step commits together with its own mark, so that a kill in the middle leaves either all of it or nothing. A step
 * may rewrite the text of the schema, which nobody else may.
 */
export function migrate(db: DatabaseSync, migrations: readonly Migration[], nowMs: number): string[] {
  db.enableDefensive(false);
  try {
    return migrateSteps(db, migrations, nowMs);
  } finally {
    db.enableDefensive(true);
  }
}

function migrateSteps(db: DatabaseSync, migrations: readonly Migration[], nowMs: number): string[] {
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
  checkNotRetired(fromNote(db.prepare(`${NOTE.read} ? AND user_index = ?`).get(...NOTE.owner)), vault.keyId);
  db.prepare('INSERT INTO store_key (id, first_used_at) VALUES (?, ?) ON CONFLICT DO NOTHING').run(vault.keyId, nowMs);
}

const HAS_KEYS = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'user_key'";

/** Also of a copy that was made before there were any. */
export const readKeptKeys = (db: DatabaseSync, keys: VaultKeys): Vault =>
  withKeptKeys(keys, db.prepare(HAS_KEYS).get() === undefined ? [] : toKeptRows(db.prepare(KEPT).all()));

/** The vault with all keys, those that are stored included; they are made at the first start. */
export function settleKeptKeys(db: DatabaseSync, vault: Vault, keys: VaultKeys, nowMs: number): Vault {
  const used = db
    .prepare('SELECT id FROM store_key')
    .all()
    .map(({ id }) => String(id));
  const hasAudit = db.prepare(HAS_AUDIT).get() !== undefined;
  const insert = db.prepare('INSERT INTO user_key (tenant, user_index, key_sealed, made_at) VALUES (?, ?, ?, ?)');
  db.exec('BEGIN IMMEDIATE');
  for (const { index, sealed } of missingKeys(vault, keys, toKeptRows(db.prepare(KEPT).all()), used, hasAudit))
    insert.run(NOBODY, index, sealed, nowMs);
  db.exec('COMMIT');
  return readKeptKeys(db, keys);
}
