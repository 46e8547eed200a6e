import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeMetrics } from '../../../src/ops/index.ts';
import type { FinishedSpan } from '../../../src/telemetry/finished-span.ts';
import { attributesOf, nanosOf } from '../../../src/telemetry/print-otlp.ts';
import { printMetrics, type Reading } from '../../../src/telemetry/print-metrics.ts';
import { printSpans } from '../../../src/telemetry/print-spans.ts';

const RESOURCE = {
  attributes: { 'service.name': 'chartgate', 'chartgate.worker': 2 },
  scope: { name: 'chartgate', version: '1' },
};
const AT = { startMs: 1_000, atMs: 61_000 };
const SPAN: FinishedSpan = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentId: null,
  isParentRemote: false,
  kind: 'internal',
  name: 'read.token',
  startMs: 1_700_000_000_000.25,
  endMs: 1_700_000_000_001.5,
  fields: {},
};

const printed = (span: Partial<FinishedSpan>): unknown =>
  (
    JSON.parse(printSpans(RESOURCE, [{ ...SPAN, ...span }])) as {
      resourceSpans: [{ scopeSpans: [{ spans: [unknown] }] }];
    }
  ).resourceSpans[0].scopeSpans[0].spans[0];

const metricsOf = (reading: Reading) =>
  (
    JSON.parse(printMetrics(RESOURCE, reading, AT)) as {
      resourceMetrics: [{ scopeMetrics: [{ metrics: Record<string, unknown>[] }] }];
    }
  ).resourceMetrics[0].scopeMetrics[0].metrics;

test('a span is printed with ids in hex, times in whole nanoseconds and enums as numbers', () => {
  expect(JSON.parse(printSpans(RESOURCE, [SPAN]))).toEqual({
    resourceSpans: [
      {
        resource: {
          attributes: [
            { key: 'service.name', value: { stringValue: 'chartgate' } },
            { key: 'chartgate.worker', value: { intValue: '2' } },
          ],
        },
        scopeSpans: [
          {
            scope: { name: 'chartgate', version: '1' },
            spans: [
              {
                traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
                spanId: '00f067aa0ba902b7',
                flags: 0x101,
                name: 'read.token',
                kind: 1,
                startTimeUnixNano: '1700000000000250000',
                endTimeUnixNano: '1700000000001500000',
                attributes: [],
              },
            ],
          },
        ],
      },
    ],
  });
});

test('a parent elsewhere is marked as such, and an error is a status', () => {
  expect(
    printed({
      parentId: 'aaaaaaaaaaaaaaaa',
      isParentRemote: true,
      kind: 'client',
      fields: { 'error.type': 'timeout', 'http.response.status_code': 504 },
    }),
  ).toMatchObject({
    parentSpanId: 'aaaaaaaaaaaaaaaa',
    flags: 0x301,
    kind: 3,
    status: { code: 2 },
    attributes: [
      { key: 'error.type', value: { stringValue: 'timeout' } },
      { key: 'http.response.status_code', value: { intValue: '504' } },
    ],
  });
  expect(printed({ kind: 'server' })).toMatchObject({ kind: 2 });
});

test('attributes have the type of their value, and what says nothing is left out', () => {
  expect(attributesOf({ a: 'x', b: true, c: 1.5, d: 2 ** 53, e: undefined, f: NaN, g: Infinity })).toEqual([
    { key: 'a', value: { stringValue: 'x' } },
    { key: 'b', value: { boolValue: true } },
    { key: 'c', value: { doubleValue: 1.5 } },
    { key: 'd', value: { doubleValue: 2 ** 53 } },
  ]);
});

test('nanoseconds are whole, and later times are never smaller', () => {
  const ms = fc.double({ min: 0, max: 4e12, noNaN: true });
  fc.assert(
    fc.property(ms, ms, (a, b) => {
      const [x, y] = [BigInt(nanosOf(Math.min(a, b))), BigInt(nanosOf(Math.max(a, b)))];
      return x <= y && x / 1_000_000n === BigInt(Math.floor(Math.min(a, b)));
    }),
  );
});

const bucket = (le: number | string, value: number) => ({ metricName: 'h_bucket', labels: { route: '/x', le }, value });

