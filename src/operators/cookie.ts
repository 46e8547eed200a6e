import type { IncomingMessage } from 'node:http';

/** Bound to this host, sent over TLS alone (browsers take localhost for that), and unseen by scripts. */
export const SESSION_COOKIE = '__Host-chartgate-operator';
export const FLOW_COOKIE = '__Host-chartgate-operator-flow';

/** Null where there is none, or several: which of them was meant is not for us to guess. */
export function readCookie({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | null {
  const found = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  return found.length === 1 ? (found[0]?.slice(name.length + 1) ?? null) : null;
}

export const cookieOf = (name: string, value: string, maxAgeMs: number): string =>
  `${name}=${value}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=${Math.floor(maxAgeMs / 1_000)}`;
export const noCookie = (name: string): string => cookieOf(name, '', 0);
