import type { Span } from '../kernel/index.ts';

/** Names and values, in order; a name may come twice. */
export type Pairs = readonly (readonly [string, string])[];

/** Says when nobody wants an answer any longer. An AbortSignal is one; for a request that must be quick it is dear. */
export interface AbandonSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** One request to the EHR. Everything that may be said is here; nothing else goes out. */
export interface EhrRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base, without a slash before it: `Patient/1`, `Observation/_search`; empty for a Bundle. */
  readonly path: string;
  readonly query?: Pairs;
  /** What POST _search carries, so that no search value is in an address. Excludes `body`. */
  readonly form?: Pairs;
  /** JSON as it shall go out, so that decimals keep their digits. */
  readonly body?: string;
  readonly prefer?: 'return=minimal' | 'return=representation' | 'handling=strict' | 'handling=lenient';
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  readonly ifModifiedSince?: string;
  /** Only the part behind the question mark. */
  readonly ifNoneExist?: string;
  /** Sent as X-Request-Id. */
  readonly requestId: string;
  /** Passed on as W3C traceparent. */
  readonly traceId?: string;
  /** The step that it is a part of, where somebody watches; it is then passed on as W3C traceparent. */
  readonly span?: Span;
  /** The whole exchange ends then, however busy it still is. */
  readonly deadlineMs?: number;
  readonly signal?: AbandonSignal;
  /** Of a question: asked for each part of the answer whether there is room for it; false ends the exchange. */
  readonly admit?: (bytes: number) => true | Promise<boolean>;
  /**
   * Of a question: what the caller makes of the JSON of a 200 as the bytes that it is, which are then not parsed; null
   * where they are to be. Whoever takes them has found that `parseLossless` would, and that they are no
   * OperationOutcome.
   */
  readonly take?: (bytes: Uint8Array) => object | null;
}

/** What the EHR may tell us in headers. */
export interface AnswerHeaders {
  readonly etag?: string;
  readonly location?: string;
  readonly lastModified?: string;
  readonly retryAfter?: string;
}

export type AnswerBody =
  | { readonly kind: 'empty' }
  /** Parsed without loss: see `parseLossless` of r4. */
  | { readonly kind: 'json'; readonly value: unknown }
  /** What `take` of the request made of it. */
  | { readonly kind: 'taken'; readonly value: object }
  | { readonly kind: 'unreadable'; readonly because: 'content-type' | 'encoding' | 'syntax' };

/** The EHR answered, whatever it said. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: AnswerBody;
  /** The body as it came; nothing where it was taken. */
  readonly bytes: Uint8Array;
}

export const SILENCES = [
  'dns',
  'refused',
  'connect-timeout',
  'tls',
  'timeout',
  'reset',
  'too-large',
  'not-http',
  'abandoned',
  'closed',
] as const;

/** It did not, or not to the end. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly because: (typeof SILENCES)[number];
  /** `nothing`: not one byte of the request left, so it may be sent again. */
  readonly sent: 'nothing' | 'something';
  /** The error's kind and code alone; its message may quote an address. */
  readonly cause?: unknown;
}

export type Exchange = Answered | Unanswered;
