/*
 * node tools/dump-schema.ts: writes the dumps and the digests of schema versions that have none yet, to be committed
 * with their step. What is there is never written anew: it is what databases out there are like.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { secret, silentLog, systemClock } from '../src/kernel/index.ts';
import { openStore, type Database } from '../src/store/index.ts';
import { MIGRATIONS, type Engine } from '../src/store/migrations/index.ts';
import { makePostgresServer } from '../test/support/postgres-server.ts';
import {
  DUMP_KEYS,
  DUMP_SETS,
  fillStore,
  openPostgresDatabase,
  openSqliteFile,
  readRows,
  rowsOf,
  toSql,
  type Dumpable,
} from '../test/support/schema-dump.ts';

const FOLDER = 'test/fixtures/schema';
const newest = MIGRATIONS.at(-1)?.version;

interface Maker {
  database(name: string): Promise<Database>;
  open(name: string): Promise<Dumpable>;
}

async function dumpAll(engine: Engine, maker: Maker): Promise<void> {
  mkdirSync(join(FOLDER, engine), { recursive: true });
  const fileOf = (version: number) => join(FOLDER, engine, `${String(version).padStart(4, '0')}.sql`);
  const missing = MIGRATIONS.map(({ version }) => version).filter((version) => !existsSync(fileOf(version)));
  if (missing.length === 0) return;
  const store = await openStore({
    database: await maker.database('newest'),
    keys: DUMP_KEYS,
    instance: 'ins_dump',
    sets: DUMP_SETS,
    clock: systemClock,
    log: silentLog,
  });
  await fillStore(store);
  await store.close();
  const filled = await maker.open('newest');
  const rows = await readRows(filled);
  await filled.close();
  for (const version of missing) {
    const at = await maker.open(`v${version}`);
    await at.migrate(version);
    writeFileSync(fileOf(version), toSql(version, version === newest ? rows : await rowsOf(version, rows, at), engine));
    await at.close();
    console.log(fileOf(version));
  }
}

function keepDigests(): void {
  const file = join(FOLDER, 'digests.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object[]) : [];
  const digest = (sql: string): string => createHash('sha256').update(sql).digest('hex');
  const added = MIGRATIONS.slice(known.length).map(({ version, name, sqlite, postgres }) => ({
    version,
    name,
    sqlite: digest(sqlite),
    postgres: digest(postgres),
  }));
  if (added.length > 0) writeFileSync(file, `${JSON.stringify([...known, ...added], null, 2)}\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'chartgate-dump-'));
const server = await makePostgresServer();
try {
  await dumpAll('sqlite', {
    database: (name) => Promise.resolve({ engine: 'sqlite', file: join(folder, `${name}.db`), filesystem: 'any' }),
    open: (name) => Promise.resolve(openSqliteFile(join(folder, `${name}.db`))),
  });
  const make = async (name: string): Promise<void> => {
    const client = new pg.Client(server.url('postgres'));
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`).finally(() => client.end());
  };
  await dumpAll('postgres', {
    database: async (name) => {
      await make(name);
      return { engine: 'postgres', url: secret(server.url(name)) };
    },
    open: async (name) => {
      if (name !== 'newest') await make(name);
      return openPostgresDatabase(server.url(name));
    },
  });
  keepDigests();
} finally {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
}
