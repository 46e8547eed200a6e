import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { inboxSet } from '../../src/inbox/index.ts';
import { laneSet } from '../../src/lanes/index.ts';
import type { Result } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { eventually } from '../support/eventually.ts';
import { EMPTY_PLACES, withClient, type Place } from '../support/new-store.ts';
import {
  bodyOf,
  DUMP_KEYS,
  DUMP_SETS,
  DUMPED,
  openPostgresDatabase,
  openSqliteFile,
  readRows,
  type Dumpable,
} from '../support/schema-dump.ts';

const FOLDER = new URL('../fixtures/schema/', import.meta.url);
const versions = MIGRATIONS.map(({ version }) => version);
const fileOf = (engine: string, version: number) =>
  new URL(`${engine}/${String(version).padStart(4, '0')}.sql`, FOLDER);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
}

/** By which days another document finds what was written under a name that tells of 2026-01-01 in some zone. */
async function daysThatFind(store: Store, days: readonly string[]): Promise<string[]> {
  const { tenant, received: deliveryId } = DUMPED;
  const question = { tenant, deliveryId, patient: { mrnSystem: 'urn:mrn', mrn: '0001' }, names: ['a1'.repeat(32)] };
  const found: string[] = [];
  for (const day of days) {
    const rows = must(await store.use(laneSet).read('lane.ledger', { ...question, shelves: [day] }));
    if (rows.some(({ name, id }) => name === question.names[0] && id === 'o1')) found.push(day);
  }
  return found;
}

const places: Place[] = [];
const opened: Dumpable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  for (const place of places.splice(0)) await place.remove();
});

async function newPlace(makePlace: () => Promise<Place>): Promise<Place> {
  const place = await makePlace();
  places.push(place);
  return place;
}

async function look<T>({ database }: Place, work: (at: Dumpable) => Promise<T>): Promise<T> {
  const at =
    database.engine === 'sqlite' ? openSqliteFile(database.file) : await openPostgresDatabase(database.url.reveal());
  opened.push(at);
  const found = await work(at);
  await at.close();
  opened.splice(opened.indexOf(at), 1);
  return found;
}

