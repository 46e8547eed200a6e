import { auditSet } from '../audit/index.ts';
import { authSet, makeAuth, type Registry } from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import type { OpenTarget } from '../ehr/index.ts';
import { identitySet } from '../identity/index.ts';
import {
  ok,
  type Budget,
  type Chance,
  type Clock,
  type Log,
  type Mount,
  type NewId,
  type Part,
  type Peers,
  type Route,
} from '../kernel/index.ts';
import { makeAppRoutes, makeSubscriptionRoutes, type AdminRoute } from '../admin/index.ts';
import { isResourceType } from '../r4/index.ts';
import { makeSmart, type LoadedProfiles, type ReadKit } from '../smart/index.ts';
import type { Store } from '../store/index.ts';
import {
  makeSubscriptions,
  resolveByDns,
  subscriptionSet,
  SUBSCRIPTION_CAPABILITY,
  type Subscriptions,
} from '../subscriptions/index.ts';

/**
 * Makes what apps use: the patients whom a token may be about, the authorization server that shows them, and the read
 * API that verifies its tokens.
 */
export function makeApps(deps: {
  readonly config: Config;
  readonly tenant: string;
  readonly instance: string;
  readonly version: string;
  readonly store: Store;
  readonly target: OpenTarget;
  readonly loadedProfiles: LoadedProfiles;
  readonly budget: Budget;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly newId: NewId;
  readonly log: Log;
}): Part & {
  readonly routes: readonly Route[];
  readonly adminRoutes: readonly AdminRoute[];
  readonly mounts: readonly Mount[];
  readonly signingKeys: Registry['signingKeys'];
  /** Something has happened of which apps may be told. */
  wake(): void;
} {
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
  let subscriptions: Subscriptions | undefined;
  function withKit(kit: ReadKit): readonly Route[] {
    subscriptions = makeSubscriptions({
      tenant,
      instance: deps.instance,
      agent: `chartgate/${deps.version}`,
      store,
      kit,
      askStanding: auth.askStanding,
      async findPatient(mrn, requestId) {
        const listed = await smart.patients.list({ cursor: null, mrn, requestId });
        if (!listed.ok) return listed;
        const [only, ...more] = listed.value.patients;
        return ok(only === undefined || more.length > 0 ? null : only.id);
      },
      privateHosts: config.subscriptions.privateHosts,
      resolve: resolveByDns,
      newId: deps.newId,
      chance,
      clock,
      log,
    });
    return subscriptions.routes;
  }
  const routes = [...auth.routes, ...smart.serve(auth, withKit, [SUBSCRIPTION_CAPABILITY])];
  return {
    routes,
    adminRoutes: [
      ...makeAppRoutes({ registry: auth.registry }),
      ...makeSubscriptionRoutes({ tenant, subscriptions: store.use(subscriptionSet), clock }),
    ],
    mounts: auth.mounts,
    signingKeys: auth.registry.signingKeys,
    wake: () => subscriptions?.wake(),
    async start() {
      await auth.start();
      await subscriptions?.start?.();
    },
    async stop() {
      await subscriptions?.stop();
      auth.flush();
    },
  };
}
