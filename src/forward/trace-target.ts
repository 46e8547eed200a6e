import { traceOf, type Span } from '../kernel/index.ts';
import type { EhrRequest, Target } from '../ehr/index.ts';
import type { Claimed } from '../lanes/index.ts';

/** The trace that a delivery came with, or that its request id stands for. */
export const traceIdOf = ({ traceId, requestId }: Claimed['delivery']): string => traceId ?? traceOf(requestId);

/** The EHR, with the trace of the delivery on everything that is asked of it. */
export function traceTarget(target: Target, delivery: Claimed['delivery'], span: Span | null = null): Target {
  const by = { traceId: traceIdOf(delivery), ...(span === null ? {} : { span }) };
  const traced = (request: EhrRequest): EhrRequest => ({ ...request, ...by });
  const { ehr } = target;
  return {
    ...target,
    send: (request) => target.send(traced(request)),
    resolvePatient: (asked) => target.resolvePatient({ ...asked, requestId: delivery.requestId, ...by }),
    ehr: { ...ehr, send: (request) => ehr.send(traced(request)), ask: (request) => ehr.ask(traced(request)) },
  };
}
