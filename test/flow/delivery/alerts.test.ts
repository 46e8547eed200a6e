import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../../support/eventually.ts';
import { PLACES } from '../../support/new-store.ts';
import { aClinicalReadyOf, anAlertEvent, anAlertSummary, partAt, type Json } from '../../support/payloads/index.ts';
import { startRig, type Rig } from './rig.ts';

const AT = '2026-11-14T03:12:00+01:00';
const READING = { measured: 90.5, measuredAt: '2026-11-14T02:12:00Z' };
const MEASUREMENT = { code: 'spo2', value: '90.5', unit: '%', start: AT, end: AT };

describe.each(PLACES)('alerts in the chart, on %s', (_name, makePlace) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(makePlace);
  });
  afterAll(() => rig.stop());

  const codeOf = (one: Json): unknown => partAt(one, 'code.coding.0.code');
  /** What stands in the chart: first code, status and value. */
  const shown = (patient: string): string[] =>
    rig
      .chart(patient)
      .map((one) => {
        const value = one['valueInteger'] ?? partAt(one, 'valueQuantity.value');
        return `${String(codeOf(one))} ${String(one['status'])} ${String(value)}`;
      })
      .sort();
  const deliver = async (...payloads: readonly Json[]): Promise<void> => {
    for (const payload of payloads) expect((await rig.deliver(payload)).state).toBe('delivered');
  };

  test.each(['event first', 'summary first'])(
    'one that an event and a summary tell of stands once: %s',
    async (order) => {
      const userId = `user-${order.replace(' ', '-')}`;
      const patient = await rig.enrol(userId);
      const both = [anAlertEvent({ userId }), anAlertSummary({ userId, oxygenation: READING })];
      await deliver(...(order === 'event first' ? both : both.toReversed()));
      const all = [
        'alert-oxygenation final 90.5',
        'alert-resting-heart-rate final 71',
        'health-monitoring-daily-alerts final 2',
      ];
      expect(shown(patient)).toEqual(all);
      const [alert] = rig.chart(patient).filter((one) => codeOf(one) === 'alert-oxygenation');
      const [day] = rig.chart(patient).filter((one) => codeOf(one) === 'health-monitoring-daily-alerts');
      expect(day?.['hasMember']).toContainEqual({ reference: `Observation/${String(alert?.['id'])}` });

      // The event still says it, so a summary that no longer does leaves it; only a day without alerts takes it back.
      await deliver(anAlertSummary({ userId, documentVersion: 2 }));
      expect(shown(patient)).toContain('alert-oxygenation final 90.5');
      await deliver(anAlertSummary({ userId, documentVersion: 3, restingHeartRate: null }));
      expect(shown(patient)).toEqual(['health-monitoring-daily-alerts final 0']);
      await deliver(anAlertSummary({ userId, documentVersion: 4, restingHeartRate: null, oxygenation: READING }));
      expect(shown(patient)).toEqual(['alert-oxygenation amended 90.5', 'health-monitoring-daily-alerts amended 1']);
    },
  );

  test('a first summary without alerts takes back what an event wrote, also when it is sent at once, and no measurement', async () => {
    const userId = 'user-clears';
    const patient = await rig.enrol(userId);
    await deliver(aClinicalReadyOf([MEASUREMENT], { userId }), anAlertEvent({ userId }));
    const [measurement] = rig.chart(patient).filter((one) => codeOf(one) === '59408-5');
    expect(rig.chart(patient).filter((one) => codeOf(one) === 'alert-oxygenation')).toMatchObject([
      { derivedFrom: [{ reference: `Observation/${String(measurement?.['id'])}` }] },
    ]);
    await deliver(anAlertSummary({ userId, restingHeartRate: null }));
    expect(shown(patient)).toEqual(['59408-5 final 90.5', 'health-monitoring-daily-alerts final 0']);
  });

  /** What the alert to a low saturation refers to. */
  const referredBy = (patient: string): unknown => {
    const [alert] = rig.chart(patient).filter((one) => codeOf(one) === 'alert-oxygenation');
    return [alert?.['status'], partAt(alert, 'derivedFrom.0.reference')];
  };
  const untilReferring = (patient: string, wanted: unknown) =>
    eventually(
      () => referredBy(patient),
      (found) => isDeepStrictEqual(found, wanted),
    );

  test.each([
    ['event', AT],
    ['event, written down under another day', '2026-11-13T12:12:00-14:00'],
    ['summary', AT],
  ])('an alert refers to the measurement that comes after it, as long as that stands: %s', async (told, at) => {
    const userId = `user-${told.replaceAll(/\W/g, '-')}`;
    const patient = await rig.enrol(userId);
    await deliver(told === 'summary' ? anAlertSummary({ userId, oxygenation: READING }) : anAlertEvent({ userId }));
    expect(referredBy(patient)).toEqual(['final', undefined]);
    const weight = { code: 'weight', value: '70', unit: 'kg', start: at, end: at };
    await deliver(aClinicalReadyOf([{ ...MEASUREMENT, start: at, end: at }, weight], { userId }));
    const [measurement] = rig.chart(patient).filter((one) => codeOf(one) === '59408-5');
    await untilReferring(patient, ['final', `Observation/${String(measurement?.['id'])}`]);
    await deliver(aClinicalReadyOf([weight], { userId, documentVersion: 2 }));
    await untilReferring(patient, ['final', undefined]);
  });

  test('an event that was raised before the day was found without alerts, and came later, is not written', async () => {
    const userId = 'user-late-event';
    const patient = await rig.enrol(userId);
    await deliver(anAlertSummary({ userId, restingHeartRate: null }), anAlertEvent({ userId }));
    expect(shown(patient)).toEqual(['health-monitoring-daily-alerts final 0']);
  });

  test('what another user of the same patient was alerted to stays', async () => {
    const [one, other] = ['user-of-two-a', 'user-of-two-b'];
    const patient = await rig.enrol(one, 'MRN-of-two');
    await rig.enrol(other, 'MRN-of-two');
    await deliver(anAlertEvent({ userId: one }), anAlertSummary({ userId: other, restingHeartRate: null }));
    expect(shown(patient)).toEqual(['alert-oxygenation final 90.5', 'health-monitoring-daily-alerts final 0']);
  });

  test('after all of it the chart is as the ledger says', async () => {
    expect(await rig.ledgerAddsUp()).toBe(true);
  });
});
