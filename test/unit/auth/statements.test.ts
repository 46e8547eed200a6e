import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { auditSet } from '../../../src/audit/index.ts';
import { listGrants } from '../../../src/auth/commands/grants.ts';
import type { CommandContext } from '../../../src/store/index.ts';
import type { SqliteDb } from '../../../src/store/commands.ts';
import { performSqlite } from '../../../src/store/sql/perform.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

let place: Place;
beforeEach(async () => {
  place = await sqlitePlace();
  await (await place.open({ sets: [auditSet] })).close();
});
afterEach(() => place.remove());

test.each([
  ['client', 'auth_record_by_client (tenant=? AND client_id=?'],
  ['account', 'auth_record_by_account (tenant=? AND account_id=?'],
] as const)(
  'what %s was given is found by its owner, in order: nothing is sorted and no other is walked',
  (kind, by) => {
    if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
    const file = new DatabaseSync(place.database.file, { readOnly: true });
    const plans: string[] = [];
    const explained = {
      all: (text: string, ...values: (string | number | Uint8Array)[]) => {
        for (const { detail } of file.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values)) plans.push(String(detail));
        return [];
      },
    } as unknown as SqliteDb;
    const asked = { tenant: 'default', of: { kind, id: 'x' }, limit: 50, at: new Date(0) };
    for (const before of [null, { madeAtMs: 1, index: '00'.repeat(16) }])
      performSqlite({ db: explained }, listGrants({} as CommandContext, { ...asked, before }));
    file.close();
    const text = plans.join('\n');
    expect(text.split(by)).toHaveLength(3);
    expect(text).toContain('auth_record_by_grant (tenant=? AND grant_index=?');
    expect(text).not.toMatch(/SCAN|TEMP B-TREE/);
  },
);
