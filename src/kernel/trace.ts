import { hash } from 'node:crypto';

/** https://www.w3.org/TR/trace-context/ : of a version to come, only the parts that this one has are read. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The caller's trace; null where it has none. */
export function parseTraceparent(header: string | undefined): string | null {
  const [, traceId, rest] = TRACEPARENT.exec(header ?? '') ?? [];
  return traceId === undefined || (rest !== undefined && header?.startsWith('00') === true) ? null : traceId;
}

/** The caller's own step, of a header that `parseTraceparent` has read. */
export const parentOf = (header: string): string => header.slice(36, 52);

/**
 * The trace of a request whose caller has none. By its id alone, so that every process finds the same one without being
 * told.
 */
export const traceOf = (requestId: string): string => hash('sha256', `trace\n${requestId}`).slice(0, 32);

/** What is passed on: the trace, and a span for this one call. */
export const traceparentOf = (traceId: string, call: string): string =>
  `00-${traceId}-${hash('sha256', `span\n${traceId}\n${call}`).slice(0, 16)}-01`;
