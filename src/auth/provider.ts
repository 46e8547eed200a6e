import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Provider, { errors, interactionPolicy, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '../kernel/index.ts';
import { LIFE_MAX_SECONDS, makeAdapter, must, OWN_CLIENT, type AuthStore } from './adapter.ts';
import { checkAssertion } from './check-assertion.ts';
import { PATHS } from './paths.ts';
import { hashSecret, type Client } from './client.ts';
import { ID_TOKEN_SECONDS, type AuthKeys } from './keys.ts';
import { contextOf, contextWithin, LAUNCH_KIND, type Launch } from './launch.ts';
import { narrowScope, WORDS } from './narrow-scope.ts';
import { ANSWER_BYTES_MAX, fetchBounded } from './fetch-bounded.ts';
import { isRedirectAllowed } from './redirect-uri.ts';

/** Seconds. A backend's tokens are short, as SMART has it; a code lives about a minute. */
const LIFE = {
  AccessToken: 3_600,
  ClientCredentials: 300,
  AuthorizationCode: 60,
  IdToken: ID_TOKEN_SECONDS,
  Interaction: 1_800,
  Session: 8 * 3_600,
  Grant: LIFE_MAX_SECONDS,
  RefreshToken: LIFE_MAX_SECONDS,
} as const;

/** Ahead of us or behind us: Inferno and others sign for exactly five minutes. */
export const SKEW_SECONDS = 60;

export interface ProviderDeps {
  readonly tenant: string;
  readonly issuer: string;
  readonly fhirBase: string;
  /** Origins of EHRs in whose frames sign-in and consent may be shown. */
  readonly frameAncestors: readonly string[];
  readonly store: AuthStore;
  readonly keys: AuthKeys;
  /** Scopes that a refreshed token is to have, each within one of its family's. */
  readonly narrowed: WeakMap<IncomingMessage, readonly string[]>;
  /** Whether FHIR has a type of this name. */
  readonly isType: (name: string) => boolean;
  readonly clock: Clock;
  readonly renderError: NonNullable<Configuration['renderError']>;
}

export const ownClient = (client: unknown): Client => {
  const held = client as Record<string, unknown>;
  return (held['chartgateClient'] ?? held[OWN_CLIENT]) as Client;
};

const withoutSlash = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text);
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

