import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { auditSet } from '../../../src/audit/index.ts';
import type { DeliveryFilter } from '../../../src/inbox/index.ts';
import { count, list } from '../../../src/inbox/commands/list.ts';
import type { Vault } from '../../../src/store/index.ts';
import type { SqliteDb } from '../../../src/store/commands.ts';
import { performSqlite } from '../../../src/store/sql/perform.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

let place: Place;
let file: DatabaseSync;
beforeAll(async () => {
  place = await sqlitePlace();
  await (await place.open({ sets: [auditSet] })).close();
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  file = new DatabaseSync(place.database.file, { readOnly: true });
});
afterAll(() => {
  file.close();
  return place.remove();
});

const vault = { index: () => Buffer.alloc(32) } as unknown as Vault;
const EVERYTHING: DeliveryFilter = {
  tenant: 'default',
  state: null,
  reason: null,
  faultCode: null,
  dataStructure: null,
  finding: null,
  word: null,
  requestId: null,
  user: null,
  users: null,
  assigned: null,
  receivedFrom: null,
  receivedTo: null,
};

function plansOf(filter: Partial<DeliveryFilter>): string {
  const plans: string[] = [];
  const explain = (text: string, values: readonly SQLInputValue[]): void => {
    for (const { detail } of file.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values)) plans.push(String(detail));
  };
  const db = {
    all: (text: string, ...values: SQLInputValue[]) => {
      explain(text, values);
      return [];
    },
    get: (text: string, ...values: SQLInputValue[]) => {
      explain(text, values);
      return undefined;
    },
  } as unknown as SqliteDb;
  const before = { seq: 900, receivedAt: 5_000 };
  performSqlite({ db }, list({ vault }, { ...EVERYTHING, ...filter, before, limit: 50 }));
  performSqlite({ db }, count({ vault }, { ...EVERYTHING, ...filter }));
  return plans.join('\n');
}

test.each<[string, Partial<DeliveryFilter>, string]>([
  ['nothing', {}, 'USING INTEGER PRIMARY KEY (rowid<?)'],
  ['a state', { state: 'parked' }, 'delivery_by_state (tenant=? AND state=? AND seq<?)'],
  ['a reason', { reason: 'patient' }, 'delivery_by_reason (tenant=? AND reason=? AND seq<?)'],
  ['a fault', { faultCode: 'patient.none' }, 'delivery_by_fault (tenant=? AND fault_code=? AND seq<?)'],
  ['a structure', { dataStructure: 'x' }, 'delivery_by_structure (tenant=? AND data_structure=? AND seq<?)'],
  ['a finding', { finding: 'code.unmapped' }, 'delivery_finding_by_code (tenant=? AND code=? AND seq<?)'],
  ['an unmapped word', { word: 'ab'.repeat(16) }, 'delivery_word_by_word (tenant=? AND word_index=? AND seq<?)'],
  ['a user', { user: { client: 'c', user: 'u' } }, 'delivery_by_user (tenant=? AND user_index=? AND seq<?)'],
  [
    'who looks after it',
    { assigned: { kind: 'operator', id: 'opr_1' } },
    'delivery_assigned (tenant=? AND operator=? AND seq<?)',
  ],
  ['a time', { receivedFrom: 1_000 }, 'delivery_by_time (tenant=? AND received_at>? AND received_at<?)'],
])('a list by %s walks along its index, in its order', (_what, filter, index) => {
  const plans = plansOf(filter);
  expect(plans.replaceAll('seq>? AND ', '')).toContain(index);
  expect(plans).not.toMatch(/SCAN d\b(?! USING)|TEMP B-TREE/);
});

test('a list by a request finds the deliveries through the audit', () => {
  const plans = plansOf({ requestId: 'req_x' });
  expect(plans).toMatch(/audit_by_request \(tenant=\? AND request_id=\?\)/);
  expect(plans).not.toMatch(/SCAN d\b/);
});

test.each<[string, Partial<DeliveryFilter>]>([
  ['a state and a structure', { state: 'delivered', dataStructure: 'x' }],
  ['a finding and a state', { finding: 'code.unmapped', state: 'parked' }],
  ['a user, a reason and a time', { user: { client: 'c', user: 'u' }, reason: 'patient', receivedTo: 9_000 }],
  ['a state and nobody who looks after it', { assigned: { kind: 'nobody' }, state: 'parked' }],
  ['an operator and a state', { assigned: { kind: 'operator', id: 'opr_1' }, state: 'parked' }],
  ['a time and a structure', { receivedFrom: 1, receivedTo: 9_000, dataStructure: 'x' }],
])('a list by %s walks one index and looks the others up row by row', (_what, filter) => {
  const plans = plansOf(filter);
  expect(plans).toMatch(/SEARCH d USING INTEGER PRIMARY KEY \(rowid=\?\)/);
  expect(plans).not.toMatch(/SCAN d\b/);
});
