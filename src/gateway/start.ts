import { auditSet, runAudit, makeAppendLater } from '../audit/index.ts';
import { forwardLeftOut, deliverSet, makeLinkChanger, enforceRetention, laneSet } from '../lanes/index.ts';
import { makeJwksRoutes } from '../ehr/index.ts';
import { collectFigures, figureSet } from '../figures/index.ts';
import { historySet } from '../history/index.ts';
import { inboxSet } from '../inbox/index.ts';
import { jobSet, runJobs } from '../jobs/index.ts';
import { makeBudget, makeLife, makeNewId, makePooledChance, NO_PEERS, type Life } from '../kernel/index.ts';
import { makeFlowWatch, targetNow } from '../admin/index.ts';
import { runResealing, makeMetrics, watchLedger } from '../ops/index.ts';
import { PARTS } from '../pipeline.ts';
import { makeAdmin } from './admin.ts';
import { joinEnrolment } from './enrolment.ts';
import { joinFigures } from './figures.ts';
import { makeFront, readJson } from './front.ts';
import { makeNotes } from './history.ts';
import { makeIntake } from './intake.ts';
import { makeJudging } from './judging.ts';
import { makeMappingLoads } from './mapping-loads.ts';
import { makeOperatorDesk } from './operators.ts';
import { makeSending } from './sending.ts';
import { makeSignals } from './signals.ts';
import { shareActs } from './share-acts.ts';
import { makeApps } from './smart.ts';
import type { Gateway, GatewayDeps } from './gateway.ts';
import { describeStanding } from './standing.ts';
import { makeStorePart } from './store.ts';
import { startTelemetry } from './telemetry.ts';
import { openTranslationContext } from './translation-settings.ts';

/** How long the end of a part is waited for. Who waits for the store longer than that waits for nothing. */
const STOP_MS = { audit: 2_000, background: 1_000, judging: 3_000, sending: 7_000, store: 30_000 } as const;

/** One tenant a process for now; every table has the column, so that several can follow. */
export const TENANT = 'default';

export const VERSION = (readJson('../../package.json') as { version: string }).version;

/** What was started is stopped, also where the start does not come to its end. */
export async function startGateway(deps: GatewayDeps): Promise<Gateway> {
  const life = (deps.makeLife ?? makeLife)(deps.log);
  try {
    return await startParts(deps, life);
  } catch (thrown) {
    await life.stop();
    throw thrown;
  }
}

/**
 * The one place where the parts are joined: made in an order in which each gets what is there already, told of what the
 * others do by signals, then started.
 */
