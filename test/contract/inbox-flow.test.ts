import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import { reads } from '../../src/inbox/commands/read.ts';
import { inboxSet, type QuarantineReason } from '../../src/inbox/index.ts';
import { deliverSet } from '../../src/lanes/index.ts';
import type { Store } from '../../src/store/index.ts';
import { explainSqlite } from '../support/explain-sqlite.ts';
import { PLACES, sqlitePlace, type Place } from '../support/new-store.ts';

const tenant = 'default';
const START = Date.parse('2026-01-02T03:04:05.678Z');
const ALL = { tenant, problemsFrom: START, problemsTo: START + 60_000, problemsMax: 10 };

describe.each(PLACES)('what goes on, on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  let n = 0;
  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: [auditSet, inboxSet, deliverSet] });
  });
  afterEach(() => place.remove());

  async function put(atMs: number): Promise<number> {
    const inbox = store.use(inboxSet);
    n += 1;
    const id = `dlv_${n}`;
    const at = new Date(atMs);
    const more = { requestId: 'req_test', receiver: 'ins_me', sender: 'secret-path' };
    await inbox.write('inbox.put', { id, tenant, hook: 'data', at, ...more, body: Buffer.from(`body ${n}`) });
    const found = await inbox.read('inbox.get', { tenant, id });
    return found.ok ? (found.value?.seq ?? 0) : 0;
  }
  async function quarantine(atMs: number, reason: QuarantineReason): Promise<void> {
    const done = await store.use(deliverSet).write('deliver.settle', {
      tenant,
      seq: await put(START - 1_000),
      at: new Date(atMs),
      requestId: 'req_test',
      facts: {
        dataStructure: null,
        client: null,
        user: null,
        documentVersion: null,
        contentDigest: null,
        findings: [],
        unmapped: [],
      },
      verdict: { kind: 'quarantine', reason },
    });
    if (!done.ok) throw new Error(done.fault.code);
  }
  const flow = async (more: Partial<typeof ALL> = {}) => {
    const found = await store.use(inboxSet).read('inbox.flow', { ...ALL, ...more });
    if (!found.ok) throw new Error(found.fault.code);
    return found.value;
  };

  test('counts as the ledger has them, and the oldest that waits', async () => {
    expect(await flow()).toMatchObject({ oldestAt: null, problems: { problems: [], isExact: true } });
    await put(START + 5);
    await put(START + 9);
    expect(await flow()).toMatchObject({
      counts: { acknowledged: 2, byState: { received: 2 } },
      oldestAt: START + 5,
    });
  });

  test('problems by reason, each in one span of time, and up to a bound', async () => {
    await quarantine(START, 'not-json');
    await quarantine(START + 10, 'not-json');
    await quarantine(START + 10, 'shape');
    await quarantine(START + 60_000, 'shape');
    expect((await flow()).problems).toEqual({
      problems: [
        { state: 'quarantined', reason: 'not-json', count: 2 },
        { state: 'quarantined', reason: 'shape', count: 1 },
      ],
      isExact: true,
    });
    const [before, after] = [await flow({ problemsTo: START + 10 }), await flow({ problemsFrom: START + 10 })];
    expect([before, after].map(({ problems }) => problems.problems.map(({ count }) => count))).toEqual([[1], [1, 1]]);
    expect((await flow({ problemsMax: 2 })).problems.isExact).toBe(false);
    expect((await flow({ problemsFrom: START + 5, problemsTo: START + 5 })).problems.problems).toEqual([]);
  });
});

test('a look walks no deliveries: each step is along an index and ends early', async () => {
  const place = await sqlitePlace();
  try {
    await (await place.open({ sets: [auditSet, inboxSet] })).close();
    const plans = explainSqlite(place, (context) => reads['inbox.flow'](context, ALL));
    expect(plans.join('\n')).toMatch(/COVERING INDEX delivery_problems \(tenant=\? AND state_at>\? AND state_at<\?\)/);
    expect(plans.filter((one) => one.includes('delivery_by_state (tenant=? AND state=?)'))).toHaveLength(4);
    expect(plans.filter((one) => /^SCAN (?!\(subquery|p\b)/.test(one))).toEqual([]);
  } finally {
    await place.remove();
  }
});
