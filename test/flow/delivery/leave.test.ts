import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { startService, type DemoService } from '../../../sandbox/index.ts';
import { WITHDRAWN_BECAUSE } from '../../../src/translate/index.ts';
import { eventually } from '../../support/eventually.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReady, aLabResult, aUserProfile, CLIENT, type Json } from '../../support/payloads/index.ts';
import { runCommand } from '../../support/run-command.ts';
import { MRN_SYSTEM, startRig, type Rig } from './rig.ts';

describe.each(PLACES)('a patient who leaves, on %s', (_name, makePlace) => {
  let rig: Rig;
  let service: DemoService;
  beforeAll(async () => {
    service = await startService({ host: '127.0.0.1', port: 0, clock: systemClock });
    const { secretKey } = service.putClient({ uuid: CLIENT });
    rig = await startRig(makePlace, {
      settings: {
        CHARTGATE_ON_REVOKE: 'retract',
        CHARTGATE_SOURCE_URL: service.url,
        CHARTGATE_SOURCE_SECRET_KEY: secretKey,
      },
    });
  });
  afterAll(async () => {
    await rig.stop();
    await service.stop();
  });

  const gone = (patient: string): Promise<number> =>
    eventually(
      () => Promise.resolve(rig.chart(patient).length),
      (left) => left === 0,
      20_000,
    );
  const written = (patient: string): string[] =>
    rig.ehr.log
      .writes()
      .map(({ json }) => json ?? '')
      .filter((json) => json.includes(patient));

  test('sees first what would be withdrawn, and it is withdrawn with a reason that does not call it wrong', async () => {
    const userId = 'user-leaves';
    const patient = await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 6 }));
    await rig.deliver(aLabResult({ userId }));
    await rig.deliver(aUserProfile({ userId }));
    const before = rig.chart(patient).filter(({ resourceType }) => resourceType !== 'Device');
    const { status, body } = await rig.admin('GET', `links/${userId}/charted`);
    expect([status, body['onRevoke'], body['total']]).toEqual([200, 'retract', before.length]);
    expect(body['resources']).toContainEqual({
      resourceType: 'Observation',
      group: 'body',
      day: '2026-11-14',
      count: 6,
    });
    expect(rig.chart(patient)).toHaveLength(before.length);

    const env = {
      CHARTGATE_ADMIN_TOKEN: rig.settings()['CHARTGATE_ADMIN_TOKEN'] ?? '',
      CHARTGATE_PUBLIC_URL: rig.url(''),
    };
    const shown = await runCommand(['link', userId, '--revoke'], { env });
    expect([shown.code, shown.out]).toEqual([1, expect.stringContaining('2026-11-14  Observation  body  6')]);
    expect(shown.out).toContain(`${before.length} resources would be withdrawn`);
    expect(rig.chart(patient)).toHaveLength(before.length);

    const done = await runCommand(['link', userId, '--revoke', '--yes', '--json'], { env });
    const revoked = { body: JSON.parse(done.out) as Json };
    expect(revoked.body).toMatchObject({ change: 'revoked', retracting: 3, requeued: 0 });
    expect(await gone(patient)).toBe(0);
    expect(written(patient).filter((json) => json.includes(WITHDRAWN_BECAUSE.revoked)).length).toBeGreaterThanOrEqual(
      6,
    );
    expect(written(patient).some((json) => json.includes(WITHDRAWN_BECAUSE.relinked))).toBe(false);
    expect((await rig.admin('GET', `links/${userId}/charted`)).status).toBe(404);
    // What comes now waits for a link, and goes nowhere.
    const late = await rig.deliver(aClinicalReady({ userId, documentVersion: 2, observations: 6 }));
    expect(late).toMatchObject({ state: 'parked', reason: 'unlinked' });
    expect(rig.chart(patient)).toEqual([]);
  });

  test('who ends the connection at the source leaves the chart too', async () => {
    const mrn = 'MRN-consent';
    rig.ehr.put({ resourceType: 'Patient', id: 'pat-consent', identifier: [{ system: MRN_SYSTEM, value: mrn }] });
    const enrolled = await rig.admin('POST', `patients/${mrn}/connections/RingWearable`);
    const userId = String(enrolled.body['userId']);
    await rig.deliver(aClinicalReady({ userId, observations: 4 }));
    expect(rig.chart('Patient/pat-consent')).toHaveLength(4);
    const revoked = await rig.admin('POST', `patients/${mrn}/revoke`);
    expect(revoked).toMatchObject({ status: 200, body: { userId, revoked: true, retracting: 1 } });
    expect(await gone('Patient/pat-consent')).toBe(0);
    expect(
      written('Patient/pat-consent').filter((json) => json.includes(WITHDRAWN_BECAUSE.revoked)).length,
    ).toBeGreaterThanOrEqual(4);
  });

  test('what is withdrawn is written again only by a newer version or when it is asked for', async () => {
    const userId = 'user-returns';
    const patient = await rig.enrol(userId);
    await rig.deliver(aClinicalReady({ userId, observations: 4 }));
    await rig.admin('DELETE', `links/${userId}`);
    await gone(patient);
    await rig.enrol(userId);
    expect(rig.chart(patient)).toEqual([]);
    const next = await rig.deliver(
      aClinicalReady({ userId, documentVersion: 2, observations: 4, values: { weight: 70 } }),
    );
    expect(next.state).toBe('delivered');
    expect(rig.chart(patient)).toHaveLength(4);
    // A revocation that keeps what is charted is not that of before.
    const kept = await rig.admin('DELETE', `links/${userId}?charted=keep`);
    expect(kept.body).toMatchObject({ change: 'revoked', retracting: 0, isSettled: true });
    expect(rig.chart(patient)).toHaveLength(4);
  });

  test('another user of the same chart keeps what is theirs', async () => {
    const patient = await rig.enrol('user-one', 'MRN-shared');
    await rig.enrol('user-two', 'MRN-shared');
    await rig.deliver(aClinicalReady({ userId: 'user-one', observations: 4 }));
    await rig.deliver(aClinicalReady({ userId: 'user-two', observations: 4 }));
    expect(rig.chart(patient)).toHaveLength(8);
    await rig.admin('DELETE', 'links/user-one');
    const left = await eventually(
      () => Promise.resolve(rig.chart(patient)),
      (chart: Json[]) => chart.length === 4,
      20_000,
    );
    expect(left).toHaveLength(4);
  });

  test('a wish that does not fit is refused, and the ledger adds up', async () => {
    expect((await rig.admin('DELETE', 'links/user-two?charted=burn')).status).toBe(400);
    expect(await rig.ledgerAddsUp()).toBe(true);
  });
});
