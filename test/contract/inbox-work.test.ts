import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import { reads } from '../../src/inbox/commands/read.ts';
import { inboxSet } from '../../src/inbox/index.ts';
import { explainSqlite } from '../support/explain-sqlite.ts';
import { sqlitePlace, type Place } from '../support/new-store.ts';

const tenant = 'default';
let place: Place;
beforeEach(async () => {
  place = await sqlitePlace();
  await place.open({ sets: [auditSet, inboxSet] });
});
afterEach(() => place.remove());

/** Steps that walk a whole table, and no part that was cut off before. */
const scansOf = (plans: readonly string[]): string[] =>
  plans.filter((one) => /^SCAN (?!\(subquery|looked|counted|versions|json_each)/.test(one));

test('whose a group is, is counted along the index of groups, which ends the walk', () => {
  const asked = { tenant, state: 'parked', reason: 'patient', faultCode: 'patient.none', limit: 50 } as const;
  const plans = explainSqlite(place, (context) => reads['inbox.group-users'](context, asked));
  expect(plans.join('\n')).toMatch(/INDEX delivery_stuck \(tenant=\? AND state=\? AND reason=\? AND <expr>=\?\)/);
  expect(scansOf(plans)).toEqual([]);
});

test('the words of a group are counted the same way, each delivery looked up by its place', () => {
  const asked = { tenant, state: 'parked', reason: 'unmapped', faultCode: null, limit: 50 } as const;
  const plans = explainSqlite(place, (context) => reads['inbox.group-words'](context, asked));
  expect(plans.join('\n')).toMatch(/SEARCH w USING PRIMARY KEY \(seq=\?/);
  expect(scansOf(plans)).toEqual([]);
});

test('the version before is found along the index of documents', () => {
  const plans = explainSqlite(place, (context) => reads['inbox.earlier'](context, { tenant, id: 'dlv_1' }));
  expect(plans.join('\n')).toMatch(/SEARCH v USING INDEX delivery_by_document \(tenant=\? AND document_index=\?\)/);
  expect(scansOf(plans)).toEqual([]);
});
