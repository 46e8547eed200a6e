import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { aPatient, mergedInto, startRig, type Rig, type Shown } from './rig.ts';

interface Coded extends Shown {
  readonly faultCode: string | null;
  readonly detail: string | null;
  readonly steps: readonly (Shown['steps'][number] & { readonly faultCode: string | null })[];
}

const PATIENTS = [
  ['patient.none', 'MRN-NOBODY'],
  ['patient.many', 'MRN-TWIN'],
  ['patient.inactive', 'MRN-GONE'],
  ['patient.merged', 'MRN-CIRCLE'],
] as const;

describe.each(PLACES)('what a parked delivery tells, on %s', (_name, makePlace) => {
  let rig: Rig;
  const parked = new Map<string, Coded>();
  const deliver = async (userId: string, more: object = {}): Promise<Coded> =>
    (await rig.deliver(aClinicalReady({ userId, observations: 3, ...more }))) as Coded;
  const listed = async (query: string): Promise<Coded[]> => {
    const { status, body } = await rig.admin('GET', `deliveries?${query}`);
    expect(status).toBe(200);
    return body['deliveries'] as Coded[];
  };

  beforeAll(async () => {
    rig = await startRig(makePlace);
    rig.ehr.put(aPatient('twin-1', 'MRN-TWIN'));
    rig.ehr.put(aPatient('twin-2', 'MRN-TWIN'));
    rig.ehr.put(aPatient('gone-1', 'MRN-GONE', { active: false }));
    rig.ehr.put(aPatient('circle-1', 'MRN-CIRCLE', mergedInto('Patient/circle-2')));
    rig.ehr.put(aPatient('circle-2', 'MRN-CIRCLE-2', mergedInto('Patient/circle-1')));
    for (const [code, mrn] of PATIENTS) {
      await rig.admin('PUT', `links/user-${code}`, { mrn });
      parked.set(code, await deliver(`user-${code}`));
    }
  }, 60_000);
  afterAll(() => rig.stop());

  test.each(PATIENTS)(
    'of a patient who cannot be written to: %s, in its last step and with a sentence of its own',
    (code, _mrn) => {
      const found = parked.get(code);
      expect(found).toMatchObject({ state: 'parked', reason: 'patient', faultCode: code });
      expect(found?.steps.at(-1)).toMatchObject({ to: 'parked', reason: 'patient', faultCode: code });
      expect(found?.steps.filter(({ faultCode }) => faultCode !== null)).toHaveLength(1);
      expect(found?.detail).toMatch(/replay\.$/);
      expect(new Set([...parked.values()].map(({ detail }) => detail)).size).toBe(PATIENTS.length);
    },
  );

  test('the list tells it, and is filtered by it', async () => {
    const all = await listed('state=parked&reason=patient');
    expect(all.map(({ faultCode }) => faultCode)).toEqual(PATIENTS.map(([code]) => code).toReversed());
    for (const [code] of PATIENTS) {
      const some = await listed(`reason=patient&fault=${code}`);
      expect(some.map(({ id, detail }) => [id, detail])).toEqual([[parked.get(code)?.id, parked.get(code)?.detail]]);
    }
    expect(await listed('fault=patient.unverified')).toEqual([]);
    const unknown = await rig.admin('GET', 'deliveries?fault=patient.nonsense');
    expect([unknown.status, unknown.body['at']]).toEqual([400, 'fault']);
  });

  test('so does its explanation, and the line in the log', async () => {
    const { id, detail } = parked.get('patient.many') ?? { id: '', detail: null };
    const { body } = await rig.admin('GET', `deliveries/${id}/explain`);
    expect(body['delivery']).toEqual({ state: 'parked', reason: 'patient', faultCode: 'patient.many', detail });
    const line = rig.log.lines.find(({ event, deliveryId }) => event === 'delivery.sent' && deliveryId === id);
    expect(line).toMatchObject({ state: 'parked', reason: 'patient', faultCode: 'patient.many' });
  });

  test('what the EHR refused, and what somebody else changed, tell theirs', async () => {
    await rig.enrol('user-refused');
    // Who an MRN is is remembered from here on, so that nothing but the write meets the rule.
    await deliver('user-refused');
    for (const [documentVersion, status, faultCode] of [
      [2, 422, 'ehr.rejected'],
      [3, 403, 'ehr.forbidden'],
    ] as const) {
      rig.ehr.board.setRules([{ method: 'POST', path: '/fhir', status }]);
      const refused = await deliver('user-refused', { documentVersion, values: { bmi: 20 + documentVersion } });
      expect(refused).toMatchObject({ reason: 'rejected', faultCode });
    }
    rig.ehr.board.setRules([]);
    const patient = await rig.enrol('user-conflict');
    await deliver('user-conflict');
    const [first] = rig.chart(patient);
    rig.ehr.put({ ...first, note: [{ text: 'checked' }] } as never);
    const changed = await deliver('user-conflict', {
      documentVersion: 2,
      values: { weight: 60, height: 160, bmi: 23 },
    });
    expect(changed).toMatchObject({ reason: 'conflict', faultCode: 'ehr.conflict' });
    expect(changed.detail).toMatch(/\.$/);
  });

  test('a fault that is over is told of its step alone', async () => {
    await rig.enrol('user-late');
    await deliver('user-late');
    rig.ehr.board.setRules([{ method: 'POST', path: '/fhir', status: 503, times: 1 }]);
    const done = await deliver('user-late', { documentVersion: 2, values: { bmi: 23 } });
    rig.ehr.board.setRules([]);
    expect(done).toMatchObject({ state: 'delivered', faultCode: null, detail: null });
    const { body } = await rig.admin('GET', `deliveries/${done.id}`);
    const steps = body['steps'] as Coded['steps'];
    expect(steps.some(({ faultCode }) => faultCode === 'ehr.busy')).toBe(true);
  });
});
