import { auditSet, type KeptAudit, type makeAppendLater } from '../audit/index.ts';
import type { Registry } from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import { type OpenTarget } from '../ehr/index.ts';
import { shadowSet, makeExplain, type LearntHabits, type Shadow } from '../forward/index.ts';
import { type makeTranslationContextHolder, type Reloaded } from '../judge/index.ts';
import { deliverSet, eraseSet, laneSet, type makeLinkChanger } from '../lanes/index.ts';
import { enrolSet, type makeEnrolment } from '../enrol/index.ts';
import { figureSet } from '../figures/index.ts';
import { identitySet } from '../identity/index.ts';
import { inboxSet } from '../inbox/index.ts';
import { ok, type Budget, type Clock, type NewId, type Result, type Route } from '../kernel/index.ts';
import {
  makeAuditRoutes,
  makeDataKeyRoutes,
  makeDeliveryRoutes,
  makeEraseRoutes,
  makeFlowRoutes,
  makeEraseUser,
  makeLinkRoutes,
  makeMappingRoutes,
  makePatientRoutes,
  makeRecordAct,
  makeRecordActLater,
  makeSettingsRoutes,
  makeShadowRoutes,
  makeTargetRoutes,
  serveRoute,
  type AdminRoute,
} from '../admin/index.ts';
import type { KeptResealing, Store } from '../store/index.ts';

/** Makes what the operator uses: the admin API over every part that it shows. */
export function makeAdmin(deps: {
  readonly config: Config;
  readonly tenant: string;
  readonly store: Store;
  readonly budget: Budget;
  readonly target: OpenTarget;
  readonly habits: LearntHabits;
  readonly translationContext: ReturnType<typeof makeTranslationContextHolder>;
  readonly reload: () => Result<Reloaded, string>;
  readonly links: ReturnType<typeof makeLinkChanger>;
  readonly enrolment: ReturnType<typeof makeEnrolment>;
  readonly kept: KeptAudit;
  readonly processor: { wake(): void };
  readonly sender: { wake(): void; recheck(): void };
  readonly shadow: Shadow;
  /** Of parts that are joined elsewhere. */
  readonly more: readonly AdminRoute[];
  readonly signingKeys: Registry['signingKeys'];
  readonly appendLater: ReturnType<typeof makeAppendLater>;
  readonly resealing: KeptResealing;
  readonly newId: NewId;
  readonly clock: Clock;
}): Route[] {
  const { config, tenant, store, target, translationContext, links, kept, processor, sender, newId, clock } = deps;
  const audit = store.use(auditSet);
  const recorders = {
    record: makeRecordAct({ tenant, audit, clock }),
    recordLater: makeRecordActLater({ tenant, appendLater: deps.appendLater, clock }),
  };
  const { clientUuid } = config.ingest;
  const { mrnSystem, onRevoke } = config.identity;
  const inbox = store.use(inboxSet);
  const lanes = store.use(laneSet);
  const identity = store.use(identitySet);
  const routes = [
    ...makeFlowRoutes({ tenant, figures: store.use(figureSet), clock }),
    ...makeDeliveryRoutes({
      tenant,
      clientUuid,
      inbox,
      clock,
      onReplay: processor.wake,
      lanes,
      onReforward: sender.wake,
    }),
    ...makeMappingRoutes({
      tenant,
      deliver: store.use(deliverSet),
      explain: makeExplain({
        tenant,
        mrnSystem,
        inbox,
        identity,
        lanes,
        current: translationContext.current,
        dialect: translationContext.dialect,
      }),
      reload: deps.reload,
    }),
    ...makeTargetRoutes({
      tenant,
      lanes,
      target,
      habits: deps.habits,
      dialect: translationContext.dialect,
      forwarding: deps.shadow.forwarding.state,
      clock,
      onChange: sender.recheck,
    }),
    ...makeShadowRoutes({
      tenant,
      shadow: store.use(shadowSet),
      forwarding: deps.shadow.forwarding,
      evaluator: deps.shadow.evaluator,
      target,
      dialect: translationContext.dialect,
      clock,
    }),
    ...makeAuditRoutes({
      tenant,
      mrnSystem,
      audit,
      key: kept.key,
      site: { publicUrl: config.http.publicUrl, ehrUrl: config.ehr.url },
      outside: kept.outside,
    }),
    ...makeEraseRoutes({
      tenant,
      clientUuid,
      eraser: makeEraseUser({
        tenant,
        erasing: store.use(eraseSet),
        enrolment: store.use(enrolSet),
        scrub: store.scrub,
      }),
      clock,
    }),
    ...makeDataKeyRoutes({ resealing: deps.resealing }),
    ...makeLinkRoutes({
      tenant,
      clientUuid,
      mrnSystem,
      identity,
      links,
      budget: deps.budget,
      onRevoke,
      newId,
      clock,
    }),
    ...makePatientRoutes({
      tenant,
      mrnSystem,
      ...deps.enrolment,
      inbox,
      clock,
      leave:
        onRevoke === 'keep'
          ? null
          : async ({ client, user }, by) => {
              const act = { tenant, at: clock.now(), ...by };
              const done = await links.revoke(act, { client, user }, 'consent', onRevoke);
              if (!done.ok) return done;
              // Whoever has no link any more has nothing to end.
              return ok({ retracting: typeof done.value === 'string' ? 0 : done.value.retracting });
            },
    }),
    ...deps.more,
    ...makeSettingsRoutes({
      settings: config.settings,
      resealing: deps.resealing,
      audit,
      auditKey: kept.key,
      signingKeys: deps.signingKeys,
      clock,
    }),
  ];
  return routes.map((route) => serveRoute(route, recorders));
}
