/** The steps of our own that are watched, beside HTTP requests. docs/operate.md says what each one is. */
export const SPAN_NAMES = [
  'delivery.store',
  'delivery.judge',
  'delivery.settle',
  'delivery.wait',
  'delivery.attempt',
  'delivery.finish',
  'read.token',
  'read.decide',
  'read.check',
  'read.audit',
] as const;

export type SpanName = (typeof SPAN_NAMES)[number];

/**
 * The closed set of what a span may say, by the names that OpenTelemetry has for it where it has one. None can hold
 * patient data: ids are our own, texts are constants of the code base, settings, or names of FHIR types. A new one is a
 * reviewed change to this type.
 */
export interface SpanFields {
  readonly 'http.request.method'?: string;
  /** The route's template, never the address. */
  readonly 'http.route'?: string;
  readonly 'http.response.status_code'?: number;
  /** The same of a request of ours: types and words of FHIR, and `:id` for everything else. */
  readonly 'url.template'?: string;
  /** Host and port that a setting names. */
  readonly 'server.address'?: string;
  readonly 'server.port'?: number;
  /** Why it failed: a fault's code, a status, or a word of ours. The span then counts as failed. */
  readonly 'error.type'?: string;
  readonly 'chartgate.request.id'?: string;
  readonly 'chartgate.delivery.id'?: string;
  readonly 'chartgate.delivery.hook'?: 'data' | 'notification';
  readonly 'chartgate.delivery.state'?: string;
  /** Why it is in this state. */
  readonly 'chartgate.park.reason'?: string;
  readonly 'chartgate.attempt.number'?: number;
  readonly 'chartgate.attempt.outcome'?: string;
  readonly 'chartgate.resources.written'?: number;
  readonly 'chartgate.resources.retracted'?: number;
  readonly 'chartgate.fault.code'?: string;
  readonly 'chartgate.verdict'?: string;
  /** `allow`, or why not. */
  readonly 'chartgate.decision'?: string;
  readonly 'chartgate.resource.type'?: string;
  readonly 'chartgate.interaction'?: string;
  readonly 'chartgate.count'?: number;
}

/** Who made a request, for its own span. */
export interface HttpFields extends SpanFields {
  readonly 'http.request.method': string;
}

/** A step under way. One that is never ended is not told of. */
export interface Span {
  /** A step of it. `seed`: its id is that of this text, so that other processes find it. */
  begin(seed?: string): Span;
  end(name: SpanName, fields?: SpanFields): void;
  /** The end of a request that came (`server`) or that we made (`client`); its name is the method and the template. */
  endHttp(kind: 'server' | 'client', fields: HttpFields): void;
  /** What is passed on to whoever does a part of it: https://www.w3.org/TR/trace-context/ */
  readonly traceparent: string;
}

/** Whose step it is. */
export interface Traced {
  readonly requestId: string;
  /** The caller's; absent or null where it has none. */
  readonly traceId?: string | null;
}

/**
 * Where the steps of a delivery or a read are told of. Whoever has none of these (null) does nothing for it. Every
 * answer is null for what is not watched, which is decided by the trace alone: all its steps are told of, or none.
 */
export interface Trace {
  /** A request that came. `parent`: the step of the caller's that it is a part of. */
  request(of: Traced & { readonly parent: string | null }): Span | null;
  /** A step that is a part of the step with this seed. `sinceMs`: when it began, by the wall clock. */
  step(of: Traced & { readonly seed: string; readonly sinceMs?: number }): Span | null;
}
