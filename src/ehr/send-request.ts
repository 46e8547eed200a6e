import type { Dispatcher } from 'undici';
import { ok, traceparentOf, type Result, type Span } from '../kernel/index.ts';
import { dispatchOnce, type Ended, type Leaving } from './dispatch-once.ts';
import type { EhrRequest, Exchange } from './exchange.ts';
import type { AddressGuard } from './guard-address.ts';
import { errorCodes, nameSilence } from './name-silence.ts';
import type { EhrLimits } from './open-pool.ts';
import { readAnswer } from './read-answer.ts';
import { checkAccess, type EhrAccess } from './refuse-writes.ts';
import { endExchange } from './watch-exchange.ts';

/**
 * Sends one request once, with this Authorization header or none. A fault means that the address is not ours, or that a
 * write was refused in shadow mode: nothing was sent.
 */
export type SendOnce = (request: EhrRequest, authorization: string | null) => Promise<Result<Exchange>>;

const FHIR_JSON = 'application/fhir+json';

/** That of the step itself, where somebody watches it. */
function traceparent({ requestId, traceId }: EhrRequest, span: Span | null, call: number): string | undefined {
  if (span !== null) return span.traceparent;
  return traceId === undefined ? undefined : traceparentOf(traceId, `${requestId} ${call}`);
}

/** Names and values in turns, as the pool takes them without asking an object for its keys. */
function headersOf(request: EhrRequest, authorization: string | null, span: Span | null, call: number): string[] {
  const { body, form, requestId } = request;
  const headers = [
    'accept',
    request.path.startsWith('.well-known/') ? 'application/json' : FHIR_JSON,
    'accept-encoding',
    'identity',
    'user-agent',
    'chartgate',
    'x-request-id',
    requestId,
  ];
  const add = (name: string, value: string | null | undefined): void => {
    if (value !== undefined && value !== null) headers.push(name, value);
  };
  add('traceparent', traceparent(request, span, call));
  // HAPI answers a search from its memory of the last minute otherwise.
  if (request.method === 'GET' || form !== undefined) headers.push('cache-control', 'no-cache');
  if (body !== undefined) headers.push('content-type', FHIR_JSON);
  else if (form !== undefined) headers.push('content-type', 'application/x-www-form-urlencoded');
  add('prefer', request.prefer);
  add('if-match', request.ifMatch);
  add('if-none-match', request.ifNoneMatch);
  add('if-modified-since', request.ifModifiedSince);
  add('if-none-exist', request.ifNoneExist);
  add('authorization', authorization);
  return headers;
}

function bodyOf({ body, form }: EhrRequest): string | null {
  if (form === undefined) return body ?? null;
  return new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])).toString();
}

/** An exchange as it ended: with an answer, called off, or broken. */
function toExchange(
  { answer, calledOff, error, sent }: Ended,
  answerBytesMax: number,
  take: EhrRequest['take'],
): Exchange {
  if (answer !== null) return readAnswer(answer, answerBytesMax, take);
  if (calledOff !== null) return { kind: 'unanswered', because: calledOff, sent };
  // A header or a path that cannot be sent is ours to mend, not the network's.
  if (error === null || errorCodes(error).includes('UND_ERR_INVALID_ARG'))
    throw new Error('a request to the EHR could not be formed');
  return nameSilence(error, sent);
}

/**
 * The one transport of FHIR requests, whoever formed them: fhir-client.ts, the read API, or the writer of a plan. It
 * goes to the pool itself: fetch follows, repeats and unpacks by itself, and was a tenth of the read API's time.
 */
export function makeSendOnce(deps: {
  readonly guard: AddressGuard;
  readonly pool: Dispatcher;
  readonly limits: EhrLimits;
  readonly access: EhrAccess;
}): SendOnce {
  const { guard, pool, limits, access } = deps;
  const { hostname, port, protocol } = new URL(guard.origin);
  const server = { host: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
  let calls = 0;

  return async (request, authorization) => {
    const { path, method, query, signal, admit, take, deadlineMs = limits.deadlineMs } = request;
    // The last place before the wire that every FHIR request passes, so that no code path can write in shadow mode.
    const allowed = checkAccess(access, request);
    if (!allowed.ok) return allowed;
    const target = guard.target(path, query);
    if (!target.ok) return target;
    calls += 1;
    const span = request.span === undefined ? null : request.span.begin();
    const leaving: Leaving = {
      target: target.value,
      headers: headersOf(request, authorization, span, calls),
      body: bodyOf(request),
    };
    const ended = await dispatchOnce(pool, leaving, { method, deadlineMs, signal, admit });
    if (span === null) return ok(toExchange(ended, limits.answerBytesMax, take));
    let exchange: Exchange | null = null;
    try {
      exchange = toExchange(ended, limits.answerBytesMax, take);
      return ok(exchange);
    } finally {
      endExchange(span, server, request, exchange);
    }
  };
}
