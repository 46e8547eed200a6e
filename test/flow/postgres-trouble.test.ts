import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { secret } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { makeCuttingProxy } from '../support/cutting-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { emptyPostgresPlace, withClient, type Place } from '../support/new-store.ts';
import { makePostgresServer, type PostgresServer } from '../support/postgres-server.ts';
import { probeSet } from '../support/probe-commands/index.ts';
import { stopAfterTest } from '../support/stop-after-test.ts';

let server: PostgresServer;
let place: Place;
let store: Store;
const body = new Uint8Array(100);
const put = (id: string) => store.use(probeSet).write('probe.put', { id, body, atMs: 1 });
const codeOf = async (id: string): Promise<string> => {
  const result = await put(id);
  return result.ok ? 'ok' : result.fault.code;
};
const isStored = async (id: string): Promise<boolean> => {
  const found = await store.use(probeSet).read('probe.body', { id });
  return found.ok && found.value !== null;
};
const stateIs = (wanted: string) =>
  eventually(
    () => store.health().state,
    (state) => state === wanted,
  );

const alter = (sql: string) =>
  withClient(server.url('postgres'), async (client) => {
    await client.query(sql);
    await client.query('SELECT pg_reload_conf()');
  });

beforeAll(async () => {
  server = await makePostgresServer();
});
afterAll(() => server.remove());
beforeEach(async () => {
  place = await emptyPostgresPlace(server.url('postgres'));
});
afterEach(async () => {
  await server.stop();
  await server.start();
  await place.remove();
});

test('a server that is down at start is waited for, then named in a sentence', async () => {
  await server.stop();
  const log = collectLog();
  await expect(place.open({ startPatienceMs: 300, log })).rejects.toMatchObject({
    name: 'StartError',
    code: 'store.unreachable',
  });
  expect(log.lines.map((line) => line.event)).toEqual(['store.lost']);
});

test('a server that comes up while it is waited for is used', async () => {
  await server.stop();
  const opening = place.open({ startPatienceMs: 20_000 });
  await server.start();
  store = await opening;
  expect(await codeOf('dlv_1')).toBe('ok');
});

test.each([
  ['a user that does not exist', (url: URL) => void (url.username = 'nobody_here'), 'store.refused'],
  ['a database that does not exist', (url: URL) => void (url.pathname = '/nothing_here'), 'store.refused'],
])('%s is final at start', async (_what, change, code) => {
  if (place.database.engine !== 'postgres') throw new Error('not PostgreSQL');
  const url = new URL(place.database.url.reveal());
  change(url);
  await expect(place.open({ database: { engine: 'postgres', url: secret(url.href) } })).rejects.toMatchObject({
    name: 'StartError',
    code,
  });
});

test.each([
  ['fsync off', ['-c', 'fsync=off']],
  ['full_page_writes off', ['-c', 'full_page_writes=off']],
])('a server with %s is refused at start', async (_what, flags) => {
  await server.stop();
  await server.start(flags);
  await expect(place.open()).rejects.toMatchObject({ name: 'StartError', code: 'store.not-durable' });
});

test('a server that stops being durable is written to no more, and again once it is', async () => {
  store = await place.open({ checkMs: 50 });
  expect(await codeOf('dlv_1')).toBe('ok');
  await alter(`ALTER SYSTEM SET fsync = 'off'`);
  expect(await stateIs('store.not-durable')).toBe('store.not-durable');
  expect(store.health().reason).toBe('fsync is off');
  await eventually(
    () => store.health().queued,
    (queued) => queued === 0,
  );
  const refused = store.use(probeSet).write('probe.put', { id: 'dlv_2', body, atMs: 1 });
  await alter(`ALTER SYSTEM RESET fsync`);
  expect(await stateIs('ready')).toBe('ready');
  // It waited for the server and was stored once the server could be trusted again.
  expect((await refused).ok).toBe(true);
});

test('a server that stops being durable under full load is noticed there too', async () => {
  store = await place.open({ checkMs: 50 });
  let isOver = false;
  const senders = Array.from({ length: 60 }, async (_, sender) => {
    for (let n = 0; !isOver && n < 20_000; n += 1) await put(`dlv_${sender}_${n}`);
  });
  await alter(`ALTER SYSTEM SET fsync = 'off'`);
  expect(await stateIs('store.not-durable')).toBe('store.not-durable');
  isOver = true;
  await alter(`ALTER SYSTEM RESET fsync`);
  expect(await stateIs('ready')).toBe('ready');
  await Promise.all(senders);
});

