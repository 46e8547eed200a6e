import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { existsSync, statSync, symlinkSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { auditSet } from '../../src/audit/index.ts';
import { inboxSet, type InboxWrites } from '../../src/inbox/index.ts';
import { StartError, systemClock, type Result } from '../../src/kernel/index.ts';
import { copySqlite, type Store } from '../../src/store/index.ts';
import { keysOf } from '../../src/store/open-store.ts';
import { journalNames } from '../../src/store/sqlite/journal/journal-names.ts';
import { openJournal } from '../../src/store/sqlite/journal/make-journal.ts';
import { makeVault } from '../../src/store/vault.ts';
import { deliverSet } from '../../src/lanes/index.ts';
import { collectLog } from '../support/collect-log.ts';
import { aDraft } from '../support/memory-audit.ts';
import { sqlitePlace, TEST_KEYS, type Place } from '../support/new-store.ts';

/* What is acknowledged by the journal beside SQLite, and carried out later. */

const tenant = 'default';
const sets = [auditSet, inboxSet, deliverSet];
const putOf = (id: string): InboxWrites['inbox.put']['args'] => ({
  id,
  tenant,
  hook: 'data',
  at: new Date(1_800_000_000_000),
  requestId: 'req_1',
  receiver: 'ins_1',
  sender: 'secret',
  body: new TextEncoder().encode(`the bytes of ${id}`),
});

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
};

let place: Place;
let file = '';
beforeEach(async () => {
  place = await sqlitePlace();
  if (place.database.engine !== 'sqlite') throw new Error('this is about SQLite');
  ({ file } = place.database);
});
afterEach(() => place.remove());

const query = (sql: string): readonly Record<string, unknown>[] => {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
};

/** A life that acknowledged these and was killed before it carried any of them out. */
async function acknowledge(asked: readonly (readonly [name: string, args: unknown])[]): Promise<void> {
  const [{ id } = {}, { carried_place: carried } = {}] = [
    ...query('SELECT id FROM store_identity'),
    ...query('SELECT carried_place FROM store_journal'),
  ];
  const journal = openJournal({
    database: file,
    store: String(id),
    vault: makeVault(keysOf(TEST_KEYS)),
    chance: randomBytes,
    clock: systemClock,
    carried: Number(carried),
    onDurable: () => undefined,
    onFault: () => undefined,
    onBroken: (thrown) => {
      throw thrown;
    },
  });
  await Promise.all(asked.map(async ([name, args]) => must(await journal.append(name, args))));
  await journal.close();
}

async function makeDatabase(): Promise<void> {
  const store = await place.open({ sets });
  await store.close();
}
const bodyOf = async (store: Store, id: string): Promise<string> =>
  Buffer.from(must(await store.use(inboxSet).read('inbox.body', { tenant, id }))?.body as Uint8Array).toString();
const acknowledged = async (store: Store): Promise<number> =>
  must(await store.use(inboxSet).read('inbox.ledger', { tenant })).acknowledged;

test('what one life acknowledged and did not carry out, the next carries out before anything else, once', async () => {
  await makeDatabase();
  await acknowledge([
    ['inbox.put', putOf('dlv_1')],
    ['audit.append', aDraft(1)],
    ['inbox.put', putOf('dlv_2')],
  ]);
  const log = collectLog();
  const store = await place.open({ sets, log });
  expect(log.lines.find(({ event }) => event === 'journal.recovered')).toMatchObject({ level: 'info', count: 3 });
  expect([await bodyOf(store, 'dlv_1'), await bodyOf(store, 'dlv_2')]).toEqual([
    'the bytes of dlv_1',
    'the bytes of dlv_2',
  ]);
  // A delivery has the place of its entry, so that both are in one order.
  expect(query('SELECT seq FROM delivery ORDER BY seq')).toEqual([{ seq: 1 }, { seq: 3 }]);
  must(await store.use(inboxSet).write('inbox.put', putOf('dlv_3')));
  expect(await acknowledged(store)).toBe(3);
  await store.close();
  const again = await place.open({ sets });
  expect(await acknowledged(again)).toBe(3);
  expect(query('SELECT count(*) AS n FROM audit_record')).toEqual([{ n: 4 }]);
});

test('nothing of an earlier life is left in the files of the journal', async () => {
  await makeDatabase();
  // So much that both files are used.
  const large = Array.from({ length: 6 }, (_, n) => ({
    ...putOf(`dlv_${n}`),
    body: new Uint8Array(1_500_000).fill(n),
  }));
  await acknowledge(large.map((args) => ['inbox.put', args]));
  expect(journalNames(file).every((one) => statSync(one).size > 0)).toBe(true);
  const store = await place.open({ sets });
  expect(journalNames(file).map((one) => statSync(one).size)).toEqual([0, 0]);
  expect(await acknowledged(store)).toBe(6);
});

