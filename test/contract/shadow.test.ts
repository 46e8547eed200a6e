import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import { shadowSet, type ShadowReads, type ShadowWrites } from '../../src/forward/index.ts';
import { deliverSet, laneSet } from '../../src/lanes/index.ts';
import { identitySet } from '../../src/identity/index.ts';
import { inboxSet, type Facts } from '../../src/inbox/index.ts';
import type { Result } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { PLACES, type Place } from '../support/new-store.ts';

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
}
const tenant = 'default';
const act = () => ({ tenant, at: new Date(), requestId: 'r', actor: 'test' });
const nameOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const BASIS = new Uint8Array(16).fill(1);
const OTHER_BASIS = new Uint8Array(16).fill(2);
type Pending = ShadowReads['shadow.pending']['out'];
type LanePlace = NonNullable<Pending['next']>;
type Evaluation = ShadowWrites['shadow.put']['args']['evaluation'];
const WRITE: Evaluation = {
  kind: 'write',
  reason: null,
  faultCode: null,
  items: [
    { name: nameOf('shared'), resourceType: 'Device', change: 'create' },
    { name: nameOf('own'), resourceType: 'Observation', change: 'create' },
  ],
};
const PARK: Evaluation = { kind: 'park', reason: 'patient', faultCode: 'patient.none', items: [] };

