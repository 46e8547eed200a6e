import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

const READING = new Set(['GET', 'HEAD']);

/**
 * Whether a request to `/_control` may be done. Not from a page of another site, nor under a name that somebody let
 * point to this machine (DNS rebinding): by an address, as `localhost`, or as what the server was told to listen on.
 */
export function isOwnCaller(
  { method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  listensOn: string,
): boolean {
  const host = URL.parse(`http://${headers.host ?? ''}`);
  if (host === null) return false;
  const name = host.hostname.replace(/^\[|\]$/g, '');
  if (name !== 'localhost' && name !== listensOn && isIP(name) === 0) return false;
  if (READING.has(method)) return true;
  const { origin, 'sec-fetch-site': site } = headers;
  return (
    (origin === undefined || origin === host.origin) &&
    (site === undefined || site === 'same-origin' || site === 'none')
  );
}
