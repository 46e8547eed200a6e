import { createHash, timingSafeEqual } from 'node:crypto';
import { refuse, type Asked, type Reply } from './reply.ts';
import type { Client, State } from './state.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="service"' } as const;
export const INCORRECT = 'The client_uuid or password are incorrect';
export const UNSUPPORTED = 'Unsupported authorization type';

export type Credentials =
  | { readonly scheme: 'none' | 'other' }
  | { readonly scheme: 'basic'; readonly name: string; readonly word: string }
  | { readonly scheme: 'bearer'; readonly token: string };

/** Scheme names are of any case (RFC 9110); base64 that cannot be read is a Basic credential that fits nobody. */
export function readCredentials(header: string | undefined): Credentials {
  if (header === undefined || header === '') return { scheme: 'none' };
  const [, scheme = '', rest = ''] = /^(\S+) *(.*)$/.exec(header) ?? [];
  if (scheme.toLowerCase() === 'bearer') return { scheme: 'bearer', token: rest };
  if (scheme.toLowerCase() !== 'basic') return { scheme: 'other' };
  const text = /^[A-Za-z0-9+/]+={0,2}$/.test(rest) ? Buffer.from(rest, 'base64').toString('utf8') : '';
  const colon = text.indexOf(':');
  return { scheme: 'basic', name: colon < 0 ? '' : text.slice(0, colon), word: colon < 0 ? '' : text.slice(colon + 1) };
}

/** Section 5: authorizer, revoke and binding take the secret key, the v2 API the password. */
export function authenticateClient(state: State, asked: Asked, by: 'secretKey' | 'password'): Client | Reply {
  const given = readCredentials(asked.request.headers.authorization);
  if (given.scheme === 'other' || given.scheme === 'bearer') return refuse(asked, 401, UNSUPPORTED, CHALLENGE);
  const client = given.scheme === 'basic' ? state.clients.get(given.name) : undefined;
  return client !== undefined && given.scheme === 'basic' && isSame(client[by], given.word)
    ? client
    : refuse(asked, 401, INCORRECT, CHALLENGE);
}

/**
 * Section 5: a token of an identity provider, or a user name and password. Either must be of the client that the path
 * names.
 */
export function authenticateLab(state: State, asked: Asked, clientUuid: string): Client | Reply {
  const given = readCredentials(asked.request.headers.authorization);
  if (given.scheme === 'other') return refuse(asked, 401, UNSUPPORTED, CHALLENGE);
  const client = state.clients.get(clientUuid);
  const isTheirs =
    client !== undefined &&
    ((given.scheme === 'bearer' && isSame(client.lab.token, given.token)) ||
      (given.scheme === 'basic' && isSame(client.lab.username, given.name) && isSame(client.lab.password, given.word)));
  return isTheirs ? client : refuse(asked, 401, 'authentication failed', CHALLENGE);
}
