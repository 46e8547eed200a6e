import { setTimeout as pause } from 'node:timers/promises';
import { type Chance, type Clock, type Log, type Part, type Secret, type Trace } from '../kernel/index.ts';
import { makeIsWatched, makeTrace } from './make-trace.ts';
import { openPost, type Posted } from './post.ts';
import type { AttributeValue, Resource } from './print-otlp.ts';
import { printMetrics, type Reading } from './print-metrics.ts';
import { printSpans } from './print-spans.ts';
import { makeSendSpans, SPAN_LIMITS, type SpanLimits } from './send-spans.ts';

const TIMEOUT_MS = 10_000;
/** What is left at the end gets so long; then the process goes on to its end. */
const STOP_MS = 2_500;

export interface TelemetryDeps {
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: Secret }[];
  readonly ca: string | null;
  readonly traceShare: number;
  readonly metricsEveryMs: number;
  /** By which it is decided which traces are told of. */
  readonly sampleKey: string;
  readonly version: string;
  readonly instance: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly limits?: Partial<SpanLimits & { readonly timeoutMs: number }>;
}

export interface Telemetry extends Part {
  start(): void;
  /** Null where no trace is told of. */
  readonly trace: Trace | null;
  /** How many spans were not taken, for whichever reason. */
  dropped(): number;
  /** What is sent now and then. Before the start. */
  watch(read: () => Promise<Reading>): void;
}

/** One line for each outage, and one for its end; a collector may take one of the two signals alone. */
function makeTellOutage(signal: 'traces' | 'metrics', log: Log): (posted: Posted) => void {
  let isOut = false;
  return (posted) => {
    if (posted.kind === 'taken') {
      if (isOut) log.info('telemetry.recovered', { signal });
      isOut = false;
      return;
    }
    if (isOut) return;
    isOut = true;
    const { why, status } = posted;
    log.warn('telemetry.failed', { signal, reason: why, ...(status === undefined ? {} : { status }) });
  };
}

/** Traces and metrics for a collector of OpenTelemetry. Making it connects to nobody and starts no timer. */
export function makeTelemetry(deps: TelemetryDeps): Telemetry {
  const { clock, chance, log } = deps;
  const { timeoutMs = TIMEOUT_MS, ...limits } = deps.limits ?? {};
  const post = openPost({ ...deps, timeoutMs });
  const resource: Resource = {
    attributes: {
      'service.name': 'chartgate',
      'service.version': deps.version,
      'service.instance.id': deps.instance,
      ...deps.attributes,
    },
    scope: { name: 'chartgate', version: deps.version },
  };
  const startMs = clock.now().getTime();
  let dropped = 0;
  const spans = makeSendSpans({
    send: (batch, signal) => post.send('/v1/traces', printSpans(resource, batch), signal),
    onPosted: makeTellOutage('traces', log),
    onDropped: (count) => void (dropped += count),
    chance,
    limits: { ...SPAN_LIMITS, ...limits },
  });
  const tellOutage = makeTellOutage('metrics', log);
  let read: (() => Promise<Reading>) | null = null;
  let timer: NodeJS.Timeout | undefined;
  let pushing: Promise<void> | null = null;
  const late = new AbortController();

  /** They are sums since the start: one that is lost is in the next, so that none is kept or tried again. */
  async function pushMetrics(): Promise<void> {
    if (read === null) return;
    const reading = await read();
    const at = { startMs, atMs: Math.max(startMs, clock.now().getTime()) };
    tellOutage(await post.send('/v1/metrics', printMetrics(resource, reading, at), late.signal));
  }
  const push = (): Promise<void> =>
    (pushing ??= pushMetrics()
      // Nothing of it may be the end of the process.
      .catch(() => undefined)
      .finally(() => {
        pushing = null;
      }));

  return {
    trace:
      deps.traceShare > 0
        ? makeTrace({ isWatched: makeIsWatched(deps.traceShare, deps.sampleKey), clock, chance, onEnded: spans.add })
        : null,
    dropped: () => dropped,
    watch: (given) => void (read = given),
    start() {
      if (deps.metricsEveryMs > 0) timer = setInterval(() => void push(), deps.metricsEveryMs).unref();
    },
    async stop() {
      clearInterval(timer);
      const last = deps.metricsEveryMs > 0 && timer !== undefined ? push() : Promise.resolve();
      await Promise.all([
        spans.stop(STOP_MS),
        Promise.race([last, pause(STOP_MS, undefined, { ref: false })]).finally(() => late.abort()),
      ]);
      await post.close();
    },
  };
}
