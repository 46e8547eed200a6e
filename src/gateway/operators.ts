import type { Config } from '../config/index.ts';
import type { Chance, Clock, NewId, Peers, Route } from '../kernel/index.ts';
import {
  authenticateAnybody,
  makeOperatorRoutes,
  makeSessionRoutes,
  serveSessionRoute,
  type AdminRoute,
  type Authenticate,
} from '../admin/index.ts';
import { makeOperators, operatorSet, ROLES, type Role } from '../operators/index.ts';
import type { Store } from '../store/index.ts';

/** `group=role` of the settings, by group. */
function rolesByGroup(pairs: readonly string[]): Map<string, readonly Role[]> {
  const out = new Map<string, readonly Role[]>();
  for (const pair of pairs) {
    const mark = pair.lastIndexOf('=');
    const [group, role] = [pair.slice(0, mark), pair.slice(mark + 1)];
    out.set(group, [...(out.get(group) ?? []), ...ROLES.filter((one) => one === role)]);
  }
  return out;
}

/** Makes the desk of those who operate the gateway: how they sign in, and who asks the admin API. */
export function makeOperatorDesk(deps: {
  readonly config: Config;
  readonly tenant: string;
  readonly store: Store;
  readonly peers: Peers;
  readonly deny: Parameters<typeof makeOperators>[0]['deny'];
  readonly newId: NewId;
  readonly chance: Chance;
  readonly clock: Clock;
}): {
  readonly routes: readonly Route[];
  readonly adminRoutes: readonly AdminRoute[];
  readonly authenticate: Authenticate;
} {
  const { config, store, ...rest } = deps;
  const { provider, secondFactor } = config.operators;
  const operators = makeOperators({
    ...rest,
    publicUrl: config.http.publicUrl,
    policy: secondFactor,
    adminToken: config.admin.token,
    pseudonymKey: Buffer.from(config.keys.pseudonym.reveal(), 'base64'),
    store: store.use(operatorSet),
    provider: provider === null ? null : { ...provider, groups: rolesByGroup(provider.groups) },
  });
  return {
    routes: [
      ...operators.routes,
      ...makeSessionRoutes(operators).map((route) => serveSessionRoute(route, operators.admit)),
    ],
    adminRoutes: makeOperatorRoutes(operators),
    authenticate: authenticateAnybody({
      token: config.admin.token,
      operators: operators.authenticate,
      clock: deps.clock,
    }),
  };
}
