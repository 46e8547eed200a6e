import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  OTHER_USER,
  aClinicalBundle,
  aClinicalReady,
  aLabResult,
  aStepsEvent,
  aUserProfile,
  anAlertEvent,
  anAlertSummary,
  envelopeOf,
  rawNumber,
  withAt,
  type ClinicalReadyOverrides,
  type Json,
} from '../../support/payloads/index.ts';
import { outcome, startHookGateway, type HookGateway } from './hook-gateway.ts';

let hooks: HookGateway;
beforeAll(async () => void (hooks = await startHookGateway()));
afterAll(() => hooks.stop());

/** The states of several deliveries, sent one after the other and looked at when all have been. */
async function outcomesOf(...values: readonly unknown[]): Promise<(readonly [string, string | null])[]> {
  const ids: string[] = [];
  for (const value of values) ids.push((await hooks.deliver(value)).id);
  return Promise.all(ids.map(async (id) => outcome(await hooks.read(id))));
}

const idOf = (name: string): string => name.replace(/[^A-Za-z0-9]/g, '-');
const reversed = (value: Json): Json => Object.fromEntries(Object.entries(value).reverse());
const WAITS = ['parked', 'unlinked'] as const;
const REPLACED = ['superseded', 'newer-version'] as const;
const OLDER = ['superseded', 'older-version'] as const;

describe('the same again is a duplicate of the first', () => {
  test('in the same bytes', async () => {
    const body = JSON.stringify(aClinicalReady({ bundleId: 'same-bytes' }));
    const first = await hooks.deliver(body);
    const again = await hooks.deliver(body);
    const third = await hooks.deliver(body);
    expect([outcome(first), outcome(again), again.duplicateOf, again.hasBody, third.duplicateOf]).toEqual([
      WAITS,
      ['duplicate', 'same-bytes'],
      first.id,
      false,
      first.id,
    ]);
  });

  test.each<[string, (value: Json) => string]>([
    ['with blanks', (value) => JSON.stringify(value, null, 2)],
    ['with its keys in another order', (value) => JSON.stringify(reversed(value))],
    ['with escapes', (value) => JSON.stringify(value).replaceAll('user', '\\u0075ser')],
    ['with a number in other digits', (value) => JSON.stringify(value).replaceAll('71.25,', '71.250,')],
  ])('in other bytes: %s', async (how, write) => {
    const value = aClinicalReady({ bundleId: idOf(how) });
    const first = await hooks.deliver(value);
    const again = await hooks.deliver(write(value));
    expect([...outcome(again), again.duplicateOf]).toEqual(['duplicate', 'same-content', first.id]);
  });

  test.each<[string, ClinicalReadyOverrides]>([
    ['exported at another time', { exportedAt: '2026-11-15T08:00:00Z' }],
    ['with another timestamp of its Bundle', { timestamp: '2026-11-15T08:00:00Z' }],
  ])('with the same clinical content: %s', async (how, more) => {
    const base = { bundleId: idOf(how) };
    const first = await hooks.deliver(aClinicalReady(base));
    const again = await hooks.deliver(aClinicalReady({ ...base, ...more }));
    expect([...outcome(again), again.duplicateOf]).toEqual(['duplicate', 'same-clinical-content', first.id]);
  });

  test('with the same clinical content: entries in another order and other meta', async () => {
    const bundle = aClinicalBundle({ bundleId: 'reordered' });
    const other = { ...bundle, meta: { source: 'urn:else' }, entry: [...(bundle['entry'] as unknown[])].reverse() };
    expect(await outcomesOf(aClinicalReady({ bundle }), aClinicalReady({ bundle: other }))).toEqual([
      WAITS,
      ['duplicate', 'same-clinical-content'],
    ]);
  });

  test('after a newer version has come, too', async () => {
    const body = JSON.stringify(aClinicalReady({ bundleId: 'late' }));
    const newer = aClinicalReady({ bundleId: 'late', documentVersion: 2, values: { weight: 70 } });
    expect(await outcomesOf(body, newer, body, ` ${body}`)).toEqual([
      REPLACED,
      WAITS,
      ['duplicate', 'same-bytes'],
      ['duplicate', 'same-content'],
    ]);
  });

  test('and what was quarantined stays so', async () => {
    const body = JSON.stringify(aClinicalReady({ clientUuid: 'foreign', bundleId: 'bad' }));
    expect(await outcomesOf(body, body)).toEqual([
      ['quarantined', 'foreign-client'],
      ['duplicate', 'same-bytes'],
    ]);
  });

  test('and a whole number in other digits keeps nothing from being delivered', async () => {
    const value = aUserProfile({ userId: OTHER_USER, day: '2026-10-02' });
    expect(await outcomesOf(JSON.stringify({ ...value, document_version: rawNumber('1.0') }), value)).toEqual([
      WAITS,
      ['duplicate', 'same-content'],
    ]);
  });
});

