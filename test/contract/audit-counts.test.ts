import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { reads } from '../../src/audit/commands/read.ts';
import { auditSet, COUNTED_BY, type AuditDraft, type AuditReads } from '../../src/audit/index.ts';
import type { Store } from '../../src/store/index.ts';
import { explainSqlite } from '../support/explain-sqlite.ts';
import { PLACES, sqlitePlace, type Place } from '../support/new-store.ts';

const tenant = 'default';
const HOUR = 3_600_000;
const START = Date.parse('2026-01-02T03:00:00Z');
const PATIENT = { system: 'urn:mrn', mrn: '0001' };
type Asked = AuditReads['audit.counts']['args'];
const ASKED: Asked = { tenant, by: 'actor', fromMs: START, toMs: START + 3 * HOUR, widthMs: HOUR, most: 1_000 };

describe.each(PLACES)('counts of the audit on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: [auditSet] });
  });
  afterEach(() => place.remove());

  async function record(atMs: number, more: Partial<AuditDraft>): Promise<void> {
    const draft: AuditDraft = {
      at: new Date(atMs),
      type: 'admin',
      tenant,
      requestId: 'req_x',
      action: 'R',
      outcome: '0',
      ...more,
    };
    const done = await store.use(auditSet).write('audit.append', draft);
    if (!done.ok) throw new Error(done.fault.code);
  }
  async function count(more: Partial<Asked> = {}) {
    const found = await store.use(auditSet).read('audit.counts', { ...ASKED, ...more });
    if (!found.ok) throw new Error(found.fault.code);
    const { counts, counted, isExact } = found.value;
    return { rows: counts.map(({ name, point, count: n }) => [name, point, n]), counted, isExact };
  }

  test('by actor: what people and machines did, also to deliveries, and nothing of the gateway itself', async () => {
    await record(START - 1, { actor: 'ann' });
    await record(START, { actor: 'ann' });
    await record(START + HOUR - 1, { actor: 'ann', type: 'link.change', action: 'U' });
    await record(START + HOUR, { actor: 'ann', type: 'delivery.change', action: 'U', from: 'parked', to: 'received' });
    await record(START + HOUR, { actor: 'ben', type: 'operator.sign-in', action: 'E', outcome: '8' });
    await record(START + HOUR, { actor: 'gateway', type: 'delivery.change', action: 'U' });
    await record(START + HOUR, { actor: 'source', type: 'hook.accept', action: 'C' });
    await record(START + HOUR, { outcome: '8', action: 'E' });
    await record(START + 3 * HOUR, { actor: 'ann' });
    expect(await count()).toMatchObject({
      rows: [
        ['ann', 0, 2],
        ['ann', 1, 1],
        ['ben', 1, 1],
      ],
      isExact: true,
    });
  });

  test('by app: what was asked for and what was refused', async () => {
    const app = { type: 'fhir.read', client: 'app-a' } as const;
    await record(START, app);
    await record(START + 2 * HOUR, { ...app, type: 'fhir.search' });
    await record(START + 2 * HOUR, { ...app, type: 'fhir.deny', outcome: '8' });
    await record(START + 2 * HOUR, { type: 'auth.grant', action: 'E', client: 'app-b' });
    await record(START, { actor: 'ann' });
    expect((await count({ by: 'app' })).rows).toEqual([
      ['app-a', 0, 1],
      ['app-a', 2, 2],
      ['app-b', 2, 1],
    ]);
  });

  test('by patient: an MRN and an id of the EHR that are one person’s count together', async () => {
    // What the gateway wrote says that both are the same, and counts for nobody.
    await record(START, { type: 'ehr.write', action: 'U', toSeal: { patient: PATIENT, chart: 'p1' } });
    await record(START, { type: 'fhir.read', toSeal: { chart: 'p1' } });
    await record(START, { type: 'admin', toSeal: { patient: PATIENT } });
    await record(START + HOUR, { type: 'fhir.search', toSeal: { chart: 'p2' } });
    await record(START + HOUR, { type: 'fhir.search' });
    const { rows } = await count({ by: 'patient' });
    expect(rows.map(([, point, n]) => [point, n]).sort()).toEqual([
      [0, 2],
      [1, 1],
    ]);
    expect(new Set(rows.map(([name]) => name)).size).toBe(2);
    expect(JSON.stringify(rows)).not.toMatch(/0001|p1|p2/);
  });

  test('of too many the newest are counted, and that is said', async () => {
    for (let i = 0; i < 5; i += 1) await record(START + i * 1_000, { actor: i < 3 ? 'early' : 'late' });
    expect(await count({ most: 5 })).toMatchObject({ counted: 5, isExact: true });
    const bounded = await count({ most: 1 });
    expect(bounded).toMatchObject({ counted: 1, isExact: false });
    expect(bounded.rows.map(([name]) => name)).toEqual(['late']);
  });
});

test.each(COUNTED_BY)('counts by %s go along an index of what people and apps do', async (by) => {
  const place = await sqlitePlace();
  try {
    await (await place.open({ sets: [auditSet] })).close();
    const plans = explainSqlite(place, (context) => reads['audit.counts'](context, { ...ASKED, by }));
    const index = by === 'actor' ? 'audit_acts' : 'audit_looks';
    expect(plans.join('\n')).toMatch(new RegExp(`INDEX ${index} \\(tenant=\\? AND at>\\? AND at<\\?\\)`));
  } finally {
    await place.remove();
  }
});
