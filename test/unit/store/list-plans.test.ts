import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { reads as auditReads } from '../../../src/audit/commands/all.ts';
import { auditSet } from '../../../src/audit/index.ts';
import { reads as enrolReads } from '../../../src/enrol/commands/all.ts';
import { FIRST_PLACE } from '../../../src/enrol/index.ts';
import { reads as identityReads } from '../../../src/identity/commands/all.ts';
import { reads as historyReads } from '../../../src/history/commands/all.ts';
import { reads as laneReads } from '../../../src/lanes/commands/all.ts';
import type { CommandContext, Row, SqliteDb } from '../../../src/store/commands.ts';
import { performSqlite } from '../../../src/store/sql/perform.ts';
import { makeWriterMemory, type Program } from '../../../src/store/index.ts';
import { makeVault } from '../../../src/store/vault.ts';
import { sqlitePlace, type Place } from '../../support/new-store.ts';

let place: Place;
beforeEach(async () => {
  place = await sqlitePlace();
  await (await place.open({ sets: [auditSet] })).close();
});
afterEach(() => place.remove());

const tenant = 'default';
const context: CommandContext = {
  vault: makeVault({ data: [Buffer.alloc(32, 'd')], pseudonym: Buffer.alloc(32, 'p') }),
  writer: 'w',
  memory: makeWriterMemory(),
  engine: 'sqlite',
};

/** How SQLite would carry out each statement of a read that finds `rows` by each of the first statements. */
function plansOf(program: Program<unknown>, found: readonly Row[][] = []): string[] {
  if (place.database.engine !== 'sqlite') throw new Error('not SQLite');
  const file = new DatabaseSync(place.database.file, { readOnly: true });
  const plans: string[] = [];
  let n = 0;
  const all = (text: string, ...values: (string | number | Uint8Array)[]): readonly Row[] => {
    const steps = file.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
    plans.push(steps.map(({ detail }) => String(detail)).join('; '));
    return found[n++] ?? [];
  };
  const explained = { all, get: (text: string, ...values: string[]) => all(text, ...values)[0] } as unknown as SqliteDb;
  performSqlite({ db: explained }, program);
  file.close();
  return plans;
}
const walksATable = (plan: string): boolean => /\bSCAN (?!json_each\b)\w+(?! USING| VIRTUAL)/.test(plan);