test('counts up to each bound become counts between two of them, and one for what is above the last', () => {
  const [histogram] = metricsOf([
    {
      name: 'h',
      help: 'words',
      type: 'histogram',
      values: [
        bucket(0.1, 2),
        bucket(1, 5),
        bucket('+Inf', 9),
        { metricName: 'h_sum', labels: { route: '/x' }, value: 12.5 },
        { metricName: 'h_count', labels: { route: '/x' }, value: 9 },
      ],
    },
  ]);
  expect(histogram).toEqual({
    name: 'h',
    description: 'words',
    histogram: {
      aggregationTemporality: 2,
      dataPoints: [
        {
          attributes: [{ key: 'route', value: { stringValue: '/x' } }],
          startTimeUnixNano: '1000000000',
          timeUnixNano: '61000000000',
          count: '9',
          sum: 12.5,
          explicitBounds: [0.1, 1],
          bucketCounts: ['2', '3', '4'],
        },
      ],
    },
  });
});

test('whatever was observed, the counts of the buckets add up to the count, and there is one more than bounds', () => {
  const counts = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(counts, (each) => {
      const upTo = each.map((_, n) => each.slice(0, n + 1).reduce((sum, one) => sum + one, 0));
      const values = upTo.map((value, n) => bucket(n === each.length - 1 ? '+Inf' : n + 1, value));
      const total = upTo.at(-1) ?? 0;
      const [one] = metricsOf([
        {
          name: 'h',
          help: '',
          type: 'histogram',
          values: [
            ...values.toReversed(),
            { metricName: 'h_sum', labels: { route: '/x' }, value: 1 },
            { metricName: 'h_count', labels: { route: '/x' }, value: total },
          ],
        },
      ]) as [{ histogram: { dataPoints: [{ bucketCounts: string[]; explicitBounds: number[] }] } }];
      const { bucketCounts, explicitBounds } = one.histogram.dataPoints[0];
      expect(bucketCounts.map(Number)).toEqual(each);
      expect(bucketCounts).toHaveLength(explicitBounds.length + 1);
    }),
  );
});

test('a counter is a monotonic sum, a gauge a gauge, and units follow the names', () => {
  const metrics = metricsOf([
    { name: 'a_total', help: 'a', type: 'counter', values: [{ value: 3, labels: { state: 'queued', reason: '' } }] },
    {
      name: 'b_seconds',
      help: 'b',
      type: 'gauge',
      values: [
        { value: 0.5, labels: {} },
        { value: NaN, labels: {} },
      ],
    },
    { name: 'c_bytes', help: 'c', type: 'gauge', values: [{ value: 7, labels: {} }] },
    { name: 'd', help: 'd', type: 'gauge', values: [] },
    { name: 'e', help: 'e', type: 'summary', values: [{ value: 1, labels: {} }] },
  ]);
  const point = { startTimeUnixNano: '1000000000', timeUnixNano: '61000000000', attributes: [] };
  expect(metrics).toEqual([
    {
      name: 'a_total',
      description: 'a',
      sum: {
        aggregationTemporality: 2,
        isMonotonic: true,
        dataPoints: [{ ...point, attributes: [{ key: 'state', value: { stringValue: 'queued' } }], asDouble: 3 }],
      },
    },
    { name: 'b_seconds', description: 'b', unit: 's', gauge: { dataPoints: [{ ...point, asDouble: 0.5 }] } },
    { name: 'c_bytes', description: 'c', unit: 'By', gauge: { dataPoints: [{ ...point, asDouble: 7 }] } },
  ]);
});

test('everything that /metrics shows is told', async () => {
  const metrics = makeMetrics({
    storeHealth: () => ({ state: 'ready', queued: 0, queuedBytes: 0 }),
    storeFigures: () => ({ commits: 5, commands: 9, failures: 0, lastCommitMs: 3, lastBatch: 4 }),
  });
  metrics.watchTelemetry({ dropped: () => 3 });
  metrics.observeSettled('parked', 'unlinked');
  metrics.observeFinding('x');
  metrics.observeOutcome({ kind: 'delivered' }, 0.2);
  metrics.observeRequest({ route: '/x', method: 'GET', status: 200, durationMs: 5 });
  const shown = new Set(
    [...(await metrics.render()).matchAll(/^([a-z_]+)(?:\{[^}]*\})? /gm)].map(([, name = '']) =>
      name.replace(/_(?:bucket|sum|count)$/, ''),
    ),
  );
  const told = new Set(metricsOf(await metrics.read()).map(({ name }) => String(name)));
  // No lag was measured between the two readings: a mean of nothing is no number.
  const isMeasured = (name: string): boolean => !name.startsWith('nodejs_eventloop_lag_');
  expect([...shown].filter((name) => isMeasured(name) && !told.has(name))).toEqual([]);
  expect(told).toContain('chartgate_telemetry_dropped_total');
});
