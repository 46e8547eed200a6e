import { z } from 'zod';
import { list, open, secretKey, set, webAddress, wholeNumber, type Key } from './key-kinds.ts';

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([\x20-\x7e]+)$/;

/** Where traces and metrics are sent. */
export const TELEMETRY_KEYS = {
  CHARTGATE_OTLP_URL: open(
    'address',
    'where traces and metrics are sent by OTLP/HTTP: `/v1/traces` and `/v1/metrics` below it; without it nothing is',
    webAddress.refine((text) => !/[?#]/.test(text), 'must be an address without query or fragment'),
  ),
  CHARTGATE_OTLP_HEADERS: secretKey(
    'name=value, …',
    'headers that go with them, such as a credential',
    list.pipe(z.array(z.string().regex(HEADER, 'must be name=value, separated by commas')).min(1).max(16)),
  ),
  CHARTGATE_OTLP_TLS_CA_FILE: open(
    'path',
    "authorities that may sign the certificate there, instead of the machine's own",
  ),
  CHARTGATE_OTLP_TRACE_SHARE: set(
    'number',
    '1',
    'which share of all traces is sent, 0 (none) to 1 (all)',
    z
      .string()
      .regex(/^(?:0|1|0?\.\d{1,6}|1\.0+)$/, 'must be a number from 0 to 1')
      .transform(Number),
  ),
  CHARTGATE_OTLP_METRICS_SECONDS: set(
    'number',
    '60',
    'how often metrics are sent, 1 to 3600; 0 for never',
    wholeNumber.pipe(z.number().max(3_600)),
  ),
} as const satisfies Record<string, Key>;
