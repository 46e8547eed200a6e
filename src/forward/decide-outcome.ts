import { HANDLING, type Fault } from '../kernel/index.ts';
import { nextAttemptMs, type Verdict } from '../ehr/index.ts';
import type { Outcome, Patience } from '../lanes/index.ts';
import type { Stop } from './stop.ts';

/** What of a job's past decides how long it is tried. */
export interface Past {
  /** Attempts that failed before this one. */
  readonly attempts: number;
  /** How many of them, the last ones in a row, were of the kind of which few are worth making. */
  readonly fewInARow: number;
  readonly sinceFirstMs: number;
  readonly spread: number;
}

const park = (reason: Extract<Outcome, { kind: 'park' }>['reason'], fault: Fault): Outcome => ({
  kind: 'park',
  reason,
  faultCode: fault.code,
});

/** The target is left alone at the moment: no attempt of this job, and none of its patience. */
const putBack = (waitMs: number | null): Outcome => ({ kind: 'put-back', afterMs: Math.max(1_000, waitMs ?? 0) });

/** Tried again, or given to a person when it has been tried for long enough. */
function later(
  fault: Fault,
  past: Past,
  patience: Patience,
  serverAsksMs: number | null,
  effect: 'none' | 'unknown',
): Outcome {
  const afterMs = nextAttemptMs({
    attempt: past.attempts,
    fewInARow: past.fewInARow,
    sinceFirstMs: past.sinceFirstMs,
    patience,
    serverAsksMs,
    spread: past.spread,
  });
  if (afterMs === 'exhausted') return park('exhausted', fault);
  return { kind: effect === 'unknown' ? 'unknown' : 'retry', afterMs, faultCode: fault.code, patience };
}

function afterVerdict(verdict: Exclude<Verdict, { kind: 'ok' }>, past: Past): Outcome {
  switch (verdict.kind) {
    case 'retry-later':
      if (verdict.fault.code === 'ehr.paused') return putBack(verdict.afterMs);
      return later(verdict.fault, past, verdict.patience, verdict.afterMs, verdict.effect);
    case 'ambiguous':
      return later(verdict.fault, past, 'long', null, 'unknown');
    case 'abandoned':
      return later(verdict.fault, past, 'long', null, verdict.effect);
    // No other request would fare better: the breaker is open, and the lane waits with it.
    case 'auth':
    case 'misconfigured':
      return later(verdict.fault, past, 'long', null, 'none');
    case 'conflict':
      return verdict.because === 'concurrency'
        ? later(verdict.fault, past, 'few', null, 'none')
        : park('conflict', verdict.fault);
    case 'absent':
    case 'gone':
      return park('conflict', verdict.fault);
    case 'several':
      return park('ambiguous', verdict.fault);
    case 'rejected':
    case 'too-large':
      return park('rejected', verdict.fault);
  }
}

/** What becomes of a job that did not come to its end. Total: every stop has an outcome. */
export function decideOutcome(stop: Stop, past: Past): Outcome {
  switch (stop.kind) {
    case 'verdict':
      return afterVerdict(stop.verdict, past);
    case 'conflict':
      return park('conflict', stop.fault);
    case 'ambiguous':
      return park('ambiguous', stop.fault);
  }
}

/** A question to the EHR that was not answered before anything was written. */
export function afterFault(fault: Fault, past: Past): Outcome {
  if (fault.code.startsWith('patient.')) return park('patient', fault);
  if (fault.code === 'ehr.paused') return putBack(null);
  return HANDLING[fault.kind].retry === 'never' && fault.kind !== 'ehr-rejected'
    ? park('rejected', fault)
    : later(fault, past, 'long', null, 'none');
}
