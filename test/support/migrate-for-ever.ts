import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { MIGRATIONS, type Migration } from '../../src/store/migrations/index.ts';
import { clientConfig } from '../../src/store/postgres/connect.ts';
import { migrate as migratePostgres } from '../../src/store/postgres/migrate.ts';
import { migrate as migrateSqlite } from '../../src/store/sqlite/migrate.ts';

/** node migrate-for-ever.ts ENGINE WHERE: all steps but the last, and then one that comes half way and no further. */
const [engine = '', where = ''] = process.argv.slice(2);
const last = MIGRATIONS.length;
const half: Migration = {
  version: last,
  name: 'half',
  sqlite: `CREATE TABLE half (a INTEGER);
    INSERT INTO half WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;`,
  postgres: 'CREATE TABLE half (a integer); SELECT pg_sleep(3600)',
};
const steps = [...MIGRATIONS.slice(0, -1), half];
if (engine === 'sqlite') migrateSqlite(new DatabaseSync(where), steps, 0);
else {
  const client = new pg.Client(clientConfig(where, 'chartgate/migrate-for-ever'));
  await client.connect();
  await migratePostgres(client, steps, 0);
}
