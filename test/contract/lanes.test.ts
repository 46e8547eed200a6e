import type { Fingerprint } from '../../src/lanes/fingerprint.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deliverSet, laneSet } from '../../src/lanes/index.ts';
import { inboxSet } from '../../src/inbox/index.ts';
import type { Store } from '../../src/store/index.ts';
import { act, at, HEX, laneTools, must, tenant, type Claimed } from '../support/lane-tools.ts';
import { PLACES, type Place } from '../support/new-store.ts';
import { auditSet } from '../../src/audit/index.ts';
import { identitySet } from '../../src/identity/index.ts';
import { eventually } from '../support/eventually.ts';

const WRITTEN = {
  name: 'a1'.repeat(32),
  resourceType: 'Observation',
  id: 'o1',
  versionId: '1',
  fingerprint: '01'.repeat(40) as Fingerprint,
  contentDigest: HEX,
  said: null,
  group: 'body',
  chartDay: '2026-11-14',
  shelf: '2026-11-14',
  ledgerDocument: null,
  saidAt: 1,
  effect: 'created',
} as const;
const DAYS = ['2026-11-14'];
/** A document of the ledger, in hexadecimal. */
const A_DOCUMENT = expect.stringMatching(/^[0-9a-f]{32}$/) as unknown;

describe.each(PLACES)('lanes on %s', (_, newPlace) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await newPlace();
    store = await place.open({ sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet] });
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });
  const { lanes, link, arrive, claim, begin, finish, stateOf, settle, soundness, only } = laneTools(() => store);
  /** Where a lease or a wait has to run out first, by the clock of the database. */
  const claimOnceFree = (owner: string) =>
    eventually(
      () => claim(owner),
      (claimed) => claimed.length > 0,
    );

  test('a lane is one writer at a time, in the order of arrival, with all that its head needs', async () => {
    await link('u1', '0001');
    const [first, second] = [await arrive('u1'), await arrive('u1')];
    const head = only(await claim('a'));
    expect(head).toMatchObject({
      job: { kind: 'deliver', attempts: 0, firstAttemptAt: null },
      delivery: { id: first },
      doubtAt: null,
      isLinked: true,
      mrn: { mrnSystem: 'urn:mrn', mrn: '0001' },
    });
    expect(Buffer.from(head.body as Uint8Array).toString()).toMatch(/^lane body/);
    expect(await claim('b')).toEqual([]);
    expect(await begin('a', head)).toBe('begun');
    expect(await stateOf(first)).toBe('sending');
    expect(await finish('a', head, { outcome: { kind: 'delivered' }, written: [WRITTEN] })).toBe('more');
    expect(await stateOf(first)).toBe('delivered');
    const next = only(await claim('b'));
    expect([next.delivery.id, next.epoch > head.epoch]).toEqual([second, true]);
    const ledger = must(
      await lanes().read('lane.ledger', {
        tenant,
        deliveryId: first,
        patient: { mrnSystem: 'urn:mrn', mrn: '0001' },
        names: [],
        shelves: [],
      }),
    );
    const { effect: _effect, ...kept } = WRITTEN;
    expect(ledger).toEqual([
      {
        ...kept,
        ledgerDocument: A_DOCUMENT,
        isRetracted: false,
        isKept: false,
        isOfDocument: true,
        deliverySeq: expect.any(Number),
      },
    ]);
    await finish('b', next, { outcome: { kind: 'put-back', afterMs: 60_000 }, attemptId: null });
    expect(await stateOf(second)).toBe('queued');
    expect(await claim('a')).toEqual([]);
    await soundness();
  });

  test('whoever lost the lease stores nothing, and whoever has it reads back first', async () => {
    await link('u2', '0002');
    const id = await arrive('u2');
    const slow = only(await claim('slow'));
    expect(await begin('slow', slow, 1)).toBe('begun');
    const fast = only(await claimOnceFree('fast'));
    expect([fast.delivery.id, fast.doubtAt !== null, fast.epoch > slow.epoch]).toEqual([id, true, true]);
    expect(await begin('slow', slow)).toBe('lost');
    expect(
      await finish('slow', slow, { outcome: { kind: 'delivered' }, written: [{ ...WRITTEN, name: 'a2'.repeat(32) }] }),
    ).toBe('lost');
    expect(
      must(await lanes().read('lane.to-retract', { tenant, deliverySeq: slow.delivery.seq, patient: slow.patient })),
    ).toEqual([]);
    expect(
      must(await lanes().write('lane.renew', { tenant, owner: 'slow', at: new Date(), leaseMs: 1, held: [slow] })),
    ).toEqual([false]);
    expect(
      must(await lanes().write('lane.renew', { tenant, owner: 'fast', at: new Date(), leaseMs: 15_000, held: [fast] })),
    ).toEqual([true]);
    expect(await begin('fast', fast)).toBe('begun');
    expect(await finish('fast', fast, { outcome: { kind: 'delivered' } })).toBe('done');
    expect(await stateOf(id)).toBe('delivered');
    await soundness();
  });

  test('a lease of before is lost to the next one of the same owner', async () => {
    await link('u2b', '0002b');
    const id = await arrive('u2b');
    const before = only(await claim('same', 1));
    const now = only(await claimOnceFree('same'));
    expect([now.delivery.id, now.epoch > before.epoch]).toEqual([id, true]);
    expect(await begin('same', before)).toBe('lost');
    expect(await stateOf(id)).toBe('queued');
    const renewed = { tenant, owner: 'same', at: new Date(), leaseMs: 15_000, held: [before, now] };
    expect(must(await lanes().write('lane.renew', renewed))).toEqual([false, true]);
    expect(await begin('same', now)).toBe('begun');
    expect(
      await finish('same', before, {
        outcome: { kind: 'delivered' },
        written: [{ ...WRITTEN, name: 'a3'.repeat(32) }],
      }),
    ).toBe('lost');
    expect(await stateOf(id)).toBe('sending');
    expect(await finish('same', now, { outcome: { kind: 'delivered' } })).toBe('done');
    await soundness();
  });

  test('an unknown outcome stays unknown until it is read back', async () => {
    await link('u3', '0003');
    const id = await arrive('u3');
    const one = only(await claim('a'));
    await begin('a', one);
    await finish('a', one, { outcome: { kind: 'unknown', afterMs: 0, faultCode: 'ehr.timeout', patience: 'long' } });
    expect(await stateOf(id)).toBe('unknown');
    const again = only(await claim('a'));
    expect([again.doubtAt !== null, again.job.attempts]).toEqual([true, 1]);
    await begin('a', again);
    await finish('a', again, {
      outcome: { kind: 'retry', afterMs: 0, faultCode: 'ehr.busy', patience: 'long' },
      isResolved: true,
    });
    expect(await stateOf(id)).toBe('queued');
    const third = only(await claim('a'));
    expect(third.doubtAt).toBeNull();
    await finish('a', third, {
      outcome: { kind: 'park', reason: 'rejected', faultCode: 'ehr.rejected' },
      attemptId: null,
    });
    expect(await stateOf(id)).toBe('parked');
    expect(await claim('a')).toEqual([]);
    await soundness();
  });

  test('what an attempt meant to do is known as long as its outcome is not', async () => {
    await link('meant', 'me1');
    await arrive('meant');
    const intents = async ({ delivery, patient }: Claimed): Promise<string[]> =>
      must(await lanes().read('lane.intents', { tenant, deliverySeqs: [delivery.seq], patient })).map((one) =>
        Buffer.from(one).toString(),
      );
    const one = only(await claim('a'));
    await begin('a', one);
    // Under way, it may end without anybody hearing of it.
    expect(await intents(one)).toEqual([one.delivery.id]);
    await finish('a', one, { outcome: { kind: 'unknown', afterMs: 0, faultCode: 'ehr.timeout', patience: 'long' } });
    const again = only(await claim('a'));
    expect(await intents(again)).toEqual([one.delivery.id]);
    await begin('a', again);
    await finish('a', again, { outcome: { kind: 'delivered' }, isResolved: true });
    expect(await intents(again)).toEqual([]);
    await soundness();
  });

  test('the alerts of a day are told to every document of their user, and whoever says one too can adopt it', async () => {
    await link('alerted', 'al1');
    await link('other', 'al1');
    const patient = { mrnSystem: 'urn:mrn', mrn: 'al1' };
    const name = (n: number): string => `d${n}`.repeat(32);
    const alert = (n: number, chartDay = '2026-11-14') =>
      ({ ...WRITTEN, name: name(n), group: 'alerts', chartDay, saidAt: 5 }) as const;
    const deliver = async (user: string, more: Partial<Parameters<typeof finish>[2]>): Promise<string> => {
      const id = await arrive(user);
      await finish('a', only(await claim('a')), { outcome: { kind: 'delivered' }, attemptId: null, ...more });
      return id;
    };
    const first = await deliver('alerted', {
      written: [alert(1), alert(2, '2026-11-13'), { ...WRITTEN, name: name(3), chartDay: '2026-11-14' }],
    });
    const second = await deliver('alerted', { written: [alert(4)] });
    const foreign = await deliver('other', { written: [alert(5)] });
    const read = async (deliveryId: string, names: readonly string[], alertsOf: string | null) =>
      must(await lanes().read('lane.ledger', { tenant, deliveryId, patient, names, shelves: DAYS, alertsOf }));
    const told = async (deliveryId: string, alertsOf: string | null): Promise<string[]> =>
      (await read(deliveryId, [], alertsOf))
        .map((row) => `${row.name.slice(0, 2)}${row.isOfDocument ? ' own' : ''} ${row.saidAt}`)
        .sort();
    expect(await told(second, '2026-11-14')).toEqual(['d1 5', 'd4 own 5']);
    expect(await told(second, null)).toEqual(['d4 own 5']);
    expect(await told(foreign, '2026-11-14')).toEqual(['d5 own 5']);
    const named = async (...all: readonly number[]) =>
      (await read(first, all.map(name), null)).filter((row) => all.map(name).includes(row.name));
    const third = await deliver('alerted', { adopted: { names: await named(1, 4), saidAt: 7 } });
    expect(await told(third, null)).toEqual(['d1 own 7', 'd4 own 7']);
    expect(await told(first, null)).toEqual(['d2 own 5', `d3 own ${WRITTEN.saidAt}`]);
    // Of something that was taken back there is nothing to adopt; and what was said later stays said then.
    const [taken] = await named(1);
    if (taken === undefined) throw new Error('it is not in the ledger');
    await deliver('alerted', { retracted: [{ ...taken, versionId: '2', fingerprint: null }] });
    const fourth = await deliver('alerted', { adopted: { names: await named(1, 4), saidAt: 6 } });
    expect(await told(fourth, null)).toEqual(['d4 own 7']);
    await soundness();
  });

  test('an alert is found by its day in the chart, also where that is far from the day of its name', async () => {
    await link('far', 'fa1');
    const patient = { mrnSystem: 'urn:mrn', mrn: 'fa1' };
    const name = 'fa'.repeat(32);
    const alert = { ...WRITTEN, name, group: 'alerts', chartDay: '2026-11-14', shelf: '2026-11-11' } as const;
    const deliver = async (more: Partial<Parameters<typeof finish>[2]>): Promise<string> => {
      const id = await arrive('far');
      await finish('a', only(await claim('a')), { outcome: { kind: 'delivered' }, attemptId: null, ...more });
      return id;
    };
    const ask = async (deliveryId: string, more: { shelves: readonly string[]; alertsOf: string | null }) =>
      must(await lanes().read('lane.ledger', { tenant, deliveryId, patient, names: [name], ...more }));
    await deliver({ written: [alert] });
    const [found] = await ask(await arrive('far'), { shelves: [], alertsOf: '2026-11-14' });
    if (found === undefined) throw new Error('the alert was not found');
    await finish('a', only(await claim('a')), {
      outcome: { kind: 'delivered' },
      attemptId: null,
      adopted: { names: [found], saidAt: 7 },
    });
    const last = await deliver({});
    expect(await ask(last, { shelves: [], alertsOf: '2026-11-14' })).toHaveLength(1);
    expect(await ask(last, { shelves: ['2026-11-11'], alertsOf: null })).toHaveLength(1);
    await soundness();
  });

  test('a document is no longer looked at for what another one has written since', async () => {
    await link('many', 'ma1');
    const patient = { mrnSystem: 'urn:mrn', mrn: 'ma1' };
    const [device, weight] = ['de'.repeat(32), 'ae'.repeat(32)] as [string, string];
    const deviceOf = (ledgerDocument: string | null) =>
      ({ ...WRITTEN, name: device, group: 'support', chartDay: null, shelf: '', ledgerDocument }) as const;
    const deliver = async (written: NonNullable<Parameters<typeof finish>[2]['written']>): Promise<string> => {
      const id = await arrive('many');
      await finish('a', only(await claim('a')), { outcome: { kind: 'delivered' }, attemptId: null, written });
      return id;
    };
    const namesOn = async (deliveryId: string, ...shelves: readonly string[]): Promise<readonly string[]> =>
      must(await lanes().read('lane.ledger', { tenant, deliveryId, patient, names: [device, weight], shelves })).map(
        ({ name }) => name,
      );
    await deliver([deviceOf(null), { ...WRITTEN, name: weight }]);
    const second = await deliver([]);
    // Both stand in a document of which the device alone is on no shelf.
    expect(await namesOn(second)).toEqual([device, weight]);
    const rows = must(
      await lanes().read('lane.ledger', { tenant, deliveryId: second, patient, names: [device], shelves: [] }),
    );
    await deliver([deviceOf(rows[0]?.ledgerDocument ?? null)]);
    expect(await namesOn(second)).toEqual([device]);
    expect((await namesOn(second, WRITTEN.shelf)).toSorted()).toEqual([weight, device]);
    await soundness();
  });

  test('what a person keeps is known as such until it is written or taken back', async () => {
    await link('keeper', 'ke1');
    const patient = { mrnSystem: 'urn:mrn', mrn: 'ke1' };
    const name = 'ae'.repeat(32);
    const read = async (deliveryId: string) =>
      must(await lanes().read('lane.ledger', { tenant, deliveryId, patient, names: [name], shelves: DAYS }));
    const ledger = async (deliveryId: string) =>
      (await read(deliveryId)).map(({ isKept, isRetracted, fingerprint }) => ({ isKept, isRetracted, fingerprint }));
    const standsIn = async (): Promise<string> => (await read(id))[0]?.ledgerDocument ?? '';
    const [kept, since] = ['0a'.repeat(40), '0b'.repeat(40)] as Fingerprint[] as [Fingerprint, Fingerprint];
    const id = await arrive('keeper');
    await finish('a', only(await claim('a')), {
      outcome: { kind: 'delivered' },
      attemptId: null,
      written: [{ ...WRITTEN, name, fingerprint: kept, effect: 'kept' }],
    });
    expect(await ledger(id)).toEqual([{ isKept: true, isRetracted: false, fingerprint: kept }]);
    await arrive('keeper');
    await finish('a', only(await claim('a')), {
      outcome: { kind: 'delivered' },
      attemptId: null,
      written: [{ ...WRITTEN, name, effect: 'updated', ledgerDocument: await standsIn() }],
    });
    expect(await ledger(id)).toEqual([{ isKept: false, isRetracted: false, fingerprint: WRITTEN.fingerprint }]);
    await arrive('keeper');
    await finish('a', only(await claim('a')), {
      outcome: { kind: 'delivered' },
      attemptId: null,
      retracted: [{ name, ledgerDocument: await standsIn(), versionId: null, fingerprint: since }],
    });
    expect(await ledger(id)).toEqual([{ isKept: false, isRetracted: true, fingerprint: since }]);
    await soundness();
  });

  test('how the EHR changes what it is given is remembered', async () => {
    const habits = async () => must(await lanes().read('lane.target', { tenant })).habits;
    must(await lanes().write('lane.learn', { tenant, habits: '{"a":1}' }));
    must(await lanes().write('lane.learn', { tenant, habits: '{"a":2}' }));
    expect(await habits()).toBe('{"a":2}');
  });

  test('a parked head does not stop its lane', async () => {
    await link('u4', '0004');
    const [first, second] = [await arrive('u4'), await arrive('u4')];
    const head = only(await claim('a'));
    expect(head.delivery.id).toBe(first);
    await finish('a', head, {
      outcome: { kind: 'park', reason: 'patient', faultCode: 'patient.none' },
      attemptId: null,
    });
    const next = only(await claim('a'));
    expect(next.delivery.id).toBe(second);
    await finish('a', next, { outcome: { kind: 'delivered' }, attemptId: null });
    expect(await stateOf(second)).toBe('delivered');
  });

  test('what goes to another chart waits until it is out of the old one', async () => {
    await link('u5', '0005');
    const id = await arrive('u5');
    const old = only(await claim('a'));
    await begin('a', old);
    await finish('a', old, { outcome: { kind: 'delivered' }, written: [{ ...WRITTEN, name: 'a5'.repeat(32) }] });
    await link('u5', '0055');
    const retraction = only(await claim('a'));
    expect([retraction.job.kind, retraction.delivery.id]).toEqual(['retract', id]);
    const rows = must(
      await lanes().read('lane.to-retract', {
        tenant,
        deliverySeq: retraction.delivery.seq,
        patient: retraction.patient,
      }),
    );
    expect(rows.map(({ name }) => name)).toEqual(['a5'.repeat(32)]);
    expect(await claim('b')).toEqual([]);
    await begin('a', retraction);
    await finish('a', retraction, {
      outcome: { kind: 'delivered' },
      retracted: rows.map((row) => ({ ...row, versionId: '2', fingerprint: null })),
    });
    const fresh = only(await claimOnceFree('b'));
    expect([fresh.job.kind, fresh.mrn]).toEqual(['deliver', { mrnSystem: 'urn:mrn', mrn: '0055' }]);
    await finish('b', fresh, { outcome: { kind: 'delivered' }, attemptId: null });
    await soundness();
  });

  test('many that claim at once never get the same lane', async () => {
    for (let i = 0; i < 20; i += 1) {
      await link(`many${i}`, `m${i}`);
      await arrive(`many${i}`);
    }
    const claimed = (await Promise.all(Array.from({ length: 8 }, (_one, i) => claim(`owner${i}`, 15_000, 5)))).flat();
    const patients = claimed.map(({ patient }) => Buffer.from(patient).toString('hex'));
    expect([new Set(patients).size, patients.length]).toEqual([20, 20]);
  });

  test('two MRNs that lead to one chart are never written to at once, and whoever holds it is fenced like a lane', async () => {
    await link('merged-x', 'x1');
    await link('merged-y', 'y1');
    const [x1, y1] = [await arrive('merged-x'), await arrive('merged-y')];
    const both = await claim('a');
    const of = (id: string, all: readonly Claimed[]): Claimed => only(all.filter(({ delivery }) => delivery.id === id));
    const [x, y] = [of(x1, both), of(y1, both)];
    // Nobody is in anybody's way before it writes.
    expect(await begin('a', x, 2_000, 'Patient/one')).toBe('begun');
    expect(await begin('a', y, 15_000, 'Patient/one')).toBe('busy');
    expect(await stateOf(y1)).toBe('queued');
    // Whoever died in it is in nobody's way once its lease has run out.
    const beginY = () => begin('a', y, 15_000, 'Patient/one');
    expect(await eventually(beginY, (answer) => answer === 'begun')).toBe('begun');
    const again = of(x1, await claim('b'));
    expect([again.doubtAt !== null, await begin('b', again, 15_000, 'Patient/one')]).toEqual([true, 'busy']);
    // What the other lane wrote to last is remembered: a retraction asks for no patient.
    expect(await begin('b', again, 15_000, null)).toBe('busy');
    await finish('a', y, { outcome: { kind: 'delivered' } });
    expect(await begin('b', again, 15_000, null)).toBe('begun');
    await finish('b', again, { outcome: { kind: 'delivered' } });
    expect([await stateOf(x1), await stateOf(y1)]).toEqual(['delivered', 'delivered']);
    await soundness();
  });

  test('of many that enter one chart at once exactly one does', async () => {
    const mrns = ['e1', 'e2', 'e3', 'e4', 'e5', 'e6'];
    for (const mrn of mrns) {
      await link(`enter-${mrn}`, mrn);
      await arrive(`enter-${mrn}`);
    }
    const claimed = await claim('a');
    expect(claimed).toHaveLength(mrns.length);
    const begun = await Promise.all(claimed.map((one) => begin('a', one, 15_000, 'Patient/crowd')));
    expect(begun.toSorted()).toEqual(['begun', 'busy', 'busy', 'busy', 'busy', 'busy']);
    for (const [i, one] of claimed.entries())
      await finish(
        'a',
        one,
        begun[i] === 'begun' ? { outcome: { kind: 'delivered' } } : { outcome: { kind: 'delivered' }, attemptId: null },
      );
    await soundness();
  });

  test('failures of which few are worth making are counted in a row', async () => {
    await link('few', 'few1');
    await arrive('few');
    const counts: number[] = [];
    for (const patience of ['few', 'few', 'long', 'few'] as const) {
      const one = only(await claim('a'));
      counts.push(one.job.fewInARow);
      await begin('a', one);
      await finish('a', one, {
        outcome: { kind: 'retry', afterMs: 0, faultCode: 'ehr.failed', patience },
        isResolved: true,
      });
    }
    const last = only(await claim('a'));
    expect([...counts, last.job.fewInARow, last.job.attempts]).toEqual([0, 1, 2, 0, 1, 4]);
    await finish('a', last, { outcome: { kind: 'delivered' }, attemptId: null });
  });

  test('a person approves the plan that was parked, and no other', async () => {
    await link('approve', 'ap1');
    const id = await arrive('approve');
    const replay = async (): Promise<void> => {
      must(await store.use(inboxSet).write('inbox.replay', { ...act, id }));
      const { seq } = must(await store.use(inboxSet).read('inbox.get', { tenant, id })) ?? { seq: 0 };
      await settle(id, seq, 'approve');
    };
    const park = async (planDigest: string): Promise<readonly string[]> => {
      const one = only(await claim('a'));
      await finish('a', one, {
        outcome: { kind: 'park', reason: 'suspicious', faultCode: null },
        attemptId: null,
        planDigest,
      });
      return one.approvedPlans;
    };
    const [first, second] = ['aa'.repeat(32), 'bb'.repeat(32)];
    expect(await park(first)).toEqual([]);
    await replay();
    expect(await park(first)).toEqual([]);
    expect(must(await lanes().write('lane.approve', { ...act, of: { id } }))).toBe(1);
    expect(must(await lanes().write('lane.approve', { ...act, of: { id } }))).toBe(0);
    await replay();
    expect(await park(second)).toEqual([first]);
    expect(must(await lanes().write('lane.approve', { ...act, of: { reason: 'rejected' } }))).toBe(0);
    expect(must(await lanes().write('lane.approve', { ...act, of: { reason: 'suspicious' } }))).toBe(1);
    await replay();
    expect((await park(second)).toSorted()).toEqual([first, second]);
    await soundness();
  });

  test('what somebody else changed is kept for a person to decide on', async () => {
    await link('foreign', 'fo1');
    const id = await arrive('foreign');
    const one = only(await claim('a'));
    const seen = {
      name: 'f0'.repeat(32),
      resourceType: 'Observation',
      id: 'at-the-ehr',
      versionId: '7',
      fingerprint: '07'.repeat(40) as Fingerprint,
      sides: { ours: { value: '70' }, theirs: { value: '71.5', notes: 'measured again' } },
    };
    await finish('a', one, {
      outcome: { kind: 'park', reason: 'conflict', faultCode: null },
      attemptId: null,
      foreign: [seen],
    });
    const read = async () =>
      must(await lanes().read('lane.foreign', { tenant, deliveryId: id })).map(({ seenAt: _seenAt, ...rest }) => rest);
    expect(await read()).toEqual([{ ...seen, decision: null }]);
    expect(must(await lanes().write('lane.decide', { ...act, id: 'dlv_nobody', decision: 'overwrite' }))).toBe(0);
    expect(must(await lanes().write('lane.decide', { ...act, id, decision: 'keep-theirs' }))).toBe(1);
    expect(await read()).toEqual([{ ...seen, decision: 'keep-theirs' }]);
    // What both sides said is kept as long as somebody can decide on it.
    const forget = async () => must(await lanes().write('lane.forget-sides', { tenant }));
    expect(await forget()).toBe(0);
    must(await store.use(inboxSet).write('inbox.discard', { ...act, id, why: 'not wanted' }));
    expect([await forget(), (await read())[0]?.sides]).toEqual([1, null]);
    await soundness();
  });

  test('a database that nobody served for a while may have been restored', async () => {
    const alive = async (ms: number): Promise<number> =>
      must(await lanes().write('lane.alive', { tenant: 'restored', at: new Date(ms), leaseMs: 1_000 }));
    const now = Date.now();
    expect(await alive(now)).toBe(0);
    expect(await alive(now + 30_000)).toBe(0);
    // PostgreSQL goes by its own clock, which does not jump for us.
    if (store.engine === 'sqlite') {
      expect(await alive(now + 100_000)).toBe(now + 100_000);
      expect(await alive(now + 110_000)).toBe(now + 100_000);
      // A clock that was set back: how long nobody was there cannot be known.
      expect(await alive(now + 50_000)).toBe(now + 50_000);
      expect(await alive(now + 60_000)).toBe(now + 50_000);
    }
  });

  test('what was delivered can be forwarded again, and a pause is remembered', async () => {
    const done = must(await lanes().write('lane.reforward', { ...act, which: 'all', after: 0, limit: 100 }));
    expect(done.count).toBeGreaterThan(0);
    must(await lanes().write('lane.pause', { ...act, state: 'paused' }));
    expect(must(await lanes().read('lane.target', { tenant }))).toMatchObject({
      pausedAt: at.getTime(),
      pausedBy: 'test',
    });
    must(await lanes().write('lane.pause', { ...act, state: 'running' }));
    expect(must(await lanes().read('lane.target', { tenant }))).toMatchObject({ pausedAt: null, pausedBy: null });
    expect(must(await lanes().read('lane.lag', { tenant })).jobs).toBeGreaterThan(0);
    await soundness();
  });
});
