import { fault, type Fault } from '../kernel/index.ts';
import type { Exchange } from './exchange.ts';

const SILENT = {
  unsent: 'source.unreachable',
  timeout: 'source.timeout',
  cut: 'source.cut',
  unreadable: 'source.unreadable',
} as const;

/** What an exchange that did not succeed means. The service's own words are not shown: they may quote a user. */
export function toFault(exchange: Exchange): Fault {
  if (exchange.kind === 'silent') return fault(SILENT[exchange.because], { cause: exchange.cause });
  const { status, retryAfterMs } = exchange;
  const wait = retryAfterMs === null ? {} : { retryAfterMs };
  if (status === 401) return fault('source.unauthorized');
  if (status === 403) return fault('source.not-activated');
  if (status === 413) return fault('source.too-large');
  if (status === 429) return fault('source.too-many', wait);
  // A proxy that gave up waiting for the service, which may go on.
  if (status === 504) return fault('source.timeout');
  if (status >= 500) return fault('source.failed', wait);
  return fault(status >= 200 && status < 300 ? 'source.unreadable' : 'source.rejected');
}
