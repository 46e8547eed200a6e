import { makeSteadyNow } from '../auth/index.ts';
import type { Route } from '../kernel/index.ts';
import { makeAdmit, type Admit } from './admit.ts';
import { makeAuthenticate, makeIdentify, type Authenticate } from './authenticate.ts';
import type { OperatorDeps } from './deps.ts';
import { makeFactors, type Factors } from './factors.ts';
import { makeGuardTries } from './guard-tries.ts';
import { makePeople, type People } from './people.ts';
import { makeProviderRoutes, type ProviderSettings } from './provider.ts';
import { makeSessions, type Sessions } from './sessions.ts';
import { makePageRoutes } from './sign-in-page.ts';
import { makeSignIn, type SignIn } from './sign-in.ts';

export interface Operators {
  /** The page at which people sign in, and the way to the identity provider and back. */
  readonly routes: readonly Route[];
  /** Who asks and what they may. */
  readonly authenticate: Authenticate;
  readonly admit: Admit;
  readonly people: People;
  readonly signIn: SignIn;
  readonly factors: Factors;
  readonly sessions: Sessions;
  /** The time, which goes on even where the wall clock is set back. */
  readonly now: () => Date;
}

/** Joins everything about the people and machines that operate the gateway. */
export function makeOperators(
  given: Omit<OperatorDeps, 'now'> & { readonly provider: ProviderSettings | null },
): Operators {
  const deps: OperatorDeps = { ...given, now: makeSteadyNow(given.clock) };
  const provider = given.provider === null ? 'none' : 'configured';
  const guard = makeGuardTries(deps);
  const signIn = makeSignIn({ ...deps, guard });
  return {
    routes: [...makePageRoutes(provider), ...makeProviderRoutes({ ...deps, settings: given.provider })],
    authenticate: makeAuthenticate(deps),
    admit: makeAdmit({ publicUrl: deps.publicUrl, identify: makeIdentify(deps) }),
    people: makePeople(deps),
    signIn,
    factors: makeFactors({ ...deps, guard, signIn }),
    sessions: makeSessions(deps),
    now: deps.now,
  };
}
