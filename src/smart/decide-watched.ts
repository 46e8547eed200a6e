import type { Caller } from './caller.ts';
import { decide, type Decision } from './decide.ts';
import type { ReadRequest } from './read-request.ts';
import type { Served } from './served-types.ts';

/** `decide`, for a request that somebody may watch. */
export function decideWatched<R extends ReadRequest>(caller: Caller, request: R, served: Served): Decision<R> {
  const { grant, span } = caller;
  if (span === undefined) return decide(grant, request, served);
  const step = span.begin();
  const decision = decide(grant, request, served);
  step.end('read.decide', {
    'chartgate.decision': decision.allow ? 'allow' : decision.because,
    'chartgate.interaction': request.kind,
    // A type that is served is one of ours; any other is the caller's own text.
    ...(served.has(request.type) ? { 'chartgate.resource.type': request.type } : {}),
  });
  return decision;
}