async function startParts(deps: GatewayDeps, life: Life): Promise<Gateway> {
  const { config, clock, seat = null, judgeThreads = 0 } = deps;
  const peers = seat?.peers ?? NO_PEERS;
  const chance = makePooledChance();
  const budget = makeBudget(config.memory.roomBytes);
  const nowMs = (): number => clock.now().getTime();
  const newId = makeNewId({ now: nowMs, chance });
  const instance = newId('ins');
  const log = deps.log.with({ instance, ...(seat === null ? {} : { worker: seat.number }) });
  for (const { what } of config.weak) log.warn('config.unverified', { setting: what });

  const translationContext = await openTranslationContext(config);
  const loadedProfiles = () => translationContext.current().translationContext;
  const { setting, templates } = loadedProfiles();
  log.info('mappings.loaded', { version: setting.mappings.version, count: templates.size });

  const open = makeStorePart({ config, instance, clock, log });
  const store = await life.start('store', open, STOP_MS.store);

  const { stored, refused, settled, finished, linked, linkChanged } = makeSignals();
  const tenant = TENANT;
  const [audit, inbox, deliver] = [store.use(auditSet), store.use(inboxSet), store.use(deliverSet)];
  const lanes = store.use(laneSet);
  // Each section says by itself that it has changed.
  const { settings: _settings, ...audited } = config;
  const kept = runAudit({
    tenant,
    instance,
    audit,
    auditKeys: config.keys.audit,
    anchor: config.audit.anchor,
    retentionDays: config.retention.auditDays,
    clock,
    log,
    version: VERSION,
    settings: audited,
    commands: () => store.figures().commands,
  });
  const metrics = makeMetrics({ storeHealth: store.health, storeFigures: store.figures });
  const trace = await startTelemetry({ config, instance, seat, version: VERSION, metrics, life, clock, chance, log });
  const ledger = watchLedger({ inbox, tenant, log });
  const appendLater = makeAppendLater(audit, log);
  const pseudonymKey = Buffer.from(config.keys.pseudonym.reveal(), 'base64');
  const { ingest, refusals, refuseOperator } = makeIntake({
    config,
    tenant,
    instance,
    inbox,
    appendLater,
    pseudonymKey,
    budget,
    newId,
    clock,
    stored,
    refused,
  });
  const { judging, pretranslated, pretranslate, contentKey } = makeJudging({
    config,
    translationContext,
    budget,
    pseudonymKey,
    threads: judgeThreads,
  });
  const notes = makeNotes({ tenant, history: store.use(historySet), clock, log });
  const { target, habits, shadow, sender, sending, readLag } = makeSending({
    config,
    tenant,
    instance,
    store,
    translationContext,
    pretranslated,
    pretranslate,
    budget,
    contentKey,
    appendLater,
    chance,
    newId,
    clock,
    log,
    trace,
    finished,
    onProbed: notes.probed,
  });
  const links = makeLinkChanger({ tenant, deliver, clock, log, onChanged: linkChanged.emit, onLinked: linked.emit });
  const enrolment = joinEnrolment({
    config,
    tenant,
    version: VERSION,
    store,
    target,
    links,
    newId,
    chance,
    budget,
    clock,
  });
  const processor = PARTS.settle({
    tenant,
    instance,
    inbox,
    deliver,
    ...judging,
    budget,
    clock,
    log,
    trace,
    isBusy: () => ingest.waiting() > 2,
    onSettled: (state, reason, then) => settled.emit({ state, reason, then }),
    onFinding: metrics.observeFinding,
    follow: enrolment.follow,
    lanes: sender.fastClaim,
  });
  const retention = enforceRetention({ tenant, inbox, lanes, bodyDays: config.retention.bodyDays, clock, log });
  const jobs = runJobs({ tenant, jobs: store.use(jobSet), clock, log, onReplay: processor.wake });
  const resealing = runResealing({ store, instance, clock, log });

  stored.on(processor.take);
  settled.on(({ state, reason }) => metrics.observeSettled(state, reason));
  settled.on(({ state, then }) => {
    if (state === 'queued' && then === 'waits') sender.wake();
  });
  finished.on(({ outcome, seconds }) => metrics.observeOutcome(outcome, seconds));
  finished.on(links.resume);
  const figures = collectFigures({ tenant, figures: store.use(figureSet), clock, log });
  joinFigures(figures, { stored, refused, settled, finished }, clock);
  linkChanged.on(sender.wake);

  metrics.watchTarget({ state: target.guard.state, isForwarding: shadow.forwarding.isForwarding, lag: readLag, nowMs });
  const again = (): Promise<void> => forwardLeftOut({ tenant, lanes, newId, clock, log, onReforward: sender.wake });
  const { reload, noteStart } = makeMappingLoads({ translationContext, notes, log, onLoaded: () => void again() });
  const common = { config, tenant, store, budget, clock, target, version: VERSION };
  const apps = makeApps({ ...common, instance, newId, loadedProfiles, peers, chance, log });
  const { signingKeys } = apps;
  metrics.watchStanding(describeStanding({ ...common, ledger, kept, resealing, signingKeys }));
  for (const told of [finished, linkChanged]) told.on(apps.wake);
  linked.on(apps.noteLinked);
  const operators = makeOperatorDesk({ config, tenant, store, peers, deny: refuseOperator, newId, chance, clock });
  const watch = makeFlowWatch({
    tenant,
    inbox,
    target: () => targetNow(target.guard.state(), shadow.forwarding.state()),
    clock,
    log,
  });
  const admin = makeAdmin({
    ...common,
    watch,
    habits,
    unmetConditions: apps.unmetConditions,
    notes,
    translationContext,
    acts: shareActs(peers, { reload, recheck: sender.recheck, refresh: target.refresh }, log),
    links,
    enrolment,
    kept,
    processor,
    jobs,
    sender,
    shadow,
    newId,
    appendLater,
    resealing,
    more: [...apps.adminRoutes, ...operators.adminRoutes],
    signingKeys,
  });
  let process: 'serving' | 'draining' = 'serving';
  const front = makeFront(config, {
    version: VERSION,
    routes: [...ingest.routes, ...operators.routes, ...admin, ...makeJwksRoutes(target.ehr.publicJwks), ...apps.routes],
    mounts: apps.mounts,
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
    trace,
    seat,
    authenticate: operators.authenticate,
    onRefused: refuseOperator,
    isDraining: () => process === 'draining',
  });

  await life.start('audit', kept, STOP_MS.audit);
  await life.start('ledger', ledger);
  await life.start('figures', figures);
  await life.start('refusals', refusals);
  await life.start('target', { stop: target.stop });
  await life.start('enrolment', enrolment);
  await life.start('apps', apps);
  await life.start('links', links, STOP_MS.background);
  await life.start('resealing', resealing, STOP_MS.background);
  await life.start('retention', retention);
  const opsPort = front.ops === null ? null : await life.start('ops', front.ops);
  const port = await life.start('http', front.http);
  // Now that it can read our keys.
  target.start();
  await life.start('shadow', shadow, STOP_MS.background);
  // A store that is away would keep it waiting; what it was about is still received at the next start.
  await life.start('judging', processor, STOP_MS.judging);
  await life.start('jobs', jobs, STOP_MS.background);
  await life.start('exports', apps.exports, STOP_MS.background);
  await life.start('sending', sending, STOP_MS.sending);
  await life.start('requests', front.requests, front.requestsPatienceMs);
  // A stream would hold up the requests under way, so it ends before they are waited for.
  await life.start('watchers', watch);
  void again();
  noteStart();
  log.info('process.started', { component: 'gateway', port, version: VERSION });
  if (opsPort !== null) log.info('process.started', { component: 'ops', port: opsPort });

  let stopping: Promise<void> | undefined;
  return {
    port,
    opsPort,
    routes: front.routes,
    store,
    reload: () => void reload('gateway'),
    stop() {
      stopping ??= (async () => {
        process = 'draining';
        log.info('process.draining');
        // Nothing more is claimed from now on; requests under way finish beside it.
        void sending.stop();
        await life.stop();
        log.info('process.stopped');
      })();
      return stopping;
    },
  };
}
