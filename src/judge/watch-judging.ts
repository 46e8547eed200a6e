import type { Span, SpanFields, Trace } from '../kernel/index.ts';
import type { Received } from '../inbox/index.ts';
import type { Judgement } from './judge.ts';

/** A step of a delivery that was stored. */
export const beginStep = (trace: Trace, { id, requestId, traceId }: Received): Span | null =>
  trace.step({ seed: id, requestId, traceId: traceId ?? null });

export const endJudging = (span: Span, { id }: Received, { verdict, facts }: Judgement): void =>
  span.end('delivery.judge', {
    'chartgate.delivery.id': id,
    'chartgate.verdict': verdict.kind,
    'chartgate.count': facts.findings.length,
  });

/** `settled`: null where somebody else has settled it, a text where it could not be. */
export const endSettling = (
  span: Span,
  { id }: Received,
  settled: { readonly state: string; readonly reason: string | null } | string | null,
): void => span.end('delivery.settle', { 'chartgate.delivery.id': id, ...settledFields(settled) });

function settledFields(settled: Parameters<typeof endSettling>[2]): SpanFields {
  if (typeof settled === 'string') return { 'error.type': settled };
  if (settled === null) return {};
  const { state, reason } = settled;
  return { 'chartgate.delivery.state': state, ...(reason === null ? {} : { 'chartgate.park.reason': reason }) };
}
