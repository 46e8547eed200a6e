import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lastJournaledPlace } from '../../src/store/sqlite/journal/last-place.ts';
import type { Verified } from '../../src/audit/index.ts';
import { loadValidator } from '../../src/r4/index.ts';
import { eventually } from '../support/eventually.ts';
import { PLACES, withClient, type Place } from '../support/new-store.ts';
import { aClinicalReady } from '../support/payloads/index.ts';
import { runCommand } from '../support/run-command.ts';
import { portOf, runProcess, serveSettings } from '../support/run-process.ts';
import { startRig, type Rig } from './delivery/rig.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const REQUEST = 'abcdef0123456789abcdef0123456789';
const AUDIT_KEY = Buffer.alloc(32, 9).toString('base64');

interface Shown {
  readonly type: string;
  readonly requestId: string;
  readonly chain: string;
  readonly from?: string;
  readonly to?: string;
  readonly steps?: readonly { readonly from: string; readonly to: string }[];
  readonly action: string;
  readonly counts?: Readonly<Record<string, number>>;
  readonly why?: string;
  readonly traceId?: string;
  readonly resources?: readonly string[];
  readonly changed?: readonly string[];
}

/** Every change of state that a record tells of. */
const stepsOf = ({ from, to, steps }: Shown): string[] =>
  (steps ?? [{ from, to }]).map((step) => `${step.from} to ${step.to}`);

let rig: Rig | undefined;
let folder: string | undefined;
afterEach(async () => {
  await rig?.stop();
  rig = undefined;
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
});

async function start(makePlace: () => Promise<Place>): Promise<Rig & { readonly folder: string }> {
  folder = mkdtempSync(join(tmpdir(), 'chartgate-audit-'));
  rig = await startRig(makePlace, {
    settings: { CHARTGATE_AUDIT_KEY: AUDIT_KEY, CHARTGATE_AUDIT_ANCHOR: join(folder, 'anchor') },
  });
  return Object.assign(rig, { folder });
}

async function chainsOf({ database }: Place): Promise<string[]> {
  const asked = 'SELECT chain FROM audit_chain ORDER BY n';
  if (database.engine === 'postgres')
    return withClient(database.url.reveal(), async (client) =>
      (await client.query<{ chain: string }>(asked)).rows.map(({ chain }) => chain),
    );
  const db = new DatabaseSync(database.file, { readOnly: true });
  const chains = db
    .prepare(asked)
    .all()
    .map(({ chain }) => String(chain));
  db.close();
  return chains;
}

const addressOf = ({ place: { database } }: Rig): string =>
  database.engine === 'sqlite' ? `sqlite:${database.file}` : database.url.reveal();

