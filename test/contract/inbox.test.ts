import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { auditSet } from '../../src/audit/index.ts';
import { deliverSet } from '../../src/lanes/index.ts';
import {
  inboxSet,
  type DeliveryFilter,
  type DocumentFacts,
  type Facts,
  type InboxReads,
  type State,
  type Verdict,
} from '../../src/inbox/index.ts';
import type { Store } from '../../src/store/index.ts';
import { eventually } from '../support/eventually.ts';
import { PLACES, postgresPlace, TEST_KEYS, someKey, withClient, type Place } from '../support/new-store.ts';
import { readAuditSet } from '../support/read-audit/index.ts';
import { howMany } from '../support/how-much.ts';

const tenant = 'default';
const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const at = new Date('2026-01-02T03:04:05.678Z');

type Asked = InboxReads['inbox.list']['args'];
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

describe.each(PLACES)('the inbox on %s', (_engine, makePlace) => {
  let place: Place;
  let store: Store;
  let n = 0;
  const inbox = () => store.use(inboxSet);

  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: [auditSet, inboxSet, deliverSet, readAuditSet] });
  });
  afterEach(() => place.remove());

  async function put(
    body: string,
    hook: 'data' | 'notification' = 'data',
    more: { at?: Date; receiver?: string } = {},
  ): Promise<string> {
    n += 1;
    const id = `dlv_${n}`;
    const done = await inbox().write('inbox.put', {
      id,
      tenant,
      hook,
      at: more.at ?? at,
      requestId: 'req_test',
      receiver: more.receiver ?? 'ins_me',
      sender: 'secret-path',
      body: bytes(body),
    });
    if (!done.ok) throw new Error(done.fault.code);
    return id;
  }
  const get = async (id: string) => {
    const found = await inbox().read('inbox.get', { tenant, id });
    if (!found.ok || found.value === null) throw new Error(`${id} is not there`);
    return found.value;
  };
  const stateOf = async (id: string): Promise<[State, string | null]> => {
    const { state, reason } = await get(id);
    return [state, reason];
  };
  const facts = (more: Partial<Facts> = {}): Facts => ({
    dataStructure: 'clinical_ready',
    client: 'c',
    user: 'u',
    documentVersion: 1,
    contentDigest: null,
    findings: [],
    unmapped: [],
    ...more,
  });
  const document = (
    key: string,
    version: number,
    clinical: string | null,
    order: DocumentFacts['order'] = 'version',
  ): Verdict => ({
    kind: 'sound',
    trouble: null,
    document: { key, version, clinicalDigest: clinical === null ? null : digest(clinical), order },
  });
  async function settle(
    id: string,
    verdict: Verdict,
    more: Partial<Facts> = {},
  ): Promise<[State, string | null] | null> {
    const { seq } = await get(id);
    const done = await store
      .use(deliverSet)
      .write('deliver.settle', { tenant, seq, at, requestId: 'req_test', facts: facts(more), verdict });
    if (!done.ok) throw new Error(done.fault.code);
    return done.value === null ? null : [done.value.state, done.value.reason];
  }
  async function ledger() {
    const [counted, rows] = [
      await inbox().read('inbox.ledger', { tenant }),
      await inbox().read('inbox.recount', { tenant }),
    ];
    if (!counted.ok || !rows.ok) throw new Error('the ledger cannot be read');
    expect(counted.value).toEqual(rows.value);
    expect(Object.values(counted.value.byState).reduce((a, b) => a + b, 0)).toBe(counted.value.acknowledged);
    return counted.value;
  }

  const listed = async (more: Partial<Asked>) => {
    const page = await inbox().read('inbox.list', { ...EVERYTHING, before: null, limit: 500, ...more });
    if (!page.ok) throw new Error(page.fault.code);
    return page.value;
  };

  test('what was put is received, with its bytes, once', async () => {
    const id = await put('{"a":1}');
    const page = await inbox().read('inbox.received', {
      tenant,
      receiver: 'ins_me',
      othersBefore: 0,
      othersAfter: Number.MAX_SAFE_INTEGER,
      between: [0, null],
      limit: 10,
      bytes: 1_000_000,
      journaled: 'too',
    });
    expect(page.ok && page.value.map((one) => [one.id, Buffer.from(one.body).toString()])).toEqual([[id, '{"a":1}']]);
    expect((await ledger()).byState.received).toBe(1);
  });

  test('notes are sealed, kept in their order, and open whoever the delivery turns out to be of', async () => {
    const id = await put('noted');
    const who = { tenant, at, requestId: 'req_test', actor: 'ada' };
    const noteThat = (text: string, of = id) => inbox().write('inbox.note', { ...who, id: of, text });
    expect(await noteThat('before anybody has looked')).toEqual({ ok: true, value: 'done' });
    await settle(id, { kind: 'quarantine', reason: 'shape' });
    expect(await noteThat('called Ms Marker\nat noon')).toEqual({ ok: true, value: 'done' });
    expect(await noteThat('x', 'dlv_none')).toEqual({ ok: true, value: 'not-found' });
    const work = async () => inbox().read('inbox.work', { tenant, id });
    const notes = ['before anybody has looked', 'called Ms Marker\nat noon'].map((text) => ({
      at: at.getTime(),
      actor: 'ada',
      text,
    }));
    expect(await work()).toEqual({ ok: true, value: { operator: null, notes } });
    for (let i = 2; i < 100; i += 1) await noteThat(`note ${i}`);
    expect(await noteThat('one too many')).toEqual({ ok: true, value: 'full' });
    const { records } = await (async () => {
      const found = await store.use(readAuditSet).read('audit-test.everything', null);
      if (!found.ok) throw new Error(found.fault.code);
      return found.value;
    })();
    expect(records.filter(({ record }) => record.includes('"why":"note"'))).toHaveLength(100);
    expect(JSON.stringify(records)).not.toContain('Marker');
  });

  test('somebody looks after a delivery, then somebody else, then nobody', async () => {
    const id = await put('assigned');
    const who = { tenant, at, requestId: 'req_test', actor: 'ada' };
    const assignTo = (operator: string | null, of = id) => inbox().write('inbox.assign', { ...who, id: of, operator });
    const assignee = async () => {
      const found = await inbox().read('inbox.work', { tenant, id });
      return found.ok ? found.value?.operator : found.fault.code;
    };
    const seen: unknown[] = [];
    for (const operator of ['opr_1', 'opr_2', null]) {
      expect(await assignTo(operator)).toEqual({ ok: true, value: 'done' });
      seen.push(await assignee());
    }
    expect(seen).toEqual(['opr_1', 'opr_2', null]);
    expect(await assignTo('opr_1', 'dlv_none')).toEqual({ ok: true, value: 'not-found' });
  });

  test('what waits for a person is grouped by state, reason and fault, with counts and the newest as examples', async () => {
    const parked = async (trouble: 'unmapped' | 'implausible', ms: number) => {
      const id = await put(`${trouble}${ms}`, 'data', { at: new Date(at.getTime() + ms) });
      await settle(id, { kind: 'sound', trouble, document: null }, { contentDigest: digest(id) });
      return id;
    };
    const unmapped: string[] = [];
    for (let i = 0; i < 5; i += 1) unmapped.push(await parked('unmapped', i));
    const implausible = await parked('implausible', 9);
    const odd = await put('odd');
    await settle(odd, { kind: 'quarantine', reason: 'shape' });
    await put('still to be looked at');
    const groups = async () => {
      const found = await inbox().read('inbox.groups', { tenant });
      if (!found.ok) throw new Error(found.fault.code);
      return found.value;
    };
    const of = { faultCode: null, isExact: true };
    const from = at.getTime();
    expect(await groups()).toEqual([
      {
        ...of,
        state: 'parked',
        reason: 'implausible',
        count: 1,
        oldestAt: from + 9,
        newestAt: from + 9,
        examples: [implausible],
      },
      {
        ...of,
        state: 'parked',
        reason: 'unmapped',
        count: 5,
        oldestAt: from,
        newestAt: from + 4,
        examples: unmapped.toReversed().slice(0, 3),
      },
      { ...of, state: 'quarantined', reason: 'shape', count: 1, oldestAt: from, newestAt: from, examples: [odd] },
    ]);
    const who = { tenant, at, requestId: 'req_test', actor: 'operator' };
    await inbox().write('inbox.discard', { ...who, id: odd, why: 'not wanted' });
    expect((await groups()).map(({ state }) => state)).toEqual(['parked', 'parked']);
  });

  test('a page of what was received holds so many bytes and one more, and the next begins behind it', async () => {
    const ids = [];
    for (const letter of 'abcd') ids.push(await put(letter.repeat(100)));
    const pageOf = async (after: number, bytes: number) => {
      const page = await inbox().read('inbox.received', {
        tenant,
        receiver: 'ins_me',
        othersBefore: 0,
        othersAfter: Number.MAX_SAFE_INTEGER,
        between: [after, null],
        limit: 3,
        bytes,
        journaled: 'too',
      });
      if (!page.ok) throw new Error(page.fault.code);
      return { found: page.value.map(({ id }) => id), last: page.value.at(-1)?.seq ?? 0 };
    };
    const first = await pageOf(0, 1);
    expect(first.found).toEqual(ids.slice(0, 1));
    expect((await pageOf(first.last, 150)).found).toEqual(ids.slice(1, 3));
    expect((await pageOf(0, 1_000_000)).found).toEqual(ids.slice(0, 3));
  });

  test('the same bytes again are a duplicate for ever, of the first, and are not stored again', async () => {
    const first = await put('same');
    const second = await put('same');
    const other = await put('same', 'notification');
    expect(await stateOf(second)).toEqual(['duplicate', 'same-bytes']);
    expect(await get(second)).toMatchObject({ duplicateOf: first, hasBody: false });
    expect(await stateOf(other)).toEqual(['received', null]);
    expect(await ledger()).toMatchObject({ acknowledged: 3 });
  });

  test('the same bytes many times at once are received once', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => put('at once')));
    const states = await Promise.all(ids.map(stateOf));
    expect(states.filter(([state]) => state === 'received')).toHaveLength(1);
    expect(states.filter(([state]) => state === 'duplicate')).toHaveLength(39);
    await ledger();
  });

  test('what another process received is left to it, until it has had time enough', async () => {
    await put('theirs', 'data', { receiver: 'ins_other' });
    const look = async (othersBefore: number, othersAfter: number) => {
      const asked = {
        tenant,
        receiver: 'ins_me',
        othersBefore,
        othersAfter,
        between: [0, null] as const,
        limit: 10,
        bytes: 1_000_000,
        journaled: 'too',
      } as const;
      const page = await inbox().read('inbox.received', asked);
      return page.ok ? page.value.length : -1;
    };
    const now = at.getTime();
    expect([await look(now, now), await look(now + 1, now + 2)]).toEqual([0, 1]);
    // By a clock that is ahead of ours.
    expect(await look(now - 2, now - 1)).toBe(1);
  });

  test('a delivery is settled once; who comes second is told so', async () => {
    const id = await put('x');
    expect(await settle(id, { kind: 'quarantine', reason: 'shape' })).toEqual(['quarantined', 'shape']);
    expect(await settle(id, { kind: 'quarantine', reason: 'not-json' })).toBeNull();
    expect(await stateOf(id)).toEqual(['quarantined', 'shape']);
  });

  test('the same content in other bytes is a duplicate', async () => {
    const [one, two] = [await put('{"a":1}'), await put('{ "a": 1 }')];
    const same = { contentDigest: digest('content') };
    await settle(one, document('k', 1, 'x'), same);
    expect(await settle(two, document('k', 1, 'x'), same)).toEqual(['duplicate', 'same-content']);
    expect((await get(two)).duplicateOf).toBe(one);
  });

  test.each<[string, [number, string][], [State, string | null][]]>([
    [
      'versions in order',
      [
        [1, 'a'],
        [2, 'b'],
      ],
      [
        ['superseded', 'newer-version'],
        ['parked', 'unlinked'],
      ],
    ],
    [
      'versions the other way round',
      [
        [2, 'b'],
        [1, 'a'],
      ],
      [
        ['parked', 'unlinked'],
        ['superseded', 'older-version'],
      ],
    ],
    [
      'the same version with the same clinical content',
      [
        [1, 'a'],
        [1, 'a'],
      ],
      [
        ['parked', 'unlinked'],
        ['duplicate', 'same-clinical-content'],
      ],
    ],
    [
      'the same version with other clinical content',
      [
        [1, 'a'],
        [1, 'b'],
      ],
      [
        ['parked', 'unlinked'],
        ['quarantined', 'version-conflict'],
      ],
    ],
  ])('%s', async (_what, versions, expected) => {
    const ids: string[] = [];
    for (const [version, clinical] of versions) {
      const id = await put(`${version} ${clinical} ${Math.random()}`);
      ids.push(id);
      await settle(id, document('k', version, clinical));
    }
    expect(await Promise.all(ids.map(stateOf))).toEqual(expected);
    await ledger();
  });

  test('the same number again is compared with what the last version said, not with an earlier one', async () => {
    const outcomes: ([State, string | null] | null)[] = [];
    for (const [version, clinical] of [
      [1, 'a'],
      [2, 'b'],
      [2, 'a'],
      [2, 'b'],
    ] as const)
      outcomes.push(
        await settle(await put(`${version} ${clinical} ${outcomes.length}`), document('k', version, clinical)),
      );
    expect(outcomes).toEqual([
      ['parked', 'unlinked'],
      ['parked', 'unlinked'],
      ['quarantined', 'version-conflict'],
      ['duplicate', 'same-clinical-content'],
    ]);
  });

  test('a version that was not finished gives way to any other of its number, and never takes the place of a finished one', async () => {
    const ids: string[] = [];
    for (const clinical of [null, null, 'a', null]) {
      const id = await put(`unfinished ${Math.random()}`);
      ids.push(id);
      await settle(id, document('k', 1, clinical));
    }
    expect(await Promise.all(ids.map(stateOf))).toEqual([
      ['superseded', 'newer-version'],
      ['superseded', 'newer-version'],
      ['parked', 'unlinked'],
      ['superseded', 'older-version'],
    ]);
    await ledger();
  });

  test('counts that ascend: what is not higher is out of date, never a conflict', async () => {
    const ids: string[] = [];
    for (const steps of [100, 300, 300, 200]) {
      const id = await put(`steps ${steps} ${Math.random()}`);
      ids.push(id);
      await settle(id, document('day', steps, String(Math.random()), 'ascending'));
    }
    expect((await Promise.all(ids.map(stateOf))).map(([state]) => state)).toEqual([
      'superseded',
      'parked',
      'superseded',
      'superseded',
    ]);
  });

  test('versions in any order, repeated and interleaved over documents, leave the highest of each and a ledger that adds up', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            key: fc.constantFrom('k1', 'k2'),
            version: fc.integer({ min: 1, max: 5 }),
            isRepeated: fc.boolean(),
          }),
          { minLength: 1, maxLength: 12 },
        ),
        async (plan) => {
          round += 1;
          const sent = await Promise.all(
            plan.map(async ({ key, version, isRepeated }, i) => ({
              key,
              version,
              id: await put(isRepeated ? `${round} ${key} ${version}` : `${round} ${key} ${version} ${i}`),
            })),
          );
          // All at once: the order in which they are settled is the writer's.
          await Promise.all(
            sent.map(({ id, key, version }) => settle(id, document(`${round} ${key}`, version, `${key} ${version}`))),
          );
          for (const key of ['k1', 'k2']) {
            const ofKey = sent.filter((one) => one.key === key);
            const live = (
              await Promise.all(ofKey.map(async (one) => ({ ...one, state: (await stateOf(one.id))[0] })))
            ).filter(({ state }) => state === 'parked');
            const highest = Math.max(...ofKey.map(({ version }) => version));
            expect(live.map(({ version }) => version)).toEqual(ofKey.length === 0 ? [] : [highest]);
          }
          await ledger();
        },
      ),
      { numRuns: howMany(8, 40) },
    );
  });

  test('a replay goes back to the start and is judged anew, as itself', async () => {
    const id = await put('x');
    await settle(id, document('k', 1, 'a'));
    const who = { tenant, at, requestId: 'req_2', actor: 'operator' };
    expect(await inbox().write('inbox.replay', { ...who, id })).toEqual({ ok: true, value: 'done' });
    expect(await stateOf(id)).toEqual(['received', 'replay']);
    expect(await settle(id, document('k', 1, 'b'))).toEqual(['parked', 'unlinked']);
    expect((await get(id)).steps.map(({ from, to, actor }) => [from, to, actor])).toEqual([
      [null, 'received', 'source'],
      ['received', 'parked', 'gateway'],
      ['parked', 'received', 'operator'],
      ['received', 'parked', 'gateway'],
    ]);
    await ledger();
  });

  test('many are replayed at once, by state and reason', async () => {
    for (const [i, verdict] of [
      { kind: 'quarantine', reason: 'shape' },
      { kind: 'quarantine', reason: 'shape' },
      { kind: 'quarantine', reason: 'not-r4' },
    ].entries())
      await settle(await put(`m${i}`), verdict as Verdict);
    const who = { tenant, at, requestId: 'req_2', actor: 'operator' };
    expect(
      await inbox().write('inbox.replay-many', {
        ...who,
        state: 'quarantined',
        reason: 'shape',
        after: 0,
        limit: 10,
      }),
    ).toEqual({
      ok: true,
      value: { count: 2, last: expect.any(Number) },
    });
    expect((await ledger()).byState).toMatchObject({ received: 2, quarantined: 1 });
  });

  test('only what waits for a person can be discarded or replayed', async () => {
    const who = { tenant, at, requestId: 'req_2', actor: 'operator' };
    const [parked, gone, fresh] = [await put('p'), await put('g'), await put('f')];
    await settle(parked, document('k', 2, 'a'));
    await settle(gone, document('k', 1, 'a'));
    expect(await inbox().write('inbox.discard', { ...who, id: parked, why: 'a test person' })).toEqual({
      ok: true,
      value: 'done',
    });
    expect(await stateOf(parked)).toEqual(['discarded', 'a test person']);
    for (const id of [parked, gone, fresh])
      expect(await inbox().write('inbox.replay', { ...who, id })).toEqual({ ok: true, value: 'not-in-a-state-for-it' });
    expect(await inbox().write('inbox.discard', { ...who, id: 'dlv_none', why: 'x' })).toEqual({
      ok: true,
      value: 'not-found',
    });
  });

  test('bodies that nobody needs any longer are shredded; those that wait for a person, rows, digests and audit stay', async () => {
    const long = { at: new Date('2025-01-01T00:00:00Z') };
    const [done, waiting] = [await put('done', 'data', long), await put('waiting', 'data', long)];
    const fresh = await put('fresh');
    await settle(done, { kind: 'handled' });
    await settle(waiting, document('k', 1, 'a'));
    const shred = { tenant, before: new Date('2025-06-01T00:00:00Z'), at, limit: 10 };
    expect(await inbox().write('inbox.shred', shred)).toEqual({ ok: true, value: { count: 1 } });
    expect([(await get(done)).hasBody, (await get(waiting)).hasBody, (await get(fresh)).hasBody]).toEqual([
      false,
      true,
      true,
    ]);
    expect(await stateOf(await put('done'))).toEqual(['duplicate', 'same-bytes']);
    expect(await inbox().write('inbox.shred', shred)).toEqual({ ok: true, value: { count: 0 } });
  });

  test('after the version that stood in its way was given up, a delivery of that version counts', async () => {
    const who = { tenant, at, requestId: 'req_2', actor: 'operator' };
    const [wrong, right] = [await put('w'), await put('r')];
    await settle(wrong, document('k', 1, 'wrong'));
    expect(await settle(right, document('k', 1, 'right'))).toEqual(['quarantined', 'version-conflict']);
    await inbox().write('inbox.discard', { ...who, id: wrong, why: 'the wrong one' });
    await inbox().write('inbox.replay', { ...who, id: right });
    expect(await settle(right, document('k', 1, 'right'))).toEqual(['parked', 'unlinked']);
  });

  test('a body that this process cannot open keeps no other from being looked at', async () => {
    const { pseudonym } = TEST_KEYS;
    const next = someKey();
    await store.close();
    const sets = [auditSet, inboxSet, deliverSet, readAuditSet];
    store = await place.open({ sets, keys: { data: [next, ...TEST_KEYS.data], pseudonym } });
    const [closed, open] = [await put('closed'), 'dlv_open'];
    await store.close();
    // As a process that was started before the rotation would see it.
    store = await place.open({ sets, keys: { data: [...TEST_KEYS.data, next], pseudonym } });
    await inbox().write('inbox.put', {
      id: open,
      tenant,
      hook: 'data',
      at,
      requestId: 'r',
      receiver: 'ins_me',
      sender: 's',
      body: bytes('open'),
    });
    const page = await inbox().read('inbox.received', {
      tenant,
      receiver: 'ins_me',
      othersBefore: 0,
      othersAfter: Number.MAX_SAFE_INTEGER,
      between: [0, null],
      limit: 10,
      bytes: 1_000_000,
      journaled: 'too',
    });
    expect(page.ok && page.value.map(({ id, body }) => [id, body !== 'unopenable'])).toEqual([
      [closed, true],
      [open, true],
    ]);
  });

  test('a list is seen whole, newest first, by pages and filters', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i += 1) {
      const id = await put(`l${i}`);
      ids.unshift(id);
      await settle(id, document(`k${i}`, 1, 'a'), {
        user: i % 2 === 0 ? 'even' : 'odd',
        dataStructure: i < 3 ? 'steps_event' : 'user_profile',
      });
    }
    const list = (more: Partial<Asked>) => listed({ limit: 3, ...more });
    const seen: string[] = [];
    for (let page = await list({}); ; page = await list({ before: page.next })) {
      seen.push(...page.deliveries.map(({ id }) => id));
      if (page.next === null) break;
    }
    expect(seen).toEqual(ids);
    expect((await list({ state: 'queued' })).deliveries).toEqual([]);
    expect((await list({ dataStructure: 'steps_event' })).deliveries).toHaveLength(3);
    expect((await list({ user: { client: 'c', user: 'odd' }, limit: 10 })).deliveries).toHaveLength(3);
    expect((await list({ user: { client: 'other', user: 'odd' } })).deliveries).toEqual([]);
  });

  test('a user id is shown to the operator and stands nowhere in clear', async () => {
    const id = await put('x');
    await settle(id, document('k', 1, 'a'), { user: 'MarkerUser' });
    expect((await get(id)).userId).toBe('MarkerUser');
    const rows = await store.use(readAuditSet).read('audit-test.everything', null);
    expect(rows.ok && JSON.stringify(rows.value)).not.toContain('MarkerUser');
  });

  test('every put and every change has its audit record, in chains without a gap', async () => {
    const id = await put('x');
    await settle(id, document('k', 1, 'a'));
    await Promise.all(Array.from({ length: 30 }, (_, i) => put(`many ${i}`)));
    const found = await store.use(readAuditSet).read('audit-test.everything', null);
    if (!found.ok) throw new Error(found.fault.code);
    const { chains, records } = found.value;
    expect(
      records
        .map(({ record }) => (JSON.parse(record) as { type: string }).type)
        .filter((type) => type === 'hook.accept'),
    ).toHaveLength(31);
    expect(records.filter(({ record }) => record.includes('"delivery.change"'))).toHaveLength(1);
    for (const { chain, firstLink } of chains) {
      let link = Buffer.from(firstLink, 'hex');
      const ofChain = records.filter((one) => one.chain === chain).sort((a, b) => a.seq - b.seq);
      expect(ofChain.map(({ seq }) => seq)).toEqual(ofChain.map((_, i) => i + 1));
      for (const { record, link: stored } of ofChain) {
        const leaf = createHash('sha256').update('\u0000').update(record).digest();
        link = createHash('sha256').update('\u0002').update(link).update(leaf).digest();
        expect(stored).toBe(link.toString('hex'));
      }
    }
  });
});

