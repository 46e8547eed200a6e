import { expect, test } from '@jest/globals';
import { howMany } from '../../support/how-much.ts';
import { runTruth } from './run-truth.ts';

test('what stands in the charts is what the sandbox says, retractions included, and the ledger adds up', async () => {
  const found = await runTruth({
    ehr: null,
    users: howMany(4, 6),
    days: howMany(8, 10),
    seed: 5,
    // Summer time begins within these days, in some of the zones.
    from: Date.parse('2026-03-22T09:00:00Z'),
    stepsEvents: 'on',
    withPast: 2,
    restEveryDays: 2,
    restMs: 60_000,
  });
  expect([found.differences, found.odd]).toEqual([[], []]);
  expect(found.facts).toBeGreaterThan(howMany(500, 1_000));
  expect(found.withdrawn).toBeGreaterThan(0);
  expect(Object.keys(found.documents).sort()).toEqual([
    'alert_event',
    'alert_summary',
    'clinical_ready',
    'steps_event',
    'user_profile',
  ]);
  const { acknowledged, addsUp, byState } = found.ledger;
  expect([addsUp, acknowledged, byState['parked'], byState['quarantined']]).toEqual([true, found.sent, 0, 0]);
}, 180_000);

test('so it is for the people for each hazard: what could mislead is written as it is said, and nothing else', async () => {
  const found = await runTruth({
    ehr: null,
    users: 5,
    days: howMany(6, 12),
    seed: 5,
    firstPerson: 95,
    from: Date.parse('2026-04-06T09:00:00Z'),
    stepsEvents: 'off',
    withPast: 5,
    restEveryDays: 2,
    restMs: 60_000,
  });
  expect([found.differences, found.odd]).toEqual([[], []]);
  expect(found.documents['alert_event']).toBeGreaterThan(2);
  const { acknowledged, addsUp, byState } = found.ledger;
  expect([addsUp, acknowledged, byState['parked'], byState['quarantined']]).toEqual([true, found.sent, 0, 0]);
}, 180_000);