describe.each(PLACES)('on %s', (_engine, makePlace) => {
  test('one request id leads from the webhook to the resources at the EHR, and the patient to all of it', async () => {
    const on = await start(makePlace);
    const search = async (query: string): Promise<Shown[]> =>
      (await on.admin('GET', `audit?${query}`)).body['records'] as Shown[];
    await on.enrol('ann', 'MRN-ann', 'pat-ann');
    const id = await on.send(aClinicalReady({ userId: 'ann', observations: 3 }), {
      'x-request-id': REQUEST,
      traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
    });
    expect((await on.resting(id)).state).toBe('delivered');

    const found = await search(`request=${REQUEST}`);
    expect(found.map(({ type, to }) => [type, to ?? null]).reverse()).toEqual(
      expect.arrayContaining([
        ['hook.accept', 'received'],
        ['ehr.read', null],
        ['ehr.write', 'delivered'],
      ]),
    );
    const changes = (await search(`delivery=${id}&type=delivery.change`)).reverse();
    expect(changes.flatMap(stepsOf)).toEqual(['received to queued', 'queued to sending', 'sending to delivered']);
    const write = found.find(({ type }) => type === 'ehr.write');
    expect([write?.action, write?.counts?.['created']]).toEqual(['C', write?.counts?.['written']]);
    expect([write?.traceId, write?.resources?.filter((one) => one.startsWith('Observation/')).length]).toEqual([
      TRACE,
      3,
    ]);
    const types = (list: readonly Shown[]) => [...new Set(list.map(({ type }) => type))].sort();
    // Whoever looked at the delivery has looked at its patient.
    expect(types(await search('patient=MRN-ann'))).toEqual(['admin', 'ehr.read', 'ehr.write', 'link.change']);
    // The EHR's own id was learned when the MRN was looked up.
    expect(types(await search('patient=Patient/pat-ann'))).toEqual(['admin', 'ehr.read', 'ehr.write', 'link.change']);
    expect(await search('patient=MRN-nobody')).toEqual([]);
    const line = on.log.lines.find(({ event, deliveryId }) => event === 'delivery.sent' && deliveryId === id);
    expect([line?.requestId, line?.traceId]).toEqual([REQUEST, TRACE]);
    expect(on.log.lines.some(({ event, traceId }) => event === 'request.answered' && traceId === TRACE)).toBe(true);
  });

  test('start, stop and settings are recorded; all of it is proven, in the database alone and from an export', async () => {
    const on = await start(makePlace);
    await on.enrol('bob');
    await on.deliver(aClinicalReady({ userId: 'bob', observations: 2 }));
    await on.restart();
    const records = (await on.admin('GET', 'audit?type=process')).body['records'] as Shown[];
    expect(records.map(({ to }) => to)).toEqual(['started', 'stopped', 'started']);
    const config = (await on.admin('GET', 'audit?type=config')).body['records'] as Shown[];
    expect(config.map(({ why, changed }) => [why, changed])).toEqual([
      ['same', []],
      ['first', []],
    ]);
    const verified = (await on.admin('GET', 'audit/verify')).body;
    expect(verified).toMatchObject({ sound: true, flaw: null, anchor: 'read' });

    const env = { CHARTGATE_ADMIN_TOKEN: 'admin-token-0123456789abcdef0123456789', CHARTGATE_PUBLIC_URL: on.url('') };
    const key = (await runCommand(['audit', 'key'], { env })).out.trim();
    const own = await runCommand(['audit', 'key'], { env: { CHARTGATE_AUDIT_KEY: AUDIT_KEY } });
    expect(own.out.trim()).toBe(key);
    const offline = ['--key', key, '--checkpoint', join(on.folder, 'anchor')];
    expect(await runCommand(['audit', 'verify', '--database', addressOf(on), ...offline])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Sound\./),
    });

    const file = join(on.folder, 'export.ndjson');
    const exported = await runCommand(['audit', 'export', '--form', 'records', '--out', file], { env });
    expect([exported.code, exported.err]).toEqual([0, '']);
    expect(await runCommand(['audit', 'verify', '--file', file, ...offline])).toMatchObject({ code: 0 });
    writeFileSync(file, readFileSync(file, 'utf8').replace('\\"to\\":\\"delivered\\"', '\\"to\\":\\"parked\\"'));
    expect(await runCommand(['audit', 'verify', '--file', file, ...offline])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^NOT SOUND: a record was changed \(chain ins_\w+\.\d, record \d+\)/),
    });

    const events = (await runCommand(['audit', 'export', '--open'], { env })).out.trim().split('\n');
    const validator = loadValidator();
    expect(events.length).toBeGreaterThan(10);
    for (const event of events) expect(validator.validate(JSON.parse(event))).toEqual([]);
    expect(await runCommand(['audit', 'search', '--patient', 'MRN-bob'], { env })).toMatchObject({
      code: 0,
      out: expect.stringContaining('ehr.write'),
    });
    expect(await runCommand(['audit', 'nonsense'], { env })).toMatchObject({ code: 2 });
  });

  test('whoever changes the database itself is found out', async () => {
    const on = await start(makePlace);
    await on.enrol('cat');
    await on.deliver(aClinicalReady({ userId: 'cat', observations: 2 }));
    await on.restart();
    const { database } = on.place;
    const undo = `UPDATE audit_record SET record = replace(record, '"outcome":"0"', '"outcome":"4"') WHERE type = 'ehr.write'`;
    if (database.engine === 'sqlite') {
      const db = new DatabaseSync(database.file, { timeout: 5_000 });
      db.exec('DROP TRIGGER audit_record_stays');
      db.exec(undo);
      db.close();
    } else
      await withClient(database.url.reveal(), async (client) => {
        await client.query('ALTER TABLE audit_record DISABLE TRIGGER audit_record_stays');
        await client.query(undo);
      });
    const { body } = await eventually(
      () => on.admin('GET', 'audit/verify'),
      () => true,
    );
    expect(body).toMatchObject({ sound: false, flaw: { what: 'record-changed' } });
  });

  test('five lives that were killed within seconds are signed, and a chain that was removed is found', async () => {
    folder = mkdtempSync(join(tmpdir(), 'chartgate-lives-'));
    const place = await makePlace();
    try {
      const { database } = place;
      const address = database.engine === 'sqlite' ? `sqlite:${database.file}?filesystem=any` : database.url.reveal();
      const settings: Record<string, string> = { ...serveSettings(address), CHARTGATE_AUDIT_KEY: AUDIT_KEY };
      for (let life = 0; life < 5; life += 1) {
        const running = runProcess(['serve'], settings);
        const hook = `http://127.0.0.1:${await portOf(running)}/webhooks/${settings['CHARTGATE_WEBHOOK_SECRET'] ?? ''}/data`;
        for (let n = 0; n < 8; n += 1) {
          const body = JSON.stringify(aClinicalReady({ userId: `u${n}`, observations: 1, bundleId: `b${life}-${n}` }));
          expect((await fetch(hook, { method: 'POST', body })).status).toBe(202);
        }
        running.signal('SIGKILL');
        await running.ended;
      }
      const key = (await runCommand(['audit', 'key'], { env: { CHARTGATE_AUDIT_KEY: AUDIT_KEY } })).out.trim();
      const verify = async () => {
        const { code, out } = await runCommand([
          'audit',
          'verify',
          '--json',
          '--key',
          key,
          '--database',
          address.split('?')[0] ?? '',
        ]);
        return { code, ...(JSON.parse(out) as Pick<Verified, 'flaw' | 'records' | 'proven' | 'checkpoints'>) };
      };
      const whole = await verify();
      expect(whole).toMatchObject({ code: 0, flaw: null });
      expect(whole.checkpoints).toBeGreaterThanOrEqual(5);
      // Of the last life something may stand in the journal alone, and its tail is not signed.
      const inJournal = database.engine === 'sqlite' ? lastJournaledPlace(database.file) : 0;
      expect(whole.records + inJournal).toBeGreaterThanOrEqual(5 * 10);
      expect(whole.records).toBeGreaterThanOrEqual(4 * 10);
      expect(whole.proven).toBeGreaterThanOrEqual(4 * 10);
      const chains = await chainsOf(place);
      const lifeOf = (chain: string): string => chain.split('.')[0] ?? '';
      const lives = [...new Set(chains.map(lifeOf))];
      expect(lives).toHaveLength(5);
      // Nothing else stands on the last life; its first chain is the one that was signed.
      const last = chains.find((chain) => lifeOf(chain) === lives.at(-1)) ?? '';
      await place.tamper(`DELETE FROM audit_record WHERE chain = '${last}'`);
      await place.tamper(`DELETE FROM audit_chain WHERE chain = '${last}'`);
      expect(await verify()).toMatchObject({ code: 1, flaw: { chain: last } });
    } finally {
      await place.remove();
    }
  }, 120_000);
});

test('what somebody was shown while the database took nothing is in the audit once it takes it', async () => {
  const [, sqlitePlace] = PLACES[0];
  const on = await start(sqlitePlace);
  const { database } = on.place;
  if (database.engine !== 'sqlite') throw new Error('not SQLite');
  const db = new DatabaseSync(database.file, { timeout: 5_000 });
  // Somebody else holds the file. The question is in the journal before it is answered.
  const looks = (): unknown =>
    db.prepare("SELECT count(*) AS n FROM audit_record WHERE record LIKE '%audit.search%'").get()?.['n'];
  db.exec('BEGIN IMMEDIATE');
  try {
    expect((await on.admin('GET', 'audit?type=config')).status).toBe(200);
    expect(looks()).toBe(0);
    db.exec('ROLLBACK');
    expect(await eventually(looks, (found) => found === 1)).toBe(1);
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
    db.close();
  }
}, 30_000);
