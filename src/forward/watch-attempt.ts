import type { Result, Span, SpanFields, Trace } from '../kernel/index.ts';
import type { Claimed } from '../lanes/index.ts';
import type { Done } from './job.ts';

const tracedOf = ({ delivery: { id, requestId, traceId } }: Claimed) => ({ seed: id, requestId, traceId });
const deliveryOf = ({ delivery }: Claimed): SpanFields => ({ 'chartgate.delivery.id': delivery.id });

/** How long it waited in its lane, which nobody was there to watch. */
export const tellWait = (trace: Trace, claimed: Claimed): void =>
  trace.step({ ...tracedOf(claimed), sinceMs: claimed.delivery.stateAt })?.end('delivery.wait', deliveryOf(claimed));

export const beginAttemptSpan = (trace: Trace, claimed: Claimed): Span | null => trace.step(tracedOf(claimed));

/** What is committed, in words of ours and counts. */
function fieldsOf({ outcome, written, retracted }: Done): SpanFields {
  const failure = outcome.kind === 'delivered' || outcome.kind === 'put-back' ? null : outcome.faultCode;
  return {
    'chartgate.attempt.outcome': outcome.kind,
    ...(outcome.kind === 'park' ? { 'chartgate.park.reason': outcome.reason } : {}),
    'chartgate.resources.written': written.length,
    'chartgate.resources.retracted': retracted.length,
    ...(failure === null ? {} : { 'error.type': failure }),
  };
}

/** `done` is null where carrying it out threw. */
export const endAttemptSpan = (span: Span, claimed: Claimed, done: Done | null): void =>
  span.end('delivery.attempt', {
    ...deliveryOf(claimed),
    'chartgate.attempt.number': claimed.job.attempts + 1,
    ...(done === null ? { 'error.type': 'internal.bug' } : fieldsOf(done)),
  });

const STATES: Readonly<Record<Done['outcome']['kind'], string>> = {
  delivered: 'delivered',
  park: 'parked',
  retry: 'queued',
  unknown: 'unknown',
  'put-back': 'queued',
};

/** `lost`: another process has the lane, and says what becomes of it. */
export const finishFields = (claimed: Claimed, { outcome }: Done, finished: Result<unknown>): SpanFields => ({
  ...deliveryOf(claimed),
  ...(!finished.ok
    ? { 'error.type': finished.fault.code }
    : finished.value === 'lost'
      ? { 'error.type': 'lane.lost' }
      : { 'chartgate.delivery.state': STATES[outcome.kind] }),
});