test('whoever has heard of a delivery by its acknowledgement can act on it', async () => {
  const store = await place.open({ sets });
  const inbox = store.use(inboxSet);
  const act = { tenant, at: new Date(1_800_000_000_000), requestId: 'req_2', actor: 'operator:a' };
  for (let n = 0; n < 20; n += 1) {
    const id = `dlv_${n}`;
    must(await inbox.write('inbox.put', putOf(id)));
    expect(must(await inbox.write('inbox.note', { ...act, id, text: 'seen' }))).toBe('done');
  }
});

test('the same bytes are found to be so when they are carried out', async () => {
  const store = await place.open({ sets });
  const inbox = store.use(inboxSet);
  const puts = await Promise.all(
    ['dlv_1', 'dlv_2'].map((id) => inbox.write('inbox.put', { ...putOf(id), body: new Uint8Array([1, 2, 3]) })),
  );
  expect(puts.map(must)).toEqual([
    { seq: 1, state: 'accepted' },
    { seq: 2, state: 'accepted' },
  ]);
  const states = ['dlv_1', 'dlv_2'].map(async (id) => must(await inbox.read('inbox.get', { tenant, id }))?.state);
  expect(await Promise.all(states)).toEqual(['received', 'duplicate']);
});

test('one that cannot be carried out is put aside, sealed, and keeps nobody else from it', async () => {
  await makeDatabase();
  await acknowledge([
    ['inbox.put', putOf('dlv_1')],
    ['inbox.put', { ...putOf('dlv_bad'), hook: 'no such hook' }],
    ['no.such-command', { secret: 'text' }],
    ['inbox.put', putOf('dlv_2')],
  ]);
  const log = collectLog();
  const store = await place.open({ sets, log });
  expect(await acknowledged(store)).toBe(2);
  expect(log.lines.filter(({ event }) => event === 'journal.put-aside').map(({ command }) => command)).toEqual([
    'inbox.put',
    'no.such-command',
  ]);
  expect(query('SELECT place, name FROM journal_aside ORDER BY place')).toEqual([
    { place: 2, name: 'inbox.put' },
    { place: 3, name: 'no.such-command' },
  ]);
  const [{ sealed } = {}] = query('SELECT args_sealed AS sealed FROM journal_aside WHERE place = 3');
  expect(Buffer.from(sealed as Uint8Array).includes('text')).toBe(false);
});

test('a verdict is never carried out before its delivery', async () => {
  const store = await place.open({ sets });
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const { seq } = must(await store.use(inboxSet).write('inbox.put', putOf(`dlv_${n}`)));
      const facts = {
        dataStructure: null,
        client: null,
        user: null,
        documentVersion: null,
        contentDigest: null,
        findings: [],
        unmapped: [],
      };
      const at = new Date();
      const verdict = { kind: 'quarantine', reason: 'not-json' } as const;
      return must(
        await store.use(deliverSet).write('deliver.settle', { tenant, seq, at, requestId: 'r', facts, verdict }),
      )?.state;
    }),
  );
  expect(new Set(outcomes)).toEqual(new Set(['quarantined']));
});

test('no copy is made of a database that lacks what was acknowledged', async () => {
  await makeDatabase();
  await acknowledge([['inbox.put', putOf('dlv_1')]]);
  const to = `${file}-copy`;
  const link = `${file}-link`;
  symlinkSync(file, link);
  for (const path of [file, link])
    await expect(copySqlite(path, to, () => undefined, 0)).rejects.toMatchObject({ code: 'store.journal-waits' });
  expect(existsSync(to)).toBe(false);
  await makeDatabase();
  await copySqlite(file, to, () => undefined, 0);
  const copy = new DatabaseSync(to, { readOnly: true });
  expect({ ...copy.prepare('SELECT id FROM delivery').get() }).toEqual({ id: 'dlv_1' });
  copy.close();
});

test('a database that was put in the place of another does not start with the journal of that one', async () => {
  await makeDatabase();
  await acknowledge([['inbox.put', putOf('dlv_1')]]);
  const db = new DatabaseSync(file);
  db.exec('UPDATE store_journal SET carried_place = 100');
  db.close();
  await makeDatabase();
  await acknowledge([['inbox.put', putOf('dlv_2')]]);
  const older = new DatabaseSync(file);
  older.exec('UPDATE store_journal SET carried_place = 50');
  older.close();
  await expect(place.open({ sets })).rejects.toThrow(StartError);
});
