import { secret } from '../kernel/index.ts';
import type { TelemetryConfig } from './config.ts';
import type { KeyName, Settled, Values } from './keys.ts';
import type { Problem } from './read-values.ts';

const WITHOUT_ADDRESS = ['CHARTGATE_OTLP_HEADERS', 'CHARTGATE_OTLP_TLS_CA_FILE'] as const;

export function checkTelemetry(v: Values, has: (key: KeyName) => boolean): Problem[] {
  if (v.CHARTGATE_OTLP_URL === undefined)
    return WITHOUT_ADDRESS.filter(has).map((key) => ({ key, text: 'has no effect without CHARTGATE_OTLP_URL' }));
  return has('CHARTGATE_OTLP_TLS_CA_FILE') && v.CHARTGATE_OTLP_URL.startsWith('http:')
    ? [{ key: 'CHARTGATE_OTLP_URL', text: 'is not https, so CHARTGATE_OTLP_TLS_CA_FILE would have no effect' }]
    : [];
}

export function toTelemetry(
  v: Settled,
  readFile: (key: 'CHARTGATE_OTLP_TLS_CA_FILE') => string,
): TelemetryConfig | null {
  if (v.CHARTGATE_OTLP_URL === undefined) return null;
  return {
    url: v.CHARTGATE_OTLP_URL,
    headers: (v.CHARTGATE_OTLP_HEADERS ?? []).map((one) => ({
      name: one.slice(0, one.indexOf('=')).toLowerCase(),
      value: secret(one.slice(one.indexOf('=') + 1)),
    })),
    ca: v.CHARTGATE_OTLP_TLS_CA_FILE === undefined ? null : readFile('CHARTGATE_OTLP_TLS_CA_FILE'),
    traceShare: v.CHARTGATE_OTLP_TRACE_SHARE,
    metricsEveryMs: v.CHARTGATE_OTLP_METRICS_SECONDS * 1000,
  };
}
