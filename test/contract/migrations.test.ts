import { afterEach, describe, expect, test } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Migration } from '../../src/store/migrations/index.ts';
import { migrate as migratePostgres } from '../../src/store/postgres/migrate.ts';
import { migrate as migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { emptyPostgresPlace, type Place } from '../support/new-store.ts';

const step = (version: number, sql: string): Migration => ({
  version,
  name: `step-${version}`,
  sqlite: sql,
  postgres: sql,
});
const first = step(1, 'CREATE TABLE one (a integer)');
const broken = step(2, 'CREATE TABLE two (a integer); INSERT INTO nowhere VALUES (1)');
const mended = step(2, 'CREATE TABLE two (a integer)');

interface Engine {
  migrate(migrations: readonly Migration[]): Promise<string[]>;
  tables(): Promise<string[]>;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function sqlite(): Promise<Engine> {
  const db = new DatabaseSync(':memory:');
  closing.push(async () => {
    await Promise.resolve();
    db.close();
  });
  return Promise.resolve({
    migrate: async (migrations) => Promise.resolve().then(() => migrateSqlite(db, migrations, 1)),
    tables: () =>
      Promise.resolve(
        db
          .prepare(`SELECT name FROM sqlite_schema WHERE name IN ('one','two') ORDER BY name`)
          .all()
          .map((row) => String(row['name'])),
      ),
  });
}

async function postgres(): Promise<Engine> {
  const place: Place = await emptyPostgresPlace();
  if (place.database.engine !== 'postgres') throw new Error('not PostgreSQL');
  const client = new pg.Client(place.database.url.reveal());
  await client.connect();
  closing.push(async () => {
    await client.end();
    await place.remove();
  });
  return {
    migrate: (migrations) => migratePostgres(client, migrations, 1),
    tables: async () =>
      (
        await client.query<{ name: string }>(
          `SELECT tablename AS name FROM pg_tables WHERE tablename IN ('one','two') ORDER BY 1`,
        )
      ).rows.map((row) => row.name),
  };
}

describe.each([
  ['sqlite', sqlite],
  ['postgres', postgres],
])('schema steps on %s', (_name, make) => {
  test('are taken once', async () => {
    const engine = await make();
    expect(await engine.migrate([first])).toEqual(['step-1']);
    expect(await engine.migrate([first])).toEqual([]);
    expect(await engine.migrate([first, mended])).toEqual(['step-2']);
    expect(await engine.tables()).toEqual(['one', 'two']);
  });

  test('one that fails in its middle leaves nothing of itself, and the next start goes on from there', async () => {
    const engine = await make();
    await expect(engine.migrate([first, broken])).rejects.toThrow();
    expect(await engine.tables()).toEqual(['one']);
    expect(await engine.migrate([first, mended])).toEqual(['step-2']);
    expect(await engine.tables()).toEqual(['one', 'two']);
  });
});
