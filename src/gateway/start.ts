import { auditSet, runAudit, makeAppendLater, makeRecordReject } from '../audit/index.ts';
import { authSet } from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import { shadowSet } from '../forward/index.ts';
import {
  makePretranslations,
  makeJudge,
  makeTranslationContextHolder,
  processReceived,
  type TranslationSettings,
  type Reloaded,
} from '../judge/index.ts';
import { forwardLeftOut, deliverSet, eraseSet, makeLinkChanger, enforceRetention, laneSet } from '../lanes/index.ts';
import { enrolSet, openEnrolment } from '../enrol/index.ts';
import { makeJwksRoute } from '../ehr/index.ts';
import { identitySet } from '../identity/index.ts';
import { readSourceUris, SHIPPED_FOLDER } from '../mappings/index.ts';
import { inboxSet } from '../inbox/index.ts';
import { dataAuthenticators, makeIngest, notificationAuthenticators } from '../ingest/index.ts';
import {
  makeBudget,
  makeLife,
  makeNewId,
  makePooledChance,
  type Clock,
  type Life,
  type Log,
  type Result,
  type Route,
} from '../kernel/index.ts';
import { operatorSet } from '../operators/index.ts';
import { runResealing, makeMetrics, makeRecordAct, watchLedger } from '../ops/index.ts';
import { openStore, type Store } from '../store/index.ts';
import { wireAdmin } from './admin.ts';
import { openFront, readJson } from './front.ts';
import { wireOperators } from './operators.ts';
import { wireSending } from './sending.ts';
import { wireSmart } from './smart.ts';

const STOP_MS = { work: 3_000, sending: 7_000, audit: 2_000, store: 30_000 } as const;

/** One tenant a process for now; every table has the column, so that several can follow. */
export const TENANT = 'default';

export const VERSION = (readJson('../../package.json') as { version: string }).version;

export interface Gateway {
  readonly port: number;
  /** Where `/metrics` and `/readyz` are; null where that is the same port. */
  readonly opsPort: number | null;
  readonly store: Store;
  readonly routes: readonly Route[];
  /** Loads mapping data and templates anew; unsound ones are refused and logged. */
  reload(): void;
  /** Says 503 at /readyz, serves for the grace time, finishes what is under way, closes the store. Twice is once. */
  stop(): Promise<void>;
}

export const translationSettings = (config: Config): TranslationSettings => {
  const { clientUuid, documentKey, labPath } = config.ingest;
  return {
    payloads: { clientUuid, documentKey, labPath },
    folder: config.mappings.folder ?? SHIPPED_FOLDER,
    snomed: config.mappings.snomed,
    uris: config.source.urisFile === null ? null : readSourceUris(config.source.urisFile),
    dialect: config.ehr.dialect,
    environment: config.environment,
    ...config.translate,
  };
};

interface GatewayDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
}

/** What was started is stopped, also where the start does not come to its end. */
export async function startGateway(deps: GatewayDeps): Promise<Gateway> {
  const life = makeLife(deps.log);
  try {
    return await startParts(deps, life);
  } catch (thrown) {
    await life.stop();
    throw thrown;
  }
}

