import { auditSet } from '../audit/index.ts';
import { authSet, makeAuth, type Registry } from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import type { OpenTarget } from '../ehr/index.ts';
import { identitySet } from '../identity/index.ts';
import type { Budget, Chance, Clock, Log, Mount, Part, Peers, Route } from '../kernel/index.ts';
import { makeAppRoutes, type AdminRoute } from '../admin/index.ts';
import { isResourceType } from '../r4/index.ts';
import { makeSmart, type LoadedProfiles } from '../smart/index.ts';
import type { Store } from '../store/index.ts';
import { makePersonsPart } from './persons.ts';

/**
 * Makes what apps use: the patients whom a token may be about, the authorization server that shows them, and the read
 * API that verifies its tokens.
 */
export function makeApps(deps: {
  readonly config: Config;
  readonly tenant: string;
  readonly version: string;
  readonly store: Store;
  readonly target: OpenTarget;
  readonly loadedProfiles: LoadedProfiles;
  readonly budget: Budget;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
}): Part & {
  readonly routes: readonly Route[];
  readonly adminRoutes: readonly AdminRoute[];
  readonly mounts: readonly Mount[];
  readonly signingKeys: Registry['signingKeys'];
  /** Tells that somebody new was linked. */
  wake(): void;
} {
  const { config, tenant, store, clock, chance, log } = deps;
  const { publicUrl } = config.http;
  const { mrnSystem } = config.identity;
  const audit = store.use(auditSet);
  const persons = makePersonsPart({ tenant, mrnSystem, store, clock, log });
  const smart = makeSmart({
    tenant,
    publicUrl,
    version: deps.version,
    mrnSystem,
    ...config.read,
    keys: config.keys,
    audit,
    identity: store.use(identitySet),
    persons: persons.index,
    ...deps.target.ehrReader,
    loadedProfiles: deps.loadedProfiles,
    budget: deps.budget,
    clock,
    chance,
  });
  const auth = makeAuth({
    tenant,
    publicUrl,
    ehrBase: deps.target.ehrReader.ehr.guard.base,
    external: config.auth.kind === 'embedded' ? null : config.auth,
    pseudonymKey: Buffer.from(config.keys.pseudonym.reveal(), 'base64'),
    store: store.use(authSet),
    audit,
    patients: smart.patients,
    isType: isResourceType,
    peers: deps.peers,
    clock,
    log,
  });
  const refreshing = persons.refreshing(smart.readByMrn);
  return {
    routes: [...auth.routes, ...smart.serve(auth)],
    adminRoutes: makeAppRoutes({ registry: auth.registry }),
    mounts: auth.mounts,
    signingKeys: auth.registry.signingKeys,
    wake: refreshing.wake,
    async start() {
      await auth.start();
      refreshing.start();
    },
    async stop() {
      await refreshing.stop();
      auth.flush();
    },
  };
}
