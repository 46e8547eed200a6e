import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { auditSet } from '../../src/audit/index.ts';
import { packItems, type EventItem } from '../../src/events/index.ts';
import { silentLog, type Result } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { isWanted, type Filters } from '../../src/subscriptions/match.ts';
import { runFanOut } from '../../src/subscriptions/run-fan-out.ts';
import {
  SUBSCRIPTION_ROWS_MAX,
  SUBSCRIPTIONS_MAX,
  subscriptionSet,
  type WantedSubscription,
} from '../../src/subscriptions/commands.ts';
import type { Subscription } from '../../src/subscriptions/subscription.ts';
import { testClock } from '../support/clock.ts';
import { eventTestSet } from '../support/event-commands/index.ts';
import { eventually } from '../support/eventually.ts';
import { PLACES, withClient, type Place } from '../support/new-store.ts';
import { readAuditSet } from '../support/read-audit/index.ts';

jest.setTimeout(60_000);

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
}
const tenant = 'default';
const NOON = new Date('2026-03-01T12:00:00Z');
const SETS = [auditSet, subscriptionSet, eventTestSet, readAuditSet];
const OWNER = { issuer: 'us', clientId: 'app', subject: 'app' };
const PULSE = 'code=http://loinc.org|8867-4';
const ANY: Filters = { all: [], within: [] };

const indexOf = (patient: string): Buffer => Buffer.from(patient.padEnd(16, '.'));
const anItem = (id: string, labels: readonly string[] = [PULSE]): EventItem => ({
  kind: 'measurement',
  act: 'written',
  type: 'Observation',
  id,
  labels,
});
const SETTINGS: WantedSubscription['settings'] = {
  endpoint: 'https://app.example.org/hook/secret-path',
  headers: [],
  secrets: [{ value: 'whsec_AAAA', untilMs: null }],
  criteria: [],
  reason: 'test',
  payload: 'application/fhir+json',
  heartbeatMs: null,
  timeoutMs: 10_000,
  countMax: 20,
  grant: {
    ...OWNER,
    accountId: null,
    grantId: null,
    sessionUid: null,
    scope: 'system/Observation.rs',
    patient: null,
    untilMs: null,
  },
};

