import { errors } from 'oidc-provider';
import type { Clock } from '../kernel/index.ts';

const LIFE_SECONDS = 300;
const SKEW_SECONDS = 60;
const KTY: Readonly<Record<string, string>> = { RS384: 'RSA', ES384: 'EC' };

/**
 * What SMART asks of a client's assertion beyond what the provider has checked: its signature, issuer, expiry and
 * algorithm.
 */
export function checkAssertion(given: {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, unknown>>;
  readonly client: {
    readonly clientId: string;
    readonly jwksUri?: string;
    readonly asymmetricKeyStore: Iterable<{ readonly kid?: string; readonly kty?: string }>;
  };
  readonly issuer: string;
  readonly clock: Clock;
}): void {
  const { claims, header, client, issuer } = given;
  const refuse = (why: string): never => {
    throw new errors.InvalidClientAuth(why);
  };
  const { sub, exp, aud, jti } = claims;
  if (sub !== client.clientId) refuse('sub must be the client_id');
  if (typeof exp !== 'number' || exp > given.clock.now().getTime() / 1000 + LIFE_SECONDS + SKEW_SECONDS)
    refuse('exp is more than five minutes ahead');
  if (typeof jti !== 'string' || jti.length > 1_000) refuse('jti is not a text');
  // The token endpoint, or the issuer as newer clients have it; and nobody beside.
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (audiences.length !== 1 || (audiences[0] !== issuer && audiences[0] !== `${issuer}/token`))
    refuse('aud must be the token endpoint alone');
  if (header['jku'] !== undefined && header['jku'] !== client.jwksUri) refuse('jku is not the registered one');
  const { kid, alg } = header;
  const keys = [...client.asymmetricKeyStore].filter((key) => key.kid === kid && key.kty === KTY[String(alg)]);
  if (typeof kid !== 'string' || keys.length !== 1) refuse('kid must name exactly one key');
}
