import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics, type Aggregator } from 'prom-client';
import type { StoreFigures, StoreHealth } from '../store/index.ts';
import { askSeldom } from './ask-seldom.ts';
import type { MetricsReading } from './merge-metrics.ts';
import { addStandingMetrics, type Standing } from './standing-metrics.ts';

export interface Metrics {
  readonly contentType: string;
  render(): Promise<string>;
  /** The same, to be merged with that of other workers. */
  read(): Promise<MetricsReading>;
  observeSettled(state: string, reason: string | null): void;
  observeFinding(code: string): void;
  /** The end of an attempt at the EHR. */
  observeOutcome(outcome: { readonly kind: string; readonly reason?: string }, seconds: number): void;
  /** Shown once there is an EHR to tell of. */
  watchTarget(target: {
    readonly state: () => {
      readonly breaker: string;
      readonly limit: number;
      readonly inFlight: number;
      readonly concurrency: { readonly latencyMs: number | null };
    };
    readonly isForwarding: () => boolean;
    readonly lag: () => Promise<{
      readonly jobs: number;
      readonly lanes: number;
      readonly oldestAt: number | null;
      readonly leftOut: number;
    } | null>;
    readonly nowMs: () => number;
  }): void;
  /** Shown once the parts are there that know it. */
  watchStanding(standing: Standing): void;
  /** Shown where a collector is told of anything. */
  watchTelemetry(telemetry: { readonly dropped: () => number }): void;
  observeRequest(answer: { route: string; method: string; status: number; durationMs: number }): void;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Labels are route templates and words of ours; nothing that a caller sends can become one. */
export function makeMetrics(deps: {
  readonly storeHealth: () => StoreHealth;
  readonly storeFigures: () => StoreFigures;
}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const seconds = new Histogram({
    name: 'chartgate_http_request_seconds',
    help: 'Time to answer, by route template',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers,
  });
  /** `merge`: how what several workers say becomes one. */
  const gauge = (name: string, help: string, merge: Aggregator, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      aggregator: merge,
      collect() {
        this.set(read());
      },
    });
  };
  const counter = (name: string, help: string, read: () => number): void => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };

  gauge('chartgate_store_ready', '1 while the store takes writes', 'min', () =>
    deps.storeHealth().state === 'ready' ? 1 : 0,
  );
  gauge('chartgate_store_queued', 'Commands that wait for the writer', 'sum', () => deps.storeHealth().queued);
  gauge('chartgate_store_queued_bytes', 'What they weigh', 'sum', () => deps.storeHealth().queuedBytes);
  gauge(
    'chartgate_store_journaled',
    'Commands that are acknowledged by the journal and not carried out',
    'sum',
    () => deps.storeHealth().journaled ?? 0,
  );
  gauge(
    'chartgate_store_last_commit_seconds',
    'How long the last commit took',
    'max',
    () => deps.storeFigures().lastCommitMs / 1000,
  );
  gauge('chartgate_store_last_batch', 'How many commands shared it', 'max', () => deps.storeFigures().lastBatch);
  counter('chartgate_store_commits_total', 'Transactions committed', () => deps.storeFigures().commits);
  counter('chartgate_store_commands_total', 'Commands committed', () => deps.storeFigures().commands);
  counter('chartgate_store_failures_total', 'Transactions that failed as a whole', () => deps.storeFigures().failures);

  const settled = new Counter({
    name: 'chartgate_deliveries_settled_total',
    help: 'Deliveries that were looked at, by the state they came to',
    labelNames: ['state', 'reason'],
    registers,
  });

  const findings = new Counter({
    name: 'chartgate_findings_total',
    help: 'What did not add up in deliveries, by code',
    labelNames: ['code'],
    registers,
  });

  const attempts = new Histogram({
    name: 'chartgate_ehr_attempt_seconds',
    help: 'Time of an attempt to bring a delivery to the EHR, by what came of it',
    labelNames: ['outcome', 'reason'],
    buckets: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    registers,
  });

  return {
    observeOutcome: ({ kind, reason }, taken) => attempts.observe({ outcome: kind, reason: reason ?? '' }, taken),
    watchTarget({ state, isForwarding, lag, nowMs }) {
      gauge('chartgate_ehr_breaker_open', '1 while the EHR is left alone', 'max', () =>
        state().breaker === 'closed' ? 0 : 1,
      );
      gauge(
        'chartgate_forwarding',
        '0 while deliveries are held back: in shadow mode, or until it is confirmed that they go on',
        'min',
        () => (isForwarding() ? 1 : 0),
      );
      gauge('chartgate_ehr_in_flight', 'Requests to the EHR under way', 'sum', () => state().inFlight);
      gauge('chartgate_ehr_concurrency_limit', 'How many it is trusted to bear', 'sum', () => state().limit);
      gauge(
        'chartgate_ehr_answer_seconds',
        'Mean time of an answer when the limit was last measured, 0 before',
        'max',
        () => (state().concurrency.latencyMs ?? 0) / 1000,
      );
      // One question for all that are collected together.
      const ask = askSeldom(lag, { freshMs: 0, monotonicMs: nowMs });
      const later = (
        name: string,
        help: string,
        read: (found: NonNullable<Awaited<ReturnType<typeof lag>>>) => number,
      ): void => {
        new Gauge({
          name,
          help,
          registers,
          // All ask the same store.
          aggregator: 'max',
          async collect() {
            const found = await ask();
            // What is not known is not shown.
            if (found === null) this.remove();
            else this.set(read(found));
          },
        });
      };
      later('chartgate_lane_jobs', 'Jobs that wait in lanes', ({ jobs }) => jobs);
      later(
        'chartgate_deliveries_left_out',
        'Deliveries of which a part was left out and still waits, among the last 1,000',
        ({ leftOut }) => leftOut,
      );
      later('chartgate_lanes_waiting', 'Lanes in which something waits, counted up to 10,000', ({ lanes }) => lanes);
      later('chartgate_delivery_lag_seconds', 'Age of the oldest delivery in a lane', ({ oldestAt }) =>
        oldestAt === null ? 0 : Math.max(0, (nowMs() - oldestAt) / 1000),
      );
    },
    watchStanding: (standing) => addStandingMetrics(registry, standing),
    watchTelemetry: ({ dropped }) =>
      counter('chartgate_telemetry_dropped_total', 'Spans that no collector took', dropped),
    observeFinding: (code) => findings.inc({ code }),
    observeSettled: (state, reason) => settled.inc({ state, reason: reason ?? '' }),
    contentType: registry.contentType,
    render: () => registry.metrics(),
    read: () => registry.getMetricsAsJSON(),
    observeRequest: ({ route, method, status, durationMs }) =>
      seconds.observe(
        { route, method: METHODS.has(method) ? method : 'other', status: String(status) },
        durationMs / 1000,
      ),
  };
}
