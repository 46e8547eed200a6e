import { Client } from 'fhir-kit-client';
import type { Dispatcher } from 'undici';
import { ok, traceparentOf, type Result } from '../kernel/index.ts';
import type { EhrRequest, Exchange } from './exchange.ts';
import type { AddressGuard } from './guard-address.ts';
import { errorCodes, nameSilence } from './name-silence.ts';
import type { EhrLimits } from './open-pool.ts';
import { readAnswer } from './read-answer.ts';
import { tapAnswer } from './tap-answer.ts';

/** Sends one request once, with this Authorization header or none. A fault means that the address is not ours: nothing was sent. */
export type SendOnce = (request: EhrRequest, authorization: string | null) => Promise<Result<Exchange>>;

const FHIR_JSON = 'application/fhir+json';

function headersOf(request: EhrRequest, authorization: string | null, call: number): Record<string, string> {
  const { body, form, prefer, ifMatch, ifNoneMatch, ifModifiedSince, ifNoneExist, requestId, traceId } = request;
  return {
    accept: request.path.startsWith('.well-known/') ? 'application/json' : FHIR_JSON,
    'accept-encoding': 'identity',
    'user-agent': 'chartgate',
    'x-request-id': requestId,
    ...(traceId === undefined ? {} : { traceparent: traceparentOf(traceId, `${requestId} ${call}`) }),
    // HAPI answers a search from its memory of the last minute otherwise.
    ...(request.method === 'GET' || form !== undefined ? { 'cache-control': 'no-cache' } : {}),
    ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    ...(body === undefined ? {} : { 'content-type': FHIR_JSON }),
    ...(prefer === undefined ? {} : { prefer }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    ...(ifModifiedSince === undefined ? {} : { 'if-modified-since': ifModifiedSince }),
    ...(ifNoneExist === undefined ? {} : { 'if-none-exist': ifNoneExist }),
    ...(authorization === null ? {} : { authorization }),
  };
}

function bodyOf({ body, form }: EhrRequest): string | null {
  if (form === undefined) return body ?? null;
  return new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])).toString();
}

/**
 * The one file that knows fhir-kit-client. Of the library only `request` is used, with a path that has no query: its `nextPage`,
 * `resolve` and absolute addresses send the token wherever a server says, and with DEBUG it prints what it is given. Credentials,
 * queries, bodies and answers therefore live below it, in the tap.
 */
export function makeSendOnce(deps: {
  readonly guard: AddressGuard;
  readonly pool: Dispatcher;
  readonly limits: EhrLimits;
}): SendOnce {
  const { guard, pool, limits } = deps;
  const client = new Client({ baseUrl: guard.base });
  let calls = 0;

  return async (request, authorization) => {
    const target = guard.target(request.path, request.query);
    if (!target.ok) return target;
    calls += 1;
    const deadline = AbortSignal.timeout(request.deadlineMs ?? limits.deadlineMs);
    const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
    const { dispatcher, tapped } = tapAnswer(pool, {
      origin: guard.origin,
      target: target.value,
      headers: headersOf(request, authorization, calls),
      body: bodyOf(request),
    });
    let thrown: unknown = null;
    try {
      await client.request(request.path, {
        method: request.method,
        options: { signal, redirect: 'manual', keepalive: false, dispatcher } as object,
      });
    } catch (error) {
      thrown = error;
    }
    if (tapped.answer !== null) {
      const { status, headers, bytes } = tapped.answer;
      return ok(readAnswer(status, headers, bytes, limits.answerBytesMax));
    }
    if (signal.aborted) return ok({ kind: 'unanswered', because: deadline.aborted ? 'timeout' : 'abandoned', sent: tapped.sent });
    const error = tapped.error ?? thrown;
    // A header or a path that cannot be sent is ours to mend, not the network's.
    if (thrown === null || errorCodes(error).includes('UND_ERR_INVALID_ARG'))
      throw new Error('a request to the EHR could not be formed');
    return ok(nameSilence(error, tapped.sent));
  };
}
