import { traceOf } from '../kernel/index.ts';
import type { EhrRequest, Target } from '../ehr/index.ts';
import type { Claimed } from '../lanes/index.ts';

/** The trace that a delivery came with, or that its request id stands for. */
export const traceIdOf = ({ traceId, requestId }: Claimed['delivery']): string => traceId ?? traceOf(requestId);

/** The EHR, with the trace of the delivery on everything that is asked of it. */
export function traceTarget(target: Target, delivery: Claimed['delivery']): Target {
  const traceId = traceIdOf(delivery);
  const traced = (request: EhrRequest): EhrRequest => ({ ...request, traceId });
  const { ehr } = target;
  return {
    ...target,
    send: (request) => target.send(traced(request)),
    resolvePatient: (asked) => target.resolvePatient({ ...asked, requestId: delivery.requestId, traceId }),
    ehr: { ...ehr, send: (request) => ehr.send(traced(request)), ask: (request) => ehr.ask(traced(request)) },
  };
}
