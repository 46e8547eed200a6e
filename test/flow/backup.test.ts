import { afterEach, expect, test } from '@jest/globals';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../src/kernel/index.ts';
import { copySqlite } from '../../src/store/index.ts';
import { startGateway } from '../../src/gateway/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { configOf } from '../support/gateway.ts';
import { postgresPlace, sqlitePlace, withClient, type Place } from '../support/new-store.ts';
import { testPostgresUrl } from '../support/test-postgres.ts';
import { aClinicalReady, type Json } from '../support/payloads/index.ts';
import { runCommand } from '../support/run-command.ts';
import { startRig, type Rig } from './delivery/rig.ts';

const USER = 'user-in-a-backup';

let rig: Rig | undefined;
let folder = '';
afterEach(async () => {
  await rig?.stop();
  rig = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function start(makePlace: () => Promise<Place>): Promise<Rig> {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-backup-'));
  rig = await startRig(makePlace);
  await rig.enrol(USER);
  expect((await rig.deliver(aClinicalReady({ userId: USER, observations: 3 }))).state).toBe('delivered');
  return rig;
}

async function jsonOf(args: readonly string[], env: Record<string, string>): Promise<{ code: number; body: Json }> {
  const { code, out, err } = await runCommand([...args, '--json'], { env });
  expect(err).toBe('');
  return { code, body: JSON.parse(out) as Json };
}

/** What the owner of the file could do to it, past every trigger. */
function tamper(file: string, statement: string): void {
  const db = new DatabaseSync(file, { timeout: 5_000 });
  for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
    db.exec(`DROP TRIGGER ${String(name)}`);
  db.exec('PRAGMA foreign_keys=OFF');
  db.exec(statement);
  db.close();
}

test('a copy that is made while deliveries come is sound, and a gateway starts on it with all of them', async () => {
  const on = await start(sqlitePlace);
  const to = join(folder, 'copy.db');
  let isOver = false;
  const sending = (async () => {
    for (let day = 0; !isOver; day += 1) await on.send(aClinicalReady({ userId: `user-${day}`, observations: 1 }));
  })();
  const made = await jsonOf(['backup', to], { ...on.settings() });
  isOver = true;
  await sending;

  expect(made.code).toBe(0);
  expect(made.body).toMatchObject({
    copied: true,
    sound: true,
    file: to,
    flaws: [],
    keys: { fit: true, problem: null },
  });
  expect(made.body['bytes']).toBe(statSync(to).size);
  expect(statSync(to).mode & 0o077).toBe(0);
  expect(readdirSync(folder)).toEqual(['copy.db']);

  const checked = await jsonOf(['restore', '--check', to], { ...on.settings() });
  expect(checked.code).toBe(0);
  const { copied: _copied, file: _file, bytes: _bytes, ...report } = made.body;
  expect(checked.body).toEqual(report);
  // To look at it is not to touch it.
  expect(readdirSync(folder)).toEqual(['copy.db']);

  const restored = await startGateway({
    config: configOf(`sqlite:${to}?filesystem=any`, {
      ...on.settings(),
      CHARTGATE_DATABASE_URL: `sqlite:${to}?filesystem=any`,
    }),
    clock: systemClock,
    log: collectLog(),
  });
  try {
    const answer = await fetch(`http://127.0.0.1:${restored.port}/admin/api/deliveries?user_id=${USER}`, {
      headers: { authorization: `Bearer ${on.settings()['CHARTGATE_ADMIN_TOKEN'] ?? ''}` },
    });
    const { deliveries } = (await answer.json()) as { deliveries: Json[] };
    expect(deliveries.map(({ state }) => state)).toEqual(['delivered']);
  } finally {
    await restored.stop();
  }
});

test('the copy is of one moment, however much is written while it is made', async () => {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-backup-'));
  const [file, to] = [join(folder, 'live.db'), join(folder, 'copy.db')];
  const live = new DatabaseSync(file, { timeout: 5_000 });
  live.exec('PRAGMA journal_mode=WAL; CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)');
  live.exec(
    'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 8000) INSERT INTO t SELECT n, randomblob(3000) FROM c',
  );
  const steps: number[] = [];
  await copySqlite(file, to, (done, total) => {
    steps.push(done / total);
    live.exec('INSERT INTO t (b) VALUES (randomblob(3000)); UPDATE t SET b = NULL WHERE n = 1');
  });
  live.close();
  expect(steps.length).toBeGreaterThan(1);
  expect(steps).toEqual([...steps].sort((a, b) => a - b));
  const copy = new DatabaseSync(to, { readOnly: true });
  expect({ ...copy.prepare('SELECT count(*) AS n, count(b) AS whole FROM t').get() }).toEqual({ n: 8000, whole: 8000 });
  copy.close();
});

test.each([
  [
    'a record of the audit was changed',
    `UPDATE audit_record SET record = replace(record, 'hook.accept', 'hook.reject') WHERE seq = (SELECT min(seq) FROM audit_record WHERE type = 'hook.accept')`,
    'audit',
  ],
  [
    'a delivery is missing',
    `DELETE FROM delivery_body; DELETE FROM delivery_step; DELETE FROM delivery_digest; DELETE FROM unclaimed_key; DELETE FROM attempt; DELETE FROM written_document; DELETE FROM job; DELETE FROM document; DELETE FROM delivery`,
    'ledger',
  ],
  [
    'the ledger counts one too many in both',
    `UPDATE ledger_count SET count = count + 1 WHERE state IN ('acknowledged', 'delivered')`,
    'ledger',
  ],
  ['a row refers to nothing', `UPDATE document SET seq = 4711`, 'flaws'],
])('a copy of which %s is not to be restored', async (_what, statement, part) => {
  const on = await start(sqlitePlace);
  const to = join(folder, 'copy.db');
  expect((await jsonOf(['backup', to], { ...on.settings() })).code).toBe(0);
  tamper(to, statement);
  const { code, body } = await jsonOf(['restore', '--check', to], { ...on.settings() });
  expect([code, body['sound']]).toEqual([1, false]);
  const [audit, ledger] = [body['audit'] as Json, body['ledger'] as Json];
  const unsound = [
    ...(audit['sound'] === true ? [] : ['audit']),
    ...(ledger['addsUp'] === true ? [] : ['ledger']),
    ...((body['flaws'] as string[]).length === 0 ? [] : ['flaws']),
  ];
  expect(unsound).toEqual([part]);
});

test('what is not sound is never named as a backup, and what is damaged or foreign is told in a sentence', async () => {
  const on = await start(sqlitePlace);
  const file = on.place.database.engine === 'sqlite' ? on.place.database.file : '';
  await on.restart(() => {
    tamper(file, `UPDATE ledger_count SET count = count + 1 WHERE state = 'acknowledged'`);
    return Promise.resolve();
  });
  const to = join(folder, 'copy.db');
  const made = await runCommand(['backup', to], { env: { ...on.settings() } });
  expect([made.code, made.out.split('\n')[0]]).toEqual([1, `THE COPY IS NOT SOUND. It stays as ${to}.part.`]);
  expect(existsSync(to)).toBe(false);

  const [damaged, foreign] = [join(folder, 'damaged.db'), join(folder, 'foreign.db')];
  writeFileSync(damaged, Buffer.concat([readFileSync(`${to}.part`).subarray(0, 4096), Buffer.alloc(60_000, 7)]));
  const other = new DatabaseSync(foreign);
  other.exec('CREATE TABLE t (n)');
  other.close();
  writeFileSync(join(folder, 'text.db'), 'no database at all, but some text that is long enough for a header of one');
  for (const name of ['damaged.db', 'foreign.db', 'text.db', 'none.db']) {
    const { code, err } = await runCommand(['restore', '--check', join(folder, name)], { env: { ...on.settings() } });
    expect([name, code, err.split('\n').length]).toEqual([name, 69, 2]);
  }
});

test('keys that do not open the copy are told before it is needed', async () => {
  const on = await start(sqlitePlace);
  const to = join(folder, 'copy.db');
  await jsonOf(['backup', to], { ...on.settings() });
  const other = Buffer.alloc(32, 5).toString('base64');
  const { code, body } = await jsonOf(['restore', '--check', to], { ...on.settings(), CHARTGATE_DATA_KEY: other });
  expect([code, body['sound'], (body['keys'] as Json)['fit']]).toEqual([1, false, false]);
  const { CHARTGATE_AUDIT_KEY = '' } = on.settings();
  const without = await jsonOf(['restore', '--check', to], { CHARTGATE_AUDIT_KEY });
  expect([without.code, (without.body['keys'] as Json)['fit']]).toEqual([0, null]);
  expect((await runCommand(['restore', '--check', to])).code).toBe(2);
});

test('a backup replaces nothing, names itself in a folder, and says when it cannot be written', async () => {
  const on = await start(sqlitePlace);
  const env = { ...on.settings() };
  const there = join(folder, 'there.db');
  writeFileSync(there, 'mine');
  expect((await runCommand(['backup', there], { env })).code).toBe(2);
  expect(readFileSync(there, 'utf8')).toBe('mine');
  mkdirSync(join(folder, 'many'));
  const { body } = await jsonOf(['backup', join(folder, 'many')], env);
  expect(body['file']).toMatch(/\/many\/chartgate-\d{8}T\d{6}Z\.db$/);
  expect(readdirSync(join(folder, 'many'))).toHaveLength(1);
  const nowhere = await runCommand(['backup', join(folder, 'no', 'such', 'x.db')], { env });
  expect([nowhere.code, nowhere.out]).toEqual([74, '']);
  const noDatabase = await runCommand(
    ['backup', join(folder, 'x.db'), '--database', `sqlite:${join(folder, 'none.db')}`],
    {
      env,
    },
  );
  expect([noDatabase.code, readdirSync(folder).sort()]).toEqual([69, ['many', 'there.db']]);
});

test('for PostgreSQL it says what to run without telling the password, and a restored copy is checked', async () => {
  const on = await start(postgresPlace);
  const { database } = on.place;
  if (database.engine !== 'postgres') throw new Error('not PostgreSQL');
  const url = new URL(database.url.reveal());
  const told = await runCommand(['backup', join(folder, "it's a dump")], {
    env: { ...on.settings(), CHARTGATE_DATABASE_URL: 'postgres://someone:hunter2@127.0.0.1:1/x' },
  });
  expect([told.code, told.err, told.out.includes('hunter2'), readdirSync(folder)]).toEqual([1, '', false, []]);
  for (const program of ['pg_dump', 'pg_restore', 'chartgate restore --check']) expect(told.out).toContain(program);
  expect(told.out).toContain(`it'\\''s a dump'`);
  const asJson = await jsonOf(['backup', join(folder, 'x')], { ...on.settings() });
  expect([asJson.code, asJson.body['copied'], asJson.body['engine']]).toEqual([1, false, 'postgres']);

  const name = `${url.pathname.slice(1)}_copy`;
  const copy = new URL(url);
  copy.pathname = `/${name}`;
  const env = { ...on.settings() };
  // A template must have no other connections, so the gateway is away for a moment.
  const server = await testPostgresUrl();
  await on.restart(() =>
    withClient(server, async (client) => {
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${url.pathname.slice(1)}`);
    }),
  );
  try {
    const sound = await jsonOf(['restore', '--check', copy.href], env);
    expect([sound.code, sound.body['sound']]).toEqual([0, true]);
    expect(((sound.body['ledger'] as Json)['counts'] as Json)['acknowledged']).toBe(1);
    await withClient(copy.href, async (client) => {
      await client.query('SET session_replication_role = replica');
      await client.query(
        `DELETE FROM audit_record WHERE seq = (SELECT max(seq) FROM audit_record WHERE type = 'delivery.change')`,
      );
    });
    const cut = await jsonOf(['restore', '--check', copy.href], env);
    expect([cut.code, cut.body['sound'], (cut.body['audit'] as Json)['sound']]).toEqual([1, false, false]);
  } finally {
    await withClient(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
  }
});

test('both commands tell how they are used', async () => {
  for (const name of ['backup', 'restore']) {
    const { code, out } = await runCommand([name, '--help']);
    expect([code, out.startsWith(`Usage: chartgate ${name}`)]).toEqual([0, true]);
    expect((await runCommand([name])).code).toBe(2);
    expect((await runCommand([name, '--nonsense'])).code).toBe(2);
  }
});
