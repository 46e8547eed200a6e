import { setTimeout as pause } from 'node:timers/promises';
import type { makeAppendLater } from '../audit/index.ts';
import type { Config } from '../config/index.ts';
import { openTarget } from '../ehr/index.ts';
import { auditOfLookUp, learnHabits, openShadow, type LanesDeps } from '../forward/index.ts';
import { type Pretranslate, type Pretranslations, type makeTranslationContextHolder } from '../judge/index.ts';
import { laneSet } from '../lanes/index.ts';
import {
  makeSignal,
  type Budget,
  type Chance,
  type Clock,
  type Log,
  type NewId,
  type Part,
  type Signal,
  type Trace,
} from '../kernel/index.ts';
import { PARTS } from '../pipeline.ts';
import type { Store } from '../store/index.ts';

const [SENDER_STOP_MS, ABORT_STOP_MS] = [5_000, 1_000] as const;

/** A claim that came to its end at the EHR. */
export interface Finished {
  readonly outcome: Parameters<LanesDeps['onFinished']>[0];
  readonly seconds: number;
  /** Of its delivery. */
  readonly receivedAt: number;
}

/** Makes what goes to the EHR: the target, what is known of its habits, shadow mode, and the lanes. */
export function makeSending(deps: {
  readonly config: Config;
  readonly tenant: string;
  readonly instance: string;
  readonly store: Store;
  readonly translationContext: ReturnType<typeof makeTranslationContextHolder>;
  readonly pretranslated: Pretranslations;
  readonly pretranslate: Pretranslate;
  readonly budget: Budget;
  /** Of the fingerprints. */
  readonly contentKey: string;
  readonly appendLater: ReturnType<typeof makeAppendLater>;
  readonly chance: Chance;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly log: Log;
  readonly trace: Trace | null;
  readonly finished: Signal<Finished>;
  readonly onProbed: Parameters<typeof openTarget>[0]['onProbed'];
}) {
  const { config, tenant, store, translationContext, chance, newId, clock, log } = deps;
  const { patientMode } = config.identity;
  const lanes = store.use(laneSet);
  let saidDialect: string | null = null;
  const target = openTarget({
    ehr: config.ehr,
    mode: config.deliver.mode,
    patientMode,
    dialect: () => translationContext.current().translationContext.setting.dialect,
    onSelfDescription: (told) => {
      const { name, because } = translationContext.recognise(told);
      if (name !== saidDialect) log.info('ehr.dialect-chosen', { dialect: name, reason: because });
      saidDialect = name;
    },
    onProbed: deps.onProbed,
    clock,
    log,
    chance,
    newId,
    onLookUp: (asked, found) => deps.appendLater(auditOfLookUp(asked, found, { tenant, at: clock.now() })),
  });
  const software = (): string | null => target.capability().probed?.capability.software ?? null;
  const habits = learnHabits({ tenant, lanes, software, log });
  const common = {
    tenant,
    owner: deps.instance,
    translationContext: () => translationContext.current().translationContext,
    habits,
    contentKey: deps.contentKey,
    clock,
    log,
    newId,
  };
  const forwarding = makeSignal();
  const shadow = openShadow({
    ...common,
    ...config.deliver,
    patientMode,
    store,
    target,
    onForwarding: forwarding.emit,
  });
  const sender = PARTS.send({
    ...common,
    lanes,
    // Without a target nothing is claimed.
    target: () => (shadow.forwarding.isForwarding() ? target.current() : null),
    guard: target.guard,
    pretranslated: deps.pretranslated,
    pretranslate: deps.pretranslate,
    budget: deps.budget,
    spread: () => (chance(1)[0] ?? 0) / 256,
    trace: deps.trace,
    onFinished: (outcome, seconds, receivedAt) => deps.finished.emit({ outcome, seconds, receivedAt }),
  });
  forwarding.on(sender.wake);
  /**
   * What is under way gets some seconds; what is not done then is of unknown outcome, and read back at the next start.
   */
  async function endSending(): Promise<void> {
    const stopped = sender.stop();
    if ((await Promise.race([stopped.then(() => 'done'), pause(SENDER_STOP_MS, 'late', { ref: false })])) === 'done')
      return;
    sender.abort();
    await Promise.race([stopped, pause(ABORT_STOP_MS, undefined, { ref: false })]);
  }
  let ending: Promise<void> | undefined;
  const sending: Part = {
    async start() {
      await sender.start();
      target.probed().then(sender.wake, () => undefined);
    },
    stop: () => (ending ??= endSending()),
  };
  /** What waits in the lanes, and since when; null while the store does not say. */
  async function readLag() {
    const lag = await lanes.read('lane.lag', { tenant });
    return lag.ok ? { ...lag.value, lanes: lag.value.lanes.count } : null;
  }
  return { target, habits, shadow, sender, sending, readLag };
}
