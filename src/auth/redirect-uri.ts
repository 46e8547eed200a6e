import type { Client } from './client.ts';

/** A loopback address by number, with a port or without, and what follows. Nothing else fits between host and path. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::([1-9]\d{0,4}))?(\/[^\s]*)?$/;
const PORT_MAX = 65_535;

/**
 * Whether an app may be led back there: to a registered address, to the letter. A public app whose loopback address is
 * registered without a port may be at any port: a native app gets its port from the machine when it starts (RFC 8252,
 * 7.3). `localhost` is a name that the machine may resolve to somebody else's, and stays exact.
 */
export function isRedirectAllowed({ kind, redirectUris }: Pick<Client, 'kind' | 'redirectUris'>, uri: string): boolean {
  if (redirectUris.includes(uri)) return true;
  const [, host, port, path = ''] = LOOPBACK.exec(uri) ?? [];
  if (kind !== 'public' || host === undefined || port === undefined || Number(port) > PORT_MAX) return false;
  return redirectUris.includes(`http://${host}${path}`);
}
