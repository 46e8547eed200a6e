import { makeSubscriptionRoutes, type AdminRoute } from '../admin/index.ts';
import { ANYBODY, type AskStanding, type PatientDirectory } from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import { ok, type Chance, type Clock, type Log, type NewId, type Route } from '../kernel/index.ts';
import type { ReadKit } from '../smart/index.ts';
import type { Store } from '../store/index.ts';
import { makeSubscriptions, resolveByDns, subscriptionSet, type Subscriptions } from '../subscriptions/index.ts';

/** Makes subscriptions: what apps ask for, what operators see of it, and what tells the apps. */
export function joinSubscriptions(
  deps: {
    readonly config: Config;
    readonly tenant: string;
    readonly instance: string;
    readonly version: string;
    readonly store: Store;
    readonly askStanding: AskStanding;
    readonly patients: PatientDirectory;
    readonly newId: NewId;
    readonly chance: Chance;
    readonly clock: Clock;
    readonly log: Log;
  },
  kit: ReadKit,
): { readonly routes: readonly Route[]; readonly adminRoutes: readonly AdminRoute[]; readonly part: Subscriptions } {
  const { tenant, instance, store, patients, askStanding, newId, chance, clock, log } = deps;
  const part = makeSubscriptions({
    tenant,
    instance,
    agent: `chartgate/${deps.version}`,
    store,
    kit,
    askStanding,
    async findPatient(mrn, requestId) {
      const listed = await patients.list({ cursor: null, wanted: { ...ANYBODY, mrn }, requestId });
      if (!listed.ok) return listed;
      const [only, ...more] = listed.value.patients;
      return ok(only === undefined || more.length > 0 ? null : only.id);
    },
    privateHosts: deps.config.subscriptions.privateHosts,
    resolve: resolveByDns,
    newId,
    chance,
    clock,
    log,
  });
  return {
    routes: part.routes,
    adminRoutes: makeSubscriptionRoutes({ tenant, subscriptions: store.use(subscriptionSet), clock }),
    part,
  };
}
