import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady, aLabResult } from '../../support/payloads/index.ts';
import { aPatient, MRN_SYSTEM, startRig, type Rig } from './rig.ts';

describe.each(PLACES)('patients that the EHR does not have, on %s', (_name, makePlace) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(makePlace, { settings: { CHARTGATE_PATIENT_MODE: 'create' } });
  });
  afterAll(() => rig.stop());

  const patientWrites = (n = 0) =>
    rig.ehr.log.writes(n).filter(({ type, requestId }) => type === 'Patient' && requestId !== 'a-person');
  const link = async (user: string, mrn: string): Promise<void> => {
    expect((await rig.admin('PUT', `links/${user}`, { mrn })).status).toBe(200);
  };

  test('one is created by condition, with the MRN and nothing else, and never updated', async () => {
    await link('user-a', 'NEW-1');
    await link('user-b', 'NEW-1');
    const ids = await Promise.all([
      rig.send(aClinicalReady({ userId: 'user-a', observations: 3 })),
      rig.send(aClinicalReady({ userId: 'user-b', observations: 3, day: '2026-11-02' })),
      rig.send(aLabResult({ userId: 'user-a' })),
    ]);
    for (const id of ids) expect((await rig.resting(id)).state).toBe('delivered');
    const [created, ...more] = patientWrites();
    expect([created?.kind, more]).toEqual(['create', []]);
    const { identifier, id: _id, meta: _meta, ...rest } = JSON.parse(created?.json ?? '{}') as Record<string, unknown>;
    expect(identifier).toMatchObject([{ system: MRN_SYSTEM, value: 'NEW-1' }]);
    expect(rest).toEqual({ resourceType: 'Patient' });
  });

  test('a lost answer to the creation makes no second one', async () => {
    await link('user-lost', 'NEW-2');
    rig.ehr.board.setRules([{ method: 'POST', path: '/Patient', after: 1, times: 1, drop: 'after-commit' }]);
    const before = rig.ehr.log.writes().length;
    const { state } = await rig.deliver(aClinicalReady({ userId: 'user-lost', observations: 3 }));
    rig.ehr.board.setRules([]);
    expect([state, patientWrites(before).map(({ kind }) => kind)]).toEqual(['delivered', ['create']]);
  });

  test('who is there already is written to, and left as they are', async () => {
    const patient = await rig.enrol('user-there', 'OLD-1');
    const before = rig.ehr.log.writes().length;
    expect((await rig.deliver(aClinicalReady({ userId: 'user-there', observations: 3 }))).state).toBe('delivered');
    expect([rig.chart(patient).length, patientWrites(before)]).toEqual([3, []]);
  });

  test('who is inactive or there twice is not made anew', async () => {
    rig.ehr.put(aPatient('twin-1', 'OLD-TWIN'));
    rig.ehr.put(aPatient('twin-2', 'OLD-TWIN'));
    rig.ehr.put(aPatient('gone-1', 'OLD-GONE', { active: false }));
    const before = rig.ehr.log.writes().length;
    for (const [user, mrn] of [
      ['user-twin', 'OLD-TWIN'],
      ['user-gone', 'OLD-GONE'],
    ] as const) {
      await link(user, mrn);
      expect(await rig.deliver(aClinicalReady({ userId: user }))).toMatchObject({ state: 'parked', reason: 'patient' });
    }
    expect(rig.writesSince(before)).toEqual([]);
  });

  test('an EHR that creates nothing by condition gets no patient of ours', async () => {
    rig.ehr.board.setTraits({ refuseConditional: true });
    await rig.restart();
    const before = rig.ehr.log.writes().length;
    await link('user-none', 'NEW-3');
    expect(await rig.deliver(aClinicalReady({ userId: 'user-none' }))).toMatchObject({
      state: 'parked',
      reason: 'patient',
    });
    expect(rig.writesSince(before)).toEqual([]);
  });
});
