import { expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { postgresPlace } from '../../support/new-store.ts';
import { startOtlpSink, type SinkMetric } from '../../support/otlp-sink.ts';
import { aClinicalReady } from '../../support/payloads/index.ts';
import { withStage } from '../delivery/stage.ts';

interface Told {
  readonly resourceMetrics: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { stringValue?: string } }[];
    };
    readonly scopeMetrics: readonly { readonly metrics: readonly SinkMetric[] }[];
  }[];
}

test('each worker tells of itself, the primary of the workers, and a delivery is one trace whoever has its parts', async () => {
  const sink = await startOtlpSink();
  /** By instance, as last told. */
  const metrics = (): Map<string, readonly SinkMetric[]> =>
    new Map(
      sink.taken
        .filter(({ path }) => path === '/v1/metrics')
        .flatMap(({ text }) => (JSON.parse(text) as Told).resourceMetrics)
        .map(({ resource, scopeMetrics }) => [
          resource.attributes.find(({ key }) => key === 'service.instance.id')?.value.stringValue ?? '',
          scopeMetrics.flatMap((one) => one.metrics),
        ]),
    );
  const valueOf = (name: string): number[] =>
    [...metrics().values()].flatMap((all) =>
      all.filter((one) => one.name === name).map((one) => (one.gauge ?? one.sum)?.dataPoints[0]?.asDouble ?? NaN),
    );
  try {
    await withStage(postgresPlace, {}, async (stage) => {
      const gateway = await stage.start(
        { CHARTGATE_OTLP_URL: sink.url, CHARTGATE_OTLP_METRICS_SECONDS: '1', CHARTGATE_DRAIN_SECONDS: '0' },
        ['--workers', '2'],
      );
      expect(
        await eventually(
          () => valueOf('chartgate_workers'),
          ([count]) => count === 2,
          60_000,
        ),
      ).toEqual([2]);
      await stage.enrol(gateway, 'ada');
      const id = await stage.send(gateway, aClinicalReady({ userId: 'ada', observations: 1 }));
      await stage.delivered(gateway, id ?? '');
      const spans = await eventually(sink.spans, (all) => all.some(({ name }) => name === 'delivery.finish'));
      const finish = spans.find(({ name }) => name === 'delivery.finish');
      const trace = await eventually(
        () => sink.spans().filter(({ traceId }) => traceId === finish?.traceId),
        (all) => all.some(({ name }) => name === 'POST /webhooks/:secret/data'),
      );
      const ids = new Set(trace.map(({ spanId }) => spanId));
      expect(trace.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId))).toEqual([]);
      // Two workers and the primary; both workers have the gauges of the store.
      expect(metrics().size).toBe(3);
      expect(valueOf('chartgate_store_ready')).toEqual([1, 1]);
      gateway.signal('SIGTERM');
      expect((await gateway.ended).code).toBe(0);
    });
  } finally {
    await sink.stop();
  }
}, 180_000);
