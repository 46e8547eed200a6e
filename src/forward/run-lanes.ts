import { faultFields, safeError, type Budget, type Clock, type Log, type NewId } from '../kernel/index.ts';
import type { TargetGuard, Target } from '../ehr/index.ts';
import type { Operate } from '../store/index.ts';
import type { TranslationContext, HeldTranslation, Pretranslations, FastClaims } from '../judge/index.ts';
import { type Claimed, type Fence, type LaneReads, type LaneWrites, type Outcome, JUMP_MS } from '../lanes/index.ts';
import { makeLeases, LEASE_MS, RENEW_MS, WATCH_MS } from './leases.ts';
import { attemptOf, fastClaimOf, wishToBegin } from './begin-fast.ts';
import type { LearntHabits } from './learn-habits.ts';
import { ledgerQuestionOf } from './decide-changes.ts';
import { makeJobRoom } from './job-room.ts';
import { runJob, type JobDeps } from './run-job.ts';
import { traceIdOf, traceTarget } from './trace-target.ts';

const POLL_MS = 1_000;
const AT_ONCE = 16;
const PAUSE_LOOK_MS = 1_000;
const FAILURES_MAX = 10;
const FAILED_WAIT_MS = 60_000;
const ALIVE_MS = 5_000;
/** Judging waits so long for what is under way: a slow EHR does not hold it up, a fast one is not run away from. */
const ROOM_WAIT_MS = 50;

/** Its job was taken away, or the lease is: what is still ours is given back. */
const NOT_BEGUN = {
  outcome: { kind: 'put-back', afterMs: 0 },
  attemptId: null,
  httpStatus: null,
  written: [],
  retracted: [],
  isResolved: false,
} as const;
/** There was no memory to work on it. */
const NO_ROOM = { ...NOT_BEGUN, outcome: { kind: 'put-back', afterMs: POLL_MS } } as const;

export interface LanesDeps {
  readonly tenant: string;
  readonly owner: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly translationContext: () => TranslationContext;
  /** Null while the EHR has not said what it can. */
  readonly target: () => Target | null;
  readonly guard: TargetGuard;
  readonly pretranslated: Pretranslations;
  readonly budget: Budget;
  readonly habits: LearntHabits & { load(): Promise<void> };
  /** Of the fingerprints of what stands in charts. */
  readonly contentKey: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  readonly spread: () => number;
  /** Told when a claim has come to its end: its delivery may have to follow its link. */
  readonly onFinished: (outcome: Outcome, seconds: number) => void;
}

/** A claim with what is known of it already. */
interface Start {
  readonly claimed: Claimed;
  readonly target: Target;
  readonly claimedAt: number;
  readonly translationContext: TranslationContext;
  readonly pretranslated: HeldTranslation | null;
  readonly fastClaim: JobDeps['fastClaim'];
}

