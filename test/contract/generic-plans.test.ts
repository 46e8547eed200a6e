import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { auditSet } from '../../src/audit/index.ts';
import { reads as inboxReads } from '../../src/inbox/commands/all.ts';
import { inboxSet, type DeliveryFilter } from '../../src/inbox/index.ts';
import { reads as laneReads } from '../../src/lanes/commands/all.ts';
import type { CommandContext, PostgresDb } from '../../src/store/commands.ts';
import type { Program } from '../../src/store/index.ts';
import { performPostgres } from '../../src/store/sql/perform.ts';
import { makeVault } from '../../src/store/vault.ts';
import { fillDeliveries } from '../support/fill-deliveries.ts';
import { postgresPlace, type Place } from '../support/new-store.ts';

/*
 * A statement that is asked often is planned once for all values. What is right for a common state must not be a walk
 * through the whole table for a rare one.
 */

let place: Place;
let client: pg.Client;
beforeAll(async () => {
  place = await postgresPlace();
  await (await place.open({ sets: [auditSet, inboxSet] })).close();
  if (place.database.engine !== 'postgres') throw new Error('not PostgreSQL');
  for (const statement of fillDeliveries('postgres', 20_000, 1)) await place.tamper(statement);
  await place.tamper('VACUUM ANALYZE');
  client = new pg.Client(place.database.url.reveal());
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await place.remove();
});

const tenant = 'default';
const context: CommandContext = {
  vault: makeVault({ data: [Buffer.alloc(32, 'd')], pseudonym: Buffer.alloc(32, 'p') }),
  writer: 'w',
  engine: 'postgres',
};

/** How PostgreSQL would carry out each statement of a read, whatever its values are. Nothing is found by any. */
async function plansOf(program: Program<unknown>): Promise<string> {
  const plans: string[] = [];
  const explain = async (text: string): Promise<void> => {
    const { rows } = await client.query<Record<string, string>>(`EXPLAIN (GENERIC_PLAN) ${text}`);
    plans.push(rows.map((row) => row['QUERY PLAN'] ?? '').join('\n'));
  };
  const db = {
    get: explain,
    all: async (text: string) => {
      await explain(text);
      return [];
    },
  } as unknown as PostgresDb;
  await performPostgres({ db }, program);
  return plans.join('\n\n');
}

const EVERYTHING: DeliveryFilter = {
  tenant,
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
const FILTERS: readonly (readonly [string, Partial<DeliveryFilter>])[] = [
  ['delivery_by_state', { state: 'unknown' }],
  ['delivery_by_reason', { reason: 'rare' }],
  ['delivery_by_fault', { faultCode: 'ehr.partial' }],
  ['delivery_by_structure', { dataStructure: 'rare' }],
  ['delivery_by_user', { user: { client: 'c', user: 'u' } }],
  ['delivery_finding_by_code', { finding: 'rare' }],
  ['delivery_word_by_word', { word: 'ab'.repeat(16) }],
  ['delivery_stuck', { state: 'parked', reason: 'rare', faultCode: 'ehr.partial' }],
];
test.each(FILTERS)('a page is walked along %s, however rare what is asked for', async (index, filter) => {
  const plans = await plansOf(inboxReads['inbox.list'](context, { ...EVERYTHING, ...filter, before: null, limit: 50 }));
  const [walk = ''] = plans.split('\n\n');
  expect(walk).toMatch(new RegExp(`using ${index}`));
  expect(walk).not.toMatch(/delivery_pkey|Seq Scan/);
});

test('where filters meet, each row of a walk is looked for in the index of the other', async () => {
  const filter = { ...EVERYTHING, state: 'delivered', dataStructure: 'lab_result' } as const;
  const plans = await plansOf(inboxReads['inbox.count'](context, filter));
  expect(plans).toMatch(/SubPlan[\s\S]*Index Only Scan using delivery_by_(structure|state)/);
  expect(plans).not.toMatch(/Seq Scan|Hash/);
});

test('what waits longest in a state is found along its index, and no table is walked for it', async () => {
  const flow = { tenant, problemsFrom: 1, problemsTo: 2, problemsMax: 10 };
  const at = new Date(0);
  const plans = [
    await plansOf(inboxReads['inbox.flow'](context, flow)),
    await plansOf(laneReads['lane.lag'](context, { tenant })),
    await plansOf(laneReads['lane.waiting'](context, { tenant, after: 0, limit: 50, at, patients: 'open' })),
  ].join('\n\n');
  const onDeliveries = plans.split('\n\n').filter((plan) => / on delivery\b/.test(plan) && /state/.test(plan));
  expect(onDeliveries.length).toBeGreaterThan(9);
  for (const plan of onDeliveries) expect(plan).not.toMatch(/Seq Scan on delivery|delivery_pkey on delivery\n/);
});

test('the words of a group are counted along the index of groups, and looked up by delivery', async () => {
  const group = { tenant, state: 'parked', reason: 'unmapped', faultCode: null, limit: 50 } as const;
  const plans = await plansOf(inboxReads['inbox.group-words'](context, group));
  expect(plans).toMatch(/using delivery_stuck/);
  expect(plans).toMatch(/delivery_word_pkey/);
  expect(plans).not.toMatch(/Seq Scan|Hash (Join|Semi|Right)|hashed SubPlan/);
});

test('groups are counted in their index alone', async () => {
  const plans = await plansOf(inboxReads['inbox.groups'](context, { tenant }));
  expect(plans).toMatch(/Index Only Scan using delivery_stuck/);
  expect(plans).not.toMatch(/Seq Scan on delivery/);
});
