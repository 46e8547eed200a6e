import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES } from '../../support/new-store.ts';
import { aLabResult, type Json } from '../../support/payloads/index.ts';
import { aPatient, startRig, type Rig } from './rig.ts';

/** A result whose Patient says more than an id. */
function resultOf(userId: string, patient: object, documentId: string): Json {
  const payload = aLabResult({ userId, documentId });
  const { entry } = (payload['lab_result'] as { result: { entry: { resource: Json }[] } }).result;
  for (const one of entry) if (one.resource['resourceType'] === 'Patient') Object.assign(one.resource, patient);
  return payload;
}

describe.each(PLACES)('whose laboratory result it is, on %s', (_name, makePlace) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(makePlace);
    const reference = await rig.enrol('user-1');
    rig.ehr.put(
      aPatient(reference.replace('Patient/', ''), 'MRN-user-1', {
        birthDate: '1980-05-17',
        gender: 'female',
        name: [{ family: 'Muster', given: ['Eva'] }],
      }),
    );
    await rig.enrol('user-2');
  });
  afterAll(() => rig.stop());

  const EVA = { birthDate: '1980-05-17', gender: 'female', name: [{ family: 'Muster', given: ['E'] }] };
  const shown = async (id: string) => {
    const { state, reason, faultCode, detail } = (await rig.read(id)) as unknown as Json;
    return { state, reason, faultCode, hasDetail: typeof detail === 'string' };
  };

  test.each<[string, string, object, object]>([
    ['that fits is written', 'user-1', EVA, { state: 'delivered', faultCode: null }],
    [
      'that differs in one thing is written, and that is told',
      'user-1',
      { ...EVA, name: [{ family: 'Other' }] },
      { state: 'delivered', faultCode: 'patient.differs', hasDetail: true },
    ],
    [
      'whose chart says nothing to compare with is written, and that is told',
      'user-2',
      EVA,
      { state: 'delivered', faultCode: 'patient.unchecked', hasDetail: true },
    ],
  ])('one %s', async (about, userId, patient, expected) => {
    const { id } = await rig.deliver(resultOf(userId, patient, `doc-${about.length}`));
    expect(await shown(id)).toMatchObject(expected);
  });

  test('one of somebody else waits, and goes on when a person says that it is the right patient', async () => {
    const before = rig.ehr.log.writes().length;
    const { id } = await rig.deliver(resultOf('user-1', { ...EVA, birthDate: '1980-05-18' }, 'doc-other'));
    expect(await shown(id)).toEqual({
      state: 'parked',
      reason: 'identity',
      faultCode: 'patient.other',
      hasDetail: true,
    });
    expect(rig.writesSince(before)).toEqual([]);
    expect((await rig.admin('POST', `deliveries/${id}/decide`, { decision: 'approve' })).status).toBe(200);
    await rig.until(id, ({ state }) => state === 'delivered');
    expect(rig.writesSince(before).length).toBe(3);
    expect(await rig.ledgerAddsUp()).toBe(true);
  });
});
