import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Pool } from 'undici';
import { errorCode, isError, isObject, StartError, type Clock, type Secret } from '../kernel/index.ts';

/** What came of sending something. */
export type Posted =
  /** Taken, but for so many. */
  | { readonly kind: 'taken'; readonly rejected: number }
  /** Worth another try. */
  | { readonly kind: 'later'; readonly afterMs: number | null; readonly why: string; readonly status?: number }
  /** Not worth one. */
  | { readonly kind: 'refused'; readonly why: string; readonly status: number };

export interface Post {
  send(path: '/v1/traces' | '/v1/metrics', json: string, signal: AbortSignal): Promise<Posted>;
  close(): Promise<void>;
}

const packed = promisify(gzip);
const ANSWER_BYTES_MAX = 64 * 1024;
/** Those that OTLP/HTTP names: https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const RETRYABLE = new Set([429, 502, 503, 504]);
/** Whoever asks for more than that is asked sooner. */
const AFTER_MAX_MS = 60_000;

/** A number of seconds, or a date. */
export function afterMsOf(header: unknown, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isFinite(ms) ? Math.min(AFTER_MAX_MS, Math.max(0, ms)) : null;
}

/** How many of what was sent were not taken: https://opentelemetry.io/docs/specs/otlp/#partial-success-1 */
export function rejectedOf(text: string): number {
  try {
    const told: unknown = JSON.parse(text);
    const partial = isObject(told) && isObject(told['partialSuccess']) ? told['partialSuccess'] : {};
    const count = Number(partial['rejectedSpans'] ?? partial['rejectedDataPoints'] ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0;
  }
}

/** The error's own word, never its message. */
const wordOf = (thrown: unknown): string =>
  (isError(thrown) ? (errorCode(thrown) ?? errorCode(thrown.cause) ?? thrown.name) : 'unknown').slice(0, 60);

/** Sends to one collector. Nothing is connected before the first. */
export function openPost(deps: {
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: Secret }[];
  readonly ca: string | null;
  readonly timeoutMs: number;
  readonly clock: Clock;
}): Post {
  const { timeoutMs } = deps;
  const base = new URL(deps.url);
  const root = base.pathname.replace(/\/+$/, '');
  const pool = openPool(base.origin, deps.ca, timeoutMs);
  // What is said here is ours: a setting cannot change it.
  const headers = {
    ...Object.fromEntries(deps.headers.map(({ name, value }) => [name, value.reveal()])),
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    'user-agent': 'chartgate',
  };

  return {
    async send(path, json, signal) {
      try {
        const body = await packed(json);
        const {
          statusCode,
          headers: told,
          body: answer,
        } = await pool.request({
          path: `${root}${path}`,
          method: 'POST',
          headers,
          body,
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        });
        const text = await answer.text();
        if (statusCode >= 200 && statusCode < 300) return { kind: 'taken', rejected: rejectedOf(text) };
        const why = 'status';
        return RETRYABLE.has(statusCode)
          ? {
              kind: 'later',
              afterMs: afterMsOf(told['retry-after'], deps.clock.now().getTime()),
              why,
              status: statusCode,
            }
          : { kind: 'refused', why, status: statusCode };
      } catch (thrown) {
        return { kind: 'later', afterMs: null, why: wordOf(thrown) };
      }
    },
    close: () => pool.destroy(),
  };
}

function openPool(origin: string, ca: string | null, timeoutMs: number): Pool {
  try {
    return new Pool(origin, {
      connections: 2,
      pipelining: 1,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxResponseSize: ANSWER_BYTES_MAX,
      connect: { timeout: timeoutMs, minVersion: 'TLSv1.2', ...(ca === null ? {} : { ca }) },
    });
  } catch (thrown) {
    throw new StartError('telemetry.tls', 'CHARTGATE_OTLP_TLS_CA_FILE holds no certificates that can be used.', thrown);
  }
}
