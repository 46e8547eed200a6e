import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES, postgresPlace } from '../../support/new-store.ts';
import { aClinicalReady, type Json } from '../../support/payloads/index.ts';
import { aPatient, mergedInto, startRig, type Rig } from './rig.ts';
import { withStage } from './stage.ts';

const DAYS = ['01', '02', '03'];
/** A document of each day, in two versions: six writes, each of which may not be overtaken by the next. */
const documentsOf = (userId: string, month: string): Json[] =>
  DAYS.map((day) => `2026-${month}-${day}`).flatMap((day) =>
    [1, 2].map((documentVersion) =>
      aClinicalReady({
        userId,
        day,
        bundleId: `${userId}-${day}`,
        documentVersion,
        observations: 3,
        values: { weight: 70 + documentVersion },
      }),
    ),
  );

describe.each(PLACES)('merged patients, on %s', (_name, makePlace) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(makePlace);
  });
  afterAll(() => rig.stop());

  test('what two MRNs bring to one chart is written strictly one after the other, in order', async () => {
    const survivor = await rig.enrol('user-y', 'MRN-Y');
    rig.ehr.put(aPatient('pat-x', 'MRN-X', mergedInto(survivor)));
    expect((await rig.admin('PUT', 'links/user-x', { mrn: 'MRN-X' })).status).toBe(200);
    rig.links.set('user-x', [survivor]);
    rig.ehr.board.setRules([{ method: 'POST', path: '/fhir', delayMs: 60 }]);
    const [xs, ys] = [documentsOf('user-x', '09'), documentsOf('user-y', '10')];
    const ids: string[] = [];
    for (const [i, x] of xs.entries()) ids.push(await rig.send(x), await rig.send(ys[i] ?? x));
    const ends = await Promise.all(ids.map((id) => rig.resting(id, 30_000)));
    rig.ehr.board.setRules([]);
    expect(ends.filter(({ state }) => !['delivered', 'superseded'].includes(state))).toEqual([]);
    expect(await rig.check()).toEqual([]);
    expect(rig.chart(survivor)).toHaveLength(2 * DAYS.length * 3);
  }, 60_000);

  test('also what is settled and sent at once keeps to one write to a chart at a time', async () => {
    const survivor = await rig.enrol('user-v', 'MRN-V');
    rig.ehr.put(aPatient('pat-u', 'MRN-U', mergedInto(survivor)));
    expect((await rig.admin('PUT', 'links/user-u', { mrn: 'MRN-U' })).status).toBe(200);
    rig.links.set('user-u', [survivor]);
    const users = ['user-u', 'user-v'];
    const documentOf = (userId: string, day: string): Json => {
      const month = userId === 'user-u' ? '07' : '08';
      return aClinicalReady({ userId, day: `2026-${month}-${day}`, bundleId: `${userId}-${day}`, observations: 3 });
    };
    // The first of each teaches who its patient is; then nothing is asked before a write.
    for (const userId of users) await rig.deliver(documentOf(userId, '01'));
    rig.ehr.board.setRules([{ method: 'POST', path: '/fhir', delayMs: 80 }]);
    for (const day of ['02', '03', '04', '05']) {
      const ids = await Promise.all(users.map((userId) => rig.send(documentOf(userId, day))));
      const ends = await Promise.all(ids.map((id) => rig.resting(id, 30_000)));
      expect(ends.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    }
    rig.ehr.board.setRules([]);
    expect(await rig.check()).toEqual([]);
    expect(rig.chart(survivor)).toHaveLength(2 * 5 * 3);
  }, 60_000);

  /** Of deliveries: the index of persons reads who was linked at a time of its own. */
  const searchesOf = (): number =>
    rig.ehr.log.requests().filter(({ path, requestId }) => path.endsWith('/Patient/_search') && requestId !== 'persons')
      .length;

  test('who an MRN is is asked once, and a merge is noticed by the very transaction that writes', async () => {
    const userId = 'user-merged-meanwhile';
    const before = await rig.enrol(userId, 'MRN-MEANWHILE');
    await rig.deliver(aClinicalReady({ userId, day: '2026-11-01', bundleId: 'm-1', observations: 3 }));
    const asked = searchesOf();
    await rig.deliver(aClinicalReady({ userId, day: '2026-11-02', bundleId: 'm-2', observations: 3 }));
    expect(searchesOf()).toBe(asked);
    rig.ehr.put(aPatient('pat-survivor', 'MRN-SURVIVOR'));
    rig.ehr.put(aPatient(before.slice('Patient/'.length), 'MRN-MEANWHILE', mergedInto('Patient/pat-survivor')));
    rig.links.set(userId, [before, 'Patient/pat-survivor']);
    const third = aClinicalReady({ userId, day: '2026-11-03', bundleId: 'm-3', observations: 3 });
    expect((await rig.deliver(third)).state).toBe('delivered');
    // What was written before the merge is the EHR's to move; what was written after it stands with the survivor, once.
    const daysIn = (chart: Json[]): string[] => [
      ...new Set(chart.map((one) => JSON.stringify(one).match(/2026-11-0\d/)?.[0] ?? '')),
    ];
    expect([rig.chart('Patient/pat-survivor').length, daysIn(rig.chart('Patient/pat-survivor'))]).toEqual([
      3,
      ['2026-11-03'],
    ]);
    expect(daysIn(rig.chart(before)).sort()).toEqual(['2026-11-01', '2026-11-02']);
    expect(searchesOf()).toBe(asked + 1);
  });

  test.each([
    ['is closed', { active: false }, 'patient.inactive'],
    ['has lost the MRN', { identifier: [{ system: 'urn:example:mrn', value: 'MRN-ANOTHER' }] }, 'patient.none'],
  ])(
    'a patient who meanwhile %s takes nothing more: the delivery waits for a person',
    async (what, more, faultCode) => {
      const userId = `user-${what.replaceAll(' ', '-')}`;
      const patient = await rig.enrol(userId);
      await rig.deliver(aClinicalReady({ userId, day: '2026-11-01', bundleId: `${userId}-1`, observations: 3 }));
      rig.ehr.put({ ...aPatient(patient.slice('Patient/'.length), `MRN-${userId}`), ...more });
      const second = aClinicalReady({ userId, day: '2026-11-02', bundleId: `${userId}-2`, observations: 3 });
      expect(await rig.deliver(second)).toMatchObject({ state: 'parked', reason: 'patient', faultCode });
    },
  );

  test('a merge that comes between two versions is followed, and the chart of the survivor holds the newer', async () => {
    const userId = 'user-later';
    const before = await rig.enrol(userId, 'MRN-BEFORE');
    await rig.deliver(aClinicalReady({ userId, observations: 3 }));
    rig.ehr.put(aPatient('pat-after', 'MRN-AFTER'));
    rig.ehr.put(aPatient(before.slice('Patient/'.length), 'MRN-BEFORE', mergedInto('Patient/pat-after')));
    // Who an MRN is is remembered for a minute.
    await rig.restart();
    rig.links.set(userId, [before, 'Patient/pat-after']);
    const second = aClinicalReady({
      userId,
      documentVersion: 2,
      observations: 3,
      values: { weight: 70, height: 179, bmi: 23 },
    });
    expect((await rig.deliver(second)).state).toBe('delivered');
    expect(rig.chart('Patient/pat-after')).toHaveLength(3);
    expect(rig.chart(before)).toEqual([]);
  });

  test('a patient who was merged in a circle, or into nobody, waits for a person', async () => {
    const written = rig.ehr.log.writes().length;
    rig.ehr.put(aPatient('pat-c1', 'MRN-C1', mergedInto('Patient/pat-c2')));
    rig.ehr.put(aPatient('pat-c2', 'MRN-C2', mergedInto('Patient/pat-c1')));
    rig.ehr.put(aPatient('pat-c3', 'MRN-C3', mergedInto('Patient/nobody')));
    for (const [userId, mrn] of [
      ['user-circle', 'MRN-C1'],
      ['user-into-nobody', 'MRN-C3'],
    ] as const) {
      await rig.admin('PUT', `links/${userId}`, { mrn });
      expect(await rig.deliver(aClinicalReady({ userId }))).toMatchObject({ state: 'parked', reason: 'patient' });
    }
    expect(rig.writesSince(written)).toEqual([]);
  });
});

test('two replicas with one merged chart: one writes at a time', async () => {
  const violations = await withStage(postgresPlace, {}, async (stage) => {
    const [one, two] = [await stage.start(), await stage.start()];
    await stage.enrol(one, 'user-y');
    await stage.enrol(two, 'user-x', 'Patient/pat-user-y');
    stage.ehr.board.setRules([{ method: 'POST', path: '/fhir', delayMs: 60 }]);
    const ids: string[] = [];
    const [xs, ys] = [documentsOf('user-x', '09'), documentsOf('user-y', '10')];
    for (const [i, x] of xs.entries())
      ids.push((await stage.send(one, x)) ?? '', (await stage.send(two, ys[i] ?? x)) ?? '');
    for (const id of ids.slice(-2)) await stage.delivered(one, id);
    stage.ehr.board.setRules([]);
    return stage.check(two);
  });
  expect(violations.filter(({ kind }) => kind !== 'unsettled')).toEqual([]);
}, 60_000);
