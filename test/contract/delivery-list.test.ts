import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { auditSet } from '../../src/audit/index.ts';
import { deliverSet } from '../../src/lanes/index.ts';
import { inboxSet, type DeliveryFilter, type InboxReads, type ListPlace } from '../../src/inbox/index.ts';
import type { Store } from '../../src/store/index.ts';
import { fillDeliveries } from '../support/fill-deliveries.ts';
import { howMany } from '../support/how-much.ts';
import { PLACES, type Place } from '../support/new-store.ts';

const tenant = 'default';
const firstAt = Date.parse('2026-03-01T00:00:00Z');
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
type Page = InboxReads['inbox.list']['out'];

const must = <T>(result: { ok: true; value: T } | { ok: false; fault: { code: string } }): T => {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
};

function asking(store: () => Store) {
  const inbox = () => store().use(inboxSet);
  const page = async (filter: Partial<DeliveryFilter>, limit: number, before: ListPlace | null): Promise<Page> =>
    must(await inbox().read('inbox.list', { ...EVERYTHING, ...filter, before, limit }));
  return {
    page,
    count: async (filter: Partial<DeliveryFilter>) =>
      must(await inbox().read('inbox.count', { ...EVERYTHING, ...filter })),
    /** Page by page to the end. */
    async all(filter: Partial<DeliveryFilter>, limit: number) {
      const ids: string[] = [];
      let pages = 0;
      for (let before: ListPlace | null = null; ; pages += 1) {
        const { deliveries, next }: Page = await page(filter, limit, before);
        ids.push(...deliveries.map(({ id }) => id));
        if (next === null) return { ids, pages: pages + 1 };
        before = next;
      }
    },
  };
}

