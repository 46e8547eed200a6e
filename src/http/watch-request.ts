import { parentOf, type RequestId, type Span, type Trace } from '../kernel/index.ts';
import type { Exchange } from './exchange.ts';

/** The name of a route that is none. */
export const UNMATCHED = '(none)';

/** What probes and watchers ask all the time would hide everything else. */
const UNWATCHED = new Set(['/healthz', '/readyz', '/metrics']);

/** As OpenTelemetry has it for HTTP: any other is whatever a caller sent. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE']);
const OTHER_METHOD = '_OTHER';

/** `given`: the header of which `traceId` was read. */
export const beginSpan = (trace: Trace, requestId: RequestId, traceId: string | null, given: unknown): Span | null =>
  trace.request({ requestId, traceId, parent: traceId === null ? null : parentOf(String(given)) });

/** A refusal is the caller's failure, and so no failure of this span; what is ours to mend is. */
export function endSpan({ req, route, requestId, fault }: Exchange, span: Span, status: number): void {
  if (UNWATCHED.has(route)) return;
  const { method = '' } = req;
  span.endHttp('server', {
    'http.request.method': METHODS.has(method) ? method : OTHER_METHOD,
    ...(route === UNMATCHED ? {} : { 'http.route': route }),
    'http.response.status_code': status,
    'chartgate.request.id': requestId,
    ...(fault === null ? {} : { 'chartgate.fault.code': fault.code }),
    ...(status >= 500 ? { 'error.type': fault?.code ?? String(status) } : {}),
  });
}