test.each(['fsync', 'full_page_writes'])(
  '%s that is turned off keeps the very next batch from being stored',
  async (setting) => {
    store = await place.open();
    expect(await codeOf('dlv_0')).toBe('ok');
    await alter(`ALTER SYSTEM SET ${setting} = 'off'`);
    // The server tells its processes in its own time; what they commit before that is durable.
    let n = 0;
    const refused = await eventually(
      () => codeOf(`dlv_${(n += 1)}`),
      (code) => code !== 'ok',
    );
    expect(refused).toBe('store.not-durable');
    expect([await isStored(`dlv_${n}`), await isStored(`dlv_${n - 1}`)]).toEqual([false, true]);
    await eventually(
      () => store.health().reason,
      (reason) => reason !== undefined,
    );
    expect(store.health()).toMatchObject({ state: 'store.not-durable', reason: `${setting} is off` });
    await alter(`ALTER SYSTEM RESET ${setting}`);
    expect(await stateIs('ready')).toBe('ready');
    expect(await codeOf('dlv_again')).toBe('ok');
  },
);

/** What our sessions commit with, as a trigger sees it that runs at the commit. */
const WATCHED = `
  CREATE TABLE committed_with (setting text);
  CREATE FUNCTION see_setting() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO committed_with VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER see_setting AFTER INSERT ON delivery DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION see_setting()`;

test('ours commit synchronously whatever the server says, and a stronger setting stays, from one batch to the next', async () => {
  store = await place.open();
  const found = await withClient(server.url(databaseName()), async (client) => {
    await client.query(WATCHED);
    const seen: string[][] = [];
    for (const setting of ['off', 'local', 'remote_write', 'remote_apply', 'on']) {
      await alter(`ALTER SYSTEM SET synchronous_commit = '${setting}'`);
      const told = await eventually(
        async () => {
          await put(`dlv_${setting}_${Math.random()}`);
          const { rows } = await client.query<{ theirs: string; ours: string[] }>(
            `WITH gone AS (DELETE FROM committed_with RETURNING setting) SELECT current_setting('synchronous_commit') AS theirs, array_agg(DISTINCT setting) AS ours FROM gone`,
          );
          return [rows[0]?.theirs ?? '', ...(rows[0]?.ours ?? [])];
        },
        ([theirs, ours]) => theirs === setting && (setting === 'remote_apply') === (ours === 'remote_apply'),
      );
      seen.push(told);
    }
    return seen;
  });
  await alter('ALTER SYSTEM RESET synchronous_commit');
  expect(found).toEqual([
    ['off', 'on'],
    ['local', 'on'],
    ['remote_write', 'on'],
    ['remote_apply', 'remote_apply'],
    ['on', 'on'],
  ]);
});

test('a crash of a server that commits weakly loses what others wrote, and nothing of ours', async () => {
  // Little is flushed by itself meanwhile; should it be in one round, there is another.
  const WEAK = ['-c', 'synchronous_commit=off', '-c', 'wal_writer_delay=10s', '-c', 'wal_writer_flush_after=1GB'];
  const asOthers = (sql: string) => withClient(server.url(databaseName()), (client) => client.query(sql));
  await asOthers('CREATE TABLE others (round integer)');
  const lost: number[] = [];
  for (let round = 0; lost.length === 0 && round < 5; round += 1) {
    await server.stop();
    await server.start(WEAK);
    store = await place.open();
    const ids = Array.from({ length: 40 }, (_, n) => `dlv_${round}_${n}`);
    expect(new Set(await Promise.all(ids.map(codeOf)))).toEqual(new Set(['ok']));
    await store.close();
    await asOthers(`INSERT INTO others VALUES (${round})`);
    await server.stop('immediate');
    await server.start();
    store = await place.open();
    expect(new Set(await Promise.all(ids.map(isStored)))).toEqual(new Set([true]));
    if ((await asOthers(`SELECT 1 FROM others WHERE round = ${round}`)).rows.length === 0) lost.push(round);
    await store.close();
  }
  expect(lost).toHaveLength(1);
});

test('what was acknowledged survives a crash of the server under load, and the store comes back by itself', async () => {
  const log = collectLog();
  store = await place.open({ log });
  const acknowledged: string[] = [];
  let isOver = false;
  const senders = Array.from({ length: 8 }, async (_, sender) => {
    for (let n = 0; !isOver && n < 20_000; n += 1) {
      const id = `dlv_${sender}_${n}`;
      if ((await put(id)).ok) acknowledged.push(id);
    }
  });
  await eventually(
    () => acknowledged.length,
    (count) => count > 200,
  );
  await server.stop('immediate');
  expect(await stateIs('store.unreachable')).toBe('store.unreachable');
  await server.start();
  expect(await stateIs('ready')).toBe('ready');
  const before = acknowledged.length;
  await eventually(
    () => acknowledged.length,
    (count) => count > before + 100,
  );
  isOver = true;
  await Promise.all(senders);
  const found = await withClient(server.url(databaseName()), (client) =>
    client.query<{ id: string }>('SELECT id FROM delivery'),
  );
  const stored = new Set(found.rows.map((row) => row.id));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  // One line for the change of state, however many commands failed.
  expect(log.lines.filter((line) => line.event === 'store.lost')).toHaveLength(1);
  expect(log.lines.filter((line) => line.event === 'store.recovered')).toHaveLength(1);
});