describe.each(PLACES)('the list of deliveries on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  const { page, count, all } = asking(() => store);
  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: [auditSet, inboxSet, deliverSet] });
  });
  afterEach(() => place.remove());

  interface Put {
    readonly user: string;
    readonly dataStructure: string;
    readonly requestId: string;
    readonly findings: readonly string[];
    readonly isQuarantined: boolean;
    readonly operator: string | null;
    /** Clocks go back too. */
    readonly atSeconds: number;
  }
  async function put(one: Put, n: number): Promise<string> {
    const id = `dlv_${n}`;
    const at = new Date(firstAt + one.atSeconds * 1_000);
    const { requestId } = one;
    const stored = { id, tenant, hook: 'data', at, requestId, receiver: 'ins_me', sender: 's' } as const;
    must(await store.use(inboxSet).write('inbox.put', { ...stored, body: Buffer.from(id) }));
    const { seq } = must(await store.use(inboxSet).read('inbox.get', { tenant, id })) ?? { seq: 0 };
    must(
      await store.use(deliverSet).write('deliver.settle', {
        tenant,
        seq,
        at,
        requestId,
        facts: {
          dataStructure: one.dataStructure,
          client: 'c',
          user: one.user,
          documentVersion: 1,
          contentDigest: null,
          findings: one.findings.map((code) => `${code} Observation.value`),
          unmapped: [],
        },
        verdict: one.isQuarantined
          ? { kind: 'quarantine', reason: 'not-r4' }
          : { kind: 'sound', trouble: 'unmapped', document: null },
      }),
    );
    if (one.operator !== null)
      must(
        await store
          .use(inboxSet)
          .write('inbox.assign', { tenant, id, at, requestId, actor: 'ann', operator: one.operator }),
      );
    return id;
  }

  const puts = fc.array(
    fc.record({
      user: fc.constantFrom('ann', 'bob'),
      dataStructure: fc.constantFrom('clinical_ready', 'lab_result'),
      requestId: fc.constantFrom('req_a', 'req_b'),
      findings: fc.uniqueArray(fc.constantFrom('code.unmapped', 'unit.unmapped')),
      isQuarantined: fc.boolean(),
      operator: fc.option(fc.constantFrom('opr_1', 'opr_2')),
      atSeconds: fc.integer({ min: 0, max: 5 }),
    }),
    { minLength: 8, maxLength: 12 },
  );
  const sometimes = <T>(one: fc.Arbitrary<T>) => fc.option(one, { freq: 2 });
  const wishes = fc.record({
    user: sometimes(fc.constantFrom('ann', 'bob', 'nobody')),
    dataStructure: sometimes(fc.constantFrom('clinical_ready', 'lab_result')),
    requestId: sometimes(fc.constantFrom('req_a', 'req_none')),
    finding: sometimes(fc.constantFrom('code.unmapped', 'unit.unmapped')),
    state: sometimes(fc.constantFrom('parked', 'quarantined')),
    assigned: sometimes(fc.constantFrom('opr_1', 'opr_none', 'nobody')),
    from: sometimes(fc.integer({ min: 0, max: 5 })),
    to: sometimes(fc.integer({ min: 0, max: 6 })),
    isByUsers: fc.boolean(),
    limit: fc.integer({ min: 1, max: 5 }),
  });

  test('shows exactly what every filter allows, each once, newest first, in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(puts, fc.array(wishes, { minLength: 10, maxLength: 10 }), async (given, asked) => {
        const own = await makePlace();
        try {
          store = await own.open({ sets: [auditSet, inboxSet, deliverSet] });
          const ids: string[] = [];
          for (const [n, one] of given.entries()) ids.push(await put(one, n));
          const indexes = new Map(
            (await page({}, 50, null)).deliveries.map(({ userId, userIndex }) => [userId, userIndex]),
          );
          for (const wish of asked) {
            const expected = given
              .map((one, n) => ({ ...one, n }))
              .filter(
                (one) =>
                  (wish.user === null || one.user === wish.user) &&
                  (wish.dataStructure === null || one.dataStructure === wish.dataStructure) &&
                  (wish.requestId === null || one.requestId === wish.requestId) &&
                  (wish.finding === null || one.findings.includes(wish.finding)) &&
                  (wish.state === null || (wish.state === 'quarantined') === one.isQuarantined) &&
                  (wish.assigned === null || (one.operator ?? 'nobody') === wish.assigned) &&
                  (wish.from === null || one.atSeconds >= wish.from) &&
                  (wish.to === null || one.atSeconds < wish.to),
              )
              .sort((a, b) => ((wish.from ?? wish.to) === null ? b.n - a.n : b.atSeconds - a.atSeconds || b.n - a.n))
              .map(({ n }) => ids[n]);
            const index = indexes.get(wish.user) ?? null;
            const whose = wish.isByUsers
              ? { users: wish.user === null ? null : index === null ? [] : [index] }
              : { user: wish.user === null ? null : { client: 'c', user: wish.user } };
            const filter: Partial<DeliveryFilter> = {
              ...whose,
              dataStructure: wish.dataStructure,
              requestId: wish.requestId,
              finding: wish.finding,
              state: wish.state,
              assigned:
                wish.assigned === null
                  ? null
                  : wish.assigned === 'nobody'
                    ? { kind: 'nobody' }
                    : { kind: 'operator', id: wish.assigned },
              receivedFrom: wish.from === null ? null : firstAt + wish.from * 1_000,
              receivedTo: wish.to === null ? null : firstAt + wish.to * 1_000,
            };
            expect((await all(filter, wish.limit)).ids).toEqual(expected);
            expect(await count(filter)).toEqual({ count: expected.length, isExact: true });
          }
        } finally {
          await own.remove();
        }
      }),
      { numRuns: howMany(2, 30) },
    );
  });

  test('a patient of several users is shown with the deliveries of all of them, in one order', async () => {
    const one = {
      dataStructure: 'x',
      requestId: 'req_a',
      findings: [],
      isQuarantined: false,
      operator: null,
      atSeconds: 0,
    };
    for (const [n, user] of ['ann', 'bob', 'eve', 'ann', 'bob'].entries()) await put({ ...one, user }, n);
    const shown = (await page({}, 50, null)).deliveries;
    const users = [...new Set(shown.filter(({ userId }) => userId !== 'eve').map(({ userIndex }) => userIndex ?? ''))];
    expect((await all({ users }, 2)).ids).toEqual(['dlv_4', 'dlv_3', 'dlv_1', 'dlv_0']);
    expect(shown.map(({ userId }) => userId)).toEqual(['bob', 'ann', 'eve', 'bob', 'ann']);
  });

  test('what another judgement finds takes the place of what one before found', async () => {
    const one = { user: 'ann', dataStructure: 'x', requestId: 'r', isQuarantined: true, operator: null, atSeconds: 0 };
    const id = await put({ ...one, findings: ['code.unmapped', 'unit.unmapped'] }, 1);
    const at = new Date(firstAt);
    must(await store.use(inboxSet).write('inbox.replay', { tenant, id, at, requestId: 'r', actor: 'ann' }));
    const { seq } = must(await store.use(inboxSet).read('inbox.get', { tenant, id })) ?? { seq: 0 };
    must(
      await store.use(deliverSet).write('deliver.settle', {
        tenant,
        seq,
        at,
        requestId: 'r',
        facts: {
          dataStructure: 'x',
          client: 'c',
          user: 'ann',
          documentVersion: 1,
          contentDigest: null,
          findings: ['unit.unmapped here'],
          unmapped: [],
        },
        verdict: { kind: 'quarantine', reason: 'not-r4' },
      }),
    );
    expect((await all({ finding: 'code.unmapped' }, 5)).ids).toEqual([]);
    expect((await all({ finding: 'unit.unmapped' }, 5)).ids).toEqual([id]);
  });
});

