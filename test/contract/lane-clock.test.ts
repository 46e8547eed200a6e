import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { auditSet } from '../../src/audit/index.ts';
import { deliverSet, laneSet } from '../../src/lanes/index.ts';
import { identitySet } from '../../src/identity/index.ts';
import { inboxSet } from '../../src/inbox/index.ts';
import type { Store } from '../../src/store/index.ts';
import { eventually } from '../support/eventually.ts';
import { laneTools, must, tenant } from '../support/lane-tools.ts';
import { PLACES, type Place } from '../support/new-store.ts';

const DAY = 86_400_000;

/**
 * A store of one's own for each test, and what stands there as if it had been counted by a clock that was a day ahead.
 */
function play(newPlace: () => Promise<Place>) {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await newPlace();
    store = await place.open({ sets: [auditSet, inboxSet, identitySet, deliverSet, laneSet] });
  });
  afterEach(() => place.remove());
  const moment = (ms: number): string => (store.engine === 'sqlite' ? String(ms) : `to_timestamp(${ms} / 1000.0)`);
  const setAhead = (): Promise<void> =>
    place.tamper(`
      UPDATE lane SET next_at = ${moment(Date.now() + DAY)};
      UPDATE lane SET lease_until = ${moment(Date.now() + DAY)} WHERE lease_owner IS NOT NULL;
      UPDATE attempt SET started_at = started_at + ${DAY}, ended_at = ended_at + ${DAY};
      UPDATE job SET first_attempt_at = first_attempt_at + ${DAY};
      UPDATE target SET seen_at = ${Date.now() + DAY};`);
  return { ...laneTools(() => store), setAhead };
}

describe.each(PLACES)('lanes after a clock that was ahead, on %s', (_, newPlace) => {
  const { lanes, link, arrive, claim, begin, finish, soundness, only, setAhead } = play(newPlace);

  test('a start looks at every lane once, also at those that nothing waits in yet', async () => {
    await link('ahead-1', 'ah1');
    await link('ahead-2', 'ah2');
    await arrive('ahead-1');
    await finish('a', only(await claim('a')), { outcome: { kind: 'delivered' }, attemptId: null });
    await arrive('ahead-2');
    const waiting = only(await claim('a'));
    await finish('a', waiting, {
      attemptId: null,
      outcome: { kind: 'retry', afterMs: 3_600_000, faultCode: 'ehr.busy', patience: 'long' },
    });
    await setAhead();
    await arrive('ahead-1');
    expect(await claim('a')).toEqual([]);
    must(await lanes().write('lane.free', { tenant, owner: 'a', at: new Date() }));
    const claimed = await claim('a');
    expect(claimed).toHaveLength(2);
    for (const one of claimed) await finish('a', one, { outcome: { kind: 'delivered' }, attemptId: null });
    await soundness();
  });

  test('what is in doubt is so since now at the latest, and a job was begun now at the latest, from then on', async () => {
    await link('ahead-3', 'ah3');
    await arrive('ahead-3');
    const one = only(await claim('a'));
    expect(await begin('a', one)).toBe('begun');
    await finish('a', one, { outcome: { kind: 'unknown', afterMs: 0, faultCode: 'ehr.timeout', patience: 'long' } });
    await setAhead();
    must(await lanes().write('lane.free', { tenant, owner: 'a', at: new Date() }));
    const before = Date.now();
    const first = only(await claim('a'));
    expect(first.doubtAt).toBeGreaterThanOrEqual(before);
    expect(first.doubtAt).toBeLessThanOrEqual(Date.now());
    expect(first.job.firstAttemptAt).toBe(first.doubtAt);
    await finish('a', first, { outcome: { kind: 'put-back', afterMs: 0 }, attemptId: null });
    const second = only(await claim('a'));
    expect([second.doubtAt, second.job.firstAttemptAt]).toEqual([first.doubtAt, first.doubtAt]);
    await finish('a', second, { outcome: { kind: 'delivered' }, attemptId: null, isResolved: true });
    await soundness();
  });
});

describe('lanes by the clock of the database', () => {
  const { lanes, link, arrive, claim, finish, soundness, only, setAhead } = play(PLACES[1][1]);

  test('a clock of the database that is set back keeps nobody waiting, and ends no lease before its time', async () => {
    await link('ahead-4', 'ah4');
    await link('ahead-5', 'ah5');
    await arrive('ahead-4');
    const held = only(await claim('a'));
    await arrive('ahead-5');
    const waiting = only(await claim('b'));
    await finish('b', waiting, {
      attemptId: null,
      outcome: { kind: 'retry', afterMs: 1_000, faultCode: 'ehr.busy', patience: 'long' },
    });
    const alive = (leaseMs: number) => lanes().write('lane.alive', { tenant, at: new Date(), leaseMs });
    must(await alive(3_600_000));
    await setAhead();
    expect(await claim('b')).toEqual([]);
    must(await alive(3_600_000));
    const due = only(await claim('b'));
    expect(due.delivery.id).toBe(waiting.delivery.id);
    await finish('b', due, { outcome: { kind: 'delivered' }, attemptId: null });
    expect(await claim('b')).toEqual([]);
    await setAhead();
    must(await alive(1));
    const taken = await eventually(
      () => claim('b'),
      (found) => found.length > 0,
    );
    expect(only(taken)).toMatchObject({ delivery: { id: held.delivery.id }, epoch: held.epoch + 1 });
    await finish('b', only(taken), { outcome: { kind: 'delivered' }, attemptId: null });
    await soundness();
  });
});
