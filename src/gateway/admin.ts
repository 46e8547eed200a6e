import { auditSet, type KeptAudit, type makeAppendLater } from '../audit/index.ts';
import type { Registry } from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import { type OpenTarget } from '../ehr/index.ts';
import { makeCompareVersions, makeExplain, shadowSet, type LearntHabits, type Shadow } from '../forward/index.ts';
import { type makeTranslationContextHolder } from '../judge/index.ts';
import { deliverSet, eraseSet, laneSet, type makeLinkChanger } from '../lanes/index.ts';
import { enrolSet, type makeEnrolment } from '../enrol/index.ts';
import { figureSet } from '../figures/index.ts';
import { historySet } from '../history/index.ts';
import { identitySet } from '../identity/index.ts';
import { inboxSet } from '../inbox/index.ts';
import { jobSet } from '../jobs/index.ts';
import { ok, type Budget, type Clock, type NewId, type Route } from '../kernel/index.ts';
import {
  makeActorNames,
  makeAuditCountRoutes,
  findPatientsOf,
  makeAuditProofRoutes,
  makeAuditRoutes,
  makeDataKeyRoutes,
  makeDeliveryActRoutes,
  makeDeliveryGroupRoutes,
  makeDeliveryListRoutes,
  makeDeliveryWorkRoutes,
  makeEraseRoutes,
  makeFlowRoutes,
  makeEraseUser,
  makeHandleRoutes,
  makeHandles,
  makeJobRoutes,
  makeLinkHistoryRoutes,
  makeLinkRoutes,
  makeMappingRoutes,
  makeOneDeliveryRoutes,
  makePatientListRoutes,
  makePatientRoutes,
  makeRecordAct,
  makeRecordActLater,
  makeRestrictedAmong,
  makeRestrictionRoutes,
  makeSettingsRoutes,
  makeShadowRoutes,
  makeStreamRoutes,
  makeTargetHistoryRoutes,
  makeTargetRoutes,
  serveRoute,
  type AdminRoute,
  type FlowWatch,
} from '../admin/index.ts';
import { operatorSet } from '../operators/index.ts';
import type { KeptResealing, Store } from '../store/index.ts';
import { describeConnections } from './describe-connections.ts';
import type { Notes } from './history.ts';
import type { Acts } from './share-acts.ts';

