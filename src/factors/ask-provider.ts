import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import type { ClientAuth, Configuration, CustomFetch, PrivateKey } from 'openid-client';
import type { Chance, Clock, Secret } from '../kernel/index.ts';

/** How we prove to the provider who we are. */
export type ProviderCredential =
  | { readonly kind: 'secret'; readonly secret: Secret }
  /** A private key, in PEM or as JWK. */
  | { readonly kind: 'key'; readonly key: Secret };

/** An OpenID provider that vouches for people: where it is, and our client there. */
export interface ProviderClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly credential: ProviderCredential;
  readonly scope: string;
  /** Where the provider leads the browser back to. */
  readonly backUrl: string;
}

/** What must come back with the answer. Kept on our side, given out once. */
export interface ProviderFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** `proof`: the person must prove anew who they are, even where the provider knows them. */
  readonly purpose: 'sign-in' | 'proof';
}

export type ProviderClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

export interface AskProvider {
  /** What to keep, and where the browser goes. */
  begin(purpose: ProviderFlow['purpose']): Promise<{ readonly flow: ProviderFlow; readonly to: string }>;
  /**
   * What the provider says of the person who came back with this query. Throws where that is no answer to the question
   * that was kept, or not the provider's. Claims that the id token does not hold are asked of the userinfo endpoint.
   */
  finish(query: string, flow: ProviderFlow, claims: readonly string[]): Promise<ProviderClaims>;
  /** Where the person can sign out of the provider too; null where it has no such place. */
  endSessionUrl(backTo: string): Promise<string | null>;
}

const DISCOVERY_MS = 60 * 60_000;

/** Loaded where it is used: a start does not wait for it. */
const load = () => import('openid-client');

/** An issuer without a path may be written with a slash at its end or without. */
const isSameIssuer = (named: string, configured: string): boolean =>
  named === configured || (URL.canParse(named) && new URL(named).href === new URL(configured).href);

/** 256 bits, in letters that an address can carry. */
const newSecret = (chance: Chance): string => Buffer.from(chance(32)).toString('base64url');

/** How each algorithm of RFC 7518 is called by who signs. */
const ALGORITHMS: Readonly<Record<string, Parameters<typeof crypto.subtle.importKey>[2]>> = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  RS384: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
};
const USUAL: Readonly<Record<string, string>> = { 'P-256': 'ES256', 'P-384': 'ES384' };

/** A JWK may say by which algorithm it signs; others sign by the one that providers know best. */
async function keyToSign(text: string): Promise<PrivateKey> {
  const isJwk = text.trimStart().startsWith('{');
  const given = isJwk ? (JSON.parse(text) as JsonWebKey & { readonly kid?: string; readonly alg?: string }) : {};
  const jwk = createPrivateKey(isJwk ? { key: given, format: 'jwk' } : text).export({ format: 'jwk' });
  const algorithm = ALGORITHMS[given.alg ?? USUAL[jwk.crv ?? ''] ?? 'RS256'];
  if (algorithm === undefined) throw new Error('the key is for an algorithm that is not known here');
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign']);
  return { key, ...(given.kid === undefined ? {} : { kid: given.kid }) };
}

async function authenticationOf(credential: ProviderCredential): Promise<ClientAuth> {
  const { ClientSecretBasic, PrivateKeyJwt } = await load();
  return credential.kind === 'secret'
    ? ClientSecretBasic(credential.secret.reveal())
    : PrivateKeyJwt(await keyToSign(credential.key.reveal()));
}

/** Asks an OpenID provider who somebody is: authorization code with PKCE, state, nonce, and its issuer checked. */
export function makeAskProvider(deps: {
  readonly client: ProviderClient;
  /** Bounded in time and size; follows no redirect. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly chance: Chance;
  readonly clock: Clock;
}): AskProvider {
  const { client, chance, clock } = deps;
  let known: { readonly config: Promise<Configuration>; readonly untilMs: number } | null = null;

  async function discover(): Promise<Configuration> {
    const openid = await load();
    const { customFetch, discovery, enableNonRepudiationChecks } = openid;
    // The settings take plain http for loopback alone.

    // eslint-disable-next-line @typescript-eslint/no-deprecated -- not deprecated but marked, so that it stands out
    const plain = new URL(client.issuer).protocol === 'http:' ? [openid.allowInsecureRequests] : [];
    const config = await discovery(
      new URL(client.issuer),
      client.clientId,
      undefined,
      await authenticationOf(client.credential),
      {
        execute: [...plain, enableNonRepudiationChecks],
        [customFetch]: ((url, init) => deps.fetch(url, init as RequestInit)) satisfies CustomFetch,
      },
    );
    // The library lets some addresses stand for every tenant of a provider.
    if (!isSameIssuer(config.serverMetadata().issuer, client.issuer)) throw new Error('the provider is another issuer');
    return config;
  }
  async function configuration(): Promise<Configuration> {
    if (known === null || clock.monotonicMs() >= known.untilMs)
      known = { config: discover(), untilMs: clock.monotonicMs() + DISCOVERY_MS };
    try {
      return await known.config;
    } catch (thrown) {
      known = null;
      throw thrown;
    }
  }

  return {
    async begin(purpose) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await load();
      const flow = { state: newSecret(chance), nonce: newSecret(chance), verifier: newSecret(chance), purpose };
      const to = buildAuthorizationUrl(await configuration(), {
        redirect_uri: client.backUrl,
        response_type: 'code',
        scope: client.scope,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        ...(purpose === 'proof' ? { prompt: 'login', max_age: '0' } : {}),
      });
      return { flow, to: to.href };
    },
    async finish(query, flow, names) {
      const { authorizationCodeGrant, fetchUserInfo } = await load();
      const config = await configuration();
      const tokens = await authorizationCodeGrant(config, new URL(`${client.backUrl}?${query}`), {
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        pkceCodeVerifier: flow.verifier,
        idTokenExpected: true,
        ...(flow.purpose === 'proof' ? { maxAge: 0 } : {}),
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('no id token');
      if (!isSameIssuer(claims.iss, client.issuer)) throw new Error('the id token is of another issuer');
      const isWhole = names.every((name) => claims[name] !== undefined);
      if (isWhole || config.serverMetadata().userinfo_endpoint === undefined) return claims;
      return { ...(await fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
    },
    async endSessionUrl(backTo) {
      const { buildEndSessionUrl } = await load();
      const config = await configuration();
      return config.serverMetadata().end_session_endpoint === undefined
        ? null
        : buildEndSessionUrl(config, { post_logout_redirect_uri: backTo }).href;
    },
  };
}

/** The groups that a claim names: one text, or a list of texts. */
export const groupsOf = (claim: unknown): readonly string[] =>
  (Array.isArray(claim) ? (claim as unknown[]) : [claim]).filter((one) => typeof one === 'string');