describe.each(PLACES)('among 12,000 deliveries on %s', (_engine, makePlace) => {
  const ROWS = 12_000;
  let place: Place;
  let store: Store;
  const { page, count, all } = asking(() => store);
  beforeAll(async () => {
    place = await makePlace();
    store = await place.open({ sets: [auditSet, inboxSet, deliverSet] });
    for (const statement of fillDeliveries(place.database.engine, ROWS, firstAt)) await place.tamper(statement);
  });
  afterAll(() => place.remove());

  test('they are counted exactly up to 10,000, and called more than that beyond', async () => {
    expect(await count({})).toEqual({ count: 10_000, isExact: false });
    expect(await count({ state: 'parked' })).toEqual({ count: 120, isExact: true });
    expect(await count({ receivedFrom: firstAt + 2_001_000 })).toEqual({ count: 10_000, isExact: true });
    expect(await count({ state: 'delivered', dataStructure: 'lab_result' })).toEqual({ count: 120, isExact: true });
  });

  test('where filters meet in few of many, pages end early and lead on, and none is missing', async () => {
    const first = await page({ state: 'delivered', dataStructure: 'lab_result' }, 500, null);
    expect(first.next).toBeNull();
    const both = await all({ state: 'delivered', dataStructure: 'clinical_ready' }, 500);
    expect(both.ids).toHaveLength(11_760);
    expect(new Set(both.ids).size).toBe(11_760);
    const timed = { receivedFrom: firstAt, state: 'delivered', dataStructure: 'clinical_ready' } as const;
    const { ids: inTime, pages: walked } = await all(timed, 500);
    expect(inTime).toEqual(both.ids);
    expect(walked).toBeGreaterThan(11_760 / 500);
  });

  test('what nobody looks after is nearly all: what somebody does is left out, and the walk has an end', async () => {
    const filter = { assigned: { kind: 'nobody' } } as const;
    expect((await all(filter, 500)).ids).toHaveLength(ROWS);
    await place.tamper(`INSERT INTO delivery_assignment (seq, tenant, operator, assigned_at)
      SELECT seq, tenant, 'opr_1', 1 FROM delivery WHERE seq > 6000`);
    expect(await page(filter, 10, null)).toEqual({ deliveries: [], next: { seq: expect.any(Number), receivedAt: 0 } });
    expect((await all(filter, 500)).ids).toHaveLength(6_000);
    expect((await all({ assigned: { kind: 'operator', id: 'opr_1' } }, 500)).ids).toHaveLength(6_000);
    expect(await count({ ...filter, state: 'parked' })).toEqual({ count: 60, isExact: true });
  });

  test('a walk that finds nothing in its share gives an empty page and the place where it stopped', async () => {
    await place.tamper(`UPDATE delivery SET reason = 'common' WHERE state = 'delivered'`);
    await place.tamper(`UPDATE delivery SET data_structure = 'oldest' WHERE seq <= 6000`);
    const filter = { reason: 'common', dataStructure: 'oldest' } as const;
    expect(await page(filter, 10, null)).toEqual({ deliveries: [], next: { seq: expect.any(Number), receivedAt: 0 } });
    expect((await all(filter, 500)).ids).toHaveLength(5_940);
  });
});
