import { ok, type Clock, type Result } from '../kernel/index.ts';
import type { AuthStore } from './adapter.ts';
import type { AskStanding, Grant, GrantEnd, StandingGrant } from './grant.ts';
import { intersectScopes } from './narrow-scope.ts';
import { toScopes } from './verify-embedded.ts';

/** A client that acts for itself, for as long as work goes on that it asked for by this token. */
export const standingOfClient = (
  of: Pick<StandingGrant, 'issuer' | 'clientId' | 'scope'> & { readonly tokenId: string },
): StandingGrant => ({
  ...of,
  accountId: null,
  subject: of.clientId,
  grantId: null,
  sessionUid: null,
  patient: null,
  untilMs: null,
});

/** As the grant of a token that was made just now: with what the token had, as far as the client may still have it. */
const grantOf = (standing: StandingGrant, scope: string): Grant => ({
  issuer: standing.issuer,
  subject: standing.subject,
  clientId: standing.clientId,
  tokenId: standing.grantId ?? standing.tokenId ?? `client:${standing.clientId}`,
  ...toScopes(scope),
  patient: standing.patient,
  encounter: null,
  fhirUser: null,
  expiresAt: new Date(standing.untilMs ?? 8.64e15),
  origins: [],
  standing,
});

const isPast = ({ untilMs }: StandingGrant, clock: Clock): boolean =>
  untilMs !== null && clock.now().getTime() >= untilMs;

/** With the embedded server, which knows every client, account, grant and session. */
export function makeAskStanding(deps: {
  readonly tenant: string;
  readonly issuer: string;
  readonly store: AuthStore;
  readonly isType: (name: string) => boolean;
  readonly clock: Clock;
}): AskStanding {
  const { tenant, store, clock } = deps;
  return async (standing): Promise<Result<Grant | GrantEnd>> => {
    // Of another issuer, which was configured before.
    if (standing.issuer !== deps.issuer) return ok('client-ended');
    if (isPast(standing, clock)) return ok('token-ended');
    const { clientId, accountId, grantId, sessionUid } = standing;
    const found = await store.read('auth.standing', {
      tenant,
      clientId,
      accountId,
      grantId,
      sessionUid,
      at: clock.now(),
    });
    if (!found.ok) return found;
    if (typeof found.value === 'string') return ok(found.value);
    return ok(grantOf(standing, intersectScopes(standing.scope, found.value.scope, deps.isType).join(' ')));
  };
}

/** An external issuer cannot be asked: what its token allowed is all that is known. */
export const makeAskStandingExternal =
  (deps: { readonly issuer: string; readonly clock: Clock }): AskStanding =>
  (standing) => {
    if (standing.issuer !== deps.issuer) return Promise.resolve(ok('client-ended'));
    return Promise.resolve(ok(isPast(standing, deps.clock) ? 'token-ended' : grantOf(standing, standing.scope)));
  };
