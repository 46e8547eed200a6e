import type { Clock } from '../kernel/index.ts';
import { must, type AuthStore } from './adapter.ts';
import { isOver } from './verify-embedded.ts';

interface TokenPayload {
  readonly accountId?: string;
  readonly clientId: string;
  readonly exp: number;
  readonly iat: number;
  readonly aud?: string;
  readonly scope?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * What a token says of a token of the same client (its own, mostly). Null: the asking token is worth nothing itself.
 */
export async function introspectFor(
  deps: { readonly tenant: string; readonly issuer: string; readonly store: AuthStore; readonly clock: Clock },
  authorization: string,
  token: string,
): Promise<Readonly<Record<string, unknown>> | null> {
  const { tenant, store, issuer } = deps;
  const at = deps.clock.now();
  const find = async (one: string) => {
    const found = must(await store.read('auth.token', { tenant, token: one, at }));
    return found === null || must(await isOver(deps, found.payload, at)) ? null : found;
  };
  const asking = await find(authorization.slice('bearer '.length).trim());
  if (asking === null) return null;
  const found = await find(token);
  if (found?.client.id !== asking.client.id) return { active: false };
  const { accountId, exp, iat, aud, scope, extra } = found.payload as TokenPayload;
  return {
    ...extra,
    active: true,
    scope,
    client_id: found.client.id,
    exp,
    iat,
    iss: issuer,
    aud,
    token_type: 'Bearer',
    ...(accountId === undefined ? {} : { sub: accountId }),
  };
}