/** Works off lanes: one write in flight for each patient over all processes, many patients at once. */
export function runLanes(deps: LanesDeps) {
  const { tenant, owner, lanes, guard, clock, log } = deps;
  const leases = makeLeases({ tenant, owner, lanes, clock });
  const jobRoom = makeJobRoom(deps.budget);
  const running = new Set<Promise<void>>();
  /** From the start to the stop. Before and after it nothing is claimed, whoever asks. */
  let isRunning = false;
  let isAsked = false;
  let reserved = 0;
  /** Some lane may be due. False after a claim that found none, until a lane is left with more, or somebody asks. */
  let mayWait = true;
  let onRoom: (() => void) | null = null;
  let looking: Promise<void> | null = null;
  let wallOffsetMs = clock.now().getTime() - clock.monotonicMs();
  let knownSince: number | null = null;
  let isFreed = false;
  let paused: { readonly lookedAt: number; readonly isPaused: boolean } = { lookedAt: -Infinity, isPaused: false };

  async function carryOut({
    claimed,
    target,
    claimedAt,
    translationContext,
    pretranslated,
    fastClaim,
  }: Start): Promise<void> {
    const lease = leases.take(
      claimed,
      claimedAt,
      fastClaim !== null && fastClaim.attemptId !== null ? fastClaim.chart : null,
    );
    const fence: Fence = { tenant, owner, patient: claimed.patient, epoch: claimed.epoch };
    const since = clock.monotonicMs();
    const { id: deliveryId } = claimed.delivery;
    const held = pretranslated ?? deps.pretranslated.take(deliveryId);
    const room = held?.room ?? (await jobRoom.take(claimed));
    const work = (): ReturnType<typeof runJob> =>
      runJob(claimed, fence, {
        tenant,
        owner,
        lanes,
        translationContext,
        target: traceTarget(leases.guard(target, lease), claimed.delivery),
        clock,
        newId: deps.newId,
        spread: deps.spread,
        leaseMs: LEASE_MS,
        knownSince: knownSince ?? Infinity,
        enterChart: (reference) => leases.enterChart(lease, reference),
        signal: lease.abort.signal,
        pretranslated: held,
        fastClaim,
        learn: deps.pretranslated.learn,
        habits: deps.habits,
        contentKey: deps.contentKey,
      });
    try {
      const result = room === null ? NO_ROOM : ((await work()) ?? NOT_BEGUN);
      const finished = await lanes.write('lane.finish', { ...result, fence, jobSeq: claimed.job.seq, at: clock.now() });
      if (!finished.ok || finished.value !== 'done') mayWait = true;
      if (!finished.ok || finished.value === 'lost') {
        log.warn('lane.lost', { deliveryId, ...(finished.ok ? {} : faultFields(finished.fault)) });
        return;
      }
      const { outcome } = result;
      if (outcome.kind === 'delivered' || outcome.kind === 'park')
        log.info('delivery.sent', {
          deliveryId,
          requestId: claimed.delivery.requestId,
          traceId: traceIdOf(claimed.delivery),
          state: outcome.kind === 'park' ? 'parked' : 'delivered',
          ...(outcome.reason === undefined ? {} : { reason: outcome.reason }),
          ...(outcome.kind === 'park' && outcome.faultCode !== null ? { faultCode: outcome.faultCode } : {}),
        });
      // Nobody asks for lanes when one that waits so shortly comes round again.
      if ('afterMs' in outcome && outcome.afterMs < POLL_MS) setTimeout(wake, outcome.afterMs).unref();
      deps.onFinished(outcome, (clock.monotonicMs() - since) / 1_000);
    } catch (thrown) {
      log.error('lane.failed', { deliveryId, error: safeError(thrown) });
      mayWait = true;
      await giveUp(claimed, fence);
    } finally {
      room?.release();
      leases.drop(lease);
    }
  }

  /** Over a bug of ours: tried again some times, in case it was the state of things, then given to a person. */
  async function giveUp(claimed: Claimed, fence: Fence): Promise<void> {
    const outcome: Outcome =
      claimed.job.attempts >= FAILURES_MAX
        ? { kind: 'park', reason: 'exhausted', faultCode: 'internal.bug' }
        : { kind: 'retry', afterMs: FAILED_WAIT_MS, faultCode: 'internal.bug', patience: 'long' };
    const args = { ...NOT_BEGUN, outcome, fence, jobSeq: claimed.job.seq, at: clock.now() };
    // Should that fail too, the lease runs out, and whoever is next reads back first.
    await lanes.write('lane.finish', args).catch(() => undefined);
  }

  async function isPausedByOperator(): Promise<boolean> {
    const now = clock.monotonicMs();
    if (now - paused.lookedAt < PAUSE_LOOK_MS) return paused.isPaused;
    const row = await lanes.read('lane.target', { tenant });
    if (row.ok) paused = { lookedAt: now, isPaused: row.value.pausedAt !== null };
    return paused.isPaused;
  }

  /** How many more may be under way. Nothing is claimed that could not be sent. */
  function room(): number {
    const { breaker, openForMs, limit } = guard.state();
    if (breaker === 'open' && openForMs > 0) return 0;
    return Math.min(AT_ONCE, (breaker === 'closed' ? limit : 1) - running.size - reserved);
  }

  async function look(): Promise<void> {
    // Here too: a store that takes nothing is asked again at the next poll, not at once.
    isAsked = false;
    if (!isFreed) await free();
    if (isFreed && knownSince === null) await sayAlive();
    while (isRunning && isFreed && knownSince !== null) {
      await mindTheClock();
      isAsked = false;
      const target = deps.target();
      const limit = Math.min(room(), jobRoom.claimable());
      if (target === null || limit <= 0 || (await isPausedByOperator())) return;
      const claimedAt = clock.monotonicMs();
      const some = await lanes.write('lane.claim', { tenant, owner, at: clock.now(), leaseMs: LEASE_MS, limit });
      if (!some.ok) return;
      jobRoom.learn(some.value.claimed);
      for (const claimed of some.value.claimed)
        start({
          claimed,
          target,
          claimedAt,
          translationContext: deps.translationContext(),
          pretranslated: null,
          fastClaim: null,
        });
      if (some.value.examined === 0) {
        mayWait = isAsked;
        return;
      }
    }
  }

  function start(one: Start): void {
    const { patient, epoch } = one.claimed;
    // A clock that jumped has ended a lease that we still work under: its work is fenced off now, and comes round
    // again.
    if (leases.isHeld(patient)) {
      one.pretranslated?.room.release();
      return;
    }
    const fence: Fence = { tenant, owner, patient, epoch };
    const work = (isRunning ? carryOut(one) : giveBack(one, fence)).finally(() => {
      running.delete(work);
      onRoom?.();
      if (mayWait) wake();
    });
    running.add(work);
  }

  /** Claimed when it was already time to stop. */
  async function giveBack({ claimed, pretranslated, fastClaim }: Start, fence: Fence): Promise<void> {
    pretranslated?.room.release();
    const attemptId = fastClaim?.attemptId ?? null;
    await lanes.write('lane.finish', { ...NOT_BEGUN, attemptId, fence, jobSeq: claimed.job.seq, at: clock.now() });
  }

  /**
   * The wish to claim a delivery as it is settled: with its attempt, where nothing has to be asked before it can be
   * sent.
   */
  function reserve(deliveryId: string): ReturnType<FastClaims['reserve']> {
    const target = deps.target();
    if (!isRunning || target === null || knownSince === null || room() <= 0) return null;
    const pretranslated = deps.pretranslated.take(deliveryId);
    // By the mapping data as they are now.
    if (pretranslated?.translationContext !== deps.translationContext()) {
      pretranslated?.room.release();
      return null;
    }
    reserved += 1;
    const claimedAt = clock.monotonicMs();
    const { translationContext, patient } = pretranslated;
    const { names, alertsOf } = ledgerQuestionOf(pretranslated.translation);
    const wished = wishToBegin(pretranslated, target, {
      knownSince,
      contentKey: deps.contentKey,
      expectChart: leases.expectChart,
    });
    return {
      claim: {
        owner,
        leaseMs: LEASE_MS,
        patient,
        names: JSON.stringify(names),
        alertsOf,
        attempt: wished === null ? null : attemptOf(wished, deps.newId('att')),
      },
      use(given) {
        reserved -= 1;
        if (wished !== null) leases.endExpectation(wished.chart);
        if (given === null) pretranslated.room.release();
        else
          start({
            claimed: given.claimed,
            target,
            claimedAt,
            translationContext,
            pretranslated,
            fastClaim: fastClaimOf(given, wished),
          });
      },
    };
  }

  /** An EHR that is not there, paused or left alone holds up nobody: then judging goes on at its own pace. */
  async function roomSoon(): Promise<number> {
    const isOpen = deps.target() !== null && guard.state().breaker === 'closed' && !paused.isPaused;
    if (!isOpen || !isRunning) return 0;
    if (room() <= 0)
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, ROOM_WAIT_MS).unref();
        onRoom = () => {
          clearTimeout(late);
          resolve();
        };
      });
    onRoom = null;
    return Math.max(0, room());
  }

  function wake(): void {
    isAsked = true;
    mayWait = true;
    if (!isRunning) return;
    looking ??= look()
      .catch((thrown: unknown) => log.error('lane.failed', { error: safeError(thrown) }))
      .finally(() => {
        looking = null;
        if (isAsked && room() > 0) wake();
      });
  }

  /**
   * Before a claim: a wall clock that jumped ahead must not end our own leases, and one that jumped back must not keep
   * anybody waiting.
   */
  async function mindTheClock(): Promise<void> {
    const offsetMs = clock.now().getTime() - clock.monotonicMs();
    const jumpedMs = Math.round(offsetMs - wallOffsetMs);
    wallOffsetMs = offsetMs;
    if (Math.abs(jumpedMs) < JUMP_MS) return;
    log.warn('clock.jumped', { durationMs: jumpedMs });
    await leases.renew();
    if (jumpedMs < 0) await lanes.write('lane.rewind', { tenant, at: clock.now(), byMs: -jumpedMs, leaseMs: LEASE_MS });
  }

  /**
   * After a process that is gone: neither its leases, on SQLite, nor what it counted by another clock hold anybody up.
   */
  async function free(): Promise<void> {
    const freed = await lanes.write('lane.free', { tenant, owner, at: clock.now() });
    isFreed = freed.ok;
  }

  async function sayAlive(): Promise<void> {
    const since = await lanes.write('lane.alive', { tenant, at: clock.now(), leaseMs: LEASE_MS });
    if (since.ok) knownSince = since.value;
  }
  const logged = (thrown: unknown): void => log.error('lane.failed', { error: safeError(thrown) });

  /** Of claims, and of what is under way, which goes on for a while after the last claim. */
  const timers: Record<'claims' | 'leases', NodeJS.Timeout[]> = { claims: [], leases: [] };
  return {
    wake,
    fastClaim: { room: roomSoon, reserve } satisfies FastClaims,
    /** Somebody has just paused the target here, or let it go on. */
    recheck(): void {
      paused = { ...paused, lookedAt: -Infinity };
      wake();
    },
    inFlight: () => running.size,
    async start(): Promise<void> {
      isRunning = true;
      timers.claims = [
        setInterval(() => void sayAlive().catch(logged), ALIVE_MS).unref(),
        setInterval(wake, POLL_MS).unref(),
      ];
      timers.leases = [
        setInterval(leases.endUntrusted, WATCH_MS).unref(),
        setInterval(() => void leases.renew().catch(logged), RENEW_MS).unref(),
      ];
      await free();
      await deps.habits.load();
      wake();
    },
    /** Claims nothing more, and waits for what is under way as long as its caller does. */
    async stop(): Promise<void> {
      isRunning = false;
      timers.claims.forEach(clearInterval);
      await looking;
      await Promise.allSettled(running);
      timers.leases.forEach(clearInterval);
    },
    /** Ends what is under way: its outcome is unknown, and is read back by whoever comes next. */
    abort: leases.abort,
  };
}
