import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { auditSet } from '../../../src/audit/index.ts';
import { reads } from '../../../src/inbox/commands/all.ts';
import { reads as jobReads } from '../../../src/jobs/commands/all.ts';
import type { CommandContext, SqliteDb, SqlValue } from '../../../src/store/commands.ts';
import { performSqlite } from '../../../src/store/sql/perform.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

let place: Place;
beforeEach(async () => {
  place = await sqlitePlace();
  await (await place.open({ sets: [auditSet] })).close();
});
afterEach(() => place.remove());

const tenant = 'default';
/** Nothing of these reads is sealed. */
const context = {} as CommandContext;

/** How SQLite goes about each statement; each is answered with the row that is given. */
function plansOf(read: (db: SqliteDb) => unknown, row: Readonly<Record<string, SqlValue>>): string[] {
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const file = new DatabaseSync(place.database.file, { readOnly: true });
  const plans: string[] = [];
  const seen = new Set<string>();
  const explain = (text: string, values: SqlValue[]) => {
    const isNew = !seen.has(text);
    seen.add(text);
    if (!isNew) return undefined;
    for (const { detail } of file.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values)) plans.push(String(detail));
    return { ...row };
  };
  const answer = (text: string, ...values: SqlValue[]) => explain(text, values);
  read({ get: answer, all: (text: string, ...values: SqlValue[]) => [explain(text, values) ?? {}] } as SqliteDb);
  file.close();
  return plans;
}

test('groups are found from one to the next along their index, and no statement sorts or walks all deliveries', () => {
  const row = { seq: 1, reason: 'unmapped', fault: 'patient.none', n: 1, received_at: 1 };
  const plans = plansOf((db) => performSqlite({ db }, reads['inbox.groups'](context, { tenant })), row);
  const walks = plans.filter((plan) => plan.includes('delivery'));
  expect(walks.length).toBeGreaterThanOrEqual(5);
  for (const plan of walks) expect(plan).toMatch(/USING (COVERING )?INDEX delivery_stuck \(tenant=\? AND state=\?/);
  expect(plans.filter((plan) => /^SEARCH g/.test(plan)).every((plan) => plan.includes('rowid=?'))).toBe(true);
});

test('a choice by reason and fault goes along the same index', () => {
  const choice = {
    state: 'parked',
    reason: 'patient',
    faultCode: 'patient.none',
    dataStructure: null,
    word: null,
    ofOne: null,
    receivedFrom: null,
    receivedTo: null,
  } as const;
  const read = (db: SqliteDb) =>
    performSqlite({ db }, jobReads['jobs.choose'](context, { tenant, choice, whose: null }));
  const plans = plansOf(read, { seq: 1, state_at: 1, patient: null });
  expect(plans.join('\n')).toMatch(/delivery_stuck \(tenant=\? AND state=\? AND reason=\? AND <expr>=\?\)/);
  expect(plans.join('\n')).toMatch(/link_one_confirmed \(tenant=\? AND user_index=\?\)/);
});
