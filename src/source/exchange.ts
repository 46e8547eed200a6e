import { Readable } from 'node:stream';
import { errorCode, isError, type Clock } from '../kernel/index.ts';
import type { Upload } from './multipart.ts';
import type { Line } from './open-line.ts';

export interface SourceRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below the address of the service, encoded. */
  readonly path: string;
  readonly authorization: string;
  readonly body?: string;
  /** Sent as it comes. */
  readonly upload?: Upload;
}

export type Exchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfterMs: number | null;
      readonly value: unknown;
    }
  /** `unsent`: certainly nothing reached the service. */
  | { readonly kind: 'silent'; readonly because: 'unsent' | 'timeout' | 'cut' | 'unreadable'; readonly cause: unknown };

const UNSENT = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const UNREADABLE = new Set(['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_HEADERS_OVERFLOW']);
const TIMEOUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);

function codesOf(thrown: unknown, depth = 0): string[] {
  if (!isError(thrown) || depth > 3) return [];
  const parts = 'errors' in thrown && Array.isArray(thrown.errors) ? (thrown.errors as unknown[]) : [];
  return [
    errorCode(thrown) ?? thrown.name,
    ...codesOf(thrown.cause, depth + 1),
    ...parts.flatMap((one) => codesOf(one, depth + 1)),
  ];
}

function nameSilence(thrown: unknown, isTimeUp: boolean): Exchange {
  const codes = codesOf(thrown);
  const has = (set: ReadonlySet<string>): boolean => codes.some((code) => set.has(code));
  const because = has(UNSENT)
    ? 'unsent'
    : isTimeUp || has(TIMEOUT)
      ? 'timeout'
      : has(UNREADABLE)
        ? 'unreadable'
        : 'cut';
  // Without its message, which may quote the address and so the user.
  return {
    kind: 'silent',
    because,
    cause: Object.assign(new Error('no answer from the service'), { code: codes[0] ?? 'none' }),
  };
}

const RETRY_AFTER_MAX_MS = 24 * 3_600_000;

/** Seconds, or a date. Null where it says nothing that can be read. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | null {
  const trimmed = text?.trim() ?? '';
  const ms = /^\d{1,9}$/.test(trimmed)
    ? Number(trimmed) * 1000
    : / GMT$/.test(trimmed)
      ? Date.parse(trimmed) - nowMs
      : Number.NaN;
  return Number.isNaN(ms) ? null : Math.min(RETRY_AFTER_MAX_MS, Math.max(0, ms));
}

function parseBody(type: string | undefined, text: string): unknown {
  if (!/^application\/json\s*(;|$)/i.test(type ?? '')) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** Sends one request once. Redirects are answers like any other: nothing is sent to where they point. */
export async function exchange(line: Line, request: SourceRequest, agent: string, clock: Clock): Promise<Exchange> {
  const { method, path, authorization, body, upload } = request;
  const signal = AbortSignal.timeout(upload === undefined ? line.limits.deadlineMs : line.limits.uploadMs);
  try {
    const answer = await line.pool.request({
      method,
      path: `${line.root}${path}`,
      headers: {
        authorization,
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': agent,
        // Exactly so: a charset is refused by the binding.
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(upload === undefined ? {} : { 'content-type': upload.contentType }),
      },
      body: upload === undefined ? (body ?? null) : Readable.from(upload.parts()),
      signal,
    });
    const text = await answer.body.text();
    return {
      kind: 'answered',
      status: answer.statusCode,
      retryAfterMs: readRetryAfter(one(answer.headers['retry-after']), clock.now().getTime()),
      value: parseBody(one(answer.headers['content-type']), text),
    };
  } catch (thrown) {
    return nameSilence(thrown, signal.aborted);
  }
}
