import { expect, test } from '@jest/globals';
import { runTruth } from '../flow/simulation/run-truth.ts';
import { showFigure } from './figures.ts';
import { realEhr } from './stand.ts';

test('what stands in the charts of a simulated population is what the sandbox says, withdrawals included, and the ledger adds up', async () => {
  const found = await runTruth({
    ehr: realEhr(),
    users: 4,
    days: 3,
    // A population in which measurements are taken back within these days.
    seed: 51,
    from: Date.parse('2026-03-10T09:00:00Z'),
    stepsEvents: 'on',
    withPast: 4,
    restEveryDays: 0.25,
    restMs: 120_000,
  });
  const { acknowledged, addsUp, byState } = found.ledger;
  showFigure(
    `${acknowledged} deliveries, ${found.facts} facts, ${found.withdrawn} withdrawn, ${found.differences.length} differences`,
  );
  expect([found.differences, found.odd]).toEqual([[], []]);
  expect(found.facts).toBeGreaterThan(1_000);
  expect(found.withdrawn).toBeGreaterThan(0);
  expect([addsUp, acknowledged, byState['parked'], byState['quarantined']]).toEqual([true, found.sent, 0, 0]);
}, 300_000);
