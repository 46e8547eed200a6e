import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady, type Json } from '../../support/payloads/index.ts';
import { startRig, type Rig } from './rig.ts';

/** Where the EHR gives the ids, entries of a transaction refer to each other by what only the transaction knows. */
describe.each(PLACES)('an EHR that gives ids of its own, on %s', (_name, makePlace) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(makePlace, { traits: { noClientIds: true } });
  });
  afterAll(() => rig.stop());

  test('what was withdrawn and is said again is written with everything that refers to it', async () => {
    const userId = 'user-again';
    const patient = await rig.enrol(userId);
    const version = (documentVersion: number, observations: number): Json =>
      aClinicalReady({ userId, documentVersion, observations, values: { weight: 70 + documentVersion } });
    for (const payload of [version(1, 8), version(2, 7), version(3, 8)])
      expect(await rig.deliver(payload)).toMatchObject({ state: 'delivered', reason: null });
    expect(rig.chart(patient)).toHaveLength(8);
    expect(await rig.check()).toEqual([]);
  });

  test('what an attempt wrote of which nobody heard is written over by the next version, with everything that refers to it', async () => {
    const userId = 'user-unheard';
    const patient = await rig.enrol(userId);
    rig.ehr.board.setRules([{ method: 'POST', path: '/fhir', times: 1, drop: 'after-commit' }]);
    const before = rig.ehr.log.writes().length;
    await rig.send(aClinicalReady({ userId, observations: 3 }));
    await eventually(
      () => Promise.resolve(rig.writesSince(before).length),
      (n) => n > 0,
      20_000,
    );
    const second = aClinicalReady({ userId, documentVersion: 2, observations: 3, values: { weight: 71 } });
    expect(await rig.deliver(second)).toMatchObject({ state: 'delivered', reason: null });
    expect(rig.chart(patient)).toHaveLength(3);
    expect(await rig.check()).toEqual([]);
  });
});
