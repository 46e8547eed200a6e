import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES } from '../../support/new-store.ts';
import { aServiceLabResult, envelopeOf, type Json } from '../../support/payloads/index.ts';
import { startRig, type Rig } from './rig.ts';

const result = (id: string, loinc: string, value: number): Json => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: loinc }] },
  subject: { reference: 'Patient/p1' },
  effectiveDateTime: '2026-11-10T08:15:00+01:00',
  valueQuantity: { value, unit: 'mg/dL', system: 'http://unitsofmeasure.org', code: 'mg/dL' },
});
const results = [result('o1', '2345-7', 92), result('o2', '2160-0', 1.1)];
const report: Json = {
  resourceType: 'DiagnosticReport',
  id: 'r1',
  status: 'final',
  code: { text: 'Basic metabolic panel' },
  subject: { reference: 'Patient/p1' },
  effectiveDateTime: '2026-11-10T08:15:00+01:00',
  result: [{ reference: 'Observation/o1' }, { reference: 'Observation/o2' }],
};
const patient: Json = { resourceType: 'Patient', id: 'p1' };
const sent = (userId: string, content: unknown, documentVersion = 1): Json => ({
  ...envelopeOf('lab_result', 1, { userId, documentVersion }),
  document_id: `doc-${userId}`,
  content,
});

const FORMS: readonly (readonly [form: string, content: unknown, resources: readonly string[]])[] = [
  [
    'bundle',
    { resourceType: 'Bundle', type: 'collection', entry: [patient, ...results].map((resource) => ({ resource })) },
    ['Observation', 'Observation'],
  ],
  ['observation', results[0], ['Observation']],
  ['array', [patient, ...results], ['Observation', 'Observation']],
  ['array-with-report', [patient, report, ...results], ['DiagnosticReport', 'Observation', 'Observation']],
];

describe.each(PLACES)('laboratory results in any form, on %s', (_name, makePlace) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(makePlace);
  });
  afterAll(() => rig.stop());

  test.each(FORMS)('%s', async (form, content, resources) => {
    const user = `user-${form}`;
    const chart = await rig.enrol(user);
    expect(await rig.deliver(sent(user, content))).toMatchObject({ state: 'delivered', reason: null });
    expect(
      rig
        .chart(chart)
        .map(({ resourceType }) => resourceType)
        .sort(),
    ).toEqual(resources);
    // Said again, in the same form and in a later version, it is the same.
    const before = rig.ehr.log.writes().length;
    await rig.deliver(sent(user, content, 2));
    expect(rig.writesSince(before)).toEqual([]);
  });

  test("the service's own JSON, and a correction of it", async () => {
    const userId = 'user-service';
    const chart = await rig.enrol(userId);
    const documentId = 'doc-service';
    expect((await rig.deliver(aServiceLabResult({ userId, documentId }))).state).toBe('delivered');
    expect((await rig.deliver(aServiceLabResult({ userId, documentId, documentVersion: 2, glucose: 93 }))).state).toBe(
      'delivered',
    );
    expect(rig.chart(chart).filter(({ resourceType }) => resourceType === 'Observation')).toMatchObject([
      { code: { coding: [{ code: '2345-7' }] }, valueQuantity: { value: 93, unit: 'mg/dL' } },
    ]);
  });
});
