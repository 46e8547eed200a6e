import { setImmediate as turn } from 'node:timers/promises';
import { safeError, type Clock, type Log, type NewId, type Result } from '../../kernel/index.ts';
import type { TargetGuard, Target } from '../../ehr/index.ts';
import type { Operate } from '../../store/index.ts';
import type { Claimed, LaneReads, LaneWrites } from '../../lanes/index.ts';
import { LEASE_MS } from '../leases.ts';
import type { LearntHabits } from '../learn-habits.ts';
import { traceTarget } from '../trace-target.ts';
import type { TranslationContext } from '../../judge/index.ts';
import { basisOf } from './basis-of.ts';
import type { Evaluation, LanePlace, ShadowReads, ShadowWrites } from './commands.ts';
import { evaluateJob } from './evaluate-job.ts';
import { EVALUATION_LEASE_MS, NOT_YET_WAIT_MS } from './rows.ts';

const TICK_MS = 1_000;
/** A pass over very many waiting jobs is followed by a pause that is ten times as long, up to a minute. */
const PAUSE = { times: 10, maxMs: 60_000 } as const;
const PAGE = 500;
/** Few: nobody waits for it, and the EHR serves others. */
const AT_ONCE = 4;
/** An evaluation that takes longer is given up, while its lease still holds. */
const EVALUATION_MS = 90_000;
const SWEEP = { everyMs: 60_000, limit: 200 } as const;

type Pending = ShadowReads['shadow.pending']['out'];

const BUG: Evaluation = { kind: 'not-yet', reason: null, faultCode: 'internal.bug', items: [] };

/**
 * Finds out for each waiting job what would become of it: once, and again when the mapping data, the dialect or the
 * EHR's plan have changed or somebody asks. By reads alone; a replica takes a job under a lease, so that others leave
 * it alone meanwhile.
 */
