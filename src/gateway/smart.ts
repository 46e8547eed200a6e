import { auditSet } from '../audit/index.ts';
import { authSet, makeAuth } from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import type { OpenTarget } from '../ehr/index.ts';
import { identitySet } from '../identity/index.ts';
import type { Budget, Chance, Clock, Log, Mount, Route } from '../kernel/index.ts';
import { makeAppRoutes, type AdminRoute } from '../admin/index.ts';
import { isResourceType } from '../r4/index.ts';
import { makeSmart } from '../smart/index.ts';
import type { Store } from '../store/index.ts';

/** Joins what apps use: the authorization server and the read API, each of which needs something of the other. */
export async function wireSmart(deps: {
  readonly config: Config;
  readonly tenant: string;
  readonly version: string;
  readonly store: Store;
  readonly target: OpenTarget;
  readonly budget: Budget;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
}): Promise<{
  readonly routes: readonly Route[];
  readonly adminRoutes: readonly AdminRoute[];
  readonly mounts: readonly Mount[];
  flush(): void;
}> {
  const { config, tenant, store, clock, chance, log } = deps;
  const { publicUrl } = config.http;
  const audit = store.use(auditSet);
  const smart = makeSmart({
    tenant,
    publicUrl,
    version: deps.version,
    mrnSystem: config.identity.mrnSystem,
    ...config.read,
    keys: config.keys,
    audit,
    identity: store.use(identitySet),
    ...deps.target.ehrReader,
    budget: deps.budget,
    verifyToken: (authorization, from) => auth.verifyToken(authorization, from),
    isOrigin: (origin) => auth.isOrigin(origin),
    oauthUris: () => auth.oauthUris(),
    clock,
    chance,
  });
  const auth = await makeAuth({
    tenant,
    publicUrl,
    ehrBase: deps.target.ehrReader.ehr.guard.base,
    external: config.auth.kind === 'embedded' ? null : config.auth,
    pseudonymKey: Buffer.from(config.keys.pseudonym.reveal(), 'base64'),
    store: store.use(authSet),
    audit,
    patients: smart.patients,
    isType: isResourceType,
    clock,
    log,
  });
  return {
    routes: [...auth.routes, ...smart.routes],
    adminRoutes: makeAppRoutes({ registry: auth.registry }),
    mounts: auth.mounts,
    flush: auth.flush,
  };
}
