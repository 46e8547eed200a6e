import { afterEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../src/kernel/index.ts';
import { SEALED_TABLES } from '../../src/ops/run-resealing.ts';
import { idOf, makeVault, type Vault } from '../../src/store/vault.ts';
import { startGateway } from '../../src/gateway/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { eventually } from '../support/eventually.ts';
import { configOf } from '../support/gateway.ts';
import { PLACES, postgresPlace, sqlitePlace, withClient, type Place } from '../support/new-store.ts';
import { aClinicalReady, type Json } from '../support/payloads/index.ts';
import { runCommand } from '../support/run-command.ts';
import { portOf, runProcess, serveSettings } from '../support/run-process.ts';
import { startRig, type Rig } from './delivery/rig.ts';

type Row = Record<string, unknown>;

const aKey = (): string => randomBytes(32).toString('base64');
const idHex = (key: string): string => idOf(Buffer.from(key, 'base64')).toString('hex');

let rig: Rig | undefined;
let place: Place | undefined;
afterEach(async () => {
  await rig?.stop();
  await place?.remove();
  [rig, place] = [undefined, undefined];
});

async function query({ database }: Place, sql: string): Promise<Row[]> {
  if (database.engine === 'postgres')
    return withClient(database.url.reveal(), async (client) => (await client.query<Row>(sql)).rows);
  const db = new DatabaseSync(database.file, { timeout: 5_000 });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

const addressOf = ({ database }: Place): string =>
  database.engine === 'sqlite' ? `sqlite:${database.file}?filesystem=any` : database.url.reveal();

/** Every column of every table, by the word of the database itself. */
const columnsOf = async (of: Place): Promise<{ table: string; column: string }[]> =>
  (
    await query(
      of,
      of.database.engine === 'sqlite'
        ? `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'`
        : `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns WHERE table_schema = 'public'`,
    )
  ).map(({ table, column }) => ({ table: String(table), column: String(column) }));

/** Where values stand that a key sealed, in any column of any table, and inside the text of the audit. */
async function sealedBy(of: Place, key: string): Promise<string[]> {
  const head = Buffer.concat([Buffer.from([1]), Buffer.from(idHex(key), 'hex')]);
  // Five bytes are six letters of base64 and a part of the seventh.
  const letters = `"sealed":"${head.toString('base64').slice(0, 6)}`;
  const found: string[] = [];
  for (const { table, column } of await columnsOf(of))
    for (const { value } of await query(of, `SELECT ${column} AS value FROM ${table}`))
      if (
        value instanceof Uint8Array ? Buffer.from(value).subarray(0, 5).equals(head) : String(value).includes(letters)
      )
        found.push(`${table}.${column}`);
  return [...new Set(found)].sort();
}

describe.each(PLACES)('on %s', (_engine, makePlace) => {
  test('every sealed column of the schema is known to whoever retires a key', async () => {
    place = await makePlace();
    await (await place.open()).close();
    const sealed = (await columnsOf(place)).filter(({ column }) => /sealed/.test(column));
    const known = SEALED_TABLES.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`));
    expect(known.sort()).toEqual(sealed.map(({ table, column }) => `${table}.${column}`).sort());
  });

  test('after the rotation nothing is sealed by the old key, and the gateway serves everything with the new one alone', async () => {
    const [old, now] = [aKey(), aKey()];
    rig = await startRig(makePlace, { settings: { CHARTGATE_DATA_KEY: old } });
    const on = rig;
    const keys = (...args: string[]) =>
      runCommand(['keys', 'rotate', 'data', '--url', on.url(''), ...args], { env: { ...on.settings() } });
    await on.enrol('ann');
    const delivered = await on.deliver(aClinicalReady({ userId: 'ann', observations: 3 }));
    const parked = await on.deliver(aClinicalReady({ userId: 'nobody-yet', observations: 2 }));
    expect([delivered.state, parked.state]).toEqual(['delivered', 'parked']);
    const client = {
      name: 'An app',
      kind: 'public',
      scope: 'launch/patient patient/*.rs',
      redirectUris: ['http://127.0.0.1:9/back'],
    };
    const added = await on.admin('POST', 'clients', client);
    await on.admin('POST', 'keys/rotate');
    const lookedUp = async (): Promise<string> => {
      const authorization = `Bearer ${on.settings()['CHARTGATE_ADMIN_TOKEN'] ?? ''}`;
      return (
        await fetch(on.url('/admin/api/audit/export?particulars=open&type=ehr.read'), { headers: { authorization } })
      ).text();
    };
    const shown = async () => ({
      lookedUp: await lookedUp(),
      delivered: await on.read(delivered.id),
      parked: await on.read(parked.id),
      links: (await on.admin('GET', 'links')).body,
      clients: (await on.admin('GET', 'clients')).body,
    });
    const before = await shown();
    expect(before.lookedUp).toContain('Patient/pat-mrn-ann');
    // Patients are read from the EHR in the background.
    const where = await eventually(
      () => sealedBy(on.place, old),
      (found) => found.includes('person.facts_sealed'),
    );
    expect(where).toEqual(
      expect.arrayContaining(['link.mrn_sealed', 'source_user.user_sealed', 'user_key.key_sealed']),
    );
    expect([added.status, where.includes('auth_client.client_sealed')]).toEqual([201, true]);
    // The audit is proven as it was written, and never sealed anew.
    expect(where).not.toContain('audit_record.record');

    expect(JSON.parse((await keys('--json')).out)).toEqual({ state: 'none', sealing: idHex(old), older: [] });
    await on.restart(undefined, { CHARTGATE_DATA_KEY: `${now},${old}` });
    expect(JSON.parse((await keys('--status', '--json')).out)).toEqual({
      state: 'none',
      sealing: idHex(now),
      older: [idHex(old)],
    });
    expect(await sealedBy(on.place, old)).toEqual(where);

    const done = await keys('--json');
    expect(done.code).toBe(0);
    const told = JSON.parse(done.out) as Json;
    expect(told).toMatchObject({
      state: 'done',
      sealing: idHex(now),
      older: [],
      last: { from: [idHex(old)], left: 0 },
    });
    expect((told['last'] as Json)['resealed']).toBeGreaterThanOrEqual(where.length);
    expect((await keys('--status')).out).toContain('it may leave CHARTGATE_DATA_KEY');
    expect(await sealedBy(on.place, old)).toEqual([]);
    expect(await sealedBy(on.place, now)).toEqual(where);

    await on.restart(undefined, { CHARTGATE_DATA_KEY: now });
    expect(await shown()).toEqual(before);
    const verified = await on.admin('GET', 'audit/verify');
    expect(verified.body['sound']).toBe(true);
    await on.enrol('nobody-yet');
    expect((await on.resting(parked.id)).state).toBe('delivered');
  });

  test('a value that does not open keeps its key, and a retired key seals no more', async () => {
    const [old, now] = [aKey(), aKey()];
    rig = await startRig(makePlace, { settings: { CHARTGATE_DATA_KEY: old } });
    const on = rig;
    for (const user of ['ann', 'bob']) await on.enrol(user);
    const refused = (key: string): Promise<unknown> =>
      on.restart(undefined, { CHARTGATE_DATA_KEY: key }).then(
        () => 'started',
        (thrown: unknown) => (thrown as { code?: string }).code,
      );
    await on.restart(
      () => on.place.tamper(`UPDATE link SET evidence_sealed = mrn_sealed WHERE id = (SELECT min(id) FROM link)`),
      { CHARTGATE_DATA_KEY: `${now},${old}` },
    );
    const run = await runCommand(['keys', 'rotate', 'data', '--json', '--url', on.url('')], {
      env: { ...on.settings() },
    });
    const told = JSON.parse(run.out) as Json;
    expect([run.code, told['state'], told['older'], (told['last'] as Json)['left']]).toEqual([
      1,
      'stuck',
      [idHex(old)],
      1,
    ]);
    expect(await sealedBy(on.place, old)).toEqual(['link.evidence_sealed']);
    expect(await refused(now)).toBe('store.data-key');
    expect(await refused(`${old},${now}`)).toBe('store.data-key-retired');
    expect(await refused(`${now},${old}`)).toBe('started');
  });
});

/** Tokens as the authorization server keeps them: many, and quickly made. */
async function fill({ database }: Place, vault: Vault, n: number): Promise<void> {
  const rows = Array.from({ length: n }, (_, i) => {
    const index = vault.index('filled', String(i));
    return {
      index,
      sealed: vault.seal(Buffer.from('{}'), `auth_record.payload_sealed/Filled/${index.toString('hex')}`),
    };
  });
  const expires = Date.now() + 86_400_000;
  if (database.engine === 'postgres')
    await withClient(database.url.reveal(), (client) =>
      client.query(
        `INSERT INTO auth_record (tenant, kind, id_index, payload_sealed, expires_at) SELECT 'default', 'Filled', i, s, $3 FROM unnest($1::bytea[], $2::bytea[]) AS u (i, s)`,
        [rows.map(({ index }) => index), rows.map(({ sealed }) => sealed), expires],
      ),
    );
  else {
    const db = new DatabaseSync(database.file, { timeout: 5_000 });
    const put = db.prepare(
      `INSERT INTO auth_record (tenant, kind, id_index, payload_sealed, expires_at) VALUES ('default', 'Filled', ?, ?, ?)`,
    );
    db.exec('BEGIN');
    for (const { index, sealed } of rows) put.run(index, sealed, expires);
    db.exec('COMMIT');
    db.close();
  }
}

const KILLED = [
  ['sqlite', sqlitePlace],
  ['postgres', () => postgresPlace()],
] as const;

test.each(KILLED)(
  'who is killed in the middle of it, on %s, goes on by itself at the next start',
  async (engine, makePlace) => {
    place = await makePlace();
    const at = place;
    const ROWS = 30_000;
    const [old, now] = [aKey(), aKey()];
    const token = 'operator-'.repeat(5);
    const settings: Record<string, string> = {
      ...serveSettings(addressOf(at)),
      CHARTGATE_ADMIN_TOKEN: token,
      CHARTGATE_DATA_KEY: old,
    };
    const bytes = (key: string): Uint8Array => new Uint8Array(Buffer.from(key, 'base64'));
    const first = await startGateway({
      config: configOf(addressOf(at), settings),
      clock: systemClock,
      log: collectLog(),
    });
    await first.stop();
    await fill(
      at,
      makeVault({ data: [bytes(old)], pseudonym: bytes(settings['CHARTGATE_PSEUDONYM_KEY'] ?? '') }),
      ROWS,
    );
    const left = async (): Promise<number> => {
      const head =
        engine === 'sqlite'
          ? `substr(payload_sealed, 2, 4) = x'${idHex(old)}'`
          : `substring(payload_sealed from 2 for 4) = '\\x${idHex(old)}'`;
      return Number((await query(at, `SELECT count(*) AS n FROM auth_record WHERE ${head}`))[0]?.['n']);
    };

    const both = { ...settings, CHARTGATE_DATA_KEY: `${now},${old}` };
    const killed = runProcess(['serve'], both);
    const url = `http://127.0.0.1:${await portOf(killed)}`;
    const asked = await runCommand(['keys', 'rotate', 'data', '--no-wait', '--url', url], { env: both });
    expect(asked.code).toBe(0);
    await eventually(left, (n) => n < ROWS, 60_000);
    killed.signal('SIGKILL');
    await killed.ended;
    const inTheMiddle = await left();
    expect(inTheMiddle).toBeGreaterThan(0);
    expect(inTheMiddle).toBeLessThan(ROWS);

    // Nobody asks again. On PostgreSQL whoever is silent for a minute is thought to be gone: the note is made old.
    if (engine === 'postgres')
      await withClient(addressOf(at), (client) =>
        client.query(
          `UPDATE user_key SET key_sealed = convert_to(regexp_replace(convert_from(key_sealed, 'UTF8'), '"atMs":\\d+', '"atMs":0'), 'UTF8') WHERE tenant = '' AND user_index = 'reseal'::bytea`,
        ),
      );
    const next = await startGateway({ config: configOf(addressOf(at), both), clock: systemClock, log: collectLog() });
    try {
      const status = () =>
        runCommand(['keys', 'rotate', 'data', '--status', '--json', '--url', `http://127.0.0.1:${next.port}`], {
          env: both,
        });
      const done = await eventually(
        async () => JSON.parse((await status()).out) as Json,
        ({ state }) => state === 'done',
        120_000,
      );
      expect(done).toMatchObject({ state: 'done', older: [], last: { left: 0 } });
      expect(await left()).toBe(0);
    } finally {
      await next.stop();
    }
    const alone = await startGateway({
      config: configOf(addressOf(at), { ...settings, CHARTGATE_DATA_KEY: now }),
      clock: systemClock,
      log: collectLog(),
    });
    await alone.stop();
  },
  240_000,
);

test('a replica that seals by the old key is waited for, and none can join that would', async () => {
  place = await postgresPlace();
  const at = place;
  const [old, now] = [aKey(), aKey()];
  const settings = { ...serveSettings(addressOf(at)), CHARTGATE_ADMIN_TOKEN: 'operator-'.repeat(5) };
  const start = (key: string) =>
    startGateway({
      config: configOf(addressOf(at), { ...settings, CHARTGATE_DATA_KEY: key }),
      clock: systemClock,
      log: collectLog(),
    });
  const behind = await start(`${old},${now}`);
  const ahead = await start(`${now},${old}`);
  try {
    const ask = async (...args: string[]): Promise<Json> => {
      const url = `http://127.0.0.1:${ahead.port}`;
      return JSON.parse(
        (await runCommand(['keys', 'rotate', 'data', '--json', '--url', url, ...args], { env: settings })).out,
      ) as Json;
    };
    const stateOf = async (): Promise<unknown> => (await ask('--status'))['state'];
    expect((await ask('--no-wait'))['state']).toBe('waiting');
    await expect(start(`${old},${now}`)).rejects.toMatchObject({ code: 'store.data-key-retired' });
    // It has looked at the lock by now, and will again.
    await eventually(
      async () => Date.parse(String(((await ask('--status'))['last'] as Json)['at'])),
      (seen) => seen > Date.now() - 1_000,
    );
    expect(await stateOf()).toBe('waiting');
    await behind.stop();
    expect(await eventually(stateOf, (state) => state === 'done', 30_000)).toBe('done');
    expect(await sealedBy(at, old)).toEqual([]);
  } finally {
    await behind.stop();
    await ahead.stop();
  }
});
