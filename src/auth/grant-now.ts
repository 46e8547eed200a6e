import { ok, type Clock, type Result } from '../kernel/index.ts';
import type { AuthStore } from './adapter.ts';
import type { Grant } from './grant.ts';
import { narrowScope } from './narrow-scope.ts';
import { toScopes } from './verify-embedded.ts';

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

const grantOf = ({ issuer, clientId, tokenId }: OnceGranted, scope: string, at: Date): Grant => ({
  issuer,
  subject: clientId,
  clientId,
  tokenId,
  ...toScopes(scope),
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
    readonly isType: (name: string) => boolean;
    readonly clock: Clock;
  }): GrantNow =>
  async (once) => {
    if (once.issuer !== deps.issuer) return ok(null);
    const client = await deps.store.readKept('auth.client', { tenant: deps.tenant, id: once.clientId });
    if (!client.ok) return client;
    if (client.value?.kind !== 'backend') return ok(null);
    const scope = narrowScope(once.scope, client.value.scope, deps.isType).join(' ');
    return ok(grantOf(once, scope, deps.clock.now()));
  };

/** An issuer elsewhere cannot be asked what a client may have: what its token allowed stays until the work is done. */
export const makeExternalGrantNow =
  (deps: { readonly issuer: string; readonly clock: Clock }): GrantNow =>
  (once) =>
    Promise.resolve(ok(once.issuer === deps.issuer ? grantOf(once, once.scope, deps.clock.now()) : null));
