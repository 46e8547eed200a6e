import { hash } from 'node:crypto';
import type { Config } from '../config/index.ts';
import type { Chance, Clock, Life, Log } from '../kernel/index.ts';
import type { Metrics } from '../ops/index.ts';
import type { Seat } from '../workers/index.ts';

/** How long its end may take: what is left is sent once more. */
const STOP_MS = 4_000;

/**
 * Starts what tells a collector of traces and metrics, and answers where steps are told of; null where nobody watches.
 * Its code is loaded only where a setting asks for it. Each process tells of itself.
 */
export async function startTelemetry(deps: {
  readonly config: Config;
  readonly instance: string;
  readonly seat: Seat | null;
  readonly version: string;
  readonly metrics: Metrics;
  readonly life: Life;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
}) {
  const { config, seat, metrics, life, ...rest } = deps;
  if (config.telemetry === null) return null;
  const { makeTelemetry } = await import('../telemetry/index.ts');
  const telemetry = makeTelemetry({
    ...rest,
    ...config.telemetry,
    // The same in every process, and known to nobody who sends requests.
    sampleKey: hash('sha256', `traces\n${config.keys.pseudonym.reveal()}`),
    attributes: {
      'deployment.environment.name': config.environment,
      ...(seat === null ? {} : { 'chartgate.worker': seat.number }),
    },
  });
  metrics.watchTelemetry(telemetry);
  telemetry.watch(metrics.read);
  await life.start('telemetry', telemetry, STOP_MS);
  return telemetry.trace;
}
