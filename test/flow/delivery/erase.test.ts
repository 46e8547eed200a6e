import { readFileSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { PLACES, withClient } from '../../support/new-store.ts';
import { aClinicalReady, aLabResult, aUserProfile, CLIENT, type Json } from '../../support/payloads/index.ts';
import { vaultOf } from '../../chaos/read-found.ts';
import { runCommand } from '../../support/run-command.ts';
import { startRig, type Rig } from './rig.ts';

const TABLES = [
  'delivery',
  'delivery_body',
  'delivery_note',
  'source_user',
  'link',
  'enrolled_user',
  'enrolled_patient',
  'source_connection',
  'source_request',
  'written_document',
  'foreign_change',
  'user_key',
];

/** Version, key id, nonce, 32 bytes and tag. */
const SEALED_KEY_BYTES = 1 + 4 + 12 + 32 + 16;

type Row = Record<string, unknown>;

async function rowsOf({ place: { database } }: Rig, table: string): Promise<Row[]> {
  if (database.engine === 'postgres')
    return withClient(
      database.url.reveal(),
      async (client) => (await client.query<Row>(`SELECT * FROM ${table}`)).rows,
    );
  const db = new DatabaseSync(database.file, { readOnly: true });
  try {
    return db.prepare(`SELECT * FROM ${table}`).all();
  } finally {
    db.close();
  }
}

/** Everything sealed that the database holds, by table and column. */
async function sealedIn(rig: Rig): Promise<Map<string, Buffer[]>> {
  const found = new Map<string, Buffer[]>();
  for (const table of TABLES)
    for (const row of await rowsOf(rig, table))
      for (const [column, value] of Object.entries(row))
        if (/sealed$/.test(column) && value instanceof Uint8Array && value.byteLength > 0) {
          const at = `${table}.${column}`;
          found.set(at, [...(found.get(at) ?? []), Buffer.from(value)]);
        }
  return found;
}

/** Enough to know a sealed value by, and short enough to stand in one page. */
const markOf = (value: Buffer): Buffer => value.subarray(0, 45);

/**
 * The bytes of the live database as they stand in its files: of SQLite with its log, of PostgreSQL every table, index
 * and outsourced value.
 */
async function bytesOf(rig: Rig): Promise<Buffer> {
  const { database } = rig.place;
  if (database.engine === 'sqlite')
    return Buffer.concat(
      ['', '-wal']
        .map((end) => `${database.file}${end}`)
        .flatMap((file) => (existsSync(file) ? [readFileSync(file)] : [])),
    );
  return withClient(database.url.reveal(), async (client) => {
    await client.query('CHECKPOINT');
    const { rows } = await client.query<{ bytes: Buffer }>(
      `SELECT pg_read_binary_file(pg_relation_filepath(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname IN ('public','pg_toast') AND c.relkind IN ('r','t','i') AND c.oid >= 16384`,
    );
    return Buffer.concat(rows.map(({ bytes }) => bytes));
  });
}

describe.each(PLACES)('a source user who is erased, on %s', (_name, makePlace) => {
  let rig: Rig;
  const userId = 'user-to-be-erased-4711';
  const mrn = 'MRN-ERASED-0815';
  const other = 'user-who-stays';
  let patient = '';
  let stays = '';
  const deliveries: string[] = [];

  const erase = (query = ''): Promise<{ status: number; body: Json }> =>
    rig.admin('POST', `users/${userId}/erase${query}`);
  const command = (...args: string[]) =>
    runCommand(['erase', ...args], {
      env: { CHARTGATE_ADMIN_TOKEN: rig.settings()['CHARTGATE_ADMIN_TOKEN'] ?? '', CHARTGATE_PUBLIC_URL: rig.url('') },
    });
  const tableOf = (body: Json, name: string): Json =>
    (body['tables'] as Json[]).find(({ table }) => table === name) ?? {};

  beforeAll(async () => {
    rig = await startRig(makePlace);
    patient = await rig.enrol(userId, mrn);
    stays = await rig.enrol(other);
    await rig.deliver(aClinicalReady({ userId: other, observations: 4 }));
    for (const document of [
      aClinicalReady({ userId, observations: 6 }),
      aLabResult({ userId }),
      aUserProfile({ userId }),
    ])
      deliveries.push((await rig.deliver(document)).id);
    // One that waits for a person, with what the chart says.
    expect(await rig.deliver(aClinicalReady({ userId, documentVersion: 2, observations: 1 }))).toMatchObject({
      reason: 'suspicious',
    });
  });
  afterAll(() => rig.stop());

  const noteOn = (id: string, text: string) => rig.admin('POST', `deliveries/${id}/notes`, { text });

  test('may have notes that tell of them', async () => {
    for (const id of deliveries) expect((await noteOn(id, `spoke with ${userId}`)).status).toBe(201);
    expect((await rig.admin('PUT', `deliveries/${deliveries[0] ?? ''}/assignment`, { operator: null })).status).toBe(
      200,
    );
    expect((await rig.read(deliveries[0] ?? '')) as unknown as Json).toMatchObject({
      notes: [{ text: `spoke with ${userId}` }],
    });
  });

  test('is first only looked at, and not erased while linked', async () => {
    const { status, body } = await erase();
    expect([status, body['preview'], body['blocked']]).toEqual([200, true, 'erase.linked']);
    expect(tableOf(body, 'delivery_body')).toMatchObject({ destroyed: 4, left: 0 });
    expect((await erase('?preview=false')).body['code']).toBe('erase.linked');
    expect(await command(userId)).toMatchObject({ code: 0, out: expect.stringContaining('delivery_body: 4 (bodies)') });
    expect(await command(userId, '--yes')).toMatchObject({ code: 1, err: expect.stringContaining('erase.linked') });
    expect((await command()).code).toBe(2);
    expect((await rig.admin('POST', 'users/nobody/erase')).status).toBe(404);
    expect((await erase('?preview=perhaps')).status).toBe(400);
  });

  test('leaves nothing that can be read, and says what is left and why', async () => {
    await rig.admin('DELETE', `links/${userId}`);
    const before = await sealedIn(rig);
    const bytesBefore = await bytesOf(rig);
    const kept = (await rig.admin('GET', `deliveries?user_id=${other}`)).body['deliveries'] as Json[];

    const { status, body } = await erase('?preview=false');
    expect([status, body['preview'], body['scrubbed']]).toEqual([200, false, 'done']);
    const tables = body['tables'] as Json[];
    expect(tables.filter(({ remaining }) => remaining !== 0)).toEqual([]);
    expect(tables.filter(({ left, why }) => Number(left) > 0 && why === null)).toEqual([]);
    expect(tableOf(body, 'delivery_body')).toMatchObject({ destroyed: 4 });
    expect(tableOf(body, 'user_key')).toMatchObject({ destroyed: 1, left: 1 });
    expect(tableOf(body, 'delivery_note')).toMatchObject({ destroyed: 3, left: 0 });
    expect((await noteOn(deliveries[0] ?? '', 'after all')).body).toMatchObject({ code: 'delivery.state' });
    expect(Number(tableOf(body, 'audit_record')['left'])).toBeGreaterThan(0);

    const bytes = await bytesOf(rig);
    // In clear, and as a word of JSON inside anything.
    for (const word of [userId, mrn, 'pat-mrn-erased-0815']) expect(bytes.includes(Buffer.from(word))).toBe(false);
    // What was sealed then and is not there any more was the user's; none of it stands anywhere in the files.
    const after = await sealedIn(rig);
    const left = new Set([...after.values()].flat().map((value) => value.toString('hex')));
    const gone = [...before].flatMap(([at, values]) =>
      values.filter((value) => !left.has(value.toString('hex'))).map((value) => ({ at, value })),
    );
    const columns = new Set(gone.map(({ at }) => at));
    expect([...columns].sort()).toEqual(
      expect.arrayContaining([
        'delivery.body_key_sealed',
        'delivery.user_sealed',
        'delivery_body.sealed',
        'delivery_note.text_sealed',
        'foreign_change.sides_sealed',
        'link.mrn_sealed',
        'source_user.user_sealed',
        'user_key.key_sealed',
      ]),
    );
    const found = (within: Buffer): string[] =>
      gone.filter(({ value }) => within.includes(markOf(value))).map(({ at }) => at);
    expect(found(bytesBefore)).toHaveLength(gone.length);
    // PostgreSQL leaves bytes of freed rows in its pages: those that it leaves are sealed under a key that is gone, and
    // not by the data key.
    const vault = vaultOf(rig.settings());
    const remnants = gone.filter(({ value }) => bytes.includes(markOf(value)));
    expect(
      rig.place.database.engine === 'sqlite' ? remnants : remnants.filter(({ value }) => vault.isOwn(value)),
    ).toEqual([]);

    // Nowhere is a key of one of its deliveries that the data key opens: not of the time either when nobody knew whose
    // they were.
    const head = Buffer.concat([Buffer.from([1]), Buffer.from(vault.keyId, 'hex')]);
    const opened: string[] = [];
    for (let at = bytes.indexOf(head); at >= 0; at = bytes.indexOf(head, at + 1))
      for (const id of deliveries)
        try {
          vault.open(bytes.subarray(at, at + SEALED_KEY_BYTES), `delivery.body_key_sealed/${id}`);
          opened.push(id);
        } catch {
          // Some other value, or one of somebody else.
        }
    expect(opened).toEqual([]);

    // Nobody else lost anything.
    expect((await rig.admin('GET', `deliveries?user_id=${other}`)).body['deliveries']).toEqual(kept);
    expect((await rig.admin('GET', `deliveries/${String(kept[0]?.['id'])}/explain`)).status).toBe(200);
  });

  test('stays in the audit under a pseudonym, and the audit verifies', async () => {
    const { body } = await rig.admin('GET', 'audit?type=admin&limit=50');
    const text = JSON.stringify(body);
    expect(text).toContain('"erase"');
    expect(text).not.toContain(userId);
    const proven = await eventually(
      () => rig.admin('GET', 'audit/verify'),
      ({ status }) => status === 200,
      20_000,
    );
    expect(JSON.stringify(proven.body)).not.toContain('"broken"');
    expect(await rig.ledgerAddsUp()).toBe(true);
    expect((await rig.admin('GET', 'deliveries')).status).toBe(200);
  });

  test('is dropped when more comes, until somebody connects the user anew', async () => {
    const late = await rig.deliver(aClinicalReady({ userId, documentVersion: 3, observations: 4 }));
    expect(late).toMatchObject({ state: 'quarantined', reason: 'erased', hasBody: false, userId: null });
    expect((await bytesOf(rig)).includes(Buffer.from(userId))).toBe(false);
    expect(tableOf((await erase()).body, 'source_user')).toMatchObject({ destroyed: 0 });
    expect(rig.chart(patient)).not.toEqual([]);
    await rig.enrol(userId, 'MRN-anew');
    // The same bytes once more are no repetition.
    const again = await rig.deliver(aClinicalReady({ userId, documentVersion: 3, observations: 4 }));
    expect(again).toMatchObject({ state: 'delivered' });
    expect(rig.chart('Patient/pat-mrn-anew')).toHaveLength(4);
    expect(rig.chart(stays)).toHaveLength(4);
  });

  test('may be erased again, by the client that is named', async () => {
    await rig.admin('DELETE', `links/${userId}`);
    expect((await erase(`?preview=false&client_uuid=${CLIENT}`)).status).toBe(200);
    expect((await erase(`?preview=false&client_uuid=${CLIENT}`)).status).toBe(200);
    expect((await erase('?client_uuid=another')).status).toBe(404);
    const proof = await command(userId, '--yes', '--json');
    expect([proof.code, (JSON.parse(proof.out) as Json)['scrubbed']]).toEqual([0, 'done']);
    expect(await rig.ledgerAddsUp()).toBe(true);
  });
});