test('two replicas on PostgreSQL settle versions of one document one after the other', async () => {
  const place = await postgresPlace();
  try {
    const stores = [
      await place.open({ sets: [auditSet, inboxSet, deliverSet] }),
      await place.open({ sets: [auditSet, inboxSet, deliverSet] }),
    ] as const;
    const settle = async (store: Store, version: number): Promise<[State, string | null]> => {
      const id = `dlv_v${version}`;
      const put = {
        id,
        tenant,
        hook: 'data',
        at,
        requestId: 'r',
        receiver: 'i',
        sender: 's',
        body: bytes(id),
      } as const;
      await store.use(inboxSet).write('inbox.put', put);
      const found = await store.use(inboxSet).read('inbox.get', { tenant, id });
      if (!found.ok || found.value === null) throw new Error('not there');
      const verdict: Verdict = {
        kind: 'sound',
        trouble: null,
        document: { key: 'k', version, clinicalDigest: digest(id), order: 'version' },
      };
      const facts: Facts = {
        dataStructure: 'clinical_ready',
        client: 'c',
        // One user's deliveries wait for each other anyway.
        user: `u${version}`,
        documentVersion: version,
        contentDigest: null,
        findings: [],
        unmapped: [],
      };
      const { seq } = found.value;
      const done = await store
        .use(deliverSet)
        .write('deliver.settle', { tenant, seq, at, requestId: 'r', facts, verdict });
      if (!done.ok || done.value === null) throw new Error('not settled');
      return [done.value.state, done.value.reason];
    };
    expect(await settle(stores[0], 1)).toEqual(['parked', 'unlinked']);
    const url = place.database.engine === 'postgres' ? place.database.url.reveal() : '';
    await withClient(url, async (other) => {
      // A third has the document: both wait for it, and then the one for the other.
      await other.query('BEGIN');
      await other.query('SELECT 1 FROM document FOR UPDATE');
      const waiting = async (): Promise<number> => {
        const { rows } = await other.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rows[0]?.n ?? 0;
      };
      const third = settle(stores[0], 3);
      expect(await eventually(waiting, (n) => n === 1, 1_500)).toBe(1);
      const second = settle(stores[1], 2);
      expect(await eventually(waiting, (n) => n === 2, 1_500)).toBe(2);
      await other.query('COMMIT');
      expect([await third, await second]).toEqual([
        ['parked', 'unlinked'],
        ['superseded', 'older-version'],
      ]);
      const { rows } = await other.query<Record<string, unknown>>('SELECT version::int AS version FROM document');
      expect(rows).toEqual([{ version: 3 }]);
      const states = await other.query<Record<string, unknown>>('SELECT id, state FROM delivery ORDER BY id');
      expect(states.rows).toEqual([
        { id: 'dlv_v1', state: 'superseded' },
        { id: 'dlv_v2', state: 'superseded' },
        { id: 'dlv_v3', state: 'parked' },
      ]);
    });
  } finally {
    await place.remove();
  }
});
