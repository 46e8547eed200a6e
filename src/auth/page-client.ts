import type { Client } from './client.ts';
import { GRANTS_PATH } from './paths.ts';

/** No app can be registered under this id. */
export const PAGE_CLIENT_ID = '~grants';

/**
 * Our own page, as somebody who asks for a sign-in: so a person comes to it by every way there is to sign in. It is
 * granted nothing, and gets no token.
 */
export const pageClientOf = (issuer: string): Client => ({
  id: PAGE_CLIENT_ID,
  name: 'What apps may do',
  kind: 'public',
  scope: 'openid',
  redirectUris: [`${issuer}${GRANTS_PATH}`],
  launchUrl: null,
  origins: [],
  jwks: null,
  jwksUri: null,
  secretHash: null,
});