export function evaluateWaiting(deps: {
  readonly tenant: string;
  readonly owner: string;
  readonly shadow: Operate<ShadowWrites, ShadowReads>;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly translationContext: () => TranslationContext;
  /** Cannot write. Null while the EHR has not said what it can. */
  readonly target: () => Target | null;
  readonly guard: TargetGuard;
  readonly patientMode: 'lookup' | 'create';
  readonly habits: LearntHabits;
  readonly contentKey: string;
  /** Whether deliveries are not forwarded at the moment. */
  readonly isWanted: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
}) {
  const { tenant, owner, shadow, lanes, clock, log } = deps;
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let nextAt = 0;
  let sweepAt = 0;
  /** After shadow mode was left there is nothing more to remove once all was. */
  let isSwept = false;
  let knownSince: number | null = null;
  let last: {
    readonly translationContext: TranslationContext;
    readonly target: Target['plan'];
    readonly basis: Uint8Array;
  } | null = null;

  function basis(): Uint8Array | null {
    const [translationContext, plan] = [deps.translationContext(), deps.target()?.plan ?? null];
    if (plan === null) return null;
    if (last?.translationContext !== translationContext || last.target !== plan)
      last = { translationContext, target: plan, basis: basisOf(translationContext, plan, deps.patientMode) };
    return last.basis;
  }

  async function evaluateSafely(
    claimed: Claimed,
    target: Target,
    translationContext: TranslationContext,
    since: number,
  ): Promise<Evaluation> {
    try {
      return await evaluateJob(claimed, {
        tenant,
        lanes,
        translationContext,
        target: traceTarget(target, claimed.delivery),
        patientMode: deps.patientMode,
        habits: deps.habits,
        contentKey: deps.contentKey,
        knownSince: since,
        clock,
        newId: deps.newId,
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(EVALUATION_MS)]),
      });
    } catch (thrown) {
      log.error('shadow.failed', { deliveryId: claimed.delivery.id, error: safeError(thrown) });
      return BUG;
    }
  }

  async function evaluateOne(
    jobSeq: number,
    target: Target,
    translationContext: TranslationContext,
    on: Uint8Array,
    since: number,
  ): Promise<void> {
    const loaded = await shadow.read('shadow.load', { tenant, jobSeq });
    if (!loaded.ok || loaded.value === null) return;
    await turn();
    const evaluation = await evaluateSafely(loaded.value, target, translationContext, since);
    // Called off by the end of the process: the next one evaluates it.
    if (stopping.signal.aborted) return;
    const at = clock.now();
    const { kind, reason, faultCode } = evaluation;
    const dueAt = kind === 'not-yet' ? new Date(at.getTime() + NOT_YET_WAIT_MS) : null;
    const put = await shadow.writeBehind('shadow.put', { tenant, at, owner, jobSeq, basis: on, evaluation, dueAt });
    if (put.ok && put.value === 'stored')
      log.info('shadow.evaluated', {
        deliveryId: loaded.value.delivery.id,
        state: kind,
        ...(reason === null ? {} : { reason }),
        ...(faultCode === null ? {} : { faultCode }),
      });
  }

  /** How many may be evaluated at once: none while the EHR is left alone, one to try it afterwards. */
  function room(): number {
    const { breaker, openForMs, limit } = deps.guard.state();
    if (stopping.signal.aborted || !deps.isWanted() || (breaker === 'open' && openForMs > 0)) return 0;
    return breaker === 'closed' ? Math.max(1, Math.min(AT_ONCE, limit)) : 1;
  }

  async function evaluatePage(jobSeqs: readonly number[], on: Uint8Array, since: number): Promise<void> {
    const waiting = [...jobSeqs];
    for (let some = waiting.splice(0, room()); some.length > 0; some = waiting.splice(0, room())) {
      const [translationContext, target] = [deps.translationContext(), deps.target()];
      // Other mapping data, or another EHR: the next pass begins anew.
      if (target === null || basis() !== on) return;
      const taken = await shadow.writeBehind('shadow.take', {
        tenant,
        at: clock.now(),
        owner,
        leaseMs: EVALUATION_LEASE_MS,
        basis: on,
        jobSeqs: some,
      });
      if (!taken.ok) return;
      await Promise.all(taken.value.map((jobSeq) => evaluateOne(jobSeq, target, translationContext, on, since)));
    }
  }

  async function pass(): Promise<void> {
    const on = basis();
    if (on === null) return;
    if (knownSince === null) {
      const alive = await lanes.write('lane.alive', { tenant, at: clock.now(), leaseMs: LEASE_MS });
      if (!alive.ok) return;
      knownSince = alive.value;
    }
    let after: LanePlace | null = null;
    do {
      const at = clock.now();
      const page: Result<Pending> = await shadow.read('shadow.pending', { tenant, at, basis: on, after, limit: PAGE });
      if (!page.ok) return;
      await evaluatePage(page.value.jobSeqs, on, knownSince);
      after = page.value.next;
    } while (after !== null && room() > 0);
  }

  /** What was found out about jobs that no longer wait; after shadow mode was left, about all of them. */
  async function sweep(): Promise<void> {
    for (let isMore = true; isMore && !stopping.signal.aborted;) {
      const swept = await shadow.writeBehind('shadow.sweep', { tenant, limit: SWEEP.limit });
      isMore = swept.ok && swept.value === SWEEP.limit;
      isSwept = swept.ok && swept.value < SWEEP.limit && !deps.isWanted();
    }
  }

  async function work(): Promise<void> {
    const from = clock.monotonicMs();
    if (room() > 0) await pass();
    if (deps.isWanted()) isSwept = false;
    if (from >= sweepAt && !isSwept) {
      await sweep();
      sweepAt = clock.monotonicMs() + SWEEP.everyMs;
    }
    const now = clock.monotonicMs();
    nextAt = now + Math.min(PAUSE.maxMs, (now - from) * PAUSE.times);
  }

  let timer: NodeJS.Timeout | undefined;

  function tick(): void {
    if (timer === undefined || running !== null || stopping.signal.aborted || clock.monotonicMs() < nextAt) return;
    running = work()
      .catch((thrown: unknown) => log.error('shadow.failed', { error: safeError(thrown) }))
      .finally(() => (running = null));
  }

  return {
    start(): void {
      timer = setInterval(tick, TICK_MS).unref();
    },
    /** What evaluations rest on now; null while the EHR has not said what it can. */
    basis,
    /** Somebody asks for it: without waiting for the pause to end. */
    wake(): void {
      nextAt = 0;
      tick();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
export type ShadowEvaluator = ReturnType<typeof evaluateWaiting>;
