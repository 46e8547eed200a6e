import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import { identitySet } from '../../src/identity/index.ts';
import { inboxSet } from '../../src/inbox/index.ts';
import { silentLog, systemClock } from '../../src/kernel/index.ts';
import { deliverSet, laneSet } from '../../src/lanes/index.ts';
import { factsOf, makePersons, personSet, type PersonFacts } from '../../src/persons/index.ts';
import { makeReadDue } from '../../src/persons/read-due.ts';
import { readConditions } from '../../src/smart/person-conditions.ts';
import type { Store } from '../../src/store/index.ts';
import { act, laneTools, must, tenant } from '../support/lane-tools.ts';
import { PLACES, type Place } from '../support/new-store.ts';

const factsFor = (id: string, family: string): PersonFacts => {
  const facts = factsOf({ resourceType: 'Patient', id, name: [{ family }] });
  if (facts === null) throw new Error('no facts');
  return facts;
};
const anyone = readConditions([]);

describe.each(PLACES)('persons on %s', (_, newPlace) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await newPlace();
    store = await place.open({ sets: [auditSet, inboxSet, identitySet, personSet, deliverSet, laneSet] });
  });
  afterEach(() => place.remove());
  const { link } = laneTools(() => store);
  const persons = () => store.use(personSet);
  const revoke = async (user: string) =>
    must(
      await store
        .use(deliverSet)
        .write('deliver.revoke', { ...act, user: { client: 'c', user }, why: 'x', charted: 'keep', limit: 10 }),
    );
  const claim = async (atMs = 1_000, leaseMs = 500) =>
    must(await persons().write('persons.claim', { tenant, atMs, leaseMs, limit: 10 }));
  const doubt = async (mrnIndex: string) =>
    must(await persons().write('persons.doubt', { tenant, mrnIndexes: [mrnIndex] }));
  const putLeased = async (mrnIndex: string, version: number, leasedUntilMs: number, ...facts: PersonFacts[]) =>
    must(
      await persons().write('persons.put', {
        tenant,
        read: [{ mrnIndex, version, facts }],
        dueAtMs: 9_000,
        leasedUntilMs,
      }),
    );
  /** Claimed just now, where it can be. */
  const put = async (mrnIndex: string, ...facts: PersonFacts[]) => {
    await doubt(mrnIndex);
    const due = (await claim(1)).find((one) => one.mrnIndex === mrnIndex);
    await putLeased(mrnIndex, due?.version ?? 1, 501, ...facts);
  };
  const since = async (version: number) =>
    must(await persons().read('persons.since', { tenant, version, mrnIndex: null, limit: 100 }));
  const namesSince = async (version: number) => (await since(version)).map(({ facts }) => facts.map(({ id }) => id));
  const index = () =>
    makePersons({ tenant, mrnSystem: 'urn:mrn', persons: persons(), clock: systemClock, log: silentLog });
  const idsOf = async (of: ReturnType<typeof index>) => {
    if (!anyone.ok) throw new Error('no condition');
    const found = must(await of.find({ is: anyone.value, sort: null, after: null, limit: 10 }));
    return [found.persons.map(({ id }) => id), found.total];
  };

  test('whoever is linked is due at once, and is left to one process at a time', async () => {
    await link('u1', '0001');
    const due = await claim();
    expect(due.map(({ mrn }) => mrn)).toEqual(['0001']);
    expect(await claim(1_499)).toEqual([]);
    expect((await claim(1_500)).map(({ mrn }) => mrn)).toEqual(['0001']);
    await put(due[0]?.mrnIndex ?? '', factsFor('a', 'Ahn'));
    expect(await claim(8_999)).toEqual([]);
    expect(must(await persons().read('persons.is-due', { tenant, atMs: 9_000 }))).toBe(true);
  });

  test('what changes is told in its order, and what does not is not', async () => {
    await link('u1', '0001');
    await link('u2', '0002');
    const [a, b] = await claim();
    const [one, two] = [a?.mrnIndex ?? '', b?.mrnIndex ?? ''];
    await put(one, factsFor('a', 'Ahn'));
    await put(two, factsFor('b', 'Bo'));
    const { version } = must(await persons().read('persons.state', { tenant }));
    expect(await namesSince(version)).toEqual([]);
    await put(one, factsFor('a', 'Ahn'));
    expect(await namesSince(version)).toEqual([]);
    await put(two, factsFor('b', 'Bohr'));
    await put(one, factsFor('a', 'Aho'), factsFor('a2', 'Aho'));
    expect(await namesSince(version)).toEqual([['b'], ['a', 'a2']]);
    const page = must(await persons().read('persons.since', { tenant, version, mrnIndex: null, limit: 1 }));
    const rest = { tenant, version: page[0]?.version ?? 0, mrnIndex: page[0]?.mrnIndex ?? '', limit: 5 };
    expect(must(await persons().read('persons.since', rest)).map(({ facts }) => facts.length)).toEqual([2]);
  });

  test('the end of the last link takes everything away in its commit; of one of two it does not', async () => {
    await link('u1', '0001');
    await link('u2', '0001');
    const [due] = await claim();
    await put(due?.mrnIndex ?? '', factsFor('a', 'Ahn'));
    const here = index();
    const elsewhere = index();
    expect([await idsOf(here), await idsOf(elsewhere)]).toEqual([
      [['a'], 1],
      [['a'], 1],
    ]);
    await revoke('u1');
    expect(await idsOf(here)).toEqual([['a'], 1]);
    await revoke('u2');
    expect([await idsOf(here), await idsOf(elsewhere), await idsOf(index())]).toEqual([
      [[], 0],
      [[], 0],
      [[], 0],
    ]);
    // What was under way to the EHR meanwhile comes too late.
    await put(due?.mrnIndex ?? '', factsFor('a', 'Ahn'));
    expect([await idsOf(here), await claim(1e12)]).toEqual([[[], 0], []]);
    await link('u3', '0001');
    expect((await claim()).map(({ mrn }) => mrn)).toEqual(['0001']);
    await put(due?.mrnIndex ?? '', factsFor('a', 'Ahn'));
    expect(await idsOf(here)).toEqual([['a'], 1]);
  });

  test('a user who is linked to another patient takes one out and puts one in', async () => {
    await link('u1', '0001');
    const [due] = await claim();
    await put(due?.mrnIndex ?? '', factsFor('a', 'Ahn'));
    await link('u1', '0002');
    const { version } = must(await persons().read('persons.state', { tenant }));
    expect((await since(version - 1)).map(({ facts }) => facts.length)).toEqual([0, 0]);
    expect((await claim(1e12)).map(({ mrn }) => mrn)).toEqual(['0002']);
  });

  test('a Patient that was read by somebody is kept where it is linked, and nowhere else', async () => {
    await link('u1', '0001');
    const [due] = await claim();
    const notice = async (id: string, family: string, ...mrns: string[]) =>
      must(
        await persons().write('persons.notice', { tenant, mrnSystem: 'urn:mrn', mrns, facts: factsFor(id, family) }),
      );
    const here = index();
    await notice('a', 'Ahn', '0001', '7777');
    await notice('z', 'Zed', '7777');
    expect(await idsOf(here)).toEqual([['a'], 1]);
    const { version } = must(await persons().read('persons.state', { tenant }));
    await notice('a', 'Ahn', '0001');
    expect((await since(version)).length).toBe(0);
    await notice('b', 'Bo', '0001');
    expect(await idsOf(here)).toEqual([['a', 'b'], 2]);
    await put(due?.mrnIndex ?? '', factsFor('b', 'Bo'));
    expect(await idsOf(here)).toEqual([['b'], 1]);
  });

  test('what became known while the EHR was asked stays, and so does a doubt', async () => {
    await link('u1', '0001');
    const [due] = await claim();
    const { mrnIndex, version } = due ?? { mrnIndex: '', version: 0 };
    const known = { tenant, mrnSystem: 'urn:mrn', mrns: ['0001'], facts: factsFor('newer', 'Ahn') };
    must(await persons().write('persons.notice', known));
    await putLeased(mrnIndex, version, 1_500, factsFor('older', 'Ahn'));
    expect([await idsOf(index()), await claim(1_499)]).toEqual([[['newer'], 1], []]);
    const [again] = await claim(1_500);
    await doubt(mrnIndex);
    await putLeased(mrnIndex, again?.version ?? 0, 2_000, factsFor('older', 'Ahn'));
    expect([await idsOf(index()), (await claim(1)).length]).toEqual([[['older'], 1], 1]);
  });

  test('what is in doubt is due again; what says only that a link has ended goes after a while', async () => {
    await link('u1', '0001');
    const [due] = await claim();
    const mrnIndex = due?.mrnIndex ?? '';
    await put(mrnIndex, factsFor('a', 'Ahn'));
    await doubt(mrnIndex);
    expect((await claim(1)).length).toBe(1);
    await revoke('u1');
    const count = async () => (await since(0)).length;
    must(await persons().write('persons.sweep', { tenant, beforeMs: act.at.getTime() }));
    expect(await count()).toBe(1);
    must(await persons().write('persons.sweep', { tenant, beforeMs: act.at.getTime() + 1 }));
    expect(await count()).toBe(0);
  });

  test('the EHR is asked for fifty at once; what it does not have is nobody, and a failure leaves all to be asked again', async () => {
    for (let n = 0; n < 60; n += 1) await link(`u${n}`, `m${n}`);
    const asked: number[] = [];
    let isDown = true;
    const readDue = makeReadDue({
      tenant,
      persons: persons(),
      clock: systemClock,
      readByMrn: (mrns) => {
        asked.push(mrns.length);
        if (isDown) return Promise.resolve({ ok: false, fault: { kind: 'ehr-timeout', code: 'ehr.timeout' } });
        const value = mrns
          .filter((mrn) => mrn !== 'm7')
          .map((mrn) => ({ patient: { resourceType: 'Patient', id: mrn }, mrns: [mrn] }));
        return Promise.resolve({ ok: true, value });
      },
    });
    expect((await readDue()).kind).toBe('failed');
    isDown = false;
    expect([(await readDue()).kind, (await readDue()).kind, (await readDue()).kind]).toEqual([
      'read',
      'read',
      'nothing',
    ]);
    expect(asked).toEqual([50, 50, 10]);
    const [ids, total] = await idsOf(index());
    expect([(ids as string[]).length, total]).toEqual([10, 59]);
  });
});
