import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { auditSet } from '../../../src/audit/index.ts';
import { revokedPatients } from '../../../src/identity/index.ts';
import type { SqliteDb } from '../../../src/store/commands.ts';
import { performSqlite } from '../../../src/store/sql/perform.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

let place: Place;
beforeEach(async () => {
  place = await sqlitePlace();
  await (await place.open({ sets: [auditSet] })).close();
});
afterEach(() => place.remove());

test('who was revoked is looked up by the user: the links of all others are not walked', () => {
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const file = new DatabaseSync(place.database.file, { readOnly: true });
  const plans: string[] = [];
  const explained = {
    all: (text: string, ...values: (string | Uint8Array)[]) => {
      for (const { detail } of file.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values)) plans.push(String(detail));
      return [];
    },
  } as unknown as SqliteDb;
  performSqlite({ db: explained }, revokedPatients('default', new Uint8Array(32)));
  file.close();
  expect(plans.join('\n')).toMatch(/link_by_user \(tenant=\? AND user_index=\?\)/);
});
