import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import { inboxSet, type UnmappedWord, type Verdict } from '../../src/inbox/index.ts';
import { jobSet, runJobs, type BulkAct, type BulkJob, type Choice, type Whose } from '../../src/jobs/index.ts';
import { silentLog, type Result } from '../../src/kernel/index.ts';
import { deliverSet } from '../../src/lanes/index.ts';
import type { Store } from '../../src/store/index.ts';
import { testClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { PLACES, type Place } from '../support/new-store.ts';
import { readAuditSet } from '../support/read-audit/index.ts';

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
}
const tenant = 'default';
const NOON = new Date('2026-03-01T12:00:00Z');
const SETS = [auditSet, inboxSet, deliverSet, jobSet, readAuditSet];

const PARKED: Choice = {
  state: 'parked',
  reason: null,
  faultCode: null,
  dataStructure: null,
  word: null,
  ofOne: null,
  receivedFrom: null,
  receivedTo: null,
};
const parkedAs = (trouble: 'unmapped' | 'implausible'): Verdict => ({ kind: 'sound', trouble, document: null });
const QUARANTINED: Verdict = { kind: 'quarantine', reason: 'shape' };

describe.each(PLACES)('bulk jobs on %s', (engine, makePlace) => {
  let place: Place;
  let store: Store;
  let n = 0;
  const jobs = () => store.use(jobSet);
  const inbox = () => store.use(inboxSet);
  const act = (actor = 'ada') => ({ tenant, at: NOON, requestId: 'req_job', actor });

  beforeEach(async () => {
    place = await makePlace();
    store = await place.open({ sets: SETS });
  });
  afterEach(() => place.remove());

  async function deliver(
    verdict: Verdict,
    {
      user = 'u',
      at = NOON,
      structure = 'steps_event',
      unmapped = [],
    }: { user?: string; at?: Date; structure?: string; unmapped?: readonly UnmappedWord[] } = {},
  ): Promise<string> {
    n += 1;
    const id = `dlv_${n}`;
    const put = { id, tenant, hook: 'data', at, requestId: 'r', receiver: 'i', sender: 's' } as const;
    must(await inbox().write('inbox.put', { ...put, body: new TextEncoder().encode(`{"n":${n}}`) }));
    const seq = must(await inbox().read('inbox.get', { tenant, id }))?.seq ?? 0;
    const facts = {
      dataStructure: structure,
      client: 'c',
      user,
      documentVersion: 1,
      contentDigest: null,
      findings: [],
      unmapped,
    };
    must(await store.use(deliverSet).write('deliver.settle', { tenant, seq, at, requestId: 'r', facts, verdict }));
    return id;
  }
  const stateOf = async (id: string) => must(await inbox().read('inbox.get', { tenant, id }))?.state;
  const choose = async (choice: Choice = PARKED, whose: Whose = null) =>
    must(await jobs().read('jobs.choose', { tenant, choice, whose }));

  let made = 0;
  async function propose(choice: Choice, what: BulkAct = 'replay', actor = 'ada'): Promise<string> {
    made += 1;
    const id = `job_${made}`;
    const { deliveries, patients } = await choose(choice);
    const why = what === 'discard' ? 'not wanted' : null;
    must(await jobs().write('jobs.propose', { ...act(actor), id, act: what, choice, why, deliveries, patients }));
    return id;
  }
  const start = async (id: string, confirm: number, actor = 'ada') =>
    must(await jobs().write('jobs.start', { ...act(actor), id, confirm }));
  const get = async (id: string): Promise<BulkJob | null> => must(await jobs().read('jobs.get', { tenant, id }));
  const step = async () => must(await jobs().write('jobs.step', { tenant, at: NOON }));
  async function runAll(): Promise<void> {
    for (let times = 0; times < 100; times += 1) if ((await step()).kind === 'nothing') return;
    throw new Error('it does not come to its end');
  }

  test('a preview counts deliveries and patients by every part of the filter', async () => {
    await deliver(parkedAs('unmapped'), { user: 'ann' });
    await deliver(parkedAs('unmapped'), { user: 'ann', at: new Date(NOON.getTime() + 1_000) });
    await deliver(parkedAs('implausible'), { user: 'ben', structure: 'alert' });
    await deliver(QUARANTINED, { user: 'cid' });
    const counts = async (more: Partial<Choice>) => {
      const { deliveries, patients } = await choose({ ...PARKED, ...more });
      return [deliveries.length, patients];
    };
    expect(await counts({})).toEqual([3, 2]);
    expect(await counts({ state: 'quarantined' })).toEqual([1, 1]);
    expect(await counts({ reason: 'unmapped' })).toEqual([2, 1]);
    expect(await counts({ faultCode: 'patient.none' })).toEqual([0, 0]);
    expect(await counts({ dataStructure: 'alert' })).toEqual([1, 1]);
    expect(await counts({ receivedFrom: NOON.getTime() + 1 })).toEqual([1, 1]);
    expect(await counts({ receivedTo: NOON.getTime() + 1 })).toEqual([2, 2]);
  });

  const [cuff, stone]: readonly [UnmappedWord, UnmappedWord] = [
    { kind: 'code', what: 'cuff' },
    { kind: 'unit', what: 'stone' },
  ];
  const wordsOf = async () => {
    const asked = { tenant, state: 'parked', reason: 'unmapped', faultCode: null, limit: 50 } as const;
    const { words, wordless } = must(await inbox().read('inbox.group-words', asked));
    const known = must(
      await store.use(deliverSet).read('deliver.words', { tenant, ids: words.map((one) => one.wordId) }),
    );
    const named = words.map(({ wordId, count, example }) => ({
      id: wordId,
      says: [known.find(({ id }) => id === wordId)?.what, count, example],
    }));
    return { words: named.map(({ says }) => says), ids: named.map(({ id }) => id), wordless };
  };

  test('what is parked for a word is counted by it and chosen by it, as long as it waits', async () => {
    const first = await deliver(parkedAs('unmapped'), { user: 'ann', unmapped: [cuff, stone] });
    const second = await deliver(parkedAs('unmapped'), { user: 'ben', unmapped: [cuff] });
    await deliver(parkedAs('unmapped'), { user: 'cid' });
    // Parked for another reason: mapping the word does not let it go on.
    await deliver(parkedAs('implausible'), { unmapped: [cuff] });
    const { words, ids, wordless } = await wordsOf();
    expect([words, wordless]).toEqual([
      [
        ['cuff', 2, second],
        ['stone', 1, first],
      ],
      1,
    ]);
    const [byCuff = '', byStone = ''] = ids;
    const job = await propose({ ...PARKED, word: byStone }, 'discard');
    expect((await choose({ ...PARKED, word: byCuff })).deliveries).toHaveLength(2);
    expect((await choose({ ...PARKED, word: byCuff }, { client: 'c', user: 'ben' })).deliveries).toHaveLength(1);
    await start(job, 1);
    await runAll();
    expect([await stateOf(first), await stateOf(second)]).toEqual(['discarded', 'parked']);
    expect((await wordsOf()).words).toEqual([['cuff', 1, second]]);
    must(await inbox().write('inbox.replay', { ...act(), id: second }));
    expect(await wordsOf()).toEqual({ words: [], ids: [], wordless: 1 });
    expect(await get(job)).toMatchObject({ choice: { word: byStone, ofOne: null } });
  });

  test('a choice of one user or of the users of one patient leaves all others alone', async () => {
    for (const user of ['ann', 'ann', 'ben']) await deliver(parkedAs('unmapped'), { user });
    expect((await choose(PARKED, { client: 'c', user: 'ann' })).deliveries).toHaveLength(2);
    expect((await choose(PARKED, { client: 'other', user: 'ann' })).deliveries).toHaveLength(0);
    expect(await choose(PARKED, [])).toEqual({ deliveries: [], patients: 0, ofNobody: 0 });
  });

  test('only whoever was shown it starts it, once, and with the number that was shown', async () => {
    await deliver(parkedAs('unmapped'));
    const id = await propose(PARKED);
    expect(await get(id)).toBeNull();
    expect(await start(id, 2)).toEqual({ kind: 'unconfirmed', count: 1 });
    expect(await start(id, 1, 'ben')).toEqual({ kind: 'not-found' });
    expect(await start('job_none', 1)).toEqual({ kind: 'not-found' });
    expect(await start(id, 1)).toMatchObject({ kind: 'started', job: { id, total: 1, state: 'running' } });
    expect(await start(id, 1)).toEqual({ kind: 'not-found' });
  });

  test('what was not shown is not moved: what came since, and what was moved since', async () => {
    const [first, second, third] = [
      await deliver(parkedAs('unmapped')),
      await deliver(parkedAs('unmapped')),
      await deliver(parkedAs('unmapped')),
    ];
    const id = await propose(PARKED, 'discard');
    const late = await deliver(parkedAs('unmapped'));
    // Judged again, and parked once more: another look would be needed.
    const later = { tenant, at: new Date(NOON.getTime() + 5), requestId: 'r', actor: 'ben' };
    must(await inbox().write('inbox.replay', { ...later, id: second }));
    must(await inbox().write('inbox.discard', { ...later, id: third, why: 'by hand' }));
    await start(id, 3);
    await runAll();
    expect(await Promise.all([first, second, third, late].map(stateOf))).toEqual([
      'discarded',
      'received',
      'discarded',
      'parked',
    ]);
    expect(await get(id)).toMatchObject({ state: 'done', total: 3, moved: 1, skipped: 2, endedAt: NOON.getTime() });
  });

  test('each delivery is moved in the name of who started it, with the reason that was given', async () => {
    const id = await deliver(QUARANTINED);
    const job = await propose({ ...PARKED, state: 'quarantined' }, 'discard');
    await start(job, 1);
    await runAll();
    const steps = must(await inbox().read('inbox.get', { tenant, id }))?.steps;
    expect(steps?.at(-1)).toMatchObject({ to: 'discarded', reason: 'not wanted', actor: 'ada' });
    const counted = must(await inbox().read('inbox.ledger', { tenant }));
    expect(counted).toEqual(must(await inbox().read('inbox.recount', { tenant })));
    const { records } = must(await store.use(readAuditSet).read('audit-test.everything', null));
    expect(records.map(({ record }) => JSON.parse(record) as object)).toContainEqual(
      expect.objectContaining({ why: 'job.start', to: 'discard', count: 1, actor: 'ada' }),
    );
  });

  test('goes on where it was after a restart, whatever the clock says by then', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 60; i += 1) ids.push(await deliver(parkedAs('unmapped'), { user: `u${i % 7}` }));
    const id = await propose(PARKED);
    expect(await start(id, 60)).toMatchObject({ job: { patients: 7 } });
    expect(await step()).toMatchObject({ kind: 'stepped', moved: 20, ended: null });
    await store.close();
    store = await place.open({ sets: SETS });
    const replayed: number[] = [];
    // Started by a clock that was a day ahead; carried out by one that is right.
    const clock = testClock('2026-02-28T12:00:00Z');
    const part = runJobs({ tenant, jobs: jobs(), clock, log: silentLog, onReplay: () => void replayed.push(1) });
    part.start();
    try {
      expect(
        await eventually(
          () => get(id),
          (job) => job?.state === 'done',
        ),
      ).toMatchObject({ moved: 60, skipped: 0 });
    } finally {
      await part.stop();
    }
    expect(replayed.length).toBeGreaterThan(0);
    expect(new Set(await Promise.all(ids.map(stateOf)))).toEqual(new Set(['received']));
  });

  test('is stopped: what it has moved stays, and the rest is left alone', async () => {
    for (let i = 0; i < 60; i += 1) await deliver(parkedAs('unmapped'));
    const id = await propose(PARKED, 'discard');
    await start(id, 60);
    await step();
    const stop = (which: string) => jobs().write('jobs.stop', { ...act('ben'), id: which });
    expect(must(await stop(id))).toMatchObject({ state: 'stopped', moved: 20 });
    expect(must(await stop(id))).toBe('not-running');
    expect(must(await stop('job_none'))).toBe('not-found');
    expect(await step()).toEqual({ kind: 'nothing' });
    expect((await choose()).deliveries).toHaveLength(40);
  });

  test('they are carried out one after the other, and listed newest first', async () => {
    await deliver(parkedAs('unmapped'));
    await deliver(QUARANTINED);
    const ids = [await propose(PARKED), await propose({ ...PARKED, state: 'quarantined' })];
    await start(ids[1] ?? '', 1);
    await start(ids[0] ?? '', 1);
    expect(await step()).toMatchObject({ ended: { id: ids[0] } });
    expect(await step()).toMatchObject({ ended: { id: ids[1] } });
    const page = async (before: number | null) =>
      must(await jobs().read('jobs.list', { tenant, before, limit: 1 })).map(({ id, seq }) => ({ id, seq }));
    const [newest] = await page(null);
    expect([newest?.id, (await page(newest?.seq ?? 0))[0]?.id]).toEqual([ids[1], ids[0]]);
  });

  test('so many may be under way, and so many previews are kept', async () => {
    await deliver(parkedAs('unmapped'));
    const first = await propose(PARKED);
    for (let i = 0; i < 20; i += 1) await propose(PARKED);
    expect(await start(first, 1)).toEqual({ kind: 'not-found' });
    for (let i = 0; i < 20; i += 1) expect(await start(await propose(PARKED), 1)).toMatchObject({ kind: 'started' });
    expect(await start(await propose(PARKED), 1)).toEqual({ kind: 'too-many' });
  });

  if (engine === 'postgres')
    test('two processes carry out a job together without moving anything twice', async () => {
      for (let i = 0; i < 120; i += 1) await deliver(parkedAs('unmapped'));
      const id = await propose(PARKED);
      await start(id, 120);
      const other = await place.open({ sets: SETS });
      const parts = [store, other].map((one) =>
        runJobs({
          tenant,
          jobs: one.use(jobSet),
          clock: testClock(NOON.toISOString()),
          log: silentLog,
          onReplay: () => undefined,
        }),
      );
      for (const part of parts) part.start();
      try {
        expect(
          await eventually(
            () => get(id),
            (job) => job?.state === 'done',
          ),
        ).toMatchObject({ moved: 120, skipped: 0 });
      } finally {
        await Promise.all(parts.map((part) => part.stop()));
      }
    });
});
