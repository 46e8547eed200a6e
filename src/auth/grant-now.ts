import { ok, type Clock, type Result } from '../kernel/index.ts';
import type { AuthStore } from './adapter.ts';
import type { Grant } from './grant.ts';
import { parseResourceScope, splitScopes, type ResourceScope } from './scope.ts';

/** A token that a client that acts for itself once had. */
export interface OnceGranted {
  readonly issuer: string;
  readonly clientId: string;
  readonly tokenId: string;
  readonly scope: string;
}

/**
 * What such a client may do now, for work that goes on after its token has ended: what the token allowed, as far as the
 * client may still have it. Null: the client is gone or disabled, or of another issuer.
 */
export type GrantNow = (once: OnceGranted) => Promise<Result<Grant | null>>;

const scopesOf = (scope: string): readonly ResourceScope[] =>
  splitScopes(scope).flatMap((text) => parseResourceScope(text) ?? []);

/** What both allow; null: nothing. What has a filter of each meets both. */
function meet(a: ResourceScope, b: ResourceScope): ResourceScope | null {
  const type = a.type === '*' ? b.type : a.type;
  const letters = new Set([...a.letters].filter((letter) => b.letters.has(letter)));
  if (a.level !== b.level || (b.type !== '*' && b.type !== type) || letters.size === 0) return null;
  const more = b.filter.filter(([name, value]) => !a.filter.some(([one, of]) => one === name && of === value));
  return { ...a, type, letters, filter: [...a.filter, ...more] };
}

const grantOf = ({ issuer, clientId, tokenId }: OnceGranted, scopes: readonly ResourceScope[], at: Date): Grant => ({
  issuer,
  subject: clientId,
  clientId,
  tokenId,
  scopes,
  words: [],
  patient: null,
  encounter: null,
  fhirUser: null,
  expiresAt: at,
  origins: [],
});

export const makeGrantNow =
  (deps: {
    readonly tenant: string;
    readonly issuer: string;
    readonly store: AuthStore;
    readonly clock: Clock;
  }): GrantNow =>
  async (once) => {
    if (once.issuer !== deps.issuer) return ok(null);
    const client = await deps.store.readKept('auth.client', { tenant: deps.tenant, id: once.clientId });
    if (!client.ok) return client;
    if (client.value?.kind !== 'backend') return ok(null);
    const given = scopesOf(client.value.scope);
    const scopes = scopesOf(once.scope).flatMap((one) => given.flatMap((other) => meet(one, other) ?? []));
    return ok(grantOf(once, scopes, deps.clock.now()));
  };

/** An issuer elsewhere cannot be asked what a client may have: what its token allowed stays until the work is done. */
export const makeExternalGrantNow =
  (deps: { readonly issuer: string; readonly clock: Clock }): GrantNow =>
  (once) =>
    Promise.resolve(ok(once.issuer === deps.issuer ? grantOf(once, scopesOf(once.scope), deps.clock.now()) : null));
