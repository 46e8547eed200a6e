import { fail, ok, type Chance, type Clock, type Result } from '../kernel/index.ts';
import type { Authorizer } from './authorize.ts';
import type { FetchToken } from './fetch-token.ts';
import type { ClientKey } from './load-client-key.ts';
import { signAssertion } from './sign-assertion.ts';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** A token is not used in its last half minute, or last half where it lives for less than a minute. */
const MARGIN_MS = 30_000;

/**
 * SMART Backend Services: client credentials with a signed assertion. One request for a token at a time, whoever waits
 * for it; it is kept until shortly before its end.
 */
export function smartBackendAuthorizer(deps: {
  readonly clientId: string;
  readonly scope: string;
  readonly key: ClientKey;
  /** The configured token endpoint, or the one that was discovered; it does not change while the process lives. */
  readonly findTokenUrl: () => Promise<Result<string>>;
  readonly fetchToken: FetchToken;
  readonly clock: Clock;
  readonly chance: Chance;
}): Authorizer {
  const { clock } = deps;
  let held: { readonly header: string; readonly untilMs: number } | null = null;
  let underWay: Promise<Result<string>> | null = null;

  async function obtain(): Promise<Result<string>> {
    const tokenUrl = await deps.findTokenUrl();
    if (!tokenUrl.ok) return tokenUrl;
    const assertion = await signAssertion(deps.key, {
      clientId: deps.clientId,
      tokenUrl: tokenUrl.value,
      now: clock.now(),
      chance: deps.chance,
    });
    const askedAtMs = clock.monotonicMs();
    const token = await deps.fetchToken(tokenUrl.value, {
      grant_type: 'client_credentials',
      scope: deps.scope,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: assertion,
    });
    if (!token.ok) return fail(token.fault);
    const { header, expiresInMs } = token.value;
    held = { header, untilMs: askedAtMs + Math.max(expiresInMs - MARGIN_MS, expiresInMs / 2) };
    return ok(header);
  }

  return {
    authorize() {
      if (held !== null && clock.monotonicMs() < held.untilMs) return ok(held.header);
      underWay ??= obtain().finally(() => (underWay = null));
      return underWay;
    },
    renew(refused) {
      // Somebody else may have renewed it meanwhile.
      if (held?.header === refused) held = null;
      return 'worth-a-try';
    },
  };
}
