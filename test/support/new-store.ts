import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { secret, silentLog, systemClock, type Log } from '../../src/kernel/index.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { openStore, type AnyCommandSet, type Database, type Store, type StoreDeps } from '../../src/store/index.ts';
import { probeSet } from './probe-commands/index.ts';
import { testPostgresUrl } from './test-postgres.ts';

export const someKey = () => secret(randomBytes(32).toString('base64'));
export const TEST_KEYS = { data: [someKey()], pseudonym: someKey() };

/** A place for a database of one's own, and the way to open it again and again. */
export interface Place {
  readonly database: Database;
  open(more?: Partial<StoreDeps>): Promise<Store>;
  /** A statement by whoever has the rights of the database's owner, past every trigger of ours. */
  tamper(statement: string): Promise<void>;
  /** Closes what is still open and removes the database. */
  remove(): Promise<void>;
}

let instances = 0;

function makePlace(database: Database, removeDatabase: () => Promise<void>, log: Log = silentLog): Place {
  const opened: Store[] = [];
  return {
    database,
    async open(more = {}) {
      instances += 1;
      const sets: readonly AnyCommandSet[] = [probeSet];
      const store = await openStore({
        database,
        keys: TEST_KEYS,
        instance: `ins_test${process.pid}x${instances}`,
        sets,
        clock: systemClock,
        log,
        ...more,
      });
      opened.push(store);
      return store;
    },
    async tamper(statement) {
      if (database.engine === 'sqlite') {
        const db = new DatabaseSync(database.file, { timeout: 5_000 });
        const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
        db.exec(triggers.map(({ name }) => `DROP TRIGGER ${String(name)};`).join(''));
        db.exec(statement);
        const kept = triggers.filter(({ name }) => !statement.includes(`DROP TRIGGER IF EXISTS ${String(name)}`));
        db.exec(kept.map(({ sql }) => `${String(sql)};`).join(''));
        db.close();
      } else
        await withClient(database.url.reveal(), async (client) => {
          await client.query('SET session_replication_role = replica');
          await client.query(statement);
        });
    },
    async remove() {
      await Promise.all(opened.map((store) => store.close()));
      await removeDatabase();
    },
  };
}

export function sqlitePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-db-'));
  return Promise.resolve(
    makePlace({ engine: 'sqlite', file: join(folder, 'chartgate.db'), filesystem: 'any' }, () => {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    }),
  );
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const TEMPLATE = 'chartgate_template';

/** A database with the schema of today and nothing in it, made by the first who asks: a copy costs a third. */
async function makeTemplate(serverUrl: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    // Until this session ends. Test files run at once.
    await client.query('SELECT pg_advisory_lock(1)');
    const { rows } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [TEMPLATE]);
    if (rows.length > 0) return;
    await client.query(`CREATE DATABASE ${TEMPLATE}_new`);
    const url = new URL(serverUrl);
    url.pathname = `/${TEMPLATE}_new`;
    await withClient(url.href, (inside) => migrate(inside, MIGRATIONS, Date.now()));
    await client.query(`ALTER DATABASE ${TEMPLATE}_new RENAME TO ${TEMPLATE}`);
  });
}

async function makeDatabase(serverUrl: string, template: string): Promise<Place> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await withClient(serverUrl, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return makePlace({ engine: 'postgres', url: secret(url.href) }, async () => {
    await withClient(serverUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  });
}

/** Without even a schema. */
export const emptyPostgresPlace = async (given?: string): Promise<Place> =>
  makeDatabase(given ?? (await testPostgresUrl()), 'template1');

let template: Promise<void> | null = null;

export async function postgresPlace(): Promise<Place> {
  const serverUrl = await testPostgresUrl();
  await (template ??= makeTemplate(serverUrl));
  return makeDatabase(serverUrl, TEMPLATE);
}

/** Those of a database without even a schema. */
export const EMPTY_PLACES = [
  ['sqlite', sqlitePlace],
  ['postgres', () => emptyPostgresPlace()],
] as const;

export const PLACES = [
  ['sqlite', sqlitePlace],
  ['postgres', postgresPlace],
] as const;