describe.each(PLACES)('subscriptions on %s', (engine, makePlace) => {
  let place: Place;
  let store: Store;
  let n = 0;
  const subscriptions = () => store.use(subscriptionSet);
  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: SETS });
  });
  afterEach(() => place.remove());

  async function add(more: Partial<WantedSubscription> = {}): Promise<Subscription> {
    n += 1;
    const added = await subscriptions().write('subscription.add', {
      tenant,
      id: `sub-${n}`,
      at: NOON,
      owner: OWNER,
      kind: 'measurement',
      filters: ANY,
      patients: null,
      context: [],
      content: 'id-only',
      settings: SETTINGS,
      endAt: null,
      ...more,
    });
    const made = must(added);
    if (made === 'too-many') throw new Error(made);
    return made;
  }
  const claim = async (owner = 'one', at = NOON, without: readonly string[] = []) =>
    must(await subscriptions().write('subscription.claim', { tenant, owner, at, leaseMs: 60_000, limit: 10, without }));
  /** Past its handshake. */
  async function addActive(more: Partial<WantedSubscription> = {}): Promise<Subscription> {
    const made = await add(more);
    for (const { lease, subscription } of await claim())
      if (subscription.state === 'requested')
        must(await subscriptions().write('subscription.settle', { lease, at: NOON, outcome: { kind: 'greeted' } }));
    return made;
  }
  const put = async (patient: string, items: readonly EventItem[]): Promise<unknown> =>
    must(
      await store
        .use(eventTestSet)
        .write('event-test.put', [
          { tenant, at: NOON, user: indexOf('user'), patient: indexOf(patient), items: packItems(items) },
        ]),
    );
  const fanOut = async (limit = 100) =>
    must(await subscriptions().write('subscription.fan-out', { tenant, at: NOON, limit, claim: null }));
  const eventsOf = async ({ seq }: Subscription) =>
    must(await subscriptions().read('subscription.events', { tenant, seq, from: 1, to: 1e9, limit: 1e4 }));
  const idsOf = async (of: Subscription) =>
    (await eventsOf(of)).map(({ number, item }) => [number, item !== null && 'id' in item ? item.id : null]);

  test('nothing is numbered before its endpoint has answered the handshake', async () => {
    const early = await add();
    await put('ada', [anItem('1')]);
    expect(await fanOut()).toEqual({ kind: 'done', events: 1, touched: 0, isMore: false, due: [] });
    expect(await eventsOf(early)).toEqual([]);
  });

  test('what happened before the first subscription was made is owed to nobody; the next thing is', async () => {
    await put('ada', [anItem('1')]);
    expect(await fanOut()).toMatchObject({ events: engine === 'sqlite' ? 0 : 1, touched: 0 });
    // In the batch of the subscription itself, behind it.
    const [made] = await Promise.all([add(), put('ada', [anItem('2')])]);
    expect(await fanOut()).toMatchObject({ events: 1, touched: 0 });
    for (const { lease } of await claim())
      must(await subscriptions().write('subscription.settle', { lease, at: NOON, outcome: { kind: 'greeted' } }));
    await put('ada', [anItem('3')]);
    await fanOut();
    expect(await idsOf(made)).toEqual([[1, '3']]);
  });

  test('a database that is opened anew knows of its subscriptions', async () => {
    const made = await addActive();
    await store.close();
    store = await place.open({ sets: SETS });
    await put('ada', [anItem('1')]);
    await fanOut();
    expect(await idsOf(made)).toEqual([[1, '1']]);
  });

  test('a subscription is told of what it wants, each under the next number, whatever comes between', async () => {
    const all = await addActive();
    const pulse = await addActive({
      filters: { all: [{ param: 'code', values: ['http://loinc.org|8867-4'] }], within: [] },
    });
    await put('ada', [anItem('1'), anItem('2', ['code=http://loinc.org|2708-6'])]);
    await put('bob', [anItem('3')]);
    await fanOut(1);
    await fanOut(1);
    await put('ada', [anItem('4')]);
    await fanOut();
    expect(await idsOf(all)).toEqual([
      [1, '1'],
      [2, '2'],
      [3, '3'],
      [4, '4'],
    ]);
    expect(await idsOf(pulse)).toEqual([
      [1, '1'],
      [2, '3'],
      [3, '4'],
    ]);
  });

  test('numbers have no holes and events are exactly the wanted ones, in the order of commits', async () => {
    const CODES = [PULSE, 'code=http://loinc.org|2708-6', 'category=http://example.org|vital-signs'];
    const filters = fc.record<Filters>({
      all: fc.array(fc.constantFrom({ param: 'code', values: ['8867-4'] } as const), { maxLength: 1 }),
      within: fc.array(fc.constant([{ param: 'category', values: ['vital-signs'] }] as const), { maxLength: 1 }),
    });
    const event = fc.array(fc.subarray(CODES), { minLength: 1, maxLength: 4 });
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ put: event }) },
      { weight: 1, arbitrary: fc.record({ fanOut: fc.integer({ min: 1, max: 3 }) }) },
    );
    const runs = { numRuns: engine === 'sqlite' ? 15 : 6 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(filters, { minLength: 1, maxLength: 3 }),
        fc.array(step, { maxLength: 12 }),
        async (wanted, steps) => {
          const made = [];
          for (const one of wanted) made.push(await addActive({ filters: one }));
          const expected: EventItem[][] = made.map(() => []);
          let id = 0;
          for (const one of steps)
            if ('fanOut' in one) await fanOut(one.fanOut);
            else {
              const items = one.put.map((labels) => anItem(String((id += 1)), labels));
              await put('ada', items);
              made.forEach((subscription, i) =>
                expected[i]?.push(...items.filter((item) => isWanted(item, 'measurement', subscription.filters))),
              );
            }
          await fanOut(1_000);
          for (const [i, subscription] of made.entries()) {
            const found = await eventsOf(subscription);
            expect(found.map(({ number }) => number)).toEqual(expected[i]?.map((_, at) => at + 1));
            expect(found.map(({ item }) => item)).toEqual(expected[i]);
            must(await subscriptions().write('subscription.remove', { tenant, id: subscription.id, owner: OWNER }));
          }
        },
      ),
      runs,
    );
  });

  test.each([
    { rows: 4, tries: 1_000 },
    { rows: 1, tries: 1_000 },
    { rows: 1_000, tries: 5 },
  ])('a commit writes at most %j, of one event at least, and goes on without holes', async (most) => {
    const made = [await addActive(), await addActive()];
    for (const id of ['1', '2', '3', '4', '5']) await put('ada', [anItem(id)]);
    const steps = [];
    for (let isMore = true; isMore;) {
      const step = must(
        await subscriptions().write('subscription.fan-out', { tenant, at: NOON, limit: 100, most, claim: null }),
      );
      if (step.kind === 'busy') throw new Error('busy');
      steps.push(step.events);
      isMore = step.isMore;
    }
    expect(steps).toEqual(most.rows === 1 ? [1, 1, 1, 1, 1] : [2, 2, 1]);
    for (const one of made) expect(await idsOf(one)).toEqual([1, 2, 3, 4, 5].map((n) => [n, String(n)]));
  });

  test('only subscriptions to that patient are told of a patient', async () => {
    const mrn = { mrnSystem: 'urn:mrn', mrn: '1' };
    const named = await addActive({ patients: [mrn] });
    const rows = await addActive();
    await put('somebody else', [anItem('1')]);
    await fanOut();
    expect(await eventsOf(named)).toEqual([]);
    expect(await idsOf(rows)).toEqual([[1, '1']]);
  });

  // SQLite has one writer.
  if (engine === 'postgres') {
    test('what is committed late is told late, and nothing is lost', async () => {
      if (place.database.engine !== 'postgres') throw new Error('not PostgreSQL');
      const all = await addActive();
      await put('ada', [anItem('template')]);
      await withClient(place.database.url.reveal(), async (client) => {
        await client.query('BEGIN');
        // It has its place in the queue, and is not committed.
        await client.query(`INSERT INTO event (tenant, at, user_index, patient_index, items_sealed)
        SELECT tenant, at, user_index, patient_index, items_sealed FROM event`);
        await put('ada', [anItem('later place, earlier commit')]);
        await fanOut();
        expect(await idsOf(all)).toEqual([
          [1, 'template'],
          [2, 'later place, earlier commit'],
        ]);
        await client.query('COMMIT');
      });
      await fanOut();
      expect(await idsOf(all)).toEqual([
        [1, 'template'],
        [2, 'later place, earlier commit'],
        [3, 'template'],
      ]);
    });

    test('two processes that hand out at once number nothing twice', async () => {
      const all = await addActive();
      const other = await place.open({ sets: SETS });
      for (let i = 0; i < 40; i += 1) await put('ada', [anItem(String(i))]);
      const parts = [store, other].map((one) =>
        runFanOut({
          tenant,
          subscriptions: one.use(subscriptionSet),
          clock: testClock(NOON.toISOString()),
          log: silentLog,
          sender: { room: () => null, take: () => undefined, wake: () => undefined },
        }),
      );
      for (const part of parts) part.start();
      const found = await eventually(
        () => eventsOf(all),
        (events) => events.length >= 40,
      );
      await Promise.all(parts.map((part) => part.stop()));
      expect(found.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    });
  }

  test('one sends at a time; whose lease has run out settles nothing', async () => {
    await addActive();
    await put('ada', [anItem('1'), anItem('2')]);
    await fanOut();
    const [first] = await claim('one');
    expect(first?.events.map(({ number }) => number)).toEqual([1, 2]);
    expect(await claim('two')).toEqual([]);
    await place.tamper('UPDATE subscription SET lease_until = 0');
    const [second] = await claim('two');
    expect(second?.events.map(({ number }) => number)).toEqual([1, 2]);
    if (first === undefined || second === undefined) throw new Error('not claimed');
    const sent = { kind: 'sent', upTo: 2 } as const;
    const records = [
      { patient: null, draft: { type: 'fhir.notify', requestId: 'r', action: 'R', outcome: '0' } },
    ] as const;
    const begin = { at: NOON, records };
    expect(must(await subscriptions().write('subscription.begin', { lease: first.lease, ...begin }))).toBe('lost');
    expect(
      must(await subscriptions().write('subscription.settle', { lease: first.lease, at: NOON, outcome: sent })),
    ).toBe('lost');
    expect(must(await subscriptions().write('subscription.begin', { lease: second.lease, ...begin }))).toBe('begun');
    expect(
      must(await subscriptions().write('subscription.settle', { lease: second.lease, at: NOON, outcome: sent })),
    ).toBe('done');
    expect(await claim('one')).toEqual([]);
  });

  test('what is numbered while a notification is under way is sent after it', async () => {
    await addActive();
    await put('ada', [anItem('1')]);
    await fanOut();
    const [due] = await claim();
    if (due === undefined) throw new Error('not claimed');
    await put('ada', [anItem('2')]);
    await fanOut();
    const outcome = { kind: 'sent', upTo: 1 } as const;
    expect(must(await subscriptions().write('subscription.settle', { lease: due.lease, at: NOON, outcome }))).toBe(
      'more',
    );
    expect((await claim())[0]?.events.map(({ number }) => number)).toEqual([2]);
  });

  test('a failing endpoint waits its time however much happens, is in error at last, and goes on where it was', async () => {
    const { id } = await addActive();
    await put('ada', [anItem('1')]);
    await fanOut();
    const [due] = await claim();
    if (due === undefined) throw new Error('not claimed');
    const later = NOON.getTime() + 5_000;
    const settle = (lease: typeof due.lease, retryAt: number | null) =>
      subscriptions().write('subscription.settle', {
        lease,
        at: NOON,
        outcome: { kind: 'failed', because: 'http-500', retryAt },
      });
    must(await settle(due.lease, later));
    await put('ada', [anItem('2')]);
    await fanOut();
    expect(await claim('one', new Date(later - 1))).toEqual([]);
    const [again] = await claim('one', new Date(later));
    expect(again?.events.map(({ number }) => number)).toEqual([1, 2]);
    expect(again?.subscription).toMatchObject({ failures: 1, because: 'http-500' });
    if (again === undefined) throw new Error('not claimed');
    must(await settle(again.lease, null));
    await put('ada', [anItem('3')]);
    await fanOut();
    expect(await claim('one', new Date(later + 1e9))).toEqual([]);
    expect(await changeTo(id, 'requested')).toMatchObject({
      state: 'requested',
      lastNumber: 3,
      sentNumber: 0,
      failures: 0,
    });
    const [greet] = await claim();
    if (greet === undefined) throw new Error('not claimed');
    must(
      await subscriptions().write('subscription.settle', {
        lease: greet.lease,
        at: NOON,
        outcome: { kind: 'greeted' },
      }),
    );
    expect((await claim())[0]?.events.map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  const foundAt = async (id: string): Promise<number> =>
    must(await subscriptions().read('subscription.get', { tenant, id, owner: OWNER }))?.changedAt ?? 0;

  async function changeTo(id: string, state: 'requested' | 'off', from?: number) {
    const { secrets: _secrets, ...settings } = SETTINGS;
    const as = { tenant, id, owner: OWNER, at: NOON, foundAt: from ?? (await foundAt(id)) };
    return must(
      await subscriptions().write('subscription.change', { ...as, content: 'id-only', endAt: null, state, settings }),
    );
  }

  test('a change that was made from what stood before another change is not taken', async () => {
    const { id } = await addActive();
    const before = await foundAt(id);
    expect(await changeTo(id, 'off', before - 1)).toBe('stale');
    expect(must(await subscriptions().read('subscription.show', { tenant, id }))).toMatchObject({ state: 'active' });
    expect(await changeTo(id, 'off', before)).toMatchObject({ state: 'off' });
  });

  test('what happens between a change by the app and the new handshake is numbered, and sent after it', async () => {
    const made = await addActive();
    await put('ada', [anItem('1')]);
    await fanOut();
    expect(await changeTo(made.id, 'requested')).toMatchObject({ state: 'requested' });
    await put('ada', [anItem('2')]);
    await fanOut();
    expect(await idsOf(made)).toEqual([
      [1, '1'],
      [2, '2'],
    ]);
    const [greet] = await claim();
    if (greet === undefined) throw new Error('not claimed');
    expect(greet.events).toEqual([]);
    const outcome = { kind: 'greeted' } as const;
    expect(must(await subscriptions().write('subscription.settle', { lease: greet.lease, at: NOON, outcome }))).toBe(
      'more',
    );
    expect((await claim())[0]?.events.map(({ number }) => number)).toEqual([1, 2]);
  });

  test('what an operator has ended is not turned on, nor otherwise off, by its app', async () => {
    const { id } = await addActive();
    const audit = { at: NOON, tenant, type: 'admin', requestId: 'r', action: 'U', outcome: '0' } as const;
    expect(must(await subscriptions().write('subscription.end', { id, audit }))).toMatchObject({ state: 'off' });
    expect(await changeTo(id, 'off')).toBe('ended');
    expect(await changeTo(id, 'requested')).toBe('ended');
    expect(must(await subscriptions().read('subscription.show', { tenant, id }))).toMatchObject({
      state: 'off',
      because: 'by-operator',
    });
  });

  test('an app has so many that are on, and so many in all, by whatever way it makes them', async () => {
    const { id } = await add();
    expect(await changeTo(id, 'off')).toMatchObject({ state: 'off' });
    const copies = (state: string, from: number, to: number) =>
      place.tamper(`WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
        INSERT INTO subscription (tenant, id, client_id, owner_index, topic, filters, patients, content, state,
          settings_sealed, made_at, changed_at, next_at)
        SELECT tenant, 'copy-' || i, client_id, owner_index, topic, filters, patients, content, '${state}',
          settings_sealed, made_at, changed_at, next_at FROM n, subscription WHERE id = '${id}'`);
    await copies('active', 1, SUBSCRIPTIONS_MAX);
    expect(await changeTo(id, 'requested')).toBe('too-many');
    await expect(add()).rejects.toThrow('too-many');
    await place.tamper(`DELETE FROM subscription WHERE id LIKE 'copy-%' AND id > 'copy-2'`);
    expect(await changeTo(id, 'requested')).toMatchObject({ state: 'requested' });
    await copies('off', SUBSCRIPTIONS_MAX + 1, SUBSCRIPTIONS_MAX + SUBSCRIPTION_ROWS_MAX);
    await expect(add()).rejects.toThrow('too-many');
  });

  test('what is numbered is leased in the same commit by whoever wants to send it', async () => {
    await addActive();
    await put('ada', [anItem('1')]);
    const wish = { owner: 'one', leaseMs: 60_000, limit: 10, without: [] };
    const step = must(
      await subscriptions().write('subscription.fan-out', { tenant, at: NOON, limit: 10, claim: wish }),
    );
    expect(step).toMatchObject({
      kind: 'done',
      touched: 1,
      due: [{ lease: { owner: 'one' }, events: [{ number: 1 }] }],
    });
    expect(await claim('two')).toEqual([]);
  });

  test('an app of which enough is under way waits, and others do not', async () => {
    await addActive();
    await addActive({ owner: { ...OWNER, clientId: 'other' } });
    await put('ada', [anItem('1')]);
    await fanOut();
    expect((await claim('one', NOON, ['app'])).map(({ subscription }) => subscription.clientId)).toEqual(['other']);
  });

  test('of one app no more are leased than may be under way, however many are due', async () => {
    for (let i = 0; i < 4; i += 1) await addActive();
    await put('ada', [anItem('1')]);
    await fanOut();
    const ofOneApp = { most: 3, underWay: [['app', 1]] } as const;
    const wish = { tenant, owner: 'one', at: NOON, leaseMs: 60_000, limit: 10, without: [], ofOneApp };
    expect(must(await subscriptions().write('subscription.claim', wish))).toHaveLength(2);
    expect(await claim('two')).toHaveLength(2);
  });

  test('nobody else finds a subscription, and an operator sees no path of its endpoint', async () => {
    const { id } = await add();
    const get = async (owner: typeof OWNER) =>
      must(await subscriptions().read('subscription.get', { tenant, id, owner }));
    expect((await get(OWNER))?.id).toBe(id);
    expect(await get({ ...OWNER, clientId: 'other' })).toBeNull();
    expect(await get({ ...OWNER, subject: 'somebody' })).toBeNull();
    const listed = must(
      await subscriptions().read('subscription.list', { tenant, before: null, limit: 10, state: null, clientId: null }),
    );
    expect(JSON.stringify(listed)).not.toContain('secret-path');
    expect(listed[0]?.origin).toBe('https://app.example.org');
  });

  test('events are forgotten after their time, and numbers go on', async () => {
    const made = await addActive();
    await put('ada', [anItem('1')]);
    await fanOut();
    const after = new Date(NOON.getTime() + 1);
    must(await subscriptions().write('subscription.forget', { tenant, at: after, before: after, limit: 10 }));
    expect(await eventsOf(made)).toEqual([]);
    await put('ada', [anItem('2')]);
    await fanOut();
    expect(await idsOf(made)).toEqual([[2, '2']]);
  });
});