export function makeProvider(deps: ProviderDeps): Provider {
  const { tenant, issuer, fhirBase, store, clock, keys } = deps;
  const isSecure = issuer.startsWith('https:');
  // In a frame of another site a browser sends cookies that are for that; each site that frames us has its own.
  const cookie = {
    httpOnly: true,
    signed: true,
    secure: isSecure,
    ...(deps.frameAncestors.length === 0
      ? { sameSite: 'lax' as const }
      : { sameSite: 'none' as const, partitioned: true }),
  };

  /**
   * Only a request that names this server may have a token for it: another may be a counterfeit that passes requests
   * on.
   */
  function checkAudience(ctx: KoaContextWithOIDC): void {
    const named = text((ctx.oidc.params as Record<string, unknown>)['aud']);
    if (named === undefined || withoutSlash(named) !== fhirBase)
      throw new errors.InvalidRequest('aud must be the FHIR base of this server');
  }

  async function checkLaunch(ctx: KoaContextWithOIDC, granted: readonly string[], client: Client): Promise<void> {
    const launch = text((ctx.oidc.params as Record<string, unknown>)['launch']);
    if (!granted.includes('launch')) return;
    if (launch === undefined) throw new errors.InvalidRequest('launch is asked for and not given');
    const found = must(await store.read('auth.find', { tenant, kind: LAUNCH_KIND, id: launch, at: clock.now() }));
    const { clientId } = (found?.payload ?? { clientId: '' }) as Pick<Launch, 'clientId'>;
    if (found === null || (clientId !== null && clientId !== client.id))
      throw new errors.InvalidRequest('launch is not valid');
  }

  /** Leaves of the asked scopes what the client may have; from here on the provider knows no other. */
  async function settleScope(ctx: KoaContextWithOIDC, client: Client): Promise<void> {
    const params = ctx.oidc.params as Record<string, unknown>;
    const granted = narrowScope(text(params['scope']) ?? '', client.scope, deps.isType).filter(
      (one) => client.kind !== 'backend' || one.startsWith('system/'),
    );
    if (granted.length === 0)
      throw new errors.InvalidScope('none of the scopes can be granted', text(params['scope']) ?? '');
    if (client.kind !== 'backend') await checkLaunch(ctx, granted, client);
    params['scope'] = granted.join(' ');
  }

  /** Whether the app and the person are still there: the read API asks that too. */
  async function isWhole(token: {
    readonly clientId?: string | undefined;
    readonly accountId?: string | undefined;
  }): Promise<boolean> {
    const { clientId = '', accountId: id } = token;
    if (must(await store.read('auth.client', { tenant, id: clientId })) === null) return false;
    return id === undefined || must(await store.read('auth.account', { tenant, id })) !== null;
  }

  const configuration: Configuration = {
    adapter: makeAdapter(deps),
    jwks: { keys: [...keys.signing] },
    cookies: { keys: [keys.cookie], long: { ...cookie, path: new URL(issuer).pathname }, short: cookie },
    routes: PATHS,
    scopes: [...WORDS],
    claims: { openid: ['sub'], fhirUser: ['fhirUser'], profile: ['name'] },
    responseTypes: ['code'],
    subjectTypes: ['public'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    enabledJWA: { clientAuthSigningAlgValues: ['RS384', 'ES384'] as never, idTokenSigningAlgValues: ['RS256'] },
    pkce: { required: () => true },
    extraParams: ['aud', 'launch'],
    extraClientMetadata: { properties: [OWN_CLIENT] },
    clockTolerance: SKEW_SECONDS,
    allowOmittingSingleRegisteredRedirectUri: false,
    conformIdTokenClaims: false,
    ttl: {
      ...LIFE,
      // A family of refresh tokens ends when its grant does, however often it was renewed.
      RefreshToken: (ctx) =>
        (ctx.oidc.entities as { RotatedRefreshToken?: { remainingTTL: number } }).RotatedRefreshToken?.remainingTTL ??
        LIFE.RefreshToken,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => isOwnOrTrusted(client, token) && (await isWhole(token)),
      },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => fhirBase,
        useGrantedResource: () => true,
        async getResourceServerInfo(ctx, resource, client) {
          if (resource !== fhirBase) throw new errors.InvalidTarget();
          const isAuthorizing = ctx.oidc.route === 'authorization';
          if (isAuthorizing) checkAudience(ctx);
          const own = ownClient(client);
          if (isAuthorizing || ctx.oidc.params?.['grant_type'] === 'client_credentials') await settleScope(ctx, own);
          const { Grant: grant } = ctx.oidc.entities;
          const granted = grant?.getResourceScope(fhirBase);
          const narrowed = deps.narrowed.get(ctx.req);
          // Of this one token; what was granted stays as it is.
          if (grant !== undefined && narrowed !== undefined)
            Object.assign(grant, { getResourceScopeFiltered: () => narrowed.join(' ') });
          return { scope: granted ?? text(ctx.oidc.params?.['scope']) ?? '', accessTokenFormat: 'opaque' };
        },
      },
    },
    assertJwtClientAuthClaimsAndHeader: (_ctx, claims, header, client) =>
      checkAssertion({ claims, header, client: client as never, issuer, clock }),
    clientBasedCORS: (_ctx, origin, client) => ownClient(client).origins.includes(origin),
    // Apps of a hospital live at private addresses, so that none is refused; an operator registered it.
    fetch: (async (url: URL, { headers }: RequestInit) => {
      const { status, body } = await fetchBounded(url, headers === undefined ? {} : { headers });
      // Without a word on how long, the provider keeps keys for a minute: a key that was taken back is not good for
      // longer.
      return new Response(body, { status });
    }) as never,
    fetchResponseBodyLimits: { jwks_uri: ANSWER_BYTES_MAX },
    issueRefreshToken: (_ctx, client, code) =>
      client.grantTypeAllowed('refresh_token') &&
      (code.scopes.has('offline_access') || code.scopes.has('online_access')),
    expiresWithSession: (_ctx, code) => code.scopes.has('online_access') && !code.scopes.has('offline_access'),
    rotateRefreshToken: true,
    // Each launch is a grant of its own: what one was about must not reach another's tokens.
    loadExistingGrant(ctx) {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    async findAccount(_ctx, id) {
      const account = must(await store.read('auth.account', { tenant, id }));
      if (account === null) return undefined;
      const { fhirUser, name } = account;
      return { accountId: id, claims: () => ({ sub: id, fhirUser: `${fhirBase}/${fhirUser}`, name }) };
    },
    async extraTokenClaims(ctx, token) {
      if (token.kind !== 'AccessToken') return undefined;
      const account = must(await store.read('auth.account', { tenant, id: token.accountId }));
      const hasUser = token.scopes.has('fhirUser') && account !== null;
      return {
        ...contextWithin(contextOf(ctx.oidc.entities.Grant), [...token.scopes]),
        ...(hasUser ? { fhirUser: `${fhirBase}/${account.fhirUser}` } : {}),
      };
    },
    interactions: {
      policy: interactionPolicy.base(),
      url: (_ctx, { uid }) => `${new URL(issuer).pathname}/interaction/${uid}`,
    },
    renderError: deps.renderError,
  };

  const provider = new Provider(issuer, configuration);
  provider.proxy = true;
  provider.silent = true;
  Object.assign(provider.Client.prototype, {
    /** Secrets are kept as hashes. */
    compareClientSecret(this: { clientSecret: string }, actual: string): boolean {
      const digest = (value: string): Buffer => createHash('sha256').update(value).digest();
      return timingSafeEqual(digest(this.clientSecret), digest(hashSecret(actual)));
    },
    redirectUriAllowed(this: unknown, uri: string): boolean {
      return isRedirectAllowed(ownClient(this), uri);
    },
  });
  return provider;
}

/**
 * Whoever can prove who it is may ask about an access token that it was shown; who cannot, about its own. A refresh
 * token is shown to nobody but its own app.
 */
const isOwnOrTrusted = (
  client: { readonly clientId: string; readonly clientAuthMethod?: string | undefined },
  token: { readonly clientId?: string | undefined; readonly kind: string },
): boolean =>
  token.clientId === client.clientId || (client.clientAuthMethod !== 'none' && token.kind !== 'RefreshToken');
