import { fail, fault, ok, type Chance, type Clock, type Log, type NewId } from '../../kernel/index.ts';
import {
  choosePlan,
  guardTarget,
  makeResolvePatient,
  openEhr,
  probeEhr,
  rememberPatients,
  watchCapability,
  type Ehr,
  type EhrRequest,
  type EhrTarget,
  type Probed,
  type Sent,
  type Verdict,
  type WritePlan,
} from '../../ehr/index.ts';
import type { Dialect } from '../../mappings/index.ts';
import type { Target } from './run-job.ts';

/** The EHR: how to reach it, what it can, how it is to be written to, and whether it is to be left alone. */
export function openTarget(deps: {
  readonly ehr: EhrTarget;
  readonly patientMode: 'lookup' | 'create';
  readonly dialect: () => Dialect;
  readonly clock: Clock;
  readonly log: Log;
  readonly chance: Chance;
  readonly newId: NewId;
}) {
  const { clock, log, chance, newId } = deps;
  const ehr = openEhr({ target: deps.ehr, clock, chance, newId });
  const guard = guardTarget({ clock, log });
  const watch = watchCapability({ probe: () => probeEhr({ ehr, chance, newRequestId: () => newId('req') }), clock, log });
  let made: { readonly probed: Probed; readonly dialect: Dialect; readonly plan: WritePlan } | null = null;

  /** Chosen anew only when the EHR or its dialect has changed. */
  function plan(): WritePlan | null {
    const { probed } = watch.state();
    const dialect = deps.dialect();
    if (probed === null) return null;
    if (made?.probed !== probed || made.dialect !== dialect) made = { probed, dialect, plan: choosePlan(probed, dialect) };
    return made.plan;
  }

  /** Through the guard: what the breaker or the load forbids is not sent, and nothing of it was done. */
  async function send(request: EhrRequest): Promise<Sent> {
    const entry = guard.tryEnter();
    if (entry.kind === 'wait')
      return {
        exchange: null,
        verdict: { kind: 'retry-later', afterMs: entry.waitMs, patience: 'long', effect: 'none', fault: entry.fault },
      };
    let verdict: Verdict = { kind: 'abandoned', effect: 'unknown', fault: fault('ehr.abandoned') };
    try {
      const sent = await ehr.send(request);
      ({ verdict } = sent);
      return sent;
    } finally {
      entry.settle(verdict);
    }
  }

  /** Reads go through the guard as well: an EHR that is left alone is not asked either. */
  const guarded: Ehr = {
    ...ehr,
    send,
    async ask(request) {
      const { exchange, verdict } = await send(request);
      if (verdict.kind !== 'ok') return fail(verdict.fault);
      if (exchange?.kind !== 'answered') throw new Error('an exchange without an answer cannot be good');
      return ok(exchange);
    },
  };

  const patients = rememberPatients({
    resolvePatient: makeResolvePatient({
      ehr: guarded,
      mode: deps.patientMode,
      searchBy: () => plan()?.types['Patient']?.searchBy ?? 'unknown',
      mayCreate: () => plan()?.createPatient ?? 'no',
    }),
    clock,
  });

  return {
    ehr,
    guard,
    plan,
    capability: watch.state,
    refresh: watch.refresh,
    current(): Target | null {
      const chosen = plan();
      return chosen === null ? null : { ehr: guarded, plan: chosen, resolvePatient: patients.resolvePatient, send };
    },
    async close(): Promise<void> {
      watch.stop();
      await ehr.close();
    },
  };
}
export type OpenTarget = ReturnType<typeof openTarget>;
