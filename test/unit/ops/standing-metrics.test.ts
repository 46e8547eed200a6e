import { expect, test } from '@jest/globals';
import { makeMergedMetrics, makeMetrics, type Standing } from '../../../src/ops/index.ts';

const NOW_MS = 1_000_000;
const QUIET: Standing = {
  version: '9.9.9',
  isLedgerEqual: () => true,
  ledger: () => Promise.resolve(null),
  stuck: () => Promise.resolve([]),
  isPaused: () => Promise.resolve(false),
  audit: () => ({ signedAgoMs: 2_000, anchor: 'none' }),
  weakSettings: 0,
  certificates: [],
  keys: () => Promise.resolve([]),
  disks: [],
  subscriptions: () => Promise.resolve(null),
  exports: () => Promise.resolve(null),
  nowMs: () => NOW_MS,
  monotonicMs: () => 0,
};

function metricsOf(more: Partial<Standing>) {
  const metrics = makeMetrics({
    storeHealth: () => ({ state: 'ready', queued: 0, queuedBytes: 0 }),
    storeFigures: () => ({ commits: 0, commands: 0, failures: 0, lastBatch: 0, lastCommitMs: 0 }),
  });
  metrics.watchStanding({ ...QUIET, ...more });
  return metrics;
}
const samples = (text: string, name: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));

test('groups of one reason are one, with the age of the oldest', async () => {
  const group = { state: 'parked', reason: 'rejected' } as const;
  const metrics = metricsOf({
    stuck: () =>
      Promise.resolve([
        { ...group, count: 2, oldestAt: NOW_MS - 5_000 },
        { ...group, count: 3, oldestAt: NOW_MS - 9_000 },
      ]),
  });
  const text = await metrics.render();
  expect(samples(text, 'chartgate_deliveries_stuck')).toEqual([
    'chartgate_deliveries_stuck{state="parked",reason="rejected"} 5',
  ]);
  expect(samples(text, 'chartgate_deliveries_stuck_seconds')).toEqual([
    'chartgate_deliveries_stuck_seconds{state="parked",reason="rejected"} 9',
  ]);
});

test('what is gone is no longer shown, and what is not known never was', async () => {
  let monotonicMs = 0;
  let left = 1;
  const metrics = metricsOf({
    monotonicMs: () => monotonicMs,
    isPaused: () => Promise.resolve(null),
    stuck: () =>
      Promise.resolve(left-- > 0 ? [{ state: 'parked', reason: 'unlinked', count: 1, oldestAt: NOW_MS }] : []),
  });
  expect(samples(await metrics.render(), 'chartgate_deliveries_stuck')).toHaveLength(1);
  monotonicMs += 60_000;
  const text = await metrics.render();
  expect(samples(text, 'chartgate_deliveries_stuck')).toEqual([]);
  for (const name of ['chartgate_ehr_paused', 'chartgate_audit_anchor_failing', 'chartgate_deliveries'])
    expect([name, samples(text, name)]).toEqual([name, []]);
});

test('of several workers the worst is shown', async () => {
  const merged = makeMergedMetrics();
  const workers = [
    metricsOf({ audit: () => ({ signedAgoMs: 1_000, anchor: 'failing' }), isPaused: () => Promise.resolve(null) }),
    metricsOf({ audit: () => ({ signedAgoMs: 400_000, anchor: 'written' }), isLedgerEqual: () => false }),
  ];
  for (const [number, worker] of workers.entries()) merged.learn(number, await worker.read());
  const text = await merged.render({ serving: 2, restarts: 0 });
  expect(samples(text, 'chartgate_audit_signed_seconds')).toEqual(['chartgate_audit_signed_seconds 400']);
  expect(samples(text, 'chartgate_audit_anchor_failing')).toEqual(['chartgate_audit_anchor_failing 1']);
  expect(samples(text, 'chartgate_ledger_equal')).toEqual(['chartgate_ledger_equal 0']);
  expect(samples(text, 'chartgate_ehr_paused')).toEqual(['chartgate_ehr_paused 0']);
  expect(samples(text, 'chartgate_build_info')).toEqual(['chartgate_build_info{version="9.9.9"} 1']);
});

test('a disk that cannot be asked is left out', async () => {
  const folder = new URL('.', import.meta.url).pathname;
  const text = await metricsOf({
    disks: [
      { of: 'database', folder },
      { of: 'anchor', folder: `${folder}nowhere/` },
    ],
  }).render();
  expect(samples(text, 'chartgate_disk_free_bytes')).toEqual([expect.stringMatching(/^.*\{of="database"\} [1-9]/)]);
  expect(samples(text, 'chartgate_disk_size_bytes')).toHaveLength(1);
});
