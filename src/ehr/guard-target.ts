import { fault, type Clock, type Fault, type Log } from '../kernel/index.ts';
import { admit, afterOutcome, closedBreaker, type Breaker, type BreakerOutcome } from './breaker.ts';
import type { Verdict } from './classify-answer.ts';
import {
  enter,
  hasRoom,
  leave,
  startConcurrency,
  stateOf,
  type ConcurrencyState,
  type Entered,
  type Load,
} from './concurrency.ts';
import type { AbandonSignal } from './exchange.ts';

/** Leave to send one request. Given back exactly once, with what came of it; a second time does nothing. */
export interface Permit {
  readonly kind: 'permit';
  settle(verdict: Verdict): void;
}

export type Entry =
  | Permit
  /** Not now. `full`: as many as the EHR bears are under way. `paused`: the breaker is open. */
  | { readonly kind: 'wait'; readonly because: 'full' | 'paused'; readonly waitMs: number; readonly fault: Fault };

export interface TargetState {
  readonly breaker: Breaker['state'];
  readonly openForMs: number;
  /** The limit in force. */
  readonly limit: number;
  readonly inFlight: number;
  /** How long a request took of late; null before the first. */
  readonly exchangeMs: number | null;
  /** What the limit is judged by. */
  readonly concurrency: ConcurrencyState;
}

export interface TargetGuard {
  /** `kind`: see `kindOfRequest`. */
  tryEnter(kind: string): Entry;
  /**
   * Waits for room, first come first served. Whoever was let to work by a limit that has been lowered since is not sent
   * away. `full` only where the signal ends the waiting.
   */
  enter(kind: string, signal?: AbandonSignal): Promise<Entry>;
  state(): TargetState;
}

const FULL: Entry = { kind: 'wait', because: 'full', waitMs: 50, fault: fault('ehr.paused') };
const isFull = (entry: Entry): boolean => entry.kind === 'wait' && entry.because === 'full';

/** What a verdict says about the EHR as a whole: an answer about one request is a good sign, whatever it refuses. */
export function readSigns(verdict: Verdict): { readonly outcome: BreakerOutcome; readonly load: Load } {
  switch (verdict.kind) {
    case 'ok':
    case 'rejected':
    case 'conflict':
    case 'several':
    case 'absent':
    case 'gone':
    case 'too-large':
      return { outcome: { kind: 'good' }, load: 'good' };
    case 'auth':
    case 'misconfigured':
      return { outcome: { kind: 'denied' }, load: 'neutral' };
    case 'retry-later': {
      const isLoad = verdict.fault.code === 'ehr.busy' || verdict.fault.code === 'ehr.timeout';
      return { outcome: { kind: 'bad', serverAsksMs: verdict.afterMs }, load: isLoad ? 'overload' : 'neutral' };
    }
    case 'ambiguous':
      return {
        outcome: { kind: 'bad', serverAsksMs: null },
        load: verdict.fault.code === 'ehr.timeout' ? 'overload' : 'neutral',
      };
    case 'abandoned':
      // It says something about the caller alone.
      return { outcome: { kind: 'nothing' }, load: 'neutral' };
  }
}

/** Breaker and concurrency of one EHR. Each change of the breaker is one line. */
export function guardTarget(deps: { readonly clock: Clock; readonly log: Log }): TargetGuard {
  const { clock, log } = deps;
  let breaker = closedBreaker;
  let concurrency = startConcurrency;
  const waiting: { readonly kind: string; readonly resolve: (entry: Entry) => void }[] = [];

  function settle(verdict: Verdict, kind: string, entered: Entered): void {
    const nowMs = clock.monotonicMs();
    const { outcome, load } = readSigns(verdict);
    const before = breaker;
    // A request that was refused took another time than one that was done.
    concurrency = leave(concurrency, { entered, load, kind: verdict.kind === 'ok' ? kind : null }, nowMs);
    const after = afterOutcome(before, outcome, entered.atMs, nowMs);
    breaker = after;
    if (before.state === 'closed' && after.state === 'open')
      log.error('ehr.breaker-opened', verdict.kind === 'ok' ? {} : { faultCode: verdict.fault.code });
    if (before.state !== 'closed' && after.state === 'closed') log.info('ehr.breaker-closed');
    letIn();
  }

  /** Also those who now learn that the breaker is open. */
  function letIn(): void {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const entry = tryEnter(first.kind);
      if (isFull(entry)) return;
      waiting.shift();
      first.resolve(entry);
    }
  }

  function tryEnter(kind: string): Entry {
    const nowMs = clock.monotonicMs();
    // Room first: a probe that finds none would keep the breaker half-open for nothing.
    if (!hasRoom(concurrency)) return FULL;
    const admission = admit(breaker, nowMs);
    breaker = admission.breaker;
    if (admission.waitMs > 0)
      return { kind: 'wait', because: 'paused', waitMs: admission.waitMs, fault: fault('ehr.paused') };
    const { now, entered } = enter(concurrency, nowMs);
    concurrency = now;
    let isSettled = false;
    return {
      kind: 'permit',
      settle(verdict) {
        if (isSettled) return;
        isSettled = true;
        settle(verdict, kind, entered);
      },
    };
  }

  return {
    tryEnter,
    async enter(kind, signal) {
      const entry = waiting.length > 0 ? FULL : tryEnter(kind);
      if (!isFull(entry) || signal?.aborted === true) return entry;
      return new Promise((resolve) => {
        const one = {
          kind,
          resolve(later: Entry): void {
            signal?.removeEventListener('abort', giveUp);
            resolve(later);
          },
        };
        const giveUp = (): void => {
          waiting.splice(waiting.indexOf(one), 1);
          one.resolve(FULL);
        };
        signal?.addEventListener('abort', giveUp);
        waiting.push(one);
      });
    },
    state: () => ({
      breaker: breaker.state,
      openForMs: breaker.state === 'open' ? Math.max(0, breaker.untilMs - clock.monotonicMs()) : 0,
      limit: concurrency.limit,
      inFlight: concurrency.inFlight,
      exchangeMs: concurrency.exchangeMs,
      concurrency: stateOf(concurrency),
    }),
  };
}
