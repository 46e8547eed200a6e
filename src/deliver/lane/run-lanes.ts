import { fault, faultFields, safeError, type Clock, type Log, type NewId } from '../../kernel/index.ts';
import type { TargetGuard } from '../../ehr/index.ts';
import type { Operate } from '../../store/index.ts';
import type { Reading } from '../read-document.ts';
import type { Claimed, Fence, LaneReads, LaneWrites, Outcome } from './commands.ts';
import { runJob, type Target } from './run-job.ts';

const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
/** Without a renewal for so long the lease may be somebody else's: nothing more is sent, and what is under way is ended. */
const TRUST_MS = 10_000;
const POLL_MS = 1_000;
const AT_ONCE = 16;
const PAUSE_LOOK_MS = 1_000;
const WATCH_MS = 1_000;
const FAILURES_MAX = 10;
const FAILED_WAIT_MS = 60_000;

/** Its job was taken away, or the lease is: what is still ours is given back. */
const NOT_BEGUN = {
  outcome: { kind: 'put-back', afterMs: 0 },
  attemptId: null,
  httpStatus: null,
  written: [],
  retracted: [],
  isResolved: false,
} as const;

export interface LanesDeps {
  readonly tenant: string;
  readonly owner: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly reading: () => Reading;
  /** Null while the EHR has not said what it can. */
  readonly target: () => Target | null;
  readonly guard: TargetGuard;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: NewId;
  readonly spread: () => number;
  readonly onOutcome: (outcome: Outcome, seconds: number) => void;
  /** The delivery may have to follow its link. */
  readonly onFinished: () => void;
}

interface Held {
  readonly patient: Uint8Array;
  readonly epoch: number;
  readonly abort: AbortController;
  renewedAt: number;
}

