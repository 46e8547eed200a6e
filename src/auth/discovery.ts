import { jsonAnswer, ok, type Answer, type Result, type Route } from '../kernel/index.ts';
import { WORDS } from './narrow-scope.ts';
import { GRANTS_PATH, PATHS } from './paths.ts';

/** Where the authorization server is, for a CapabilityStatement. */
export interface OauthUris {
  readonly authorize: string;
  readonly token: string;
  readonly introspect: string;
  readonly revoke: string;
  /** Where a person sees and ends what apps may do, if anywhere. */
  readonly manage?: string;
}

export const oauthUrisOf = (issuer: string): OauthUris => ({
  authorize: `${issuer}${PATHS.authorization}`,
  token: `${issuer}${PATHS.token}`,
  introspect: `${issuer}${PATHS.introspection}`,
  revoke: `${issuer}${PATHS.revocation}`,
  manage: `${issuer}${GRANTS_PATH}`,
});

const RESOURCE_SCOPES = ['patient', 'user', 'system'].flatMap((level) => [`${level}/*.rs`, `${level}/*.read`]);

export const CAPABILITIES = [
  'launch-ehr',
  'launch-standalone',
  'authorize-post',
  'client-public',
  'client-confidential-symmetric',
  'client-confidential-asymmetric',
  'sso-openid-connect',
  'context-banner',
  'context-style',
  'context-ehr-patient',
  'context-ehr-encounter',
  'context-standalone-patient',
  'context-standalone-encounter',
  'permission-offline',
  'permission-online',
  'permission-patient',
  'permission-user',
  'permission-v1',
  'permission-v2',
] as const;

/** SMART App Launch 2.2, `conformance.md`. */
export function smartConfigurationOf(issuer: string) {
  const uris = oauthUrisOf(issuer);
  return {
    issuer,
    jwks_uri: `${issuer}${PATHS.jwks}`,
    authorization_endpoint: uris.authorize,
    token_endpoint: uris.token,
    introspection_endpoint: uris.introspect,
    revocation_endpoint: uris.revoke,
    management_endpoint: uris.manage,
    grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
    scopes_supported: [...WORDS, ...RESOURCE_SCOPES],
    capabilities: CAPABILITIES,
  };
}

/** To anybody, from any page, and JSON whatever was asked for. */
export function makeDiscoveryRoute(configuration: () => Promise<Result<unknown>>): Route {
  return {
    method: 'get',
    path: '/fhir/.well-known/smart-configuration',
    access: 'open',
    async handle() {
      const found = await configuration();
      if (!found.ok) return found;
      const answer: Answer = jsonAnswer(200, found.value);
      return ok({ ...answer, headers: { ...answer.headers, 'Access-Control-Allow-Origin': '*' } });
    },
  };
}
