import { safeError } from '../kernel/index.ts';
import { JUMP_MS } from '../lanes/index.ts';
import { makeCarryOut, type Start } from './carry-out.ts';
import { makeFastClaims } from './fast-claims.ts';
import { houseDepth } from './house-depth.ts';
import type { LanesDeps } from './lanes-deps.ts';
import { makeJobRoom } from './job-room.ts';
import { LEASE_MS, makeLeases, RENEW_MS, WATCH_MS } from './leases.ts';

const POLL_MS = 1_000;
/** So many lanes are claimed together. */
const CLAIMS_MAX = 16;
const PAUSE_LOOK_MS = 1_000;
const ALIVE_MS = 5_000;

/** Works off lanes: one write in flight for each patient over all processes, many patients at once. */
export function runLanes(deps: LanesDeps) {
  const { tenant, owner, lanes, guard, clock, log } = deps;
  const leases = makeLeases({ tenant, owner, lanes, clock });
  const jobRoom = makeJobRoom(deps.budget);
  const running = new Set<Promise<void>>();
  /** From the start to the stop. Before and after it nothing is claimed, whoever asks. */
  let isRunning = false;
  let isAsked = false;
  /** Some lane may be due. False after a claim that found none, until a lane is left with more, or somebody asks. */
  let mayWait = true;
  let looking: Promise<void> | null = null;
  let wallOffsetMs = clock.now().getTime() - clock.monotonicMs();
  let knownSince: number | null = null;
  let isFreed = false;
  let paused: { readonly lookedAt: number; readonly isPaused: boolean } = { lookedAt: -Infinity, isPaused: false };

  const work = makeCarryOut({
    ...deps,
    leases,
    jobRoom,
    knownSince: () => knownSince,
    onMore() {
      mayWait = true;
    },
    // Nobody asks for lanes when one that waits so shortly comes round again.
    onWait(afterMs) {
      if (afterMs < POLL_MS) setTimeout(wake, afterMs).unref();
    },
  });
  const fastClaims = makeFastClaims({
    ...deps,
    leases,
    knownSince: () => knownSince,
    room,
    isRunning: () => isRunning,
    isPaused: () => paused.isPaused,
    start,
  });

  async function isPausedByOperator(): Promise<boolean> {
    const now = clock.monotonicMs();
    if (now - paused.lookedAt < PAUSE_LOOK_MS) return paused.isPaused;
    const row = await lanes.read('lane.target', { tenant });
    if (row.ok) paused = { lookedAt: now, isPaused: row.value.pausedAt !== null };
    return paused.isPaused;
  }

  /** How many more may be under way. Nothing is claimed that could not be sent soon. */
  function room(): number {
    const { breaker, openForMs, limit, exchangeMs } = guard.state();
    if (breaker === 'open' && openForMs > 0) return 0;
    const depth = breaker === 'closed' ? houseDepth(limit, exchangeMs) : 1;
    return Math.min(CLAIMS_MAX, depth - running.size - fastClaims.reserved());
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
    // A clock that jumped has ended a lease that we still work under: its work is fenced off now, and comes round
    // again.
    if (leases.isHeld(one.claimed.patient)) {
      one.pretranslated?.room.release();
      return;
    }
    const going = (isRunning ? work.carryOut(one) : work.giveBack(one)).finally(() => {
      running.delete(going);
      fastClaims.onEnded();
      if (mayWait) wake();
    });
    running.add(going);
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
    fastClaim: fastClaims.claims,
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
