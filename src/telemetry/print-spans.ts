import type { FinishedSpan } from './finished-span.ts';
import { attributesOf, nanosOf, resourceOf, type Resource } from './print-otlp.ts';

const KINDS: Readonly<Record<FinishedSpan['kind'], number>> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;
/** W3C: sampled. OTLP: whether it is known that the parent is somebody else's (8), and that it is (9). */
const [SAMPLED, REMOTE_IS_KNOWN, IS_REMOTE] = [0x001, 0x100, 0x200] as const;

function toSpan(span: FinishedSpan): object {
  const { traceId, spanId, parentId, isParentRemote, kind, name, startMs, endMs, fields } = span;
  return {
    traceId,
    spanId,
    ...(parentId === null ? {} : { parentSpanId: parentId }),
    flags: SAMPLED | REMOTE_IS_KNOWN | (isParentRemote ? IS_REMOTE : 0),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanosOf(startMs),
    endTimeUnixNano: nanosOf(endMs),
    attributes: attributesOf(fields),
    ...(fields['error.type'] === undefined ? {} : { status: { code: STATUS_ERROR } }),
  };
}

/** An ExportTraceServiceRequest. */
export const printSpans = (resource: Resource, spans: readonly FinishedSpan[]): string =>
  JSON.stringify({
    resourceSpans: [
      { resource: resourceOf(resource), scopeSpans: [{ scope: resource.scope, spans: spans.map(toSpan) }] },
    ],
  });
