import { DatabaseSync, constants } from 'node:sqlite';
import { StartError } from '../../kernel/index.ts';

const OPTIONS = { enableForeignKeyConstraints: true, allowExtension: false, defensive: true, timeout: 5_000 };

/** Read back after they are set: a setting that did not take is a reason not to start. `2` is FULL. */
const MUST_HOLD = [
  ['journal_mode', 'wal'],
  ['synchronous', 2],
  ['foreign_keys', 1],
] as const;

/** 3.7.0 to 3.51.2 could corrupt a WAL database; 3.52.0 was withdrawn. https://sqlite.org/wal.html */
export function isSafeVersion(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major !== 3) return major > 3;
  if (minor === 52) return patch > 0;
  return minor > 51 || (minor === 51 && patch >= 3);
}

const pragma = (db: DatabaseSync, name: string): unknown => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];

export const versionOf = (db: DatabaseSync): string =>
  String(Object.values(db.prepare('SELECT sqlite_version()').get() ?? {})[0]);

function checkSettings(db: DatabaseSync): void {
  const version = versionOf(db);
  if (!isSafeVersion(version))
    throw new StartError(
      'store.version',
      `SQLite ${version} can corrupt its write-ahead log. Use a Node release that carries 3.51.3 or later.`,
    );
  for (const [name, wanted] of MUST_HOLD) {
    const found = pragma(db, name);
    if (found !== wanted)
      throw new StartError(
        'store.not-durable',
        `SQLite did not take ${name}=${wanted}; without it an acknowledgement would be a promise not kept.`,
      );
  }
}

/** A connection that does not take its settings is not left open. */
function orClose(db: DatabaseSync, set: (db: DatabaseSync) => void): DatabaseSync {
  try {
    set(db);
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

/**
 * The only connection that writes. It checkpoints by itself: two connections that checkpoint were the trigger of the
 * WAL bug.
 */
export const openWriter = (file: string): DatabaseSync =>
  orClose(new DatabaseSync(file, OPTIONS), (db) => {
    db.exec(`
      PRAGMA journal_mode=WAL;
      PRAGMA synchronous=FULL;
      PRAGMA fullfsync=ON;
      PRAGMA checkpoint_fullfsync=ON;
      PRAGMA trusted_schema=OFF;
      PRAGMA recursive_triggers=ON;
      PRAGMA wal_autocheckpoint=0;
      PRAGMA journal_size_limit=67108864;
      PRAGMA secure_delete=ON;
      PRAGMA temp_store=MEMORY;
      PRAGMA mmap_size=0;
      PRAGMA cell_size_check=ON;
      PRAGMA cache_size=-16384;
    `);
    checkSettings(db);
  });

export const openReader = (file: string): DatabaseSync =>
  orClose(new DatabaseSync(file, { ...OPTIONS, readOnly: true }), (db) =>
    db.exec('PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8192;'),
  );

const AUDIT_TABLES = new Set(['audit_record', 'audit_checkpoint', 'audit_segment']);
/** Their rows may go once they are exported: the trigger of the table knows which. */
const EXPORTED = 'audit_record';
/** What a running writer still asks of PRAGMA: to checkpoint, and not to wait while it does. */
const PRAGMAS = new Set(['wal_checkpoint', 'busy_timeout']);
const SCHEMA_CHANGE = /^SQLITE_(CREATE|DROP|ALTER|ATTACH|DETACH|REINDEX)/;

/**
 * From here on no statement of this connection can rewrite the audit, attach a file, or alter the schema or a setting.
 */
export function forbidRewriting(db: DatabaseSync): void {
  const { SQLITE_DENY, SQLITE_OK, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_PRAGMA } = constants;
  const never = new Set(Object.entries(constants).flatMap(([name, code]) => (SCHEMA_CHANGE.test(name) ? [code] : [])));
  db.setAuthorizer((action, table, value) => {
    if (never.has(action)) return SQLITE_DENY;
    if (action === SQLITE_UPDATE && AUDIT_TABLES.has(table ?? '')) return SQLITE_DENY;
    if (action === SQLITE_DELETE && table !== EXPORTED && AUDIT_TABLES.has(table ?? '')) return SQLITE_DENY;
    if (action === SQLITE_PRAGMA && value !== null && !PRAGMAS.has(table ?? '')) return SQLITE_DENY;
    return SQLITE_OK;
  });
}
