import type { HttpFields, Span } from '../kernel/index.ts';
import type { EhrRequest, Exchange } from './exchange.ts';
import { templateOf } from './template-of.ts';

/** Whether and how it failed: on our side every status of 400 and more is one, and so is silence. */
function failureOf(exchange: Exchange | null): Pick<HttpFields, 'error.type' | 'http.response.status_code'> {
  if (exchange === null) return { 'error.type': 'bug' };
  if (exchange.kind === 'unanswered') return { 'error.type': exchange.because };
  const { status } = exchange;
  return { 'http.response.status_code': status, ...(status >= 400 ? { 'error.type': String(status) } : {}) };
}

/** Tells what came of one exchange; null: it threw. */
export function endExchange(
  span: Span,
  server: { readonly host: string; readonly port: number },
  { method, path }: Pick<EhrRequest, 'method' | 'path'>,
  exchange: Exchange | null,
): void {
  span.endHttp('client', {
    'http.request.method': method,
    'url.template': templateOf(path),
    'server.address': server.host,
    'server.port': server.port,
    ...failureOf(exchange),
  });
}