const databaseName = (): string => {
  if (place.database.engine !== 'postgres') throw new Error('not PostgreSQL');
  return new URL(place.database.url.reveal()).pathname.slice(1);
};

test('a COMMIT whose answer was lost is a failure, although the row may be there', async () => {
  const proxy = await makeCuttingProxy(server.port);
  stopAfterTest(() => proxy.close());
  store = await place.open({ database: { engine: 'postgres', url: secret(throughProxy(proxy.port)) } });
  expect(await codeOf('dlv_1')).toBe('ok');
  proxy.cutAfter('COMMIT');
  expect(await codeOf('dlv_2')).toBe('store.commit-unknown');
  expect(proxy.cuts()).toBe(1);
  expect(await eventually(() => isStored('dlv_2'), Boolean)).toBe(true);
  expect(await stateIs('ready')).toBe('ready');
  expect(await codeOf('dlv_3')).toBe('ok');
  await store.close();
});

test('another database behind the same address ends the process instead of taking writes', async () => {
  store = await place.open();
  expect(await codeOf('dlv_1')).toBe('ok');
  await withClient(server.url(databaseName()), (client) => client.query(`UPDATE store_identity SET id = 'other'`));
  await withClient(server.url('postgres'), (client) =>
    client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [databaseName()]),
  );
  expect((await store.broken).code).toBe('store.wrong-database');
});

test('an empty database behind the same address is another one', async () => {
  store = await place.open();
  await withClient(server.url(databaseName()), (client) => client.query('DROP TABLE store_identity'));
  await withClient(server.url('postgres'), (client) =>
    client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [databaseName()]),
  );
  expect((await store.broken).code).toBe('store.wrong-database');
});

test('a connection that breaks under a read is a fault of that read, not the end of the process', async () => {
  const proxy = await makeCuttingProxy(server.port);
  stopAfterTest(() => proxy.close());
  store = await place.open({ database: { engine: 'postgres', url: secret(throughProxy(proxy.port)) } });
  await put('dlv_1');
  expect(await isStored('dlv_1')).toBe(true);
  proxy.cutAfter('chartgate_');
  const reads = await Promise.all(Array.from({ length: 4 }, () => store.use(probeSet).read('probe.count', null)));
  expect(proxy.cuts()).toBe(1);
  const faults = reads.flatMap((read) => (read.ok ? [] : [read.fault.code]));
  expect([...new Set(faults)]).toEqual(['store.unreachable']);
  expect(await isStored('dlv_1')).toBe(true);
  await store.close();
});

const throughProxy = (port: number): string => {
  if (place.database.engine !== 'postgres') throw new Error('not PostgreSQL');
  const url = new URL(place.database.url.reveal());
  url.port = String(port);
  return url.href;
};

describe('a server that is there and silent', () => {
  test('does not keep a store from closing', async () => {
    store = await place.open();
    await put('dlv_1');
    server.signal('SIGSTOP');
    await store.close();
    expect(store.health().state).toBe('store.closed');
  });

  test('is given up at start', async () => {
    server.signal('SIGSTOP');
    await expect(place.open({ startPatienceMs: 100 })).rejects.toMatchObject({
      name: 'StartError',
      code: 'store.unreachable',
    });
  });
});

test('a lock that another session holds delays its own command, and its neighbours for no longer than one wait', async () => {
  store = await place.open();
  await put('dlv_1');
  await withClient(server.url(databaseName()), async (other) => {
    await other.query('BEGIN');
    await other.query('LOCK TABLE audit_checkpoint IN ACCESS EXCLUSIVE MODE');
    const from = performance.now();
    const [good] = await Promise.all([
      put('dlv_2'),
      ...Array.from({ length: 6 }, () => store.use(probeSet).write('probe.touch-checkpoint', null)),
    ]);
    expect(good.ok).toBe(true);
    // Each of them would wait for two seconds.
    expect(performance.now() - from).toBeLessThan(12_000);
    await other.query('ROLLBACK');
  });
});
