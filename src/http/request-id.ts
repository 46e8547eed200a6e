import type { IncomingMessage } from 'node:http';
import type { NewId, RequestId } from '../kernel/index.ts';

/**
 * A caller's id is ours too when it could hardly be anything but an id: hex digits and dashes, or one of ours. It goes
 * into logs.
 */
const ACCEPTED = /^(?:[0-9A-Fa-f-]{16,64}|req_[0-9a-z]{26})$/;
/** Any other id is returned to its sender and used nowhere else. */
const ECHOED = /^[\x21-\x7e]{1,128}$/;

export interface RequestIds {
  /** For logs, the audit and the EHR. */
  readonly requestId: RequestId;
  /** For the answer's `X-Request-Id`. */
  readonly echo: string;
}

export function requestIdsOf({ headers }: IncomingMessage, newId: NewId): RequestIds {
  const given = headers['x-request-id'];
  if (typeof given !== 'string') return alike(newId('req'));
  if (ACCEPTED.test(given)) return alike(given as RequestId);
  const requestId = newId('req');
  return { requestId, echo: ECHOED.test(given) ? given : requestId };
}

const alike = (requestId: RequestId): RequestIds => ({ requestId, echo: requestId });
