import type { IncomingMessage } from 'node:http';
import type { NewId, RequestId } from '../kernel/index.ts';

/** A caller's id is taken over when it could not be anything but an id; it goes into logs and on to the EHR. */
const ACCEPTED = /^[A-Za-z0-9._-]{8,64}$/;

export function requestIdOf(req: IncomingMessage, newId: NewId): RequestId {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && ACCEPTED.test(given) ? (given as RequestId) : newId('req');
}
