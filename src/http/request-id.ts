import type { IncomingMessage } from 'node:http';
import type { NewId, RequestId } from '../kernel/index.ts';

/** A caller's id is taken over when it could hardly be anything but an id: hex digits and dashes, or one of ours. It goes into logs. */
const ACCEPTED = /^(?:[0-9A-Fa-f-]{16,64}|req_[0-9a-z]{26})$/;

export function requestIdOf(req: IncomingMessage, newId: NewId): RequestId {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && ACCEPTED.test(given) ? (given as RequestId) : newId('req');
}
