import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { auditSet } from '../../src/audit/index.ts';
import { deliverSet, makeLinkChanger, type DeliverWrites, type LinkOutcome } from '../../src/lanes/index.ts';
import { identitySet } from '../../src/identity/index.ts';
import { inboxSet, type Facts, type State, type Verdict } from '../../src/inbox/index.ts';
import { silentLog, systemClock, type Result } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { eventually } from '../support/eventually.ts';
import { laneSet, type FoundJob } from '../support/lane-commands/index.ts';
import { PLACES, type Place } from '../support/new-store.ts';
import { readAuditSet } from '../support/read-audit/index.ts';
import { howMany } from '../support/how-much.ts';

const tenant = 'default';
const at = new Date('2026-01-02T03:04:05.678Z');
const act = { tenant, at, requestId: 'req_test', actor: 'operator' };
const SETS = [auditSet, inboxSet, identitySet, deliverSet, laneSet, readAuditSet];
const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
};

describe.each(PLACES)('links on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  let n = 0;
  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: SETS });
  });

  const jobs = async (): Promise<readonly FoundJob[]> => must(await store.use(laneSet).read('lane-test.jobs', null));
  const live = async () => (await jobs()).filter(({ state }) => state === 'queued');
  const get = async (id: string) => {
    const found = must(await store.use(inboxSet).read('inbox.get', { tenant, id }));
    if (found === null) throw new Error(`${id} is not there`);
    return found;
  };
  const stateOf = async (id: string): Promise<[State, string | null]> => {
    const { state, reason } = await get(id);
    return [state, reason];
  };

  async function put(): Promise<{ id: string; seq: number }> {
    n += 1;
    const id = `dlv_${n}`;
    must(
      await store.use(inboxSet).write('inbox.put', {
        id,
        tenant,
        hook: 'data',
        at,
        requestId: 'req_test',
        receiver: 'ins_me',
        sender: 's',
        body: new TextEncoder().encode(`body ${n}`),
      }),
    );
    return { id, seq: (await get(id)).seq };
  }
  async function settle(
    seq: number,
    more: { user?: string; key?: string; version?: number; trouble?: 'unmapped'; of?: Store } = {},
  ): Promise<void> {
    const facts: Facts = {
      dataStructure: 'clinical_ready',
      client: 'c',
      user: more.user ?? 'u',
      documentVersion: 1,
      contentDigest: null,
      findings: [],
      unmapped: [],
    };
    const clinicalDigest = createHash('sha256').update(String(seq)).digest();
    const document = {
      key: more.key ?? `doc ${seq}`,
      version: more.version ?? 1,
      clinicalDigest,
      order: 'version',
    } as const;
    const verdict: Verdict = { kind: 'sound', trouble: more.trouble ?? null, document };
    must(
      await (more.of ?? store)
        .use(deliverSet)
        .write('deliver.settle', { tenant, seq, at, requestId: 'r', facts, verdict }),
    );
  }
  const arrive = async (more: Parameters<typeof settle>[1] = {}): Promise<string> => {
    const { id, seq } = await put();
    await settle(seq, more);
    return id;
  };
  let links = 0;
  async function link(
    mrn: string,
    more: { user?: string; status?: 'proposed' | 'confirmed'; limit?: number; of?: Store; evidence?: string } = {},
  ): Promise<LinkOutcome> {
    links += 1;
    const wanted = {
      id: `lnk_${links}`,
      client: 'c',
      user: more.user ?? 'u',
      mrnSystem: 'urn:mrn',
      mrn,
      status: more.status ?? 'confirmed',
      evidence: more.evidence ?? null,
    };
    const args: DeliverWrites['deliver.link']['args'] = { ...act, wanted, limit: more.limit ?? 100 };
    return must(await (more.of ?? store).use(deliverSet).write('deliver.link', args));
  }
  const adjust = async (limit = 100, user = 'u') =>
    must(await store.use(deliverSet).write('deliver.adjust', { ...act, user: { client: 'c', user }, limit }));
  const revoke = async (limit = 100) =>
    must(
      await store
        .use(deliverSet)
        .write('deliver.revoke', { ...act, user: { client: 'c', user: 'u' }, why: 'test', limit }),
    );
  const send = async (id: string, names: readonly string[] = [`obs ${id}`]): Promise<void> => {
    must(await store.use(laneSet).write('lane-test.send', { id, names }));
  };
  const unsettled = async () => must(await store.use(deliverSet).read('deliver.unsettled', { tenant, limit: 10 }));

  /**
   * What holds whatever was done: the ledger adds up, lanes know their jobs, every queued delivery has one job, no
   * other has any.
   */
  async function soundness(): Promise<void> {
    const [counted, rows] = [
      must(await store.use(inboxSet).read('inbox.ledger', { tenant })),
      must(await store.use(inboxSet).read('inbox.recount', { tenant })),
    ];
    expect(counted).toEqual(rows);
    for (const { said, counted: real } of must(await store.use(laneSet).read('lane-test.pending', null)))
      expect(said).toBe(real);
    const all = must(
      await store.use(inboxSet).read('inbox.list', {
        tenant,
        state: 'queued',
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
        before: null,
        limit: 1000,
      }),
    ).deliveries;
    const delivering = (await live()).filter(({ kind }) => kind === 'deliver').map(({ delivery }) => delivery);
    expect([...delivering].sort()).toEqual(all.map(({ id }) => id).sort());
  }
  afterEach(async () => {
    try {
      await soundness();
    } finally {
      await place.remove();
    }
  });

  test('what waits for its patient is released in the order of arrival, and what comes later is behind it', async () => {
    const ids = [
      await arrive(),
      await arrive(),
      await arrive({ trouble: 'unmapped' }),
      await arrive({ user: 'other' }),
    ];
    expect(await link('0012')).toMatchObject({
      change: 'confirmed',
      status: 'confirmed',
      released: 2,
      isSettled: true,
    });
    ids.push(await arrive());
    expect(await Promise.all(ids.map(stateOf))).toEqual([
      ['queued', 'linked'],
      ['queued', 'linked'],
      ['parked', 'unmapped'],
      ['parked', 'unlinked'],
      ['queued', null],
    ]);
    expect((await live()).map(({ delivery }) => delivery)).toEqual([ids[0], ids[1], ids[4]]);
    expect(new Set((await live()).map(({ patient }) => patient)).size).toBe(1);
  });

  test('a patient is linked while one of its links is confirmed, in its own system of numbers', async () => {
    const isLinked = async (mrnSystem: string, ...mrns: string[]): Promise<boolean> =>
      must(
        await store
          .use(identitySet)
          .read('identity.is-linked', { tenant, patients: mrns.map((mrn) => ({ mrnSystem, mrn })) }),
      );
    await link('1', { status: 'proposed' });
    expect(await isLinked('urn:mrn', '1')).toBe(false);
    await link('1');
    await link('1', { user: 'second' });
    expect(
      await Promise.all([isLinked('urn:mrn', '1'), isLinked('urn:mrn', '2', '1'), isLinked('urn:mrn', '01')]),
    ).toEqual([true, true, false]);
    expect(await Promise.all([isLinked('urn:other', '1'), isLinked('urn:mrn')])).toEqual([false, false]);
    await revoke();
    expect(await isLinked('urn:mrn', '1')).toBe(true);
    await link('2', { user: 'second' });
    expect(await Promise.all([isLinked('urn:mrn', '1'), isLinked('urn:mrn', '2')])).toEqual([false, true]);
  });

  test('a proposal lets nothing out; its confirmation keeps its id', async () => {
    const id = await arrive();
    const proposed = await link('1', { status: 'proposed', evidence: 'same name' });
    expect(proposed).toMatchObject({ change: 'proposed', status: 'proposed', released: 0 });
    expect(await link('1', { status: 'proposed' })).toMatchObject({ change: 'unchanged', id: proposed.id });
    expect(await stateOf(id)).toEqual(['parked', 'unlinked']);
    expect(await link('1')).toMatchObject({ change: 'confirmed', id: proposed.id, released: 1 });
    const shown = must(
      await store
        .use(identitySet)
        .read('identity.list', { tenant, status: null, user: null, patient: null, before: null, limit: 9 }),
    );
    expect(shown).toMatchObject([
      { id: proposed.id, status: 'confirmed', evidence: 'same name', mrn: '1', userId: 'u' },
    ]);
  });

  test('a proposal beside a confirmed link changes nothing until it is confirmed', async () => {
    await link('1');
    const id = await arrive();
    expect(await link('2', { status: 'proposed' })).toMatchObject({ change: 'proposed' });
    expect(await link('3', { status: 'proposed' })).toMatchObject({ change: 'proposed' });
    const [before] = await live();
    expect(await link('3')).toMatchObject({ change: 'changed', requeued: 1 });
    const [after] = await live();
    expect([after?.delivery, after?.patient === before?.patient]).toEqual([id, false]);
    const shown = must(
      await store.use(identitySet).read('identity.list', {
        tenant,
        status: null,
        user: { client: 'c', user: 'u' },
        patient: null,
        before: null,
        limit: 9,
      }),
    );
    expect(shown.map(({ mrn, status }) => [mrn, status])).toEqual([
      ['3', 'confirmed'],
      ['2', 'revoked'],
      ['1', 'revoked'],
    ]);
  });

  test('the same again changes nothing and says so', async () => {
    await arrive();
    await link('1');
    const before = await jobs();
    expect(await link('1')).toMatchObject({ change: 'unchanged', released: 0, requeued: 0, isSettled: true });
    expect(await link('1', { status: 'proposed' })).toMatchObject({ change: 'unchanged', status: 'confirmed' });
    expect(await jobs()).toEqual(before);
  });

  test('two users of one MRN share a lane; the same number with other zeros is another patient', async () => {
    for (const [user, mrn] of [
      ['a', '12'],
      ['b', '12'],
      ['d', '012'],
    ] as const) {
      await link(mrn, { user });
      await arrive({ user });
    }
    const patients = (await live()).map(({ patient }) => patient);
    expect([patients[0] === patients[1], patients[1] === patients[2]]).toEqual([true, false]);
  });

  test('a newer version takes the place of a queued one, and its job with it', async () => {
    await link('1');
    const [one, two] = [await arrive({ key: 'k', version: 1 }), await arrive({ key: 'k', version: 2 })];
    expect([await stateOf(one), await stateOf(two)]).toEqual([
      ['superseded', 'newer-version'],
      ['queued', null],
    ]);
    expect((await jobs()).map(({ delivery, state }) => [delivery, state])).toEqual([
      [one, 'cancelled'],
      [two, 'queued'],
    ]);
  });

  test('a release in many transactions keeps the order, and what arrives meanwhile waits behind it', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i += 1) ids.push(await arrive());
    expect(await link('1', { limit: 3 })).toMatchObject({ released: 3, isSettled: false });
    ids.push(await arrive());
    expect(await stateOf(ids.at(-1) ?? '')).toEqual(['parked', 'unlinked']);
    expect(await unsettled()).toEqual([{ client: 'c', user: 'u' }]);

    // A process that dies here leaves nothing but the mark, and the next one goes on from it.
    await store.close();
    store = await place.open({ sets: SETS });
    expect(await adjust(3)).toMatchObject({ released: 3, isSettled: false });
    expect(await adjust(3)).toMatchObject({ released: 2, isSettled: true });
    expect(await unsettled()).toEqual([]);
    ids.push(await arrive());
    expect((await live()).map(({ delivery }) => delivery)).toEqual(ids);
    expect(await adjust()).toMatchObject({ released: 0, requeued: 0, isSettled: true });
  });

  test('a revoked link takes queued deliveries out of their lane, and retracts nothing', async () => {
    await link('1');
    const [sent, waiting, going] = [await arrive(), await arrive(), await arrive()];
    await send(sent);
    must(await store.use(laneSet).write('lane-test.claim', { id: going }));
    expect(await revoke()).toMatchObject({ change: 'revoked', status: 'revoked', parked: 1, retracting: 0 });
    expect([await stateOf(sent), await stateOf(waiting), await stateOf(going)]).toEqual([
      ['delivered', null],
      ['parked', 'unlinked'],
      ['sending', null],
    ]);
    expect((await jobs()).map(({ delivery, state }) => [delivery, state])).toEqual([
      [sent, 'done'],
      [waiting, 'cancelled'],
      [going, 'queued'],
    ]);
    expect(await revoke()).toBe('not-found');
    // Another patient afterwards: a user id that was given to somebody else must not move the first one's chart.
    expect(await link('2')).toMatchObject({ change: 'confirmed', released: 1, retracting: 0 });
    await finish(going);
  });
  /** Ends what a test left `sending`. */
  async function finish(id: string, names: readonly string[] = []): Promise<void> {
    expect((await stateOf(id))[0]).toBe('sending');
    must(await store.use(laneSet).write('lane-test.finish', { id, names }));
  }

  test('a revocation waits until an earlier change has been carried out', async () => {
    for (let i = 0; i < 3; i += 1) await arrive();
    await link('1', { limit: 2 });
    expect(await revoke()).toBe('unsettled');
    await adjust();
    expect(await revoke()).toMatchObject({ parked: 3 });
  });

  test('a re-link retracts from the old chart first, then writes the newest version to the new one', async () => {
    await link('old');
    const [first, second, alone] = [
      await arrive({ key: 'k', version: 1 }),
      await arrive({ key: 'k2' }),
      await arrive(),
    ];
    for (const id of [first, second, alone]) await send(id, id === alone ? [] : [`obs ${id}`]);
    // Version 2 wrote one resource anew; the other is still as version 1 wrote it.
    const newer = await arrive({ key: 'k', version: 2 });
    await send(newer, ['obs again']);
    const waiting = await arrive();
    const shared = await arrive({ user: 'other' });
    await link('old', { user: 'other' });
    await send(shared);

    expect(await link('new')).toMatchObject({
      change: 'changed',
      retracting: 2,
      requeued: 3,
      unrepeatable: 0,
      isSettled: true,
    });
    const states = await Promise.all([first, second, alone, newer, waiting, shared].map(stateOf));
    expect(states).toEqual([
      ['delivered', null],
      ['queued', 'relink'],
      ['delivered', null],
      ['queued', 'relink'],
      ['queued', null],
      ['delivered', null],
    ]);
    const now = await live();
    const [old, other] = [
      now.filter(({ kind }) => kind === 'retract').map(({ patient }) => patient),
      now.filter(({ kind }) => kind === 'deliver').map(({ patient }) => patient),
    ];
    expect([new Set(old).size, new Set(other).size, old[0] === other[0]]).toEqual([1, 1, false]);
    expect(now.filter(({ kind }) => kind === 'retract').map(({ delivery }) => delivery)).toEqual([second, newer]);
    expect(now.filter(({ kind }) => kind === 'deliver').map(({ delivery, isReady }) => [delivery, isReady])).toEqual([
      [second, false],
      [newer, false],
      [waiting, true],
    ]);
  });

  test('a version that is queued when the link changes waits for the retraction of the one before it', async () => {
    await link('old');
    const one = await arrive({ key: 'k', version: 1 });
    await send(one);
    const two = await arrive({ key: 'k', version: 2 });
    expect(await link('new')).toMatchObject({ retracting: 1, requeued: 1 });
    const now = await live();
    expect(now.map(({ kind, delivery }) => [kind, delivery])).toEqual([
      ['retract', two],
      ['deliver', two],
    ]);
    expect(now.map(({ isReady }) => isReady)).toEqual([true, false]);
    // And so does one that comes only now.
    const three = await arrive({ key: 'k', version: 3 });
    expect((await live()).find(({ delivery }) => delivery === three)?.isReady).toBe(false);
    expect(await stateOf(one)).toEqual(['delivered', null]);
  });

  test('a newer version that was being sent when its link changed ends in the new chart, and the old is cleared', async () => {
    await link('old');
    const first = await arrive({ key: 'one', version: 1 });
    await send(first, ['obs 1']);
    const second = await arrive({ key: 'one', version: 2 });
    must(await store.use(laneSet).write('lane-test.claim', { id: second }));
    expect(await link('new')).toMatchObject({ change: 'changed', retracting: 0, requeued: 0 });
    await finish(second, ['obs 2']);
    expect(await adjust()).toMatchObject({ retracting: 1, requeued: 1, isSettled: true });
    expect(await stateOf(second)).toEqual(['queued', 'relink']);
    expect((await live()).map(({ kind }) => kind)).toEqual(['retract', 'deliver']);
  });

  test('what was being sent when its link changed follows as soon as it has ended', async () => {
    await link('old');
    const id = await arrive();
    must(await store.use(laneSet).write('lane-test.claim', { id }));
    expect(await link('new')).toMatchObject({ change: 'changed', retracting: 0, requeued: 0 });
    expect(await stateOf(id)).toEqual(['sending', null]);
    await finish(id, ['obs']);
    expect(await adjust()).toMatchObject({ retracting: 1, requeued: 1, isSettled: true });
    expect(await stateOf(id)).toEqual(['queued', 'relink']);
    const now = await live();
    expect(now.map(({ kind }) => kind)).toEqual(['retract', 'deliver']);
    expect([now[0]?.patient === now[1]?.patient, now[0]?.isReady, now[1]?.isReady]).toEqual([false, true, false]);
  });

  test('there and back again before anything was retracted writes once, after the retraction', async () => {
    await link('old');
    const id = await arrive();
    await send(id);
    await link('new');
    expect(await link('old')).toMatchObject({ change: 'changed', retracting: 0, requeued: 1 });
    const now = await live();
    expect(now.map(({ kind }) => kind)).toEqual(['retract', 'deliver']);
    expect([now[0]?.patient === now[1]?.patient, now[0]?.isReady, now[1]?.isReady]).toEqual([true, true, false]);
  });

  test('over a third patient every former chart is cleaned', async () => {
    await link('a');
    const one = await arrive();
    await send(one);
    await link('b');
    await link('c', { limit: 1 });
    await adjust();
    const now = await live();
    expect(now.map(({ kind }) => kind)).toEqual(['retract', 'deliver']);
    expect(now.map(({ isReady }) => isReady)).toEqual([true, false]);
  });

  test('what was shredded is retracted, counted, and not written again', async () => {
    await link('old');
    const id = await arrive();
    await send(id);
    must(await store.use(laneSet).write('lane-test.shred', { id }));
    expect(await link('new')).toMatchObject({ retracting: 1, requeued: 0, unrepeatable: 1 });
    expect((await live()).map(({ kind, delivery }) => [kind, delivery])).toEqual([['retract', id]]);
    expect(await stateOf(id)).toEqual(['delivered', null]);
  });

  test('a re-link in many transactions, cut off in the middle, comes to the same end', async () => {
    await link('old');
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push(await arrive());
    for (const id of ids.slice(0, 3)) await send(id);
    expect(await link('new', { limit: 2 })).toMatchObject({ isSettled: false });
    await store.close();
    store = await place.open({ sets: SETS });
    while (!(await adjust(2)).isSettled);
    const now = await live();
    expect(now.filter(({ kind }) => kind === 'deliver').map(({ delivery }) => delivery)).toEqual(ids);
    expect(now.filter(({ kind }) => kind === 'retract').map(({ delivery }) => delivery)).toEqual(ids.slice(0, 3));
  });

  test('bodies of what was delivered are shredded as before, those of what a re-link queued again are not', async () => {
    await link('old');
    const [stays, moves] = [await arrive({ user: 'other' }), await arrive()];
    await link('x', { user: 'other' });
    await send(stays);
    await send(moves);
    await link('new');
    const shred = { tenant, before: new Date(at.getTime() + 1), at, limit: 10 };
    expect(must(await store.use(inboxSet).write('inbox.shred', shred))).toEqual({ count: 1 });
    expect([(await get(stays)).hasBody, (await get(moves)).hasBody]).toEqual([false, true]);
  });

  test('every change is in the audit, and nobody can read from it who it was about', async () => {
    await arrive({ user: 'MarkerUser' });
    await link('MarkerMrn', { user: 'MarkerUser', evidence: 'MarkerEvidence' });
    await link('MarkerOther', { user: 'MarkerUser' });
    const { records } = must(await store.use(readAuditSet).read('audit-test.everything', null));
    const found = records
      .map(({ record }) => JSON.parse(record) as Record<string, unknown>)
      .filter(({ type }) => type === 'link.change');
    expect(found.map(({ from, to, counts }) => [from, to, counts !== undefined]).sort()).toEqual(
      [
        [undefined, 'confirmed', false],
        [undefined, undefined, true],
        ['confirmed', 'revoked', false],
        [undefined, 'confirmed', false],
        [undefined, undefined, true],
      ].sort(),
    );
    expect(JSON.stringify(records)).not.toContain('Marker');
  });

  test('settles and confirmations at once, of several writers, leave nobody behind and everything in order', async () => {
    const second = _engine === 'postgres' ? await place.open({ sets: SETS }) : store;
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ user: fc.constantFrom('u1', 'u2', 'u3'), key: fc.constantFrom('k1', 'k2', 'own') }), {
          minLength: 1,
          maxLength: 14,
        }),
        fc.array(fc.record({ user: fc.constantFrom('u1', 'u2', 'u3'), mrn: fc.constantFrom('m1', 'm2') }), {
          maxLength: 5,
        }),
        fc.integer({ min: 1, max: 4 }),
        async (arrivals, changes, limit) => {
          round += 1;
          const named = (user: string): string => `${round} ${user}`;
          const stored = [];
          for (const one of arrivals) stored.push({ ...one, ...(await put()) });
          const work = stored.map(({ seq, user, key }, i) => () => {
            const more = key === 'own' ? {} : { key: `${round} ${user} ${key}`, version: i + 1 };
            return settle(seq, { user: named(user), ...more, of: i % 2 === 0 ? store : second });
          });
          const linking = changes.map(({ user, mrn }, i) => async () => {
            await link(mrn, { user: named(user), limit, of: i % 2 === 0 ? second : store });
          });
          await Promise.all([...work.slice(0, 3), ...linking, ...work.slice(3)].map((run) => run()));
          for (const { client: _client, user } of await unsettled()) while (!(await adjust(limit, user)).isSettled);

          const linked = new Set<string>(changes.map(({ user }) => user));
          const now = await live();
          for (const user of ['u1', 'u2', 'u3']) {
            const mine = stored.filter((one) => one.user === user);
            const states = await Promise.all(mine.map(async ({ id }) => stateOf(id)));
            const wrong = states.filter(([state, reason]) =>
              linked.has(user)
                ? state === 'parked'
                : state === 'queued' || (state === 'parked' && reason !== 'unlinked'),
            );
            expect(wrong).toEqual([]);
            const ofUser = now.filter(({ delivery }) => mine.some(({ id }) => id === delivery));
            expect(new Set(ofUser.map(({ patient }) => patient)).size).toBeLessThanOrEqual(1);
          }
          await soundness();
        },
      ),
      { numRuns: howMany(8, 40) },
    );
  });

  test('what was cut off goes on by itself at the next start', async () => {
    const ids = [await arrive(), await arrive(), await arrive()];
    await link('1', { limit: 1 });
    await store.close();
    store = await place.open({ sets: SETS });
    const links = makeLinkChanger({ tenant, deliver: store.use(deliverSet), clock: systemClock, log: silentLog });
    links.start();
    expect(await eventually(unsettled, (users) => users.length === 0)).toEqual([]);
    await links.stop();
    expect((await live()).map(({ delivery }) => delivery)).toEqual(ids);
  });

  test('who asks for a long release is told of all of it, and a revocation behind it waits its turn', async () => {
    for (let i = 0; i < 7; i += 1) await arrive();
    const links = makeLinkChanger({ tenant, deliver: store.use(deliverSet), clock: systemClock, log: silentLog });
    await link('1', { limit: 2 });
    const wanted = { id: 'lnk_again', client: 'c', user: 'u', mrnSystem: 'urn:mrn', mrn: '2', evidence: null };
    expect(must(await links.put(act, { ...wanted, status: 'confirmed' }))).toMatchObject({
      change: 'changed',
      isSettled: true,
    });
    expect((await live()).length).toBe(7);
    await link('1', { limit: 2 });
    expect(must(await links.revoke(act, { client: 'c', user: 'u' }, 'test'))).toMatchObject({
      parked: 7,
      isSettled: true,
    });
    await links.stop();
  });

  test('links changed by two processes in opposite order do not end in each other’s way', async () => {
    const second = _engine === 'postgres' ? await place.open({ sets: SETS }) : store;
    const users = Array.from({ length: 12 }, (_, i) => `x${i}`);
    for (const user of users) await arrive({ user });
    const asked = [
      ...users.map((user) => link('m1', { user })),
      ...users.toReversed().map((user) => link('m2', { user, of: second })),
      ...users.map((user) => link('m3', { user })),
    ];
    expect((await Promise.all(asked)).every(({ isSettled }) => isSettled)).toBe(true);
    expect((await live()).length).toBe(users.length);
  });

  test('those of a user who were released stand in the lane as they arrived, whatever raced', async () => {
    const stored: { id: string; seq: number }[] = [];
    for (let i = 0; i < 30; i += 1) stored.push(await put());
    // One after the other as the processor asks for them, while the link is confirmed somewhere among them.
    await Promise.all([...stored.map(({ seq }) => settle(seq)), link('1', { limit: 4 })]);
    while (!(await adjust(4)).isSettled);
    const order = [...(await live())].sort((a, b) => a.deliverySeq - b.deliverySeq || a.seq - b.seq);
    expect(order.map(({ delivery }) => delivery)).toEqual(stored.map(({ id }) => id));
  });
});