describe.each(PLACES)('shadow mode on %s', (_, newPlace) => {
  let place: Place;
  let store: Store;
  let n = 0;
  beforeEach(async () => {
    place = await newPlace();
    store = await place.open({ sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet, shadowSet] });
  });
  afterEach(() => place.remove());

  const shadow = () => store.use(shadowSet);
  const enter = async () => must(await shadow().write('shadow.enter', { tenant, at: new Date() }));
  const leave = async (confirm: number, at = new Date()) =>
    must(await shadow().write('shadow.leave', { ...act(), at, confirm }));
  const report = async (basis: Uint8Array | null = BASIS) =>
    must(await shadow().read('shadow.report', { tenant, basis }));
  const take = async (owner: string, jobSeqs: readonly number[], leaseMs = 60_000, basis = BASIS) =>
    must(await shadow().write('shadow.take', { tenant, at: new Date(), owner, leaseMs, basis, jobSeqs }));
  const put = async (owner: string, jobSeq: number, evaluation: Evaluation, dueAt: Date | null = null) =>
    must(
      await shadow().write('shadow.put', { tenant, at: new Date(), owner, jobSeq, basis: BASIS, evaluation, dueAt }),
    );
  const pending = async (basis = BASIS, limit = 100) => {
    const all: number[] = [];
    let after: LanePlace | null = null;
    do {
      const page: Pending = must(
        await shadow().read('shadow.pending', { tenant, at: new Date(), basis, after, limit }),
      );
      all.push(...page.jobSeqs);
      after = page.next;
    } while (after !== null);
    return all;
  };
  const claim = async (owner: string) =>
    must(await store.use(laneSet).write('lane.claim', { tenant, owner, at: new Date(), leaseMs: 15_000, limit: 100 }))
      .claimed;

  /** A delivery in the lane of its user; gives its id. */
  async function arrive(user: string, key = `doc ${n}`): Promise<string> {
    n += 1;
    const wanted = { client: 'c', user, mrnSystem: 'urn:mrn', mrn: user, status: 'confirmed', evidence: null } as const;
    must(
      await store
        .use(deliverSet)
        .write('deliver.link', { ...act(), wanted: { id: `lnk_${n}`, ...wanted }, limit: 100 }),
    );
    const id = `dlv_shadow_${n}`;
    const body = new TextEncoder().encode(`shadow body ${n}`);
    const put = { ...act(), id, hook: 'data', receiver: 'i', sender: 's', body } as const;
    must(await store.use(inboxSet).write('inbox.put', put));
    const { seq } = must(await store.use(inboxSet).read('inbox.get', { tenant, id })) ?? { seq: 0 };
    const facts: Facts = {
      dataStructure: 'x',
      client: 'c',
      user,
      documentVersion: n,
      contentDigest: null,
      findings: [],
      unmapped: [],
    };
    const clinicalDigest = createHash('sha256').update(id).digest();
    const document = { key, version: n, clinicalDigest, order: 'version' } as const;
    const patient = { mrnSystem: 'urn:mrn', mrn: user };
    const claimWish = { owner: 'eager', leaseMs: 15_000, patient, names: '[]', shelves: [], attempt: null };
    const verdict = { kind: 'sound', trouble: null, document } as const;
    const settled = must(
      await store.use(deliverSet).write('deliver.settle', { ...act(), seq, facts, verdict, claim: claimWish }),
    );
    expect(settled?.fastClaim).toBeUndefined();
    return id;
  }

  test('while it is on nothing is claimed, neither from a lane nor as it is settled', async () => {
    await enter();
    await arrive('ann');
    expect(await claim('a')).toEqual([]);
    expect(await leave(1)).toEqual({ outcome: 'left', waiting: 1 });
    expect(await claim('a')).toHaveLength(1);
  });

  test('it is entered once, and remembers since when', async () => {
    const first = await enter();
    expect(first.change).toBe('entered');
    expect(await enter()).toEqual({ since: first.since, change: 'already' });
    expect(must(await shadow().read('shadow.state', { tenant }))).toEqual({ since: first.since, waiting: 0 });
    expect(await leave(0)).toEqual({ outcome: 'left', waiting: 0 });
    expect(await leave(0)).toEqual({ outcome: 'not-held', waiting: 0 });
  });

  test('it is left by the number that waits, or by one that was told within a quarter of an hour', async () => {
    await enter();
    await arrive('ann');
    expect(await leave(2)).toEqual({ outcome: 'unconfirmed', waiting: 1 });
    await arrive('ann');
    await arrive('ann');
    const at = new Date();
    must(await shadow().write('shadow.reported', { tenant, at, waiting: 2 }));
    expect(await leave(2, new Date(at.getTime() + 16 * 60_000))).toEqual({ outcome: 'unconfirmed', waiting: 3 });
    must(await shadow().write('shadow.reported', { tenant, at, waiting: 2 }));
    expect(await leave(2, new Date(at.getTime() + 14 * 60_000))).toEqual({ outcome: 'left', waiting: 3 });
  });

  test('a job is taken by one process at a time, and a late result of another is dropped', async () => {
    await enter();
    await arrive('ann');
    const [seq = 0] = await pending();
    expect(await take('a', [seq])).toEqual([seq]);
    expect([await take('b', [seq]), await pending()]).toEqual([[], []]);
    expect(await put('b', seq, PARK)).toBe('gone');
    expect(await put('a', seq, WRITE)).toBe('stored');
    // Whoever read the list a moment ago does not evaluate it again.
    expect([await take('b', [seq]), await pending()]).toEqual([[], []]);
    // A lease that has run out.
    expect(await take('a', [seq], 0, OTHER_BASIS)).toEqual([seq]);
    expect(await take('b', [seq], 60_000, OTHER_BASIS)).toEqual([seq]);
    expect(await put('a', seq, PARK)).toBe('gone');
  });

  test('it is due again on another basis, when somebody asks, and when the EHR could not be asked', async () => {
    await enter();
    await arrive('ann');
    await arrive('ben');
    const seqs = await pending(BASIS, 1);
    expect(seqs).toHaveLength(2);
    await take('a', seqs);
    await put('a', seqs[0] ?? 0, WRITE);
    await put('a', seqs[1] ?? 0, PARK);
    expect([await pending(), (await pending(OTHER_BASIS)).length]).toEqual([[], 2]);
    const again = { tenant, kind: 'park', reason: 'patient.none', after: 0, limit: 10 } as const;
    expect(must(await shadow().write('shadow.again', again)).count).toBe(1);
    expect(await pending()).toEqual([seqs[1]]);
    await take('a', [seqs[1] ?? 0]);
    await put('a', seqs[1] ?? 0, { ...PARK, kind: 'not-yet' }, new Date(Date.now() + 60_000));
    expect(await pending()).toEqual([]);
    await place.tamper(`UPDATE shadow_result SET due_at = due_at + 86400000 WHERE kind = 'not-yet'`);
    expect(await pending()).toEqual([seqs[1]]);
    expect(await take('a', [seqs[1] ?? 0])).toEqual([seqs[1]]);
    await put('a', seqs[1] ?? 0, PARK);
    must(await shadow().write('shadow.again', { ...again, kind: null, reason: null }));
    expect(await pending()).toHaveLength(2);
  });

  test('the report counts each resource once, and only what still waits', async () => {
    await enter();
    const [first, second, third] = [
      await arrive('ann', 'one'),
      await arrive('ann', 'two'),
      await arrive('ben', 'three'),
    ];
    const seqs = await pending();
    await take('a', seqs);
    const loaded = new Map<string, number>();
    for (const jobSeq of seqs)
      loaded.set(must(await shadow().read('shadow.load', { tenant, jobSeq }))?.delivery.id ?? '', jobSeq);
    const [shared] = WRITE.items;
    await put('a', loaded.get(first) ?? 0, WRITE);
    await put('a', loaded.get(second) ?? 0, { ...WRITE, items: shared === undefined ? [] : [shared] });
    await put('a', loaded.get(third) ?? 0, { ...PARK, items: [] });
    const told = await report();
    expect(told).toMatchObject({ waiting: { total: 3, deliveries: 3, retractions: 0, lanes: 2 }, evaluated: 3 });
    expect(told.outcomes).toEqual([
      { kind: 'write', reason: null, faultCode: null, count: 2, example: first },
      { kind: 'park', reason: 'patient', faultCode: 'patient.none', count: 1, example: third },
    ]);
    expect(told.resources).toEqual([
      { resourceType: 'Device', change: 'create', count: 1 },
      { resourceType: 'Observation', change: 'create', count: 1 },
    ]);
    expect((await report(OTHER_BASIS)).evaluated).toBe(0);
    const list = must(await shadow().read('shadow.list', { tenant, kind: null, reason: null, before: null, limit: 2 }));
    expect(list.map(({ id }) => id)).toEqual([third, second]);
    const next = must(
      await shadow().read('shadow.list', { tenant, kind: null, reason: null, before: list[1]?.seq ?? 0, limit: 2 }),
    );
    expect(next).toMatchObject([{ id: first, counts: { create: { Device: 1, Observation: 1 } }, job: 'deliver' }]);

    // A newer version takes the place of the first: its result goes with its job.
    await arrive('ann', 'one');
    expect((await report()).outcomes.map(({ kind, count }) => `${kind} ${count}`)).toEqual(['park 1', 'write 1']);
    expect(must(await shadow().write('shadow.sweep', { tenant, limit: 10 }))).toBe(1);
    expect(await put('a', loaded.get(first) ?? 0, WRITE)).toBe('gone');
  });

  test('when it was left everything that was found out is removed, some at a time', async () => {
    await enter();
    await arrive('ann');
    await arrive('ben');
    const seqs = await pending();
    await take('a', seqs);
    for (const seq of seqs) await put('a', seq, WRITE);
    await leave(2);
    expect(must(await shadow().write('shadow.sweep', { tenant, limit: 1 }))).toBe(1);
    expect(must(await shadow().write('shadow.sweep', { tenant, limit: 10 }))).toBe(1);
    expect((await report()).resources).toEqual([]);
  });

  test('of two that leave at once one does, and the other finds nothing held', async () => {
    await enter();
    const outcomes = (await Promise.all([leave(0), leave(0)])).map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(['left', 'not-held']);
  });
});
