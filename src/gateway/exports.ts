import type { AskStanding } from '../auth/index.ts';
import { makeExportRoutes, makeGroupRoutes, type AdminRoute } from '../admin/index.ts';
import type { Config } from '../config/index.ts';
import { enrolSet } from '../enrol/index.ts';
import { exportSet, makeExports } from '../export/index.ts';
import { identitySet } from '../identity/index.ts';
import { laneSet } from '../lanes/index.ts';
import type { Clock, Log, NewId, Part, Route } from '../kernel/index.ts';
import type { ReadKit } from '../smart/index.ts';
import type { Store } from '../store/index.ts';

/** Makes bulk exports: what apps ask for, what operators see of it, and what carries it out. */
export function joinExports(
  deps: {
    readonly config: Config;
    readonly tenant: string;
    readonly instance: string;
    readonly store: Store;
    readonly askStanding: AskStanding;
    readonly newId: NewId;
    readonly clock: Clock;
    readonly log: Log;
  },
  kit: ReadKit,
): { readonly routes: readonly Route[]; readonly adminRoutes: readonly AdminRoute[]; readonly runner: Part } {
  const { config, tenant, store, newId, clock } = deps;
  const exports = store.use(exportSet);
  const { mrnSystem } = config.identity;
  const lanes = store.use(laneSet);
  const made = makeExports(
    {
      ...deps,
      async isPaused() {
        const target = await lanes.read('lane.target', { tenant });
        return target.ok && target.value.pausedAt !== null;
      },
      ...config.export,
      mrnSystem,
      exports,
      identity: store.use(identitySet),
      enrolment: store.use(enrolSet),
    },
    kit,
  );
  const { groups, runner } = made;
  return {
    routes: made.routes,
    adminRoutes: [
      ...makeExportRoutes({ tenant, exports, clock, onEnd: runner.tidy }),
      ...makeGroupRoutes({ tenant, mrnSystem, exports, groups, newId, clock }),
    ],
    runner,
  };
}
