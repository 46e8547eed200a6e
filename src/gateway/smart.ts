import { auditSet } from '../audit/index.ts';
import { authSet, LOCAL_SIGN_IN, makeAuth, type Registry } from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import type { OpenTarget } from '../ehr/index.ts';
import { identitySet } from '../identity/index.ts';
import type { Budget, Chance, Clock, Log, Mount, NewId, Part, Peers, Route } from '../kernel/index.ts';
import { makeAppRoutes, type AdminRoute } from '../admin/index.ts';
import { isResourceType } from '../r4/index.ts';
import { makeSmart, type LoadedProfiles, type Smart } from '../smart/index.ts';
import type { Store } from '../store/index.ts';
import { SUBSCRIPTION_CAPABILITY } from '../subscriptions/index.ts';
import { joinExports } from './exports.ts';
import { makePersonsPart } from './persons.ts';
import { joinSubscriptions } from './subscriptions.ts';

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
  readonly newId: NewId;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
}): Part & {
  readonly routes: readonly Route[];
  readonly adminRoutes: readonly AdminRoute[];
  readonly mounts: readonly Mount[];
  readonly signingKeys: Registry['signingKeys'];
  /** Something has happened of which apps may be told. */
  wake(): void;
  /** Somebody new was linked. */
  noteLinked(): void;
  /** What carries out bulk exports. */
  readonly exports: Part;
  readonly unmetConditions: Smart['unmetConditions'];
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
    backgroundRequests: config.export.ehrRequests,
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
    signIn: config.auth.kind === 'embedded' ? config.auth.signIn : LOCAL_SIGN_IN,
    pseudonymKey: Buffer.from(config.keys.pseudonym.reveal(), 'base64'),
    store: store.use(authSet),
    audit,
    patients: smart.patients,
    practitioners: smart.practitioners,
    isType: isResourceType,
    peers: deps.peers,
    clock,
    log,
  });
  // Made once, while the read API is: it has what they need.
  const exports: ReturnType<typeof joinExports>[] = [];
  const subscriptions: ReturnType<typeof joinSubscriptions>[] = [];
  const routes = smart.serve(
    auth,
    (kit) => {
      exports.push(joinExports({ ...deps, askStanding: auth.askStanding }, kit));
      subscriptions.push(joinSubscriptions({ ...deps, askStanding: auth.askStanding, patients: smart.patients }, kit));
      return [...subscriptions, ...exports].flatMap((one) => one.routes);
    },
    [SUBSCRIPTION_CAPABILITY],
  );
  const refreshing = persons.refreshing(smart.readByMrn);
  return {
    routes: [...auth.routes, ...routes],
    adminRoutes: [
      ...makeAppRoutes({ registry: auth.registry }),
      ...[...subscriptions, ...exports].flatMap((one) => one.adminRoutes),
    ],
    exports: {
      start: () => exports.forEach(({ runner }) => void runner.start?.()),
      stop: () => Promise.all(exports.map(({ runner }) => runner.stop())),
    },
    mounts: auth.mounts,
    signingKeys: auth.registry.signingKeys,
    unmetConditions: smart.unmetConditions,
    wake: () => subscriptions.forEach(({ part }) => part.wake()),
    noteLinked: refreshing.wake,
    async start() {
      await auth.start();
      refreshing.start();
      for (const { part } of subscriptions) await part.start?.();
    },
    async stop() {
      for (const { part } of subscriptions) await part.stop();
      await refreshing.stop();
      auth.flush();
    },
  };
}
