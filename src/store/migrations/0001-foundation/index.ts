import type { Migration } from '../migration.ts';
import { accessPostgres } from './access-postgres.ts';
import { accessSqlite } from './access-sqlite.ts';
import { postgres } from './postgres.ts';
import { sqlite } from './sqlite.ts';

/*
 * Conventions. Times are milliseconds since 1970 (column *_at), except leases on PostgreSQL, which use the database's
 * clock. `*_sealed` holds an encrypted value (vault.ts), `*_index` the keyed hash by which it is found again. Bodies
 * stand apart from the rows that are searched, so that a million stored deliveries cost a claim nothing.
 */

export const foundation: Migration = {
  version: 1,
  name: 'foundation',
  sqlite: sqlite + accessSqlite,
  postgres: postgres + accessPostgres,
};
