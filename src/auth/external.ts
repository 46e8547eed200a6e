import { fail, fault, ok, type Clock, type Result } from '../kernel/index.ts';
import { type OauthUris } from './discovery.ts';
import { fetchBounded } from './fetch-bounded.ts';
import type { Registry } from './registry.ts';
import { WORDS } from './narrow-scope.ts';

const KEPT_MS = 10 * 60_000;
const FAILED_KEPT_MS = 5_000;

type Metadata = Readonly<Record<string, unknown>>;

/** What the issuer says of itself, asked for when somebody wants to know, and kept for a while. */
export function makeIssuerMetadata(issuer: string, clock: Clock): () => Promise<Result<Metadata>> {
  let kept: { readonly found: Result<Metadata>; readonly untilMs: number } | null = null;
  let asking: Promise<Result<Metadata>> | null = null;
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  async function ask(): Promise<Result<Metadata>> {
    try {
      const answer = await fetchBounded(address, { headers: { accept: 'application/json' } });
      const metadata = (await answer.json()) as Metadata;
      if (answer.status !== 200 || metadata['issuer'] !== issuer) return fail(fault('auth.issuer'));
      return ok(metadata);
    } catch (cause) {
      return fail(fault('auth.issuer', { cause }));
    }
  }
  // Anybody may want to know. However many do, the issuer is asked once.
  return async () => {
    if (kept !== null && clock.monotonicMs() < kept.untilMs) return kept.found;
    asking ??= ask().then((found) => {
      kept = { found, untilMs: clock.monotonicMs() + (found.ok ? KEPT_MS : FAILED_KEPT_MS) };
      asking = null;
      return found;
    });
    return asking;
  };
}

const FIELDS = [
  'issuer',
  'jwks_uri',
  'authorization_endpoint',
  'token_endpoint',
  'introspection_endpoint',
  'revocation_endpoint',
  'grant_types_supported',
  'response_types_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
];

/** Names only what this server supports. Further abilities are in the issuer's own metadata. */
export const externalConfiguration = (metadata: Metadata): Metadata => ({
  ...Object.fromEntries(FIELDS.filter((name) => metadata[name] !== undefined).map((name) => [name, metadata[name]])),
  code_challenge_methods_supported: ['S256'],
  scopes_supported: metadata['scopes_supported'] ?? [...WORDS, 'patient/*.rs', 'user/*.rs', 'system/*.rs'],
  capabilities: ['permission-patient', 'permission-user', 'permission-v1', 'permission-v2'],
});

export function externalUris(metadata: Metadata): OauthUris | null {
  const text = (name: string): string => (typeof metadata[name] === 'string' ? metadata[name] : '');
  if (text('token_endpoint') === '') return null;
  return {
    authorize: text('authorization_endpoint'),
    token: text('token_endpoint'),
    introspect: text('introspection_endpoint'),
    revoke: text('revocation_endpoint'),
  };
}

/** Apps, people and launches are kept where the tokens are made. */
const elsewhere = (): Promise<Result<never>> => Promise.resolve(fail(fault('auth.external')));
export const EXTERNAL_REGISTRY: Registry = {
  addClient: elsewhere,
  clients: elsewhere,
  changeClient: elsewhere,
  setClientState: elsewhere,
  removeClient: elsewhere,
  addAccount: elsewhere,
  accounts: elsewhere,
  setAccountState: elsewhere,
  resetPassword: elsewhere,
  resetFactor: elsewhere,
  unlockAccount: elsewhere,
  removeAccount: elsewhere,
  grants: elsewhere,
  endGrant: elsewhere,
  addLaunch: elsewhere,
  rotateKey: elsewhere,
  signingKeys: () => Promise.resolve(ok([])),
};
