import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { auditSet } from '../../src/audit/index.ts';
import { deliverSet, makeLinkChanger } from '../../src/lanes/index.ts';
import { enrolSet, makeFindUser, type Enrolled } from '../../src/enrol/index.ts';
import { identitySet } from '../../src/identity/index.ts';
import { inboxSet } from '../../src/inbox/index.ts';
import { fail, fault, ok, silentLog, systemClock, type Result } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { newId } from '../support/gateway.ts';
import { laneSet } from '../support/lane-commands/index.ts';
import { PLACES, type Place } from '../support/new-store.ts';

const tenant = 'default';
const mrnSystem = 'urn:example:mrn';
const SETS = [auditSet, inboxSet, identitySet, deliverSet, laneSet, enrolSet];
const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.code);
  return result.value;
};

describe.each(PLACES)('enrolment at once on %s', (engine, makePlace) => {
  let place: Place;
  let stores: Store[];
  const stops: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    place = await makePlace();
    const first = await place.open({ sets: SETS });
    // A file of SQLite has one process; a database of PostgreSQL has as many replicas as there are.
    stores =
      engine === 'sqlite'
        ? [first, first]
        : [first, await place.open({ sets: SETS }), await place.open({ sets: SETS })];
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await place.remove();
  });

  function replica(store: Store, client = 'client-1') {
    const links = makeLinkChanger({ tenant, deliver: store.use(deliverSet), clock: systemClock, log: silentLog });
    stops.push(() => links.stop());
    const users = makeFindUser({
      tenant,
      client,
      mrnSystem,
      identity: store.use(identitySet),
      enrolment: store.use(enrolSet),
      checkPatient: ({ mrn }) => Promise.resolve(mrn === 'nobody' ? fail(fault('patient.none')) : ok(null)),
      link: (act, wanted) => links.put(act, wanted),
      newId,
      chance: (bytes) => randomBytes(bytes),
      clock: systemClock,
    });
    return { links, users };
  }
  const act = () => ({ tenant, at: systemClock.now(), requestId: 'req_test', actor: 'operator' });
  const linksOf = async (mrn: string) =>
    must(
      await (stores[0] as Store).use(identitySet).read('identity.list', {
        tenant,
        status: null,
        user: null,
        patient: { mrnSystem, mrn },
        before: null,
        limit: 99,
      }),
    );

  const BY = { requestId: 'req_test', actor: 'operator' };

  test('replicas that enrol one MRN at one instant make one user and one link', async () => {
    const replicas = stores.map((store) => replica(store));
    for (let round = 0; round < 10; round += 1) {
      const mrn = `00${round}`;
      const all = await Promise.all(
        Array.from(
          { length: 12 },
          (_, i) => replicas[i % replicas.length]?.users.made(mrn, BY) as Promise<Result<Enrolled>>,
        ),
      );
      expect(new Set(all.map((one) => must(one).user)).size).toBe(1);
      expect((await linksOf(mrn)).length).toBe(1);
    }
  });

  test('two patients have two users', async () => {
    const { users } = replica(stores[0] as Store);
    expect(must(await users.made('1', BY)).user).not.toBe(must(await users.made('2', BY)).user);
  });

  test('a user whose link was revoked, or that is another patient’s by now, is not given again', async () => {
    const { users, links } = replica(stores[0] as Store);
    const first = must(await users.made('1', BY));
    must(await links.revoke(act(), first, 'a mistake'));
    const second = must(await users.made('1', BY));
    expect(second.user).not.toBe(first.user);
    const wanted = { id: newId('lnk'), client: 'client-1', mrnSystem, status: 'confirmed', evidence: null } as const;
    must(await links.put(act(), { ...wanted, user: second.user, mrn: '2' }));
    const third = must(await users.made('1', BY));
    expect([first.user, second.user]).not.toContain(third.user);
    expect(must(await users.made('2', BY)).user).toBe(second.user);
  });

  test('a user that was put down and never linked, by a crash between, is the one that is linked', async () => {
    const user = { client: 'client-1', user: 'u-before-the-crash' };
    const claim = { tenant, mrnSystem, mrn: '1', user, instead: null };
    expect(must(await (stores[0] as Store).use(enrolSet).write('enrol.claim', claim))).toEqual(user);
    expect(must(await replica(stores[0] as Store).users.made('1', BY)).user).toBe(user.user);
  });

  test('another client of the source has users of its own', async () => {
    const [one, other] = [replica(stores[0] as Store), replica(stores[0] as Store, 'client-2')];
    const mine = must(await one.users.made('1', BY));
    const theirs = must(await other.users.made('1', BY));
    expect([theirs.client, theirs.user === mine.user]).toEqual(['client-2', false]);
    expect(must(await one.users.made('1', BY))).toEqual(mine);
  });

  test('whom the EHR does not know gets no user', async () => {
    expect(await replica(stores[0] as Store).users.made('nobody', BY)).toMatchObject({
      fault: { code: 'enrol.mrn-unknown' },
    });
    expect(await linksOf('nobody')).toEqual([]);
  });
});
