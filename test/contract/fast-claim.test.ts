import type { Fingerprint } from '../../src/lanes/fingerprint.ts';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import { deliverSet, laneSet, packDone, type DeliverWrites, type WrittenRow } from '../../src/lanes/index.ts';
import { identitySet } from '../../src/identity/index.ts';
import { inboxSet, type Facts, type State } from '../../src/inbox/index.ts';
import type { Result } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { PLACES, type Place } from '../support/new-store.ts';
import { eventually } from '../support/eventually.ts';

type Settled = NonNullable<DeliverWrites['deliver.settle']['out']>;
type Claimed = NonNullable<Settled['fastClaim']>['claimed'];
type Wish = NonNullable<DeliverWrites['deliver.settle']['args']['claim']>;

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
}
const tenant = 'default';
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const DAY = '2026-11-14';
const written = (name: string) =>
  ({
    name,
    resourceType: 'Observation',
    id: 'o1',
    versionId: '1',
    fingerprint: '01'.repeat(40) as Fingerprint,
    contentDigest: digest('content'),
    said: null,
    group: 'body',
    chartDay: DAY,
    shelf: DAY,
    ledgerDocument: null,
    saidAt: 1,
    effect: 'created',
  }) as const;

describe.each(PLACES)('claiming at once on %s', (engine, newPlace) => {
  let place: Place;
  let store: Store;
  let n = 0;
  beforeAll(async () => {
    place = await newPlace();
    store = await place.open({ sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet] });
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });

  async function link(user: string): Promise<void> {
    const wanted = { client: 'c', user, mrnSystem: 'urn:mrn', mrn: user, status: 'confirmed', evidence: null } as const;
    const act = { tenant, at: new Date(), requestId: 'r', actor: 'test' };
    must(
      await store
        .use(deliverSet)
        .write('deliver.link', { ...act, wanted: { id: `lnk_${user}`, ...wanted }, limit: 100 }),
    );
  }
  const wishFor = (mrn: string, more: Partial<Wish> = {}): Wish => ({
    owner: 'a',
    leaseMs: 15_000,
    patient: { mrnSystem: 'urn:mrn', mrn },
    names: JSON.stringify([digest(`name ${n}`)]),
    shelves: [DAY],
    attempt: {
      id: `att_at_once_${n}`,
      requestDigest: digest('request'),
      intents: Buffer.from('i'),
      chart: `Patient/${mrn}`,
    },
    ...more,
  });
  async function arrive(
    user: string,
    key: string | null,
    wish: (() => Wish) | null,
    by: Store = store,
  ): Promise<{ id: string; settled: Settled }> {
    n += 1;
    const id = `dlv_once_${n}`;
    const at = new Date();
    const body = new TextEncoder().encode(`body ${n}`);
    const put = { id, tenant, hook: 'data', at, requestId: 'r', receiver: 'i', sender: 's', body } as const;
    must(await store.use(inboxSet).write('inbox.put', put));
    const { seq } = must(await store.use(inboxSet).read('inbox.get', { tenant, id })) ?? { seq: 0 };
    const nothing = { contentDigest: null, findings: [], unmapped: [] };
    const facts: Facts = { dataStructure: 'x', client: 'c', user, documentVersion: 1, ...nothing };
    const clinicalDigest = createHash('sha256').update(id).digest();
    const document = { key: key ?? `document of ${id}`, version: n, clinicalDigest, order: 'version' } as const;
    const verdict = { kind: 'sound', trouble: null, document } as const;
    const claim = wish === null ? {} : { claim: wish() };
    const settled = must(
      await by.use(deliverSet).write('deliver.settle', { tenant, seq, at, requestId: 'r', facts, verdict, ...claim }),
    );
    if (settled === null) throw new Error('it was settled by somebody else');
    return { id, settled };
  }
  const claimed = async (owner: string): Promise<readonly string[]> => {
    const some = await store
      .use(laneSet)
      .write('lane.claim', { tenant, owner, at: new Date(), leaseMs: 15_000, limit: 10 });
    return must(some).claimed.map(({ delivery, doubtAt }) => `${delivery.id}${doubtAt === null ? '' : ' in doubt'}`);
  };
  const stateOf = async (id: string): Promise<State | undefined> =>
    must(await store.use(inboxSet).read('inbox.get', { tenant, id }))?.state;
  const finish = async (
    { fastClaim }: Settled,
    more: { readonly names?: readonly string[]; readonly rows?: readonly WrittenRow[] },
  ): Promise<string> => {
    if (fastClaim === undefined) throw new Error('it was not claimed');
    const { patient, epoch, job } = fastClaim.claimed;
    const rows = more.rows ?? (more.names ?? []).map(written);
    return must(
      await store.use(laneSet).write('lane.finish', {
        fence: { tenant, owner: 'a', patient, epoch },
        jobSeq: job.seq,
        attemptId: fastClaim.attemptId,
        outcome: { kind: 'delivered' },
        httpStatus: 200,
        retracted: [],
        ...packDone({ written: rows, retracted: [] }, new Date(), fastClaim.claimed.delivery.seq),
        isResolved: true,
      }),
    );
  };

  test('what is settled with a wish is queued, and begun, in one commit', async () => {
    await link('u1');
    const { id, settled } = await arrive('u1', null, () => wishFor('u1'));
    expect([settled.state, await stateOf(id)]).toEqual(['queued', 'sending']);
    expect(settled.fastClaim).toMatchObject({
      attemptId: `att_at_once_${n}`,
      ledger: [],
      claimed: { body: 'held', isLinked: true },
    });
    expect(await claimed('b')).toEqual([]);
    expect(await finish(settled, { names: [digest('of u1')] })).toBe('done');
    expect(await stateOf(id)).toBe('delivered');
    const counts = await store.use(inboxSet).read('inbox.ledger', { tenant });
    expect(counts).toEqual(await store.use(inboxSet).read('inbox.recount', { tenant }));
  });

  test('what stands behind another, is for another patient, or is a later version waits to be claimed', async () => {
    await link('u2');
    const before = await arrive('u2', 'twice', null);
    const behind = await arrive('u2', null, () => wishFor('u2'));
    const foreign = await arrive('u2', null, () => wishFor('u1'));
    const later = await arrive('u2', 'twice', () => wishFor('u2'));
    expect([behind, foreign, later].map(({ settled }) => settled.fastClaim)).toEqual([undefined, undefined, undefined]);
    expect([await stateOf(before.id), await stateOf(behind.id)]).toEqual(['superseded', 'queued']);
  });

  test('a paused target gets nothing', async () => {
    await link('u3');
    const pause = { tenant, at: new Date(), actor: 'test', requestId: 'r' };
    must(await store.use(laneSet).write('lane.pause', { ...pause, state: 'paused' }));
    const { settled } = await arrive('u3', null, () => wishFor('u3'));
    must(await store.use(laneSet).write('lane.pause', { ...pause, state: 'running' }));
    expect(settled.fastClaim).toBeUndefined();
  });

  test('where another document wrote under its names, nothing is begun and its rows are told', async () => {
    await link('u4');
    const names = [digest('shared')];
    const first = await arrive('u4', null, () => wishFor('u4', { names: JSON.stringify(names) }));
    expect(await finish(first.settled, { names })).toBe('done');
    const { id, settled } = await arrive('u4', null, () => wishFor('u4', { names: JSON.stringify(names) }));
    expect(settled.fastClaim?.attemptId).toBeNull();
    const { effect: _effect, ...kept } = written(digest('shared'));
    expect(settled.fastClaim?.ledger).toEqual([
      {
        ...kept,
        ledgerDocument: expect.stringMatching(/^[0-9a-f]{32}$/),
        isRetracted: false,
        isKept: false,
        isOfDocument: false,
        deliverySeq: expect.any(Number),
      },
    ]);
    expect(await stateOf(id)).toBe('queued');
  });

  test('where it clears a day and others wrote alerts of that day, nothing is begun and they are told', async () => {
    await link('u6');
    const alertsOf = '2026-11-14';
    const alert = (name: string, chartDay = alertsOf) => ({
      ...written(digest(name)),
      group: 'alerts' as const,
      chartDay,
    });
    const rows = [alert('an alert'), alert('of another day', '2026-11-13'), written(digest('a measurement'))];
    const first = await arrive('u6', null, () => wishFor('u6', { alertsOf }));
    expect(first.settled.fastClaim).toMatchObject({ attemptId: `att_at_once_${n}`, ledger: [] });
    expect(await finish(first.settled, { rows })).toBe('done');
    const { settled } = await arrive('u6', null, () => wishFor('u6', { alertsOf }));
    expect(settled.fastClaim?.attemptId).toBeNull();
    expect(settled.fastClaim?.ledger.map(({ name }) => name)).toEqual([digest('an alert')]);
  });

  test('after a merge only one MRN is begun at a time, in whichever way', async () => {
    const merged = (mrn: string) => (): Wish =>
      wishFor(mrn, {
        attempt: {
          id: `att_at_once_${n}`,
          requestDigest: digest('request'),
          intents: Buffer.from('i'),
          chart: 'Patient/one',
        },
      });
    const begin = async ({ patient, epoch, job }: Claimed): Promise<string> =>
      must(
        await store.use(laneSet).write('lane.begin', {
          fence: { tenant, owner: 'a', patient, epoch },
          jobSeq: job.seq,
          attemptId: `att_usual_${n}`,
          requestDigest: digest('request'),
          intents: Buffer.from('i'),
          chart: 'Patient/one',
          mode: 'write',
          leaseMs: 15_000,
          at: new Date(),
        }),
      );
    for (const user of ['x1', 'y1', 'z1']) await link(user);
    const [x, y] = [await arrive('x1', null, merged('x1')), await arrive('y1', null, merged('y1'))];
    expect([x.settled.fastClaim?.attemptId, y.settled.fastClaim?.attemptId]).toEqual([`att_at_once_${n - 1}`, null]);
    expect([await stateOf(x.id), await stateOf(y.id)]).toEqual(['sending', 'queued']);
    if (y.settled.fastClaim === undefined) throw new Error('it was not claimed');
    const { claimed: second } = y.settled.fastClaim;
    expect(await begin(second)).toBe('busy');
    expect(await finish(x.settled, { names: [] })).toBe('done');
    expect(await begin(second)).toBe('begun');
    // And the other way round: what was begun as usual keeps what is settled from beginning.
    const z = await arrive('z1', null, merged('z1'));
    expect([z.settled.fastClaim?.attemptId, await stateOf(z.id)]).toEqual([null, 'queued']);
  });

  if (engine === 'postgres')
    test('of two processes that settle for one chart at once, one begins', async () => {
      const other = await place.open({ sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet] });
      let begun = 0;
      for (let round = 0; round < 12; round += 1) {
        const users = [`p${round}`, `q${round}`];
        for (const user of users) await link(user);
        const wish = (user: string) => (): Wish =>
          wishFor(user, {
            attempt: {
              id: `att_${user}`,
              requestDigest: digest('request'),
              intents: Buffer.from('i'),
              chart: `Patient/of-both-${round}`,
            },
          });
        const both = await Promise.all(users.map((user, i) => arrive(user, null, wish(user), i === 0 ? store : other)));
        const attempts = both.map(({ settled }) => settled.fastClaim?.attemptId ?? null).filter((id) => id !== null);
        expect(attempts.length).toBeLessThanOrEqual(1);
        expect(both.every(({ settled }) => settled.fastClaim !== undefined)).toBe(true);
        begun += attempts.length;
      }
      await other.close();
      expect(begun).toBeGreaterThan(0);
    });

  test('whoever comes after a process that died under it reads back first', async () => {
    await link('u5');
    const { id } = await arrive('u5', null, () => wishFor('u5', { leaseMs: 1 }));
    expect(
      await eventually(
        () => claimed('b'),
        (all) => all.length > 0,
      ),
    ).toContain(`${id} in doubt`);
  });
});
