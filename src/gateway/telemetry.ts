import { hash } from 'node:crypto';
import type { Config } from '../config/index.ts';
import type { Chance, Clock, Life, Log, Trace } from '../kernel/index.ts';
import type { Metrics } from '../ops/index.ts';
import type { Seat } from '../workers/index.ts';

/** How long its end may take: what is left is sent once more. */
const STOP_MS = 4_000;

interface TelemetryDeps {
  readonly config: Config;
  /** Unlike that of any other process. */
  readonly instance: string;
  readonly version: string;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
}

/**
 * Makes what tells a collector of traces and metrics; null where nobody is to be told. Its code is loaded only where a
 * setting asks for it. Each process tells of itself.
 */
export async function openTelemetry(
  { config, ...deps }: TelemetryDeps,
  attributes: Readonly<Record<string, string | number>> = {},
) {
  if (config.telemetry === null) return null;
  const { makeTelemetry } = await import('../telemetry/index.ts');
  return makeTelemetry({
    ...deps,
    ...config.telemetry,
    // The same in every process, and known to nobody who sends requests.
    sampleKey: hash('sha256', `traces\n${config.keys.pseudonym.reveal()}`),
    attributes: { 'deployment.environment.name': config.environment, ...attributes },
  });
}

/** The same for a gateway, started. Answers where steps are told of. */
export async function startTelemetry({
  seat,
  metrics,
  life,
  ...deps
}: TelemetryDeps & {
  readonly seat: Seat | null;
  readonly metrics: Metrics;
  readonly life: Life;
}): Promise<Trace | null> {
  const telemetry = await openTelemetry(deps, seat === null ? {} : { 'chartgate.worker': seat.number });
  if (telemetry === null) return null;
  metrics.watchTelemetry(telemetry);
  telemetry.watch(metrics.read);
  await life.start('telemetry', telemetry, STOP_MS);
  return telemetry.trace;
}
