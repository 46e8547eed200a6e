import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import { identitySet } from '../../src/identity/index.ts';
import { inboxSet } from '../../src/inbox/index.ts';
import { deliverSet, laneSet, type Fingerprint } from '../../src/lanes/index.ts';
import type { Store } from '../../src/store/index.ts';
import { laneTools, must, tenant } from '../support/lane-tools.ts';
import { PLACES, type Place } from '../support/new-store.ts';

describe.each(PLACES)('lanes that wait on %s', (_, newPlace) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await newPlace();
    store = await place.open({ sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet] });
  });
  afterAll(() => place.remove());
  const { lanes, link, arrive, claim, begin, finish } = laneTools(() => store);
  const waiting = async (after: number | null = null, limit = 50, patients: 'open' | 'leave' = 'open') =>
    must(await lanes().read('lane.waiting', { tenant, after, limit, at: new Date(), patients }));

  /** Counted once for all, and lane by lane. */
  const expectAddedUp = async () => {
    const { lanes: found } = await waiting(null, 500);
    expect(must(await lanes().read('lane.lag', { tenant }))).toMatchObject({
      lanes: { count: found.length, isExact: true },
      jobs: found.reduce((sum, { jobs }) => sum + jobs, 0),
    });
  };
  afterEach(expectAddedUp);

  test('are told by the oldest of each, the longest wait first, and why', async () => {
    expect(await waiting()).toEqual({ lanes: [], next: null });
    for (const n of [1, 2, 3]) await link(`u${n}`, `000${n}`);
    const ids = [await arrive('u1'), await arrive('u2'), await arrive('u1'), await arrive('u3')];
    expect((await waiting()).lanes).toMatchObject([
      { mrn: '0001', deliveryId: ids[0], jobs: 2, kind: 'deliver', attempts: 0, nextAt: null, isReady: true },
      { mrn: '0002', deliveryId: ids[1], jobs: 1, isLeased: false, faultCode: null },
      { mrn: '0003', deliveryId: ids[3], jobs: 1 },
    ]);
    expect((await waiting(null, 50, 'leave')).lanes.map(({ mrn }) => mrn)).toEqual([null, null, null]);
  });

  test('are walked page by page, each once', async () => {
    const seen: string[] = [];
    let after: number | null = null;
    do {
      const page = await waiting(after, 1);
      seen.push(...page.lanes.map(({ mrn }) => mrn ?? '-'));
      after = page.next;
    } while (after !== null);
    expect(seen).toEqual(['0001', '0002', '0003']);
  });

  test('one that is under way is leased, one that failed has its fault and its time', async () => {
    const claimed = await claim('a');
    const [first, second] = ['0001', '0002'].map((mrn) => claimed.find((one) => one.mrn?.mrn === mrn));
    if (first === undefined || second === undefined) throw new Error('too few were claimed');
    expect(await begin('a', first)).toBe('begun');
    expect(await begin('a', second)).toBe('begun');
    await finish('a', second, {
      outcome: { kind: 'retry', afterMs: 60_000, faultCode: 'ehr.unavailable', patience: 'long' },
    });
    const { lanes: found } = await waiting();
    expect(found[0]).toMatchObject({ mrn: '0001', isLeased: true });
    expect(found[1]).toMatchObject({ mrn: '0002', isLeased: false, attempts: 1, faultCode: 'ehr.unavailable' });
    expect((found[1]?.nextAt ?? 0) > Date.now()).toBe(true);
  });

  test('a document that leaves a chart for another is the head of two, the second blocked by the first', async () => {
    await link('u4', '0004');
    const id = await arrive('u4');
    const mine = (await claim('b')).find((one) => one.delivery.id === id);
    if (mine === undefined) throw new Error('was not claimed');
    await begin('b', mine);
    await finish('b', mine, {
      outcome: { kind: 'delivered' },
      written: [
        {
          name: 'b4'.repeat(32),
          resourceType: 'Observation',
          id: 'o4',
          versionId: '1',
          fingerprint: '01'.repeat(40) as Fingerprint,
          contentDigest: 'c4'.repeat(32),
          said: null,
          group: 'body',
          chartDay: '2026-11-14',
          shelf: '2026-11-14',
          ledgerDocument: null,
          saidAt: 1,
          effect: 'created',
        },
      ],
    });
    await link('u4', '0044');
    const moved = (await waiting()).lanes.filter(({ deliveryId }) => deliveryId === id);
    expect(moved.map(({ mrn, kind, isReady }) => [mrn, kind, isReady]).sort()).toEqual([
      ['0004', 'retract', true],
      ['0044', 'deliver', false],
    ]);
    const page = await waiting(null, 4);
    expect(page.lanes.filter(({ deliveryId }) => deliveryId === id)).toHaveLength(2);
  });
});
