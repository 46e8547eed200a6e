import { fault, type Clock, type Fault, type Log } from '../kernel/index.ts';
import { admit, afterOutcome, closedBreaker, type Breaker, type BreakerOutcome } from './breaker.ts';
import type { Verdict } from './classify-answer.ts';
import { enter, hasRoom, leave, startConcurrency, type Load } from './concurrency.ts';

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
  readonly limit: number;
  readonly inFlight: number;
}

export interface TargetGuard {
  tryEnter(): Entry;
  state(): TargetState;
}

const FULL_WAIT_MS = 50;

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

  function settle(verdict: Verdict, startedMs: number): void {
    const nowMs = clock.monotonicMs();
    const { outcome, load } = readSigns(verdict);
    const before = breaker;
    concurrency = leave(concurrency, load, startedMs, nowMs);
    const after = afterOutcome(before, outcome, startedMs, nowMs);
    breaker = after;
    if (before.state === 'closed' && after.state === 'open')
      log.error('ehr.breaker-opened', verdict.kind === 'ok' ? {} : { faultCode: verdict.fault.code });
    if (before.state !== 'closed' && after.state === 'closed') log.info('ehr.breaker-closed');
  }

  return {
    tryEnter() {
      const nowMs = clock.monotonicMs();
      const paused = fault('ehr.paused');
      // Room first: a probe that finds none would keep the breaker half-open for nothing.
      if (!hasRoom(concurrency)) return { kind: 'wait', because: 'full', waitMs: FULL_WAIT_MS, fault: paused };
      const admission = admit(breaker, nowMs);
      breaker = admission.breaker;
      if (admission.waitMs > 0) return { kind: 'wait', because: 'paused', waitMs: admission.waitMs, fault: paused };
      concurrency = enter(concurrency);
      let isSettled = false;
      return {
        kind: 'permit',
        settle(verdict) {
          if (isSettled) return;
          isSettled = true;
          settle(verdict, nowMs);
        },
      };
    },
    state: () => ({
      breaker: breaker.state,
      openForMs: breaker.state === 'open' ? Math.max(0, breaker.untilMs - clock.monotonicMs()) : 0,
      limit: Math.floor(concurrency.limit),
      inFlight: concurrency.inFlight,
    }),
  };
}
