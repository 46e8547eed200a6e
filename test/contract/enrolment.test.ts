import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  enrolSet,
  followDeliveries,
  type Enrolment,
  type EnrolWrites,
  type SourceEvent,
} from '../../src/enrol/index.ts';
import { inboxSet } from '../../src/inbox/index.ts';
import type { Result } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { testClock } from '../support/clock.ts';
import { PLACES, type Place } from '../support/new-store.ts';

const tenant = 'default';
const user = { client: 'c', user: 'u' };
const other = { client: 'c', user: 'v' };
const FROM = Date.parse('2026-01-02T03:00:00Z');
const at = (minute: number): Date => new Date(FROM + minute * 60_000);
const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
};

describe.each(PLACES)('enrolment on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: [inboxSet, enrolSet] });
  });
  afterEach(() => place.remove());

  const write = async <K extends Exclude<keyof EnrolWrites, 'enrol.claim' | 'enrol.erase'>>(
    name: K,
    args: Omit<EnrolWrites[K]['args'], 'tenant' | 'user'>,
    of = user,
  ) => must(await store.use(enrolSet).write(name, { tenant, user: of, ...args }));
  const show = async (of = user): Promise<Enrolment> =>
    must(await store.use(enrolSet).read('enrol.show', { tenant, user: of, limit: 10 }));
  const news = (
    minute: number,
    state: 'asked' | 'connected' | 'ended' | null,
    failure: string | null = null,
    dataSource = 'Ring',
    heardAt = at(1_000),
  ) =>
    write('enrol.news', {
      at: at(minute),
      heardAt,
      news: { dataSource, state, failure: failure === null ? null : { action: failure, message: 'm' } },
    });
  const states = async () => (await show()).connections.map(({ dataSource, state }) => [dataSource, state]);

  test('nobody is known by nothing', async () => {
    expect(await show()).toEqual({ connections: [], requests: [], revokedAt: null, late: 0 });
  });

  test('a connection goes from asked to connected to ended, and news that is older changes nothing', async () => {
    await news(1, 'asked');
    expect(await states()).toEqual([['Ring', 'asked']]);
    await news(3, 'connected');
    await news(2, 'ended');
    await news(4, 'asked');
    expect((await show()).connections).toEqual([
      { dataSource: 'Ring', state: 'connected', askedAt: at(4).getTime(), changedAt: at(3).getTime(), failure: null },
    ]);
    await news(5, 'ended');
    expect(await states()).toEqual([['Ring', 'ended']]);
  });

  test('a failure is shown and changes no state; the newest is kept', async () => {
    await news(1, 'connected');
    await news(4, null, 'extraction_failed');
    await news(2, null, 'earlier');
    expect((await show()).connections[0]).toMatchObject({
      state: 'connected',
      failure: { at: at(4).getTime(), action: 'extraction_failed', message: 'm' },
    });
  });

  test('a revocation is of all connections of the user and of nobody else; what comes is late until it connects again', async () => {
    await news(1, 'connected');
    await news(1, 'connected', null, 'Watch');
    await write(
      'enrol.news',
      { at: at(1), heardAt: at(1), news: { dataSource: 'Ring', state: 'connected', failure: null } },
      other,
    );
    await write('enrol.revoke', { at: at(2) });
    expect(await states()).toEqual([
      ['Ring', 'revoked'],
      ['Watch', 'revoked'],
    ]);
    expect((await show(other)).connections[0]?.state).toBe('connected');
    await write('enrol.late', {});
    await write('enrol.late', {}, other);
    expect(await show()).toMatchObject({ revokedAt: at(2).getTime(), late: 1 });
    expect((await show(other)).late).toBe(0);
    expect(must(await store.use(enrolSet).read('enrol.revoked', { tenant, limit: 9 }))).toEqual([user]);
    await news(1, 'connected');
    expect((await show()).revokedAt).toBe(at(2).getTime());
    await news(4, 'ended');
    expect((await states())[0]).toEqual(['Ring', 'revoked']);
    await news(5, 'connected');
    expect(await show()).toMatchObject({ revokedAt: null });
    expect((await states())[0]).toEqual(['Ring', 'connected']);
  });

  test('what was put down by a clock that was ahead outvotes nothing that comes later', async () => {
    await news(100, 'connected', 'extraction_failed');
    await write('enrol.revoke', { at: at(100) });
    await news(7, 'connected', 'a new failure', 'Ring', at(8));
    expect(await show()).toMatchObject({
      revokedAt: null,
      connections: [{ state: 'connected', changedAt: at(7).getTime(), failure: { action: 'a new failure' } }],
    });
    await news(6, 'ended', 'an older one', 'Ring', at(8));
    expect((await show()).connections).toMatchObject([{ state: 'connected', failure: { action: 'a new failure' } }]);
  });

  test('a request waits, is overdue, and is answered by the delivery that names it, in either order', async () => {
    await write('enrol.request', { at: at(1), id: 'doc-1', kind: 'lab', mrn: '0012' });
    await write('enrol.request', { at: at(2), id: 'doc-2', kind: 'lab', mrn: '0012' });
    const overdue = async (minute: number) =>
      must(await store.use(enrolSet).read('enrol.overdue', { tenant, before: at(minute).getTime(), limit: 9 }));
    expect(await overdue(0)).toEqual([]);
    expect((await overdue(1)).map(({ id, mrn }) => [id, mrn])).toEqual([['doc-1', '0012']]);
    // Of another user: not its document.
    await write('enrol.arrive', { at: at(3), id: 'doc-1', kind: 'lab', deliveryId: 'dlv_x' }, other);
    expect((await overdue(9)).map(({ id }) => id)).toEqual(['doc-1', 'doc-2']);
    await write('enrol.arrive', { at: at(4), id: 'doc-1', kind: 'lab', deliveryId: 'dlv_1' });
    await write('enrol.arrive', { at: at(5), id: 'doc-1', kind: 'lab', deliveryId: 'dlv_2' });
    await write('enrol.arrive', { at: at(6), id: 'req-1', kind: 'profile', deliveryId: 'dlv_3' });
    await write('enrol.request', { at: at(7), id: 'req-1', kind: 'profile', mrn: '0012' });
    expect((await show()).requests).toEqual([
      { id: 'req-1', kind: 'profile', askedAt: at(7).getTime(), deliveryId: 'dlv_3', arrivedAt: at(6).getTime() },
      { id: 'doc-2', kind: 'lab', askedAt: at(2).getTime(), deliveryId: null, arrivedAt: null },
      { id: 'doc-1', kind: 'lab', askedAt: at(1).getTime(), deliveryId: 'dlv_1', arrivedAt: at(4).getTime() },
    ]);
    expect((await overdue(9)).map(({ id }) => id)).toEqual(['doc-2']);
  });

  test('the same bytes once more tell of nothing, whatever time they are heard at', async () => {
    const put = async (id: string): Promise<number> => {
      const stored = await store.use(inboxSet).write('inbox.put', {
        ...{ id, tenant, hook: 'notification', at: at(0), requestId: 'req_1', receiver: 'ins_1', sender: 'secret' },
        body: new TextEncoder().encode('a notification without a time'),
      });
      return must(stored).seq;
    };
    const clock = testClock('2026-01-02T04:00:00Z');
    const follower = followDeliveries({ tenant, enrolment: store.use(enrolSet), clock });
    const hear = async (id: string, hook: 'data' | 'notification', told: SourceEvent | null) =>
      must(await follower.follow({ id, seq: await put(id), hook, user, told }));
    const connected: SourceEvent = {
      ...{ kind: 'notification', dataSource: 'Ring', action: 'user_connected', level: 'info', message: 'm', at: null },
    };
    await hear('dlv_1', 'notification', connected);
    await write('enrol.revoke', { at: clock.now() });
    clock.advance(60_000);
    await hear('dlv_2', 'notification', connected);
    await hear('dlv_3', 'data', { kind: 'lab', id: 'doc-1' });
    await follower.refresh();
    await hear('dlv_4', 'data', null);
    expect(await states()).toEqual([['Ring', 'revoked']]);
    expect(await show()).toMatchObject({ requests: [], late: 0 });
  });

  test('follows deliveries: notifications, results, late data', async () => {
    const clock = testClock('2026-01-02T04:00:00Z');
    const follower = followDeliveries({ tenant, enrolment: store.use(enrolSet), clock });
    const follow = async (hook: 'data' | 'notification', told: SourceEvent | null) =>
      must(await follower.follow({ id: 'dlv_1', seq: 1, hook, user, told }));
    const say = (action: string, level: string | null, minute: string | null) =>
      follow('notification', { kind: 'notification', dataSource: 'Ring', action, level, message: 'said', at: minute });
    await say('user_connected', 'info', '2026-01-02T03:01:00');
    expect(await states()).toEqual([['Ring', 'connected']]);
    await say('extraction_failed', 'error', null);
    expect((await show()).connections[0]?.failure?.message).toBe('said');
    await say('user_disconnected', 'info', '2026-01-02T03:02:00');
    expect(await states()).toEqual([['Ring', 'ended']]);
    await follow('data', { kind: 'lab', id: 'doc-9' });
    expect((await show()).requests[0]).toMatchObject({ id: 'doc-9', deliveryId: 'dlv_1' });
    expect(await follow('data', null)).toEqual([]);
    await write('enrol.revoke', { at: clock.now() });
    await follower.refresh();
    clock.advance(1_000);
    expect(await follow('data', null)).toEqual(['enrolment.late user_id']);
    expect(await follow('notification', null)).toEqual([]);
    expect((await show()).late).toBe(1);
    await say('user_connected', 'info', null);
    expect(await follow('data', null)).toEqual([]);
    follower.stop();
  });
});
