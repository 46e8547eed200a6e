import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import { enrolSet, FIRST_PLACE, type TimelinePlace } from '../../src/enrol/index.ts';
import { identitySet } from '../../src/identity/index.ts';
import { inboxSet } from '../../src/inbox/index.ts';
import { deliverSet, laneSet } from '../../src/lanes/index.ts';
import type { Store } from '../../src/store/index.ts';
import { act, laneTools, must, tenant } from '../support/lane-tools.ts';
import { PLACES, type Place } from '../support/new-store.ts';

describe.each(PLACES)('patients on %s', (_, newPlace) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await newPlace();
    store = await place.open({ sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet, enrolSet] });
  });
  afterEach(() => place.remove());
  const { link, arrive } = laneTools(() => store);
  const enrolment = () => store.use(enrolSet);
  const list = async (limit = 50, before: number | null = null) =>
    must(await enrolment().read('enrol.patients', { tenant, before, limit }));
  const timeline = async (mrn: string, limit = 50, from: TimelinePlace = FIRST_PLACE) =>
    must(await enrolment().read('enrol.timeline', { tenant, patient: { mrnSystem: 'urn:mrn', mrn }, from, limit }));
  const connect = async (user: string, dataSource: string, state: 'connected' | 'ended') =>
    must(
      await enrolment().write('enrol.news', {
        tenant,
        user: { client: 'c', user },
        at: act.at,
        heardAt: act.at,
        news: { dataSource, state, failure: null },
      }),
    );
  const request = async (user: string, id: string, atMs: number) =>
    must(
      await enrolment().write('enrol.request', {
        tenant,
        user: { client: 'c', user },
        at: new Date(atMs),
        id,
        kind: 'lab',
        mrn: '0001',
      }),
    );

  test('each patient with a confirmed link stands once, the last linked first', async () => {
    expect(await list()).toEqual([]);
    await link('u1', '0001');
    await link('u2', '0002');
    await link('u3', '0001');
    await arrive('u1');
    await connect('u1', 'Ring', 'connected');
    await connect('u3', 'Watch', 'connected');
    await connect('u3', 'Scale', 'ended');
    expect((await list()).map(({ seq: _seq, linkedAt: _linkedAt, ...rest }) => rest)).toEqual([
      { mrn: '0001', users: 2, connections: 2, lastDeliveryAt: act.at.getTime() },
      { mrn: '0002', users: 1, connections: 0, lastDeliveryAt: null },
    ]);
    const [first] = await list(1);
    expect((await list(1, first?.seq)).map(({ mrn }) => mrn)).toEqual(['0002']);
    must(
      await store
        .use(deliverSet)
        .write('deliver.revoke', { ...act, user: { client: 'c', user: 'u2' }, why: 'x', charted: 'keep', limit: 10 }),
    );
    expect((await list()).map(({ mrn }) => mrn)).toEqual(['0001']);
  });

  test('a timeline has links, deliveries and requests, newest first, each once over all pages', async () => {
    await link('u1', '0001');
    const ids = [await arrive('u1'), await arrive('u1'), await arrive('u1')];
    const now = act.at.getTime();
    for (const [id, ms] of [
      ['r1', now - 5],
      ['r2', now + 5],
      ['r3', now + 5],
    ] as const)
      await request('u1', id, ms);
    const whole = await timeline('0001');
    const named = whole.events.map((event) =>
      event.kind === 'delivery' ? event.deliveryId : event.kind === 'link' ? event.linkId : event.id,
    );
    expect([whole.next, named.length, new Set(named).size]).toEqual([null, 7, 7]);
    expect(named.slice(0, 2).sort()).toEqual(['r2', 'r3']);
    expect(named.at(-1)).toBe('r1');
    expect(named.filter((id) => ids.includes(id))).toEqual([...ids].reverse());
    for (const limit of [1, 2, 3]) {
      const seen: string[] = [];
      let from: TimelinePlace | null = FIRST_PLACE;
      while (from !== null) {
        const page: Awaited<ReturnType<typeof timeline>> = await timeline('0001', limit, from);
        seen.push(
          ...page.events.map((event) =>
            event.kind === 'delivery' ? event.deliveryId : event.kind === 'link' ? event.linkId : event.id,
          ),
        );
        from = page.next;
      }
      expect(seen).toEqual(named);
    }
  });

  test('what came of a user who is somebody else by now is not shown', async () => {
    await link('u1', '0001');
    const id = await arrive('u1');
    const deliveriesOf = async (mrn: string) =>
      (await timeline(mrn)).events.flatMap((event) => (event.kind === 'delivery' ? [event.deliveryId] : []));
    expect(await deliveriesOf('0001')).toEqual([id]);
    await link('u1', '0002');
    expect(await deliveriesOf('0001')).toEqual([]);
    expect(await deliveriesOf('0002')).toEqual([id]);
    expect((await timeline('0001')).events.map(({ kind }) => kind)).toEqual(['link']);
    expect(await timeline('9999')).toEqual({ events: [], next: null });
  });
});