describe('lists of the admin API are walked along an index, and nothing is sorted whole', () => {
  test('what was noted', () => {
    const [plan = ''] = plansOf(historyReads['history.list'](context, { tenant, list: 'probe', before: 9, limit: 10 }));
    expect(plan).toMatch(/history_by_list \(tenant=\? AND list=\? AND seq<\?\)/);
    expect(plan).not.toMatch(/TEMP B-TREE/);
  });

  test('lanes that wait', () => {
    const asked = { tenant, after: 0, limit: 10, at: new Date(), patients: 'open' } as const;
    const plans = plansOf(laneReads['lane.waiting'](context, asked), [[{ seq: 1 }]]);
    expect(
      plans.slice(0, 3).every((plan) => /delivery_by_state \(tenant=\? AND state=\? AND seq>\?\)/.test(plan)),
    ).toBe(true);
    expect(plans[3]).toMatch(/job_retracting \(tenant=\? AND target=\? AND delivery_seq>\?\)/);
    expect(plans[4]).toMatch(/job_by_delivery \(delivery_seq=\?\)/);
    expect(plans[4]).toMatch(/job_head \(tenant=\? AND target=\? AND patient_index=\?\)/);
    expect(plans.slice(0, 4).join()).not.toMatch(/TEMP B-TREE/);
    expect(plans.filter(walksATable)).toEqual([]);
  });

  test('how much waits: no backlog is sorted, and no job walked that is done', () => {
    const plans = plansOf(laneReads['lane.lag'](context, { tenant }));
    expect(plans.filter((plan) => /delivery_by_state \(tenant=\? AND state=\?\)/.test(plan))).toHaveLength(3);
    expect(plans.join()).toMatch(/job_parked \(tenant=\? AND target=\?\)/);
    expect(plans.join()).toMatch(/job_retracting \(tenant=\? AND target=\?\)/);
    expect(plans.join()).toMatch(/d USING INDEX delivery_left_out \(tenant=\?\)/);
    expect(plans.join()).toMatch(/lane USING (COVERING )?INDEX lane_ready \(target=\?\)/);
    expect(plans.filter((plan) => /TEMP B-TREE/.test(plan) && !plan.includes('ledger_count'))).toEqual([]);
  });

  test('links by status', () => {
    const asked = { tenant, user: null, patient: null, before: 9, limit: 10 };
    for (const [status, index] of [
      ['proposed', 'link_seldom (tenant=? AND status=? AND seq<?)'],
      ['revoked', 'link_seldom (tenant=? AND status=? AND seq<?)'],
      ['confirmed', 'link_confirmed (tenant=? AND seq<?)'],
    ] as const) {
      const [plan = ''] = plansOf(identityReads['identity.list'](context, { ...asked, status }));
      expect(plan.replace('rowid<?', 'seq<?')).toContain(index);
      expect(plan).not.toMatch(/TEMP B-TREE/);
    }
  });

  test('patients', () => {
    const [links = '', users = ''] = plansOf(enrolReads['enrol.patients'](context, { tenant, before: 9, limit: 10 }));
    expect(links).toMatch(/l USING INDEX link_confirmed \(tenant=\? AND seq<\?\)/);
    expect(links).toMatch(/link_by_mrn \(tenant=\? AND mrn_index=\? AND seq>\?\)/);
    expect(links).not.toMatch(/TEMP B-TREE/);
    expect(users).toMatch(/link_by_mrn[\s\S]*delivery_by_user \(tenant=\? AND user_index=\?\)/);
    expect([links, users].filter(walksATable)).toEqual([]);
  });

  const nothing = {
    chart: null,
    actors: null,
    client: null,
    delivery: null,
    request: null,
    outcome: null,
    before: null,
    tellingOf: [],
  };

  test('what tells of one type: seldom ones by their own index, changes of one delivery by that of deliveries', () => {
    const asked = { ...nothing, fromMs: null, toMs: null, patient: null, types: null, tenant, limit: 10 };
    const planOf = (more: { readonly tellingOf: readonly string[][]; readonly delivery?: string }): string =>
      plansOf(auditReads['audit.search'](context, { ...asked, ...more, sealed: 'leave' })).join();
    expect(planOf({ tellingOf: [['admin']] })).toMatch(/audit_seldom \(tenant=\? AND type=\?\)/);
    expect(planOf({ tellingOf: [['delivery.change']], delivery: 'dlv_1' })).toMatch(
      /audit_by_delivery \(tenant=\? AND delivery_id=\?\)/,
    );
    expect(planOf({ tellingOf: [['delivery.change']] })).toMatch(/audit_by_time \(tenant=\?\)/);
  });

  test('what one person did, under the name and under the id of the account', () => {
    const asked = { ...nothing, fromMs: null, toMs: null, patient: null, types: null, actors: ['ada', 'opr_1'] };
    const plans = plansOf(auditReads['audit.search'](context, { ...asked, tenant, limit: 10, sealed: 'leave' }));
    expect(plans).toHaveLength(2);
    for (const plan of plans) expect(plan).toMatch(/audit_by_actor \(tenant=\? AND <expr>=\?\)/);
    expect(plans.join()).not.toMatch(/TEMP B-TREE/);
  });

  test('changes of the links of one patient, in the audit', () => {
    const asked = { ...nothing, fromMs: null, toMs: null, patient: { system: 's', mrn: 'm' }, types: ['link.change'] };
    const [, plan] = plansOf(auditReads['audit.search'](context, { ...asked, tenant, limit: 10, sealed: 'leave' }));
    expect(plan).toMatch(/audit_by_patient \(tenant=\? AND patient=\?\)/);
  });

  test('what happened to one of them', () => {
    const asked = { tenant, patient: { mrnSystem: 's', mrn: 'm' }, from: FIRST_PLACE, limit: 10 };
    const user = { user_index: new Uint8Array(32) };
    const plans = plansOf(enrolReads['enrol.timeline'](context, asked), [[], [user]]);
    expect(plans[0]).toMatch(/link_by_mrn \(tenant=\? AND mrn_index=\? AND seq<\?\)/);
    expect(plans[2]).toMatch(/delivery_by_user \(tenant=\? AND user_index=\? AND seq<\?\)/);
    expect(plans[3]).toMatch(/PRIMARY KEY \(tenant=\? AND user_index=\?\)/);
    expect(plans.filter(walksATable)).toEqual([]);
  });
});