/** Works off lanes: one write in flight for each patient over all processes, many patients at once. */
export function runLanes(deps: LanesDeps) {
  const { tenant, owner, lanes, guard, clock, log } = deps;
  const held = new Map<string, Held>();
  const running = new Set<Promise<void>>();
  let isStopped = false;
  let isAsked = false;
  let looking: Promise<void> | null = null;
  let paused: { readonly lookedAt: number; readonly isPaused: boolean } = { lookedAt: -Infinity, isPaused: false };

  const isTrusted = ({ renewedAt }: Held): boolean => clock.monotonicMs() - renewedAt < TRUST_MS;

  /** Through the lease: whatever it is about, nothing leaves once another may hold it. */
  const underLease = (target: Target, lease: Held): Target => {
    const mayGo = (): boolean => isTrusted(lease) && !lease.abort.signal.aborted;
    const send: Target['send'] = (request) =>
      mayGo()
        ? target.send(request)
        : Promise.resolve({ exchange: null, verdict: { kind: 'abandoned', effect: 'none', fault: fault('ehr.abandoned') } });
    return { ...target, send };
  };

  async function carryOut(claimed: Claimed, target: Target, claimedAt: number): Promise<void> {
    const key = Buffer.from(claimed.patient).toString('hex');
    const lease: Held = {
      patient: claimed.patient,
      epoch: claimed.epoch,
      abort: new AbortController(),
      renewedAt: claimedAt,
    };
    held.set(key, lease);
    const fence: Fence = { tenant, owner, patient: claimed.patient, epoch: claimed.epoch };
    const since = clock.monotonicMs();
    const { id: deliveryId } = claimed.delivery;
    try {
      const done = await runJob(claimed, fence, {
        tenant,
        owner,
        lanes,
        reading: deps.reading(),
        target: underLease(target, lease),
        clock,
        newId: deps.newId,
        spread: deps.spread,
        leaseMs: LEASE_MS,
        signal: lease.abort.signal,
      });
      const result = done ?? NOT_BEGUN;
      const finished = await lanes.write('lane.finish', { ...result, fence, jobSeq: claimed.job.seq, at: clock.now() });
      if (!finished.ok || finished.value === 'lost') {
        log.warn('lane.lost', { deliveryId, ...(finished.ok ? {} : faultFields(finished.fault)) });
        return;
      }
      const { outcome } = result;
      deps.onOutcome(outcome, (clock.monotonicMs() - since) / 1_000);
      if (outcome.kind === 'delivered' || outcome.kind === 'park')
        log.info('delivery.sent', {
          deliveryId,
          state: outcome.kind === 'park' ? 'parked' : 'delivered',
          ...(outcome.kind === 'park' ? { reason: outcome.reason } : {}),
        });
      deps.onFinished();
    } catch (thrown) {
      log.error('lane.failed', { deliveryId, error: safeError(thrown) });
      await giveUp(claimed, fence);
    } finally {
      if (held.get(key) === lease) held.delete(key);
    }
  }

  /** Over a bug of ours: tried again some times, in case it was the state of things, then given to a person. */
  async function giveUp(claimed: Claimed, fence: Fence): Promise<void> {
    const outcome: Outcome =
      claimed.job.attempts >= FAILURES_MAX
        ? { kind: 'park', reason: 'exhausted', faultCode: 'internal.bug' }
        : { kind: 'retry', afterMs: FAILED_WAIT_MS, faultCode: 'internal.bug' };
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
    return Math.min(AT_ONCE, (breaker === 'closed' ? limit : 1) - running.size);
  }

  async function look(): Promise<void> {
    while (!isStopped) {
      isAsked = false;
      const target = deps.target();
      const limit = room();
      if (target === null || limit <= 0 || (await isPausedByOperator())) return;
      const claimedAt = clock.monotonicMs();
      const some = await lanes.write('lane.claim', { tenant, owner, at: clock.now(), leaseMs: LEASE_MS, limit });
      if (!some.ok) return;
      for (const one of some.value.claimed) start(one, target, claimedAt);
      if (some.value.examined === 0) return;
    }
  }

  function start(one: Claimed, target: Target, claimedAt: number): void {
    // A clock that jumped has ended a lease that we still work under: its work is fenced off now, and comes round again.
    if (held.has(Buffer.from(one.patient).toString('hex'))) return;
    const fence: Fence = { tenant, owner, patient: one.patient, epoch: one.epoch };
    const work = (isStopped ? giveBack(one, fence) : carryOut(one, target, claimedAt)).finally(() => {
      running.delete(work);
      poke();
    });
    running.add(work);
  }

  /** Claimed when it was already time to stop. */
  async function giveBack({ job }: Claimed, fence: Fence): Promise<void> {
    await lanes.write('lane.finish', { ...NOT_BEGUN, fence, jobSeq: job.seq, at: clock.now() });
  }

  function poke(): void {
    isAsked = true;
    if (isStopped) return;
    looking ??= look()
      .catch((thrown: unknown) => log.error('lane.failed', { error: safeError(thrown) }))
      .finally(() => {
        looking = null;
        if (isAsked && room() > 0) poke();
      });
  }

  /** Not by the store, which may hang: by the time alone. */
  function endUntrusted(): void {
    for (const lease of held.values()) if (!isTrusted(lease)) lease.abort.abort();
  }

  async function renew(): Promise<void> {
    endUntrusted();
    const leases = [...held.values()];
    if (leases.length === 0) return;
    const at = clock.monotonicMs();
    const kept = await lanes.write('lane.renew', {
      tenant,
      owner,
      at: clock.now(),
      leaseMs: LEASE_MS,
      held: leases.map(({ patient, epoch }) => ({ patient, epoch })),
    });
    leases.forEach((lease, i) => {
      if (kept.ok && kept.value[i] === true) lease.renewedAt = at;
      if (kept.ok && kept.value[i] === false) lease.abort.abort();
    });
  }

  const poll = setInterval(poke, POLL_MS).unref();
  const watchdog = setInterval(endUntrusted, WATCH_MS).unref();
  const renewal = setInterval(
    () => void renew().catch((thrown: unknown) => log.error('lane.failed', { error: safeError(thrown) })),
    RENEW_MS,
  ).unref();
  return {
    poke,
    /** Somebody has just paused the target here, or let it go on. */
    recheck(): void {
      paused = { ...paused, lookedAt: -Infinity };
      poke();
    },
    inFlight: () => running.size,
    /** After a process that is gone: on SQLite its leases hold nobody up. */
    start: async (): Promise<void> => {
      await lanes.write('lane.free', { tenant, owner, at: clock.now() });
      poke();
    },
    /** Claims nothing more, and waits for what is under way as long as its caller does. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(poll);
      await looking;
      await Promise.allSettled(running);
      clearInterval(renewal);
      clearInterval(watchdog);
    },
    /** Ends what is under way: its outcome is unknown, and is read back by whoever comes next. */
    abort(): void {
      for (const { abort } of held.values()) abort.abort();
    },
  };
}