describe('versions of one clinical_ready', () => {
  const version = (bundleId: string, documentVersion: number, weight = 70 + documentVersion): Json =>
    aClinicalReady({ bundleId, documentVersion, values: { weight: weight } });

  test('a newer one takes the place of the older one that waits', async () => {
    expect(await outcomesOf(version('a', 1), version('a', 2))).toEqual([REPLACED, WAITS]);
  });
  test('an older one that comes late is superseded at once', async () => {
    expect(await outcomesOf(version('b', 5), version('b', 3), version('b', 4))).toEqual([WAITS, OLDER, OLDER]);
  });
  test('whatever the order, the highest one waits', async () => {
    expect(
      await outcomesOf(version('c', 2), version('c', 9), version('c', 1), version('c', 10), version('c', 3)),
    ).toEqual([REPLACED, REPLACED, OLDER, WAITS, OLDER]);
  });
  test('the same version with other clinical content is quarantined, and the first one waits', async () => {
    expect(await outcomesOf(version('d', 1, 70), version('d', 1, 71))).toEqual([
      WAITS,
      ['quarantined', 'version-conflict'],
    ]);
  });
  test('a newer version with the same clinical content still is the newer one', async () => {
    expect(await outcomesOf(version('e', 1, 70), version('e', 2, 70))).toEqual([REPLACED, WAITS]);
  });
  test('Bundles, users and structures do not replace each other', async () => {
    const values = [
      version('f', 1),
      version('g', 2),
      aClinicalReady({ bundleId: 'f', userId: OTHER_USER, documentVersion: 3 }),
    ];
    expect(await outcomesOf(...values)).toEqual([WAITS, WAITS, WAITS]);
  });
  test('a version that is not believed replaces nothing', async () => {
    const bad = withAt(version('h', 2), 'clinical_ready.metadata.user_id', OTHER_USER);
    const notR4 = withAt(version('h', 3), 'clinical_ready.clinical_ready_data.entry.1.resource.status', 'done');
    expect(await outcomesOf(version('h', 1), bad, notR4)).toEqual([
      WAITS,
      ['quarantined', 'identity'],
      ['quarantined', 'not-r4'],
    ]);
  });
  test('all at once, the highest one waits', async () => {
    const versions = [3, 1, 7, 2, 6, 4, 5];
    const answers = await Promise.all(versions.map((one) => hooks.postData(version('i', one))));
    const settled = await Promise.all(answers.map(({ body }) => hooks.settled((body as { id: string }).id)));
    const states = await Promise.all(settled.map(async ({ id }) => (await hooks.read(id)).state));
    expect(states).toEqual(versions.map((one) => (one === 7 ? 'parked' : 'superseded')));
  });
});

