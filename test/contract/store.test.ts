import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { Store } from '../../src/store/index.ts';
import { PLACES, TEST_KEYS, someKey, type Place } from '../support/new-store.ts';
import { probeSet } from '../support/probe-commands/index.ts';
import { howMany } from '../support/how-much.ts';

const body = (text: string): Uint8Array => new TextEncoder().encode(text);

describe.each(PLACES)('the store on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  const probe = () => store.use(probeSet);
  const count = async () => {
    const found = await probe().read('probe.count', null);
    if (!found.ok) throw new Error(found.fault.code);
    return found.value;
  };

  beforeEach(async () => {
    place = await makePlace();
    store = await place.open();
  });
  afterEach(() => place.remove());

  test('what a command was told is there for a reader once it has answered', async () => {
    const bytes = randomBytes(9_000);
    const put = await probe().write('probe.put', { id: 'dlv_1', body: bytes, atMs: 1 });
    expect(put.ok).toBe(true);
    const found = await probe().read('probe.body', { id: 'dlv_1' });
    expect(found.ok && found.value !== null && Buffer.from(found.value.body).equals(bytes)).toBe(true);
    expect(await count()).toEqual({ deliveries: 1, bodies: 1, audits: 1 });
  });

  test('commands that came together are all carried out, in their order', async () => {
    const seqs = await Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        const put = await probe().write('probe.put', { id: `dlv_${i}`, body: body(`${i}`), atMs: i });
        return put.ok ? put.value.seq : -1;
      }),
    );
    if (store.engine === 'sqlite') expect(seqs).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    expect(new Set(seqs).size).toBe(300);
    expect(await count()).toEqual({ deliveries: 300, bodies: 300, audits: 300 });
    expect(store.figures().commits).toBeLessThan(150);
  });

  test('a command that throws leaves nothing and fails nobody else', async () => {
    const good = (id: string) => probe().write('probe.put', { id, body: body(id), atMs: 1 });
    const outcomes = await Promise.allSettled([
      good('dlv_a'),
      probe().write('probe.put-and-throw', { id: 'dlv_bad', body: body('x'), atMs: 1 }),
      good('dlv_b'),
      // The same id again breaks a constraint of the table.
      good('dlv_a'),
      good('dlv_c'),
    ]);
    expect(outcomes.map((o) => o.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await count()).toEqual({ deliveries: 3, bodies: 3, audits: 3 });
    expect(store.health().state).toBe('ready');
  });

  test('a command that goes on after an error of the database harms nobody else', async () => {
    const outcomes = await Promise.allSettled([
      probe().write('probe.put', { id: 'dlv_a', body: body('a'), atMs: 1 }),
      probe().write('probe.put-and-swallow', { id: 'dlv_x', body: body('x'), atMs: 1 }),
      probe().write('probe.who', null),
      probe().write('probe.put', { id: 'dlv_b', body: body('b'), atMs: 1 }),
    ]);
    const [a, x, who, b] = outcomes.map((o) => o.status === 'fulfilled' && o.value.ok);
    expect([a, who, b]).toEqual([true, true, true]);
    for (const [id, isAcknowledged] of [
      ['dlv_a', true],
      ['dlv_b', true],
      ['dlv_x', x],
    ] as const) {
      const found = await probe().read('probe.body', { id });
      expect([id, found.ok && found.value !== null]).toEqual([id, isAcknowledged]);
    }
  });

  test('arguments that are no plain data fail for their own caller alone', async () => {
    const odd = { id: 'dlv_odd', body: body('x'), atMs: 1, user: (() => 'x') as unknown as string };
    const outcomes = await Promise.allSettled([
      probe().write('probe.put', { id: 'dlv_a', body: body('a'), atMs: 1 }),
      probe().write('probe.put', odd),
      probe().write('probe.put', { id: 'dlv_b', body: body('b'), atMs: 1 }),
    ]);
    expect(outcomes.map((o) => o.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await count()).deliveries).toBe(2);
    expect(store.health().state).toBe('ready');
  });

  test('any mix of good and bad commands stores exactly the good ones', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), async (plan) => {
        round += 1;
        const before = await count();
        const outcomes = await Promise.allSettled(
          plan.map((isGood, i) =>
            probe().write(isGood ? 'probe.put' : 'probe.put-and-throw', {
              id: `dlv_${round}_${i}`,
              body: body('x'),
              atMs: 1,
            }),
          ),
        );
        expect(outcomes.map((o) => o.status === 'fulfilled')).toEqual(plan);
        const stored = plan.filter(Boolean).length;
        expect((await count()).deliveries - before.deliveries).toBe(stored);
      }),
      { numRuns: howMany(10, 50) },
    );
  });

  test('a query that throws is a bug and rejects', async () => {
    await expect(probe().read('probe.throw', null)).rejects.toThrow('on purpose');
    expect((await probe().read('probe.count', null)).ok).toBe(true);
  });

  test('a body is encrypted at rest, and cannot be moved to another row', async () => {
    await probe().write('probe.put', { id: 'dlv_1', body: body('Marker Patient'), atMs: 1 });
    const found = await probe().read('probe.sealed', { id: 'dlv_1' });
    if (!found.ok || found.value === null) throw new Error('not stored');
    expect(Buffer.from(found.value.sealed).includes('Marker')).toBe(false);
    const moved = await probe().read('probe.body', { id: 'dlv_2' });
    expect(moved).toEqual({ ok: true, value: null });
  });

  test('a user is found again through the index over the encrypted column', async () => {
    await probe().write('probe.put', { id: 'dlv_1', body: body('1'), atMs: 1, user: 'user-7' });
    await probe().write('probe.put', { id: 'dlv_2', body: body('2'), atMs: 2, user: 'user-8' });
    await probe().write('probe.put', { id: 'dlv_3', body: body('3'), atMs: 3, user: 'user-7' });
    expect(await probe().read('probe.by-user', { user: 'user-7' })).toEqual({
      ok: true,
      value: { ids: ['dlv_1', 'dlv_3'] },
    });
    expect(await probe().read('probe.by-user', { user: 'user-9' })).toEqual({ ok: true, value: { ids: [] } });
  });

  test('an audit record can be neither changed nor removed', async () => {
    await probe().write('probe.put', { id: 'dlv_1', body: body('1'), atMs: 1 });
    await expect(probe().write('probe.rewrite-audit', { id: 'dlv_1' })).rejects.toThrow();
    await expect(probe().write('probe.replace-audit', { id: 'dlv_1' })).rejects.toThrow();
    await expect(probe().write('probe.remove-audit', { id: 'dlv_1' })).rejects.toThrow();
    expect((await count()).audits).toBe(1);
  });

  test('what was committed is there after the store was closed and opened again, and steps are not run twice', async () => {
    await probe().write('probe.put', { id: 'dlv_1', body: body('1'), atMs: 1 });
    await store.close();
    store = await place.open();
    expect(await count()).toEqual({ deliveries: 1, bodies: 1, audits: 1 });
  });

  test('after a rotation the old bodies open under the new key', async () => {
    await probe().write('probe.put', { id: 'dlv_old', body: body('old'), atMs: 1 });
    await store.close();
    const next = someKey();
    store = await place.open({ keys: { data: [next, ...TEST_KEYS.data], pseudonym: TEST_KEYS.pseudonym } });
    await probe().write('probe.put', { id: 'dlv_new', body: body('new'), atMs: 2 });
    for (const text of ['old', 'new']) {
      const found = await probe().read('probe.body', { id: `dlv_${text}` });
      expect(found.ok && found.value !== null ? Buffer.from(found.value.body).toString() : null).toBe(text);
    }
  });

  test('a key that sealed something cannot be left out later', async () => {
    const [second, third] = [someKey(), someKey()];
    const { pseudonym } = TEST_KEYS;
    await store.close();
    store = await place.open({ keys: { data: [second, ...TEST_KEYS.data], pseudonym } });
    await store.close();
    await expect(place.open({ keys: { data: [third, ...TEST_KEYS.data], pseudonym } })).rejects.toMatchObject({
      code: 'store.data-key',
    });
    store = await place.open({ keys: { data: [third, second, ...TEST_KEYS.data], pseudonym } });
  });

  test.each([
    ['store.data-key', { data: [someKey()], pseudonym: TEST_KEYS.pseudonym }],
    ['store.pseudonym-key', { data: TEST_KEYS.data, pseudonym: someKey() }],
  ])('a key that does not fit the database is refused at start: %s', async (code, keys) => {
    await store.close();
    await expect(place.open({ keys })).rejects.toMatchObject({ name: 'StartError', code });
  });

  test('a database of one environment is refused to the other', async () => {
    await store.close();
    await expect(place.open({ environment: 'sandbox' })).rejects.toMatchObject({
      name: 'StartError',
      code: 'store.environment',
    });
    store = await place.open({ environment: 'production' });
  });

  test('a closed store refuses, and closing waits for what was taken', async () => {
    const taken = probe().write('probe.put', { id: 'dlv_1', body: body('1'), atMs: 1 });
    await store.close();
    expect((await taken).ok).toBe(true);
    expect(await probe().write('probe.put', { id: 'dlv_2', body: body('2'), atMs: 2 })).toMatchObject({
      ok: false,
      fault: { code: 'store.closed' },
    });
    expect(store.health().state).toBe('store.closed');
    await store.close();
  });

  test('a full queue refuses at once and stores nothing of it', async () => {
    await store.close();
    store = await place.open({
      limits: { batchCount: 4, batchBytes: 1_000_000, queueCount: 5, queueBytes: 1_000_000, waitMs: 5_000 },
    });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => probe().write('probe.put', { id: `dlv_${i}`, body: body('x'), atMs: 1 })),
    );
    expect(outcomes.flatMap((o) => (o.ok ? [] : [o.fault.code]))).toEqual(
      Array.from({ length: 15 }, () => 'store.queue-full'),
    );
    expect((await count()).deliveries).toBe(5);
  });
});
