import type { IncomingMessage } from 'node:http';
import { fail, fault, ok, type Result } from '../kernel/index.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const WEBHOOKS = '/webhooks/';

type Head = Pick<IncomingMessage, 'url' | 'method' | 'headers' | 'rawHeaders'>;

function countHeader(raw: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const one = raw[i] ?? '';
    if (one.length === name.length && one.toLowerCase() === name) count += 1;
  }
  return count;
}

/**
 * What Node's parser lets through and this server does not: a target that is not a path, two Host or Authorization
 * headers, both framings, an upgrade, a compressed body. A webhook's body is kept as the bytes that came and never
 * inflated, so it may be anything.
 */
export function checkRequest(head: Head): Result<null> {
  const { url = '', method = '', headers, rawHeaders } = head;
  if (!METHODS.has(method)) return fail(fault('http.method'));
  if (!url.startsWith('/') || url.startsWith('//')) return fail(fault('http.target'));
  if (countHeader(rawHeaders, 'host') !== 1) return fail(fault('http.host'));
  // Node keeps the first of two and says nothing; which of them the sender meant is not for us to guess.
  if (countHeader(rawHeaders, 'authorization') > 1) return fail(fault('http.framing'));
  if (headers['transfer-encoding'] !== undefined && headers['content-length'] !== undefined)
    return fail(fault('http.framing'));
  if (headers.upgrade !== undefined) return fail(fault('http.framing'));
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity' && !url.startsWith(WEBHOOKS))
    return fail(fault('http.encoding'));
  return ok(null);
}
