import { ok, type Clock, type Result } from '../kernel/index.ts';
import type { AuthStore } from './adapter.ts';
import type { AskStanding, Grant, GrantEnd, StandingGrant } from './grant.ts';
import { narrowScope } from './narrow-scope.ts';
import { toScopes } from './verify-embedded.ts';

/** As the grant of a token that was made just now: with what the token had, as far as the client may still have it. */
const grantOf = (standing: StandingGrant, scope: string): Grant => ({
  issuer: standing.issuer,
  subject: standing.subject,
  clientId: standing.clientId,
  tokenId: standing.grantId ?? `client:${standing.clientId}`,
  ...toScopes(scope),
  patient: standing.patient,
  encounter: null,
  fhirUser: null,
  expiresAt: new Date(standing.untilMs ?? 8.64e15),
  origins: [],
  standing,
});

/** With the embedded server, which knows every client, account, grant and session. */
export function makeAskStanding(deps: {
  readonly tenant: string;
  readonly store: AuthStore;
  readonly isType: (name: string) => boolean;
  readonly clock: Clock;
}): AskStanding {
  const { tenant, store, clock } = deps;
  return async (standing): Promise<Result<Grant | GrantEnd>> => {
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
    return ok(grantOf(standing, narrowScope(standing.scope, found.value.scope, deps.isType).join(' ')));
  };
}

/** With an external issuer nobody can be asked: what a token allowed ends with the token. */
export const makeAskStandingExternal =
  (clock: Clock): AskStanding =>
  (standing) =>
    Promise.resolve(
      ok(
        standing.untilMs !== null && clock.now().getTime() < standing.untilMs
          ? grantOf(standing, standing.scope)
          : 'token-ended',
      ),
    );