/** The one place where the parts are joined. */
async function startParts(deps: GatewayDeps, life: Life): Promise<Gateway> {
  const { config, clock } = deps;
  const chance = makePooledChance();
  const budget = makeBudget(config.memory.roomBytes);
  const newId = makeNewId({ now: () => clock.now().getTime(), chance });
  const instance = newId('ins');
  const log = deps.log.with({ instance });
  for (const setting of config.unverified) log.warn('config.unverified', { setting });

  const translationContext = makeTranslationContextHolder(translationSettings(config));
  const loaded = translationContext.current().translationContext;
  log.info('mappings.loaded', { version: loaded.setting.mappings.version, count: loaded.templates.size });

  const store = await openStore({
    database: config.store.database,
    keys: config.keys,
    instance,
    environment: config.environment,
    sets: [auditSet, inboxSet, identitySet, deliverSet, eraseSet, laneSet, shadowSet, authSet, operatorSet, enrolSet],
    clock,
    log,
  });
  life.started('store', store.close, STOP_MS.store);
  const audit = store.use(auditSet);
  const kept = await runAudit({
    tenant: TENANT,
    instance,
    audit,
    auditKeys: config.keys.audit,
    anchor: config.audit.anchor,
    retentionDays: config.retention.auditDays,
    clock,
    log,
    version: VERSION,
    settings: config,
    commands: () => store.figures().commands,
  });
  life.started('audit', kept.stop, STOP_MS.audit);
  const inbox = store.use(inboxSet);
  const deliver = store.use(deliverSet);
  let process: 'serving' | 'draining' = 'serving';
  const metrics = makeMetrics({ storeHealth: store.health, storeFigures: store.figures });
  const ledger = watchLedger({ inbox, tenant: TENANT, log });
  life.started('ledger', ledger.stop);

  const appendLater = makeAppendLater(audit, log);
  const pseudonymKey = Buffer.from(config.keys.pseudonym.reveal(), 'base64');
  const rejecting = { append: appendLater, tenant: TENANT, pseudonymKey, clock };
  const rejects = makeRecordReject({ ...rejecting, as: { type: 'hook.reject', action: 'C' } });
  const noOperators = makeRecordReject({ ...rejecting, as: { type: 'admin', action: 'E' } });
  life.started('refusals', () => {
    rejects.flush();
    noOperators.flush();
  });
  const senders = { ...config.ingest, trustProxy: config.http.trustProxy };
  const ingest = makeIngest({
    tenant: TENANT,
    instance,
    inbox,
    data: dataAuthenticators(senders),
    notifications: notificationAuthenticators(senders),
    learn: config.ingest.learn && config.ingest.hmac.scheme !== 'off' ? config.ingest.hmac : null,
    bodyBytesMax: config.http.bodyBytesMax,
    budget,
    rejects,
    newId,
    clock,
    onStored: () => processor.wake(),
  });
  const { clientUuid } = config.ingest;
  const { mrnSystem } = config.identity;
  const identity = store.use(identitySet);
  const record = makeRecordAct({ tenant: TENANT, audit, clock });
  const again = (): Promise<void> =>
    forwardLeftOut({ tenant: TENANT, lanes, newId, clock, log, onReforward: () => sender.wake() });
  function reload(): Result<Reloaded, string> {
    const done = translationContext.reload();
    if (done.ok) {
      log.info('mappings.loaded', { version: done.value.version, count: done.value.templates });
      void again();
    } else log.error('mappings.refused', { count: done.fault.split('\n').length - 1 });
    return done;
  }
  const enrolment = await openEnrolment({
    tenant: TENANT,
    settings: { ...config.source, clientUuid },
    agent: `chartgate/${VERSION}`,
    mrnSystem,
    store,
    identity,
    checkPatient: (asked) => target.checkPatient(asked),
    link: (act, wanted) => links.put(act, wanted),
    newId,
    chance,
    clock,
  });
  life.started('enrolment', enrolment.close);
  const pretranslated = makePretranslations();
  const processor = processReceived({
    tenant: TENANT,
    instance,
    inbox,
    deliver,
    judge: makeJudge(translationContext.current, pretranslated, config.http.bodyBytesMax),
    budget,
    clock,
    log,
    isBusy: () => ingest.waiting() > 2,
    onSettled: (state, reason, then) => {
      metrics.observeSettled(state, reason);
      if (state === 'queued' && then === 'waits') sender.wake();
    },
    onFinding: metrics.observeFinding,
    follow: enrolment.follow,
    lanes: { room: () => sender.fastClaim.room(), reserve: (id) => sender.fastClaim.reserve(id) },
  });
  const lanes = store.use(laneSet);
  const { target, habits, shadow, sender, stopSending } = wireSending({
    config,
    tenant: TENANT,
    instance,
    store,
    translationContext,
    pretranslated,
    pseudonymKey,
    appendLater,
    chance,
    newId,
    clock,
    log,
    onOutcome: metrics.observeOutcome,
    onFinished: () => links.resume(),
  });
  const links = makeLinkChanger({ tenant: TENANT, deliver, clock, log });
  const retention = enforceRetention({ tenant: TENANT, inbox, lanes, bodyDays: config.retention.bodyDays, clock, log });
  const resealing = runResealing({ store, instance, clock, log });
  life.started('target', target.close);
  life.started('sending', stopSending, STOP_MS.sending);
  // A store that is away would keep it waiting; what it was about is still received at the next start.
  life.started('retention', retention.stop);
  life.started(
    'work',
    () => Promise.all([processor.stop(), links.stop(), shadow.stop(), resealing.stop()]),
    STOP_MS.work,
  );
  metrics.watchTarget({
    state: target.guard.state,
    isForwarding: shadow.forwarding.isForwarding,
    lag: async () => {
      const lag = await lanes.read('lane.lag', { tenant: TENANT });
      return lag.ok ? lag.value : null;
    },
    nowMs: () => clock.now().getTime(),
  });
  const parts = { config, tenant: TENANT, store, record, clock };
  const smart = await wireSmart({ ...parts, version: VERSION, target, budget, chance, log });
  life.started('apps', smart.flush);
  const operators = wireOperators({ config, tenant: TENANT, store, deny: noOperators.record, newId, chance, clock });
  const routes = [
    ...ingest.routes,
    ...operators.routes,
    ...wireAdmin({
      ...parts,
      target,
      habits,
      translationContext,
      reload,
      links,
      enrolment,
      kept,
      processor,
      sender,
      shadow,
      newId,
      appendLater,
      resealing,
    }),
    makeJwksRoute(target.ehr.publicJwks),
    ...smart.routes,
  ];
  const front = await openFront(config, life, {
    version: VERSION,
    routes,
    mounts: smart.mounts,
    metrics,
    state: () => ({
      process,
      store: { ...store.health(), engine: store.engine, version: store.engineVersion },
      ledger: ledger.state(),
      forwarding: shadow.forwarding.state(),
    }),
    newId,
    clock,
    log,
    onRefused: noOperators.record,
    mayUseAdminApi: operators.mayUseAdminApi,
  });
  await shadow.start();
  processor.wake();
  links.resume();
  resealing.resume();
  await sender.start();
  void again();
  target.probed().then(sender.wake, () => undefined);
  log.info('process.started', { component: 'gateway', port: front.port, version: VERSION });
  if (front.opsPort !== null) log.info('process.started', { component: 'ops', port: front.opsPort });

  let stopping: Promise<void> | undefined;
  return {
    ...front,
    store,
    reload: () => void reload(),
    stop() {
      stopping ??= (async () => {
        process = 'draining';
        log.info('process.draining');
        // Nothing more is claimed from now on; requests under way finish beside it.
        void stopSending();
        await life.stop();
        log.info('process.stopped');
      })();
      return stopping;
    },
  };
}