describe('versions of the others', () => {
  test('of an alert_summary the highest version of a user and date wins, and none out of range retracts', async () => {
    const day = '2026-09-01';
    const alert = (documentVersion: number, restingHeartRate: number | null) =>
      anAlertSummary({ day, documentVersion, restingHeartRate });
    expect(await outcomesOf(alert(2, 71), alert(1, 75), alert(3, null), alert(2, 72))).toEqual([
      REPLACED,
      OLDER,
      WAITS,
      OLDER,
    ]);
  });
  test('alert_summaries of two dates and two users stand beside each other', async () => {
    const values = [
      anAlertSummary({ day: '2026-09-02' }),
      anAlertSummary({ day: '2026-09-03', documentVersion: 2 }),
      anAlertSummary({ day: '2026-09-02', documentVersion: 3, userId: OTHER_USER }),
    ];
    expect(await outcomesOf(...values)).toEqual([WAITS, WAITS, WAITS]);
  });
  test('of one alert_summary version with other signals the second is quarantined', async () => {
    const day = '2026-09-04';
    expect(await outcomesOf(anAlertSummary({ day }), anAlertSummary({ day, restingHeartRate: 80 }))).toEqual([
      WAITS,
      ['quarantined', 'version-conflict'],
    ]);
  });
  test('two alert_events are two documents', async () => {
    const values = [anAlertEvent(), anAlertEvent({ measuredAt: '2026-11-14T04:00:00+01:00' })];
    expect(await outcomesOf(...values)).toEqual([WAITS, WAITS]);
  });
  test('steps only ascend within a local day, whatever document_version says', async () => {
    const steps = (count: number, hour: number, documentVersion = 1) =>
      aStepsEvent({ at: `2026-09-05T${hour}:00:00+01:00`, steps: count, documentVersion });
    expect(
      await outcomesOf(
        steps(1000, 10),
        steps(2500, 12),
        steps(1800, 13, 9),
        steps(2500, 14),
        steps(0, 15),
        steps(2501, 16),
      ),
    ).toEqual([REPLACED, REPLACED, OLDER, OLDER, OLDER, WAITS]);
  });
  test('steps begin anew with the next local day', async () => {
    const values = [
      aStepsEvent({ at: '2026-09-06T23:30:00-05:00', steps: 9000 }),
      aStepsEvent({ at: '2026-09-07T00:30:00-05:00', steps: 12 }),
    ];
    expect(await outcomesOf(...values)).toEqual([WAITS, WAITS]);
  });
  test('of a profile the highest version of a day wins', async () => {
    const profile = (documentVersion: number) =>
      aUserProfile({ day: '2026-09-08', documentVersion, activityScore: 80 + documentVersion });
    expect(await outcomesOf(profile(1), profile(3), profile(2))).toEqual([REPLACED, WAITS, OLDER]);
  });
  test('of a laboratory document the highest version wins, and another document stands beside it', async () => {
    const lab = (documentVersion: number, documentId = 'lab-a') =>
      aLabResult({ documentId, documentVersion, glucose: 90 + documentVersion });
    expect(await outcomesOf(lab(1), lab(2), lab(1, 'lab-b'))).toEqual([REPLACED, WAITS, WAITS]);
  });
  test('of an unknown structure nothing that was said is lost', async () => {
    const event = (n: number, documentVersion = 1) => ({
      ...envelopeOf('oxygenation_event', 2, { documentVersion }),
      at: `2026-09-09T0${n}:00:00Z`,
      value: 90 + n,
    });
    expect(await outcomesOf(event(1), event(2), event(3, 2), event(4))).toEqual([
      ['parked', 'unmapped'],
      ['parked', 'unmapped'],
      ['parked', 'unmapped'],
      ['parked', 'unmapped'],
    ]);
  });
});

test('at the end the ledger adds up', async () => {
  const { acknowledged, byState, addsUp } = await hooks.ledger();
  expect([Object.values(byState).reduce((sum, count) => sum + count, 0), byState['received'], addsUp]).toEqual([
    acknowledged,
    0,
    true,
  ]);
});
