import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PLACES } from '../../support/new-store.ts';
import {
  aClinicalReady,
  aLabResult,
  anAlertEvent,
  anAlertSummary,
  aStepsEvent,
  aUserProfile,
  type Json,
} from '../../support/payloads/index.ts';
import { WITHDRAWN_BECAUSE } from '../../../src/translate/index.ts';
import { aPatient, startRig, type Rig } from './rig.ts';

const STRUCTURES: readonly (readonly [string, (userId: string) => Json])[] = [
  ['clinical_ready', (userId) => aClinicalReady({ userId })],
  ['alert_event', (userId) => anAlertEvent({ userId })],
  ['alert_summary', (userId) => anAlertSummary({ userId })],
  ['steps_event', (userId) => aStepsEvent({ userId })],
  ['user_profile', (userId) => aUserProfile({ userId })],
  ['lab_result', (userId) => aLabResult({ userId })],
];
const DAY_BUNDLE = 'c0ffee00-0000-4000-8000-0000000000';

describe.each(PLACES)('what reaches the chart, on %s', (_name, makePlace) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(makePlace);
  });
  afterAll(() => rig.stop());

  test.each(STRUCTURES)('%s is written once, and its repetition writes nothing', async (structure, make) => {
    const user = `user-${structure}`;
    const patient = await rig.enrol(user);
    const first = await rig.deliver(make(user));
    expect(first).toMatchObject({ state: 'delivered', reason: null });
    expect(rig.chart(patient).length).toBeGreaterThan(0);
    const before = rig.ehr.log.writes().length;
    const again = await rig.deliver(make(user));
    expect(again.state).toBe('duplicate');
    expect(rig.ehr.log.writes(before)).toEqual([]);
  });

  test.each(STRUCTURES)('a new version of %s that says the same writes nothing', async (structure, make) => {
    const user = `user-${structure}`;
    const before = rig.ehr.log.writes().length;
    const newer = await rig.deliver({ ...make(user), document_version: 2 });
    expect(['delivered', 'duplicate']).toContain(newer.state);
    expect(rig.writesSince(before).map(({ type }) => type)).toEqual([]);
  });

  test('a new version updates what changed, retracts what is gone, and touches nothing else', async () => {
    const patient = await rig.enrol('user-version');
    const userId = 'user-version';
    await rig.deliver(aClinicalReady({ userId, observations: 8 }));
    const before = rig.ehr.log.writes().length;
    const second = aClinicalReady({ userId, documentVersion: 2, observations: 7, values: { weight: 70.5 } });
    expect((await rig.deliver(second)).state).toBe('delivered');
    const wrote = rig.writesSince(before).filter(({ type }) => type === 'Observation');
    expect(wrote.map(({ kind }) => kind)).toEqual(['update', 'update']);
    const statuses = wrote.map(({ json }) => (JSON.parse(json ?? '{}') as { status: string }).status);
    expect(statuses).toEqual(['amended', 'entered-in-error']);
    expect(rig.chart(patient)).toHaveLength(7);
  });

  test('an older version after a newer one is superseded and writes nothing', async () => {
    const userId = 'user-late';
    await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, documentVersion: 3, values: { weight: 73 } }));
    const before = rig.ehr.log.writes().length;
    expect((await rig.deliver(aClinicalReady({ userId, documentVersion: 2, values: { weight: 72 } }))).state).toBe(
      'superseded',
    );
    expect(rig.ehr.log.writes(before)).toEqual([]);
  });

  test('across documents the timestamp of the Bundle decides, not the arrival', async () => {
    const userId = 'user-across';
    await rig.enrol(userId);
    const of = (n: number, timestamp: string, weight: number): Json =>
      aClinicalReady({ userId, bundleId: `${DAY_BUNDLE}1${n}`, timestamp, values: { weight } });
    await rig.deliver(of(1, '2026-11-15T10:00:00Z', 75));
    await rig.deliver(of(2, '2026-11-15T09:00:00Z', 74));
    await rig.deliver(of(3, '2026-11-15T11:00:00Z', 76));
    const [weight] = rig
      .chart('Patient/pat-mrn-user-across')
      .filter((one) => JSON.stringify(one).includes('"29463-7"'));
    expect(weight).toMatchObject({ valueQuantity: { value: 76 } });
  });

  test('a version that takes back most of a day waits for a person', async () => {
    const userId = 'user-suspicious';
    const patient = await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 6 }));
    const second = await rig.deliver(aClinicalReady({ userId, documentVersion: 2, observations: 1 }));
    expect(second).toMatchObject({ state: 'parked', reason: 'suspicious' });
    expect(rig.chart(patient)).toHaveLength(6);
    // Before anybody approves it, codes and values of what would go are shown.
    const charts = (second.withdrawals ?? []).map(
      ({ chart }) => `${chart?.['code']} ${chart?.['value']} ${chart?.['unit']}`,
    );
    expect(charts).toHaveLength(5);
    expect(charts).toContain('http://loinc.org|8302-2; urn:example:health-data-service:codes|height 178 cm');
    const explained = (await rig.admin('GET', `deliveries/${second.id}/explain`)).body['resources'] as Json[];
    const gone = explained.filter(({ change }) => change === 'retract');
    expect(gone.map(({ chart }) => (chart as Json | null)?.['value'])).toContain('178');
    expect(gone.every(({ chart }) => chart !== null)).toBe(true);
    await rig.admin('POST', `deliveries/${second.id}/decide`, { decision: 'approve' });
    expect((await rig.until(second.id, ({ state }) => state === 'delivered')).withdrawals).toBeUndefined();
    expect(rig.chart(patient)).toHaveLength(1);
    const notes = JSON.stringify(rig.ehr.log.writes().map(({ json }) => json));
    expect(notes).toContain(`Withdrawn. ${WITHDRAWN_BECAUSE.dropped}`);
  });

  test('an alert that is no more is retracted by the zero of the day', async () => {
    const userId = 'user-zero';
    const patient = await rig.enrol(userId);
    await rig.deliver(anAlertSummary({ userId }));
    const zero = await rig.deliver(anAlertSummary({ userId, documentVersion: 2, restingHeartRate: null }));
    expect(zero.state).toBe('delivered');
    const left = rig.chart(patient);
    expect(left.filter((one) => JSON.stringify(one).includes('"alert-resting-heart-rate"'))).toEqual([]);
    expect(left).toMatchObject([{ valueInteger: 0 }]);
    expect((await rig.deliver(anAlertSummary({ userId, day: '2026-11-13', restingHeartRate: null }))).state).toBe(
      'delivered',
    );
    expect(rig.chart(patient)).toMatchObject([{ valueInteger: 0 }, { valueInteger: 0 }]);
  });

  test('what somebody else changed is parked as conflict and left as it is', async () => {
    const userId = 'user-conflict';
    const patient = await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 4 }));
    const [weight] = rig.chart(patient);
    rig.ehr.put({ ...weight, note: [{ text: 'checked' }] } as never);
    const second = aClinicalReady({ userId, documentVersion: 2, observations: 4, values: { weight: 70, height: 179 } });
    expect(await rig.deliver(second)).toMatchObject({ state: 'parked', reason: 'conflict' });
    expect(rig.chart(patient).find(({ id }) => id === weight?.['id'])).toMatchObject({ note: [{ text: 'checked' }] });
  });

  test('what somebody else changed is not retracted either', async () => {
    const userId = 'user-conflict-retract';
    const patient = await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 4 }));
    const height = rig.chart(patient).find((one) => JSON.stringify(one).includes('"8302-2"'));
    rig.ehr.put({ ...height, note: [{ text: 'checked' }] } as never);
    const values = { bmi: 23 };
    const first = aClinicalReady({ userId, documentVersion: 2, observations: 4, values });
    const entries = (first['clinical_ready'] as { clinical_ready_data: { entry: { resource: { id: string } }[] } })
      .clinical_ready_data.entry;
    entries.splice(
      entries.findIndex(({ resource }) => resource.id === 'o2'),
      1,
    );
    expect(await rig.deliver(first)).toMatchObject({ state: 'parked', reason: 'conflict' });
    expect(rig.chart(patient).find(({ id }) => id === height?.['id'])).toMatchObject({ note: [{ text: 'checked' }] });
  });

  test('an unknown, a doubled and an inactive patient are parked as patient; nothing is written', async () => {
    const before = rig.ehr.log.writes().length;
    rig.ehr.put(aPatient('twin-1', 'MRN-TWIN'));
    rig.ehr.put(aPatient('twin-2', 'MRN-TWIN'));
    rig.ehr.put(aPatient('gone-1', 'MRN-GONE', { active: false }));
    for (const [userId, mrn] of [
      ['user-nobody', 'MRN-NOBODY'],
      ['user-twin', 'MRN-TWIN'],
      ['user-gone', 'MRN-GONE'],
    ] as const) {
      expect((await rig.admin('PUT', `links/${userId}`, { mrn })).status).toBe(200);
      expect(await rig.deliver(aClinicalReady({ userId }))).toMatchObject({ state: 'parked', reason: 'patient' });
    }
    expect(rig.writesSince(before)).toEqual([]);
  });

  test('a re-link takes it out of the wrong chart and writes it to the right one under new names', async () => {
    const userId = 'user-relink';
    const wrong = await rig.enrol(userId, 'MRN-WRONG');
    const first = await rig.deliver(aClinicalReady({ userId, observations: 5 }));
    const names = rig.chart(wrong).map(({ id }) => id);
    const right = await rig.enrol(userId, 'MRN-RIGHT');
    await rig.until(first.id, ({ state }) => state !== 'delivered', 500);
    expect((await rig.resting(first.id)).state).toBe('delivered');
    expect(rig.chart(wrong)).toEqual([]);
    expect(rig.chart(right)).toHaveLength(5);
    expect(rig.chart(right).filter(({ id }) => names.includes(id))).toEqual([]);
    const writes = rig.ehr.log
      .writes()
      .filter(({ json }) => json?.includes(`"subject":{"reference":"${right}"}`) === true);
    const retracted = rig.ehr.log
      .writes()
      .filter(
        ({ json }) =>
          json?.includes(`"subject":{"reference":"${wrong}"}`) === true && json.includes('entered-in-error'),
      );
    expect(Math.max(...retracted.map(({ n }) => n))).toBeLessThan(Math.min(...writes.map(({ n }) => n)));
  });

  test('after a revocation nothing goes out, and what was written stays', async () => {
    const userId = 'user-revoke';
    const patient = await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 3 }));
    const revoked = await rig.admin('DELETE', `links/${userId}`);
    expect(revoked.status).toBe(200);
    const before = rig.ehr.log.writes().length;
    expect(
      await rig.deliver(aClinicalReady({ userId, documentVersion: 2, observations: 3, values: { weight: 60 } })),
    ).toMatchObject({ state: 'parked', reason: 'unlinked' });
    expect(rig.ehr.log.writes(before)).toEqual([]);
    expect(rig.chart(patient)).toHaveLength(3);
  });

  test('a paused target is left alone, and resumed it gets everything', async () => {
    const userId = 'user-pause';
    const patient = await rig.enrol(userId);
    expect((await rig.admin('POST', 'targets/ehr/pause')).status).toBe(200);
    // What a look at the switch a moment ago allowed may still go out.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const before = rig.ehr.log.requests().length;
    const id = await rig.send(aClinicalReady({ userId, observations: 3 }));
    await rig.until(id, ({ state }) => state === 'queued');
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    expect(await rig.read(id)).toMatchObject({ state: 'queued' });
    expect(rig.ehr.log.requests().slice(before)).toEqual([]);
    expect((await rig.admin('POST', 'targets/ehr/resume')).status).toBe(200);
    expect((await rig.resting(id)).state).toBe('delivered');
    expect(rig.chart(patient)).toHaveLength(3);
  });

  test('two users of one patient share its lane', async () => {
    const patient = await rig.enrol('user-a', 'MRN-SHARED');
    await rig.enrol('user-b', 'MRN-SHARED');
    rig.ehr.board.setRules([{ method: 'POST', path: '/fhir', delayMs: 100 }]);
    const ids = await Promise.all([
      rig.send(aClinicalReady({ userId: 'user-a', day: '2026-11-01', observations: 2 })),
      rig.send(aClinicalReady({ userId: 'user-b', day: '2026-11-02', observations: 2 })),
      rig.send(anAlertEvent({ userId: 'user-a' })),
      rig.send(aLabResult({ userId: 'user-b' })),
    ]);
    for (const id of ids) expect((await rig.resting(id)).state).toBe('delivered');
    rig.ehr.board.setRules([]);
    expect(rig.chart(patient)).toHaveLength(7);
  });

  test('the checker finds nothing in all of this, and the ledger adds up', async () => {
    expect((await rig.check()).filter(({ kind }) => kind !== 'unsettled')).toEqual([]);
    expect(await rig.ledgerAddsUp()).toBe(true);
  });
});