/** Tables, columns, indexes, constraints and triggers, as the engine tells them. */
async function schemaOf(at: Dumpable): Promise<unknown> {
  if (at.engine === 'sqlite') return at.all('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name');
  return [
    await at.all(
      `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`,
    ),
    await at.all(`SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`),
    await at.all(
      `SELECT conname, conrelid::regclass::text AS of, pg_get_constraintdef(oid) AS says FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
    ),
    await at.all(`SELECT tgname, pg_get_triggerdef(oid) AS says FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`),
  ];
}

test('a step that was taken anywhere is never changed; a new one gets a line here by tools/dump-schema.ts', () => {
  const kept = JSON.parse(readFileSync(new URL('digests.json', FOLDER), 'utf8')) as unknown;
  expect(
    MIGRATIONS.map(({ version, name, sqlite, postgres }) => ({
      version,
      name,
      sqlite: sha256(sqlite),
      postgres: sha256(postgres),
    })),
  ).toEqual(kept);
});

test.each(['sqlite', 'postgres'])('there is a dump of every schema version of %s', (engine) => {
  expect(readdirSync(new URL(`${engine}/`, FOLDER)).sort()).toEqual(
    versions.map((version) => `${String(version).padStart(4, '0')}.sql`),
  );
});

describe.each(EMPTY_PLACES)('a database of an earlier release on %s', (engine, makePlace) => {
  test.each(versions)(
    'of schema version %i is brought up to date, with all that is in it, and goes on',
    async (version) => {
      const fresh = await newPlace(makePlace);
      await (await fresh.open({ keys: DUMP_KEYS, sets: DUMP_SETS })).close();
      const wanted = await look(fresh, schemaOf);

      const place = await newPlace(makePlace);
      const dump = readFileSync(fileOf(engine, version), 'utf8');
      const before = await look(place, async (at) => {
        await at.exec(dump);
        return readRows(at);
      });
      const store = await place.open({ keys: DUMP_KEYS, sets: DUMP_SETS, instance: 'ins_after' });
      const { tenant, received, delivered, parked } = DUMPED;
      const inbox = store.use(inboxSet);
      const stateOf = async (id: string) => must(await inbox.read('inbox.get', { tenant, id }))?.state;
      expect([await stateOf(received), await stateOf(delivered), await stateOf(parked)]).toEqual([
        'received',
        'delivered',
        'parked',
      ]);
      for (const id of [received, delivered, parked]) {
        const body = must(await inbox.read('inbox.body', { tenant, id }))?.body ?? 'none';
        expect(Buffer.from(body).toString()).toBe(Buffer.from(bodyOf(id)).toString());
      }
      const ledger = must(await inbox.read('inbox.ledger', { tenant }));
      const { wrote } = must(await store.use(laneSet).read('lane.history', { tenant, deliveryId: delivered }));
      expect(ledger).toEqual(must(await inbox.read('inbox.recount', { tenant })));
      expect(ledger).toMatchObject({ acknowledged: 3, byState: { received: 1, delivered: 1, parked: 1 } });
      // The ledger knows what was written, where it stands, and which day it is about.
      expect(wrote.map(({ resourceType, id, versionId }) => [resourceType, id, versionId])).toEqual([
        ['Observation', 'o1', '1'],
      ]);
      expect(await daysThatFind(store, ['2025-12-30', '2026-01-01', '2026-01-03'])).toEqual(['2026-01-01']);
      // It takes what comes.
      const put = {
        id: 'dlv_next',
        tenant,
        hook: 'data',
        at: new Date(),
        requestId: 'r',
        receiver: 'i',
        sender: 's',
      } as const;
      must(await inbox.write('inbox.put', { ...put, body: bodyOf('dlv_next') }));
      must(await store.use(laneSet).write('lane.free', { tenant, owner: 'i', at: new Date() }));
      await store.close();

      const [schema, after] = await look(place, async (at) => [await schemaOf(at), await readRows(at)] as const);
      expect(schema).toEqual(wanted);
      expect(after['schema_step']).toHaveLength(versions.length);
      // No row and no value of before is gone.
      for (const table of ['delivery', 'delivery_body', 'link', 'job', 'written_document', 'document', 'audit_record'])
        for (const row of before[table] ?? []) expect(after[table]).toContainEqual(expect.objectContaining(row));
      expect(before['audit_record']?.length).toBeGreaterThan(0);
    },
  );
});

/** A process that is in the middle of a step, which never ends. */
function migrateForEver(engine: string, where: string) {
  const script = fileURLToPath(new URL('../support/migrate-for-ever.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, engine, where], {
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
}

describe.each(EMPTY_PLACES)('kill -9 in the middle of a step on %s', (_engine, makePlace) => {
  test('leaves nothing of the step, and the next start goes on from there', async () => {
    const place = await newPlace(makePlace);
    const { database } = place;
    const where = database.engine === 'sqlite' ? database.file : database.url.reveal();
    const kill = migrateForEver(database.engine, where);
    const isInside =
      database.engine === 'sqlite'
        ? () => existsSync(`${database.file}-journal`)
        : () =>
            withClient(where, async (client) => {
              const sleeping = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
              return (await client.query(sleeping)).rows.length > 0;
            });
    const wasInside = await eventually(isInside, Boolean, 60_000);
    await kill();
    expect(wasInside).toBe(true);
    const store = await place.open({ keys: DUMP_KEYS, sets: DUMP_SETS });
    await store.close();
    const [tables, steps] = await look(place, async (at) => [
      await at.tables(),
      await at.all('SELECT version FROM schema_step'),
    ]);
    expect(tables).not.toContain('half');
    expect(steps.map((row) => Number(row['version'])).sort((a, b) => a - b)).toEqual(versions);
  }, 120_000);
});
