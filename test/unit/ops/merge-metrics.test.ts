import { expect, test } from '@jest/globals';
import { makeMergedMetrics, makeMetrics, type MetricsReading } from '../../../src/ops/index.ts';

const health = { state: 'ready', queued: 2, queuedBytes: 10 } as const;
const figures = { commits: 5, commands: 9, failures: 0, lastCommitMs: 3, lastBatch: 4 };

/** A process that has settled so many deliveries. */
async function reading(settled: number, isReady = true): Promise<MetricsReading> {
  const metrics = makeMetrics({
    storeHealth: () => (isReady ? health : { ...health, state: 'store.busy' }),
    storeFigures: () => figures,
  });
  for (let n = 0; n < settled; n += 1) metrics.observeSettled('queued', null);
  metrics.observeRequest({ route: '/x', method: 'GET', status: 200, durationMs: 5 });
  // As it comes through the channel between processes.
  return JSON.parse(JSON.stringify(await metrics.read())) as MetricsReading;
}
const valueOf = (text: string, name: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  );
const SETTLED = 'chartgate_deliveries_settled_total{state="queued",reason=""}';

test('counts and what waits add up, and one that is not ready shows', async () => {
  const merged = makeMergedMetrics();
  merged.learn(1, await reading(3));
  merged.learn(2, await reading(4, false));
  const text = await merged.render({ serving: 2, restarts: 0 });
  expect(valueOf(text, SETTLED)).toBe(7);
  expect(valueOf(text, 'chartgate_store_queued')).toBe(4);
  expect(valueOf(text, 'chartgate_store_commits_total')).toBe(10);
  expect(valueOf(text, 'chartgate_store_ready')).toBe(0);
  expect(valueOf(text, 'chartgate_store_last_batch')).toBe(4);
  expect(valueOf(text, 'chartgate_workers')).toBe(2);
  expect(valueOf(text, 'chartgate_http_request_seconds_count{route="/x",method="GET",status="200"}')).toBe(2);
});

test('what was counted stays when a process ends, what was so then does not', async () => {
  const merged = makeMergedMetrics();
  merged.learn(1, await reading(3));
  merged.learn(2, await reading(4));
  merged.retire(2);
  merged.retire(9);
  merged.learn(3, await reading(1));
  const text = await merged.render({ serving: 2, restarts: 1 });
  expect(valueOf(text, SETTLED)).toBe(8);
  expect(valueOf(text, 'chartgate_store_commits_total')).toBe(15);
  expect(valueOf(text, 'chartgate_store_queued')).toBe(4);
  expect(valueOf(text, 'chartgate_worker_restarts_total')).toBe(1);
  merged.retire(1);
  merged.retire(3);
  expect(valueOf(await merged.render({ serving: 0, restarts: 1 }), SETTLED)).toBe(8);
});
