import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { STATES } from '../../../src/inbox/index.ts';
import { MIGRATIONS } from '../../../src/store/migrations/index.ts';
import { migrate } from '../../../src/store/sqlite/migrate.ts';
import { openWriter } from '../../../src/store/sqlite/open-database.ts';
import { makeStatements } from '../../../src/store/sqlite/statements.ts';

function migrated(): DatabaseSync {
  const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });
  migrate(db, MIGRATIONS, 0);
  return db;
}

const digest = new Uint8Array(32);
const insertDelivery = (db: DatabaseSync, state: string): unknown =>
  db
    .prepare(
      `INSERT INTO delivery (tenant, id, hook, received_at, request_id, receiver, sender, state, state_at, body_bytes, raw_digest)
       VALUES ('t', ?, 'data', 0, 'r', 'i', 's', ?, 0, 0, ?)`,
    )
    .run(state, state, digest);
const insertDigest = (db: DatabaseSync, kind: string): unknown =>
  db.prepare(`INSERT INTO delivery_digest (tenant, kind, digest, seq) VALUES ('t', ?, ?, 1)`).run(kind, digest);
const insertJob = (db: DatabaseSync, state: string): unknown =>
  db
    .prepare(
      `INSERT INTO job (tenant, target, patient_index, kind, delivery_seq, state) VALUES ('t', 'e', ?, 'deliver', 1, ?)`,
    )
    .run(digest, state);

const CHECKED = [
  ['delivery', insertDelivery, STATES],
  ['delivery_digest', insertDigest, ['data', 'notification', 'content']],
  ['job', insertJob, ['queued', 'done', 'cancelled', 'parked']],
] as const;

test.each(CHECKED)('%s takes each word of its list and no other', (_table, insert, words) => {
  const db = migrated();
  for (const word of words) insert(db, word);
  expect(() => insert(db, 'invented')).toThrow(/CHECK/);
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  db.close();
});

test.each([
  `UPDATE delivery SET state = 'sending' WHERE seq = 1`,
  `INSERT INTO delivery_digest (tenant, kind, digest, seq) VALUES ('t', 'data', x'00', 1) ON CONFLICT DO NOTHING`,
  `UPDATE job SET state = 'done' WHERE seq = 1`,
])('SQLite makes no table of its own for %s', (sql) => {
  const db = migrated();
  const opened = db
    .prepare(`EXPLAIN ${sql}`)
    .all()
    .filter(({ opcode }) => opcode === 'OpenEphemeral');
  expect(opened).toEqual([]);
  db.close();
});

test('an audit record that nobody has exported is not replaced on the connection that writes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chartgate-checks-'));
  const db = openWriter(join(folder, 'x.db'));
  migrate(db, MIGRATIONS, 0);
  const insert = (how: string, outcome: string): unknown =>
    db
      .prepare(
        `INSERT ${how} INTO audit_record (chain, seq, at, tenant, type, outcome, request_id, record, leaf, link)
         VALUES ('c', 1, 0, 't', 'admin', ?, 'r', '{}', x'00', x'00')`,
      )
      .run(outcome);
  insert('', '0');
  for (const how of ['', 'OR REPLACE']) expect(() => insert(how, '8')).toThrow();
  expect(db.prepare('SELECT outcome FROM audit_record').all()).toEqual([{ outcome: '0' }]);
  expect(() => makeStatements(db).run('INSERT OR REPLACE INTO job (seq) VALUES (1)')).toThrow('replaces no rows');
  db.close();
  rmSync(folder, { recursive: true });
});

test('when the steps are done nobody rewrites the text of the schema', () => {
  const db = migrated();
  db.exec('PRAGMA writable_schema=ON');
  expect(() => db.exec(`UPDATE sqlite_schema SET sql = '' WHERE name = 'job'`)).toThrow(/may not be modified/);
  db.close();
});
