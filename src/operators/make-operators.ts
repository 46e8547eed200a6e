import { makeSteadyNow } from '../auth/index.ts';
import type { Route } from '../kernel/index.ts';
import { makeAuthenticate, makeIdentify, type Authenticate } from './authenticate.ts';
import type { OperatorDeps } from './deps.ts';
import { makeFactors } from './factors.ts';
import { makeGuardTries } from './guard-tries.ts';
import { makePeople } from './people.ts';
import { makePeopleRoutes } from './people-routes.ts';
import { makeProviderRoutes, type ProviderSettings } from './provider.ts';
import { makeSessionRoutes } from './session-routes.ts';
import { makePageRoutes } from './sign-in-page.ts';
import { makeSignIn } from './sign-in.ts';

export interface Operators {
  readonly routes: readonly Route[];
  /** Who asks and what they may. */
  readonly authenticate: Authenticate;
}

/** Joins everything about the people and machines that operate the gateway. */
export function makeOperators(
  given: Omit<OperatorDeps, 'now'> & { readonly provider: ProviderSettings | null },
): Operators {
  const deps: OperatorDeps = { ...given, now: makeSteadyNow(given.clock) };
  const provider = given.provider === null ? 'none' : 'configured';
  const identify = makeIdentify(deps);
  const guard = makeGuardTries(deps);
  const signIn = makeSignIn({ ...deps, guard });
  const factors = makeFactors({ ...deps, guard, signIn });
  const authenticate = makeAuthenticate(deps);
  return {
    routes: [
      ...makePageRoutes(provider),
      ...makeProviderRoutes({ ...deps, settings: given.provider }),
      ...makeSessionRoutes({ ...deps, identify, signIn, factors }),
      ...makePeopleRoutes({ people: makePeople(deps), identify, now: deps.now }),
    ],
    authenticate,
  };
}
