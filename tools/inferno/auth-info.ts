import type { App, AppKind } from './gateway.ts';

/** Inferno's input of the kind `auth_info`, for an app that is to get a token itself. */
export const authInfo = (kind: AppKind, app: App, scope: string, more: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({
    auth_type: kind === 'backend' ? 'backend_services' : kind,
    client_id: app.id,
    requested_scopes: scope,
    use_discovery: 'true',
    auth_request_method: 'GET',
    pkce_support: 'enabled',
    pkce_code_challenge_method: 'S256',
    ...(app.secret === null ? {} : { client_secret: app.secret }),
    ...(kind === 'asymmetric' || kind === 'backend' ? { encryption_algorithm: 'ES384' } : {}),
    ...more,
  });

/** The same for a token that is there already. */
export const tokenInfo = (token: string): string =>
  JSON.stringify({ auth_type: 'public', access_token: token, expires_in: '3600' });