/** Makes what the operator uses: the admin API over every part that it shows. */
export function makeAdmin(deps: {
  readonly config: Config;
  readonly tenant: string;
  readonly store: Store;
  readonly budget: Budget;
  readonly target: OpenTarget;
  readonly habits: LearntHabits;
  readonly unmetConditions: () => Readonly<Record<string, number>>;
  readonly notes: Notes;
  readonly translationContext: ReturnType<typeof makeTranslationContextHolder>;
  readonly acts: Acts;
  readonly links: ReturnType<typeof makeLinkChanger>;
  readonly enrolment: ReturnType<typeof makeEnrolment>;
  readonly kept: KeptAudit;
  readonly processor: { wake(): void };
  readonly jobs: { wake(): void };
  readonly sender: { wake(): void };
  readonly shadow: Shadow;
  readonly watch: FlowWatch;
  /** Of parts that are joined elsewhere. */
  readonly more: readonly AdminRoute[];
  readonly signingKeys: Registry['signingKeys'];
  readonly appendLater: ReturnType<typeof makeAppendLater>;
  readonly resealing: KeptResealing;
  readonly version: string;
  readonly newId: NewId;
  readonly clock: Clock;
}): Route[] {
  const { config, tenant, store, target, translationContext, links, kept, processor, sender, newId, clock } = deps;
  const audit = store.use(auditSet);
  const identity = store.use(identitySet);
  const recorders = {
    record: makeRecordAct({ tenant, audit, clock }),
    recordLater: makeRecordActLater({ tenant, appendLater: deps.appendLater, clock }),
    restrictedAmong: makeRestrictedAmong({ tenant, identity }),
  };
  const handles = makeHandles({ key: config.keys.pseudonym, tenant });
  const { clientUuid } = config.ingest;
  const { mrnSystem, onRevoke } = config.identity;
  const inbox = store.use(inboxSet);
  const lanes = store.use(laneSet);
  const deliver = store.use(deliverSet);
  const history = store.use(historySet);
  const operators = store.use(operatorSet);
  const actorNames = makeActorNames({ tenant, operators });
  const routes = [
    ...makeFlowRoutes({ tenant, figures: store.use(figureSet), inbox, clock }),
    ...makeStreamRoutes({ watch: deps.watch }),
    // Before the routes with an id: `groups` is none.
    ...makeDeliveryGroupRoutes({ tenant, inbox, identity, deliver }),
    ...makeDeliveryListRoutes({ tenant, clientUuid, mrnSystem, inbox, identity, operators }),
    ...makeOneDeliveryRoutes({ tenant, inbox, lanes, identity, operators, ehrUrl: config.ehr.url }),
    ...makeDeliveryActRoutes({
      tenant,
      inbox,
      clock,
      onReplay: processor.wake,
      lanes,
      onReforward: sender.wake,
    }),
    ...makeDeliveryWorkRoutes({ tenant, inbox, operators, clock }),
    ...makeJobRoutes({
      tenant,
      clientUuid,
      mrnSystem,
      jobs: store.use(jobSet),
      identity,
      newId,
      clock,
      onStart: deps.jobs.wake,
    }),
    ...makeMappingRoutes({
      tenant,
      deliver,
      explain: makeExplain({
        tenant,
        mrnSystem,
        inbox,
        identity,
        lanes,
        current: translationContext.current,
        dialect: translationContext.dialect,
      }),
      compare: makeCompareVersions({ tenant, inbox, current: translationContext.current }),
      patientsOf: (id) => findPatientsOf({ tenant, inbox, identity }, id),
      reload: deps.acts.reload,
      current: translationContext.current,
      dialect: translationContext.dialect,
      mrnSystem,
      history,
      budget: deps.budget,
      clock,
    }),
    ...makeTargetRoutes({
      tenant,
      lanes,
      target,
      habits: deps.habits,
      unmetConditions: deps.unmetConditions,
      dialect: translationContext.dialect,
      forwarding: deps.shadow.forwarding.state,
      clock,
      onChange: deps.acts.recheck,
    }),
    ...makeTargetHistoryRoutes({
      tenant,
      mrnSystem,
      lanes,
      history,
      target: { ...target, refresh: deps.acts.refresh },
      noted: deps.notes.lastProbe,
      forwarding: deps.shadow.forwarding.state,
      clock,
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
      actorNames,
    }),
    ...makeAuditProofRoutes({ tenant, audit, key: kept.key, outside: kept.outside }),
    ...makeAuditCountRoutes({ tenant, audit, operators, actorNames, newId, clock }),
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
    ...makeLinkHistoryRoutes({ tenant, clientUuid, mrnSystem, identity, audit, preview: target.previewPatient }),
    ...makePatientListRoutes({ tenant, mrnSystem, enrolment: store.use(enrolSet) }),
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
    ...makeRestrictionRoutes({ tenant, mrnSystem, identity, clock }),
    ...makeHandleRoutes({ mrnSystem, handles }),
    ...deps.more,
    ...makeSettingsRoutes({
      settings: config.settings,
      weak: config.weak,
      connections: describeConnections(config),
      versions: () => ({
        gateway: deps.version,
        node: process.versions.node,
        engine: store.engine,
        engineVersion: store.engineVersion,
        mappings: translationContext.current().translationContext.setting.mappings.version,
      }),
      isAnchored: kept.outside !== null,
      auditRetentionDays: config.retention.auditDays,
      resealing: deps.resealing,
      audit,
      auditKey: kept.key,
      signingKeys: deps.signingKeys,
      clock,
    }),
  ];
  return routes.map((route) => serveRoute(route, { ...recorders, openHandle: handles.open }));
}
