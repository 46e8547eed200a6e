import { fail, fault, ok, type Chance, type Clock, type Log, type NewId, type Result } from '../kernel/index.ts';
import { choosePlan, type WritePlan } from './choose-plan.ts';
import type { Verdict } from './classify-answer.ts';
import type { EhrRequest } from './exchange.ts';
import { guardTarget } from './guard-target.ts';
import { kindOfRequest } from './kind-of-request.ts';
import { openEhr, type Ehr, type EhrTarget, type Sent } from './open-ehr.ts';
import { judgeRemembered } from './pick-patient.ts';
import { readResource } from './fhir-client.ts';
import { previewOf, type PatientPreview } from './preview-patient.ts';
import { probeEhr, type Probed } from './probe-ehr.ts';
import { readOnlyEhr } from './refuse-writes.ts';
import { rememberPatients } from './remember-patients.ts';
import {
  makeResolvePatient,
  type AskedPatient,
  type Mrn,
  type ResolvedPatient,
  type ResolvePatient,
} from './resolve-patient.ts';
import type { Resource } from './search-resources.ts';
import { watchCapability } from './watch-capability.ts';
import type { Dialect, EhrSelfDescription } from '../mappings/index.ts';
import type { RememberedPatient, Target } from './target.ts';

/** The EHR: how to reach it, what it can, how it is to be written to, and whether it is to be left alone. */
export function openTarget(deps: {
  readonly ehr: EhrTarget;
  readonly mode: 'live' | 'shadow';
  readonly patientMode: 'lookup' | 'create';
  readonly dialect: () => Dialect;
  /** Called each time the EHR has described itself, before a plan is made from it. */
  readonly onSelfDescription: (told: EhrSelfDescription) => void;
  /** Called after every probe, with who asked for it. */
  readonly onProbed: (result: Result<Probed>, by: string) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly chance: Chance;
  readonly newId: NewId;
  /** Called after every look-up of an MRN at the EHR. */
  readonly onLookUp: (asked: AskedPatient, found: Result<ResolvedPatient>) => void;
}) {
  const { clock, log, chance, newId } = deps;
  const access = deps.mode === 'shadow' ? 'read-only' : 'read-write';
  const ehr = openEhr({ target: deps.ehr, access, clock, chance, newId });
  const guard = guardTarget({ clock, log });
  const { host: address } = new URL(deps.ehr.url);
  const watch = watchCapability({ probe, address, clock, log, onProbed: deps.onProbed });
  let made: { readonly probed: Probed; readonly dialect: Dialect; readonly plan: WritePlan } | null = null;

  async function probe(): Promise<Result<Probed>> {
    const probed = await probeEhr({ ehr, chance, newRequestId: () => newId('req') });
    if (probed.ok) {
      const { software, publisher, implementation } = probed.value.capability;
      deps.onSelfDescription({ software, publisher, implementation, address });
    }
    return probed;
  }

  /** Chosen anew only when the EHR or its dialect has changed. */
  function plan(): WritePlan | null {
    const { probed } = watch.state();
    const dialect = deps.dialect();
    if (probed === null) return null;
    if (made?.probed !== probed || made.dialect !== dialect)
      made = { probed, dialect, plan: choosePlan(probed, dialect) };
    return made.plan;
  }

  /** Through the guard: what the breaker or the load forbids is not sent, and nothing of it was done. */
  async function send(request: EhrRequest): Promise<Sent> {
    const entry = await guard.enter(kindOfRequest(request), request.signal);
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

  const resolve = makeResolvePatient({
    ehr: guarded,
    mode: deps.patientMode,
    searchBy: () => plan()?.types['Patient']?.searchBy ?? 'unknown',
    mayCreate: () => plan()?.createPatient ?? 'no',
  });
  const lookUp = makeResolvePatient({
    ehr,
    mode: 'lookup',
    searchBy: () => plan()?.types['Patient']?.searchBy ?? 'unknown',
    mayCreate: () => 'no',
  });
  /** Remembers for a while whom an MRN leads to; that the EHR was asked is recorded. */
  const remembered = (ask: ResolvePatient, isChecked: () => boolean) =>
    rememberPatients({
      async resolvePatient(asked) {
        const resolved = await ask(asked);
        deps.onLookUp(asked, resolved);
        return resolved;
      },
      clock,
      isChecked,
    });
  /** Set when a transaction that should have shown the patient did not. */
  let isUnseen = false;
  const isChecked = (): boolean => !isUnseen && plan()?.patientCheck === 'in-transaction';
  const patients = remembered(resolve, isChecked);

  const rememberedAs = (patient: ResolvedPatient, mrn: Mrn): RememberedPatient => ({
    forget: () => patients.forget(mrn),
    isStill(shown) {
      const found = judgeRemembered(shown, patient, mrn, ehr.guard);
      if (found === 'unseen') isUnseen = true;
      if (found !== 'still') patients.forget(mrn);
      return found === 'still';
    },
  });

  const readOnly = readOnlyEhr(guarded);
  const lookedUp = remembered(
    makeResolvePatient({
      ehr: readOnly,
      mode: 'lookup',
      searchBy: () => plan()?.types['Patient']?.searchBy ?? 'unknown',
      mayCreate: () => 'no',
    }),
    () => false,
  );

  return {
    ehr,
    /** For who only reads: not counted among the writes, but held back with them while the breaker is open. */
    ehrReader: {
      ehr,
      isPaused: () => guard.state().breaker === 'open',
      isDelivering: () => guard.state().inFlight > 0,
      capability: () => watch.state().probed?.capability ?? null,
      searchBy: () => plan()?.types['Patient']?.searchBy ?? 'post',
    },
    /**
     * Whether a patient has this MRN. Writes nothing; where patients are created, one who is not there will be, and is
     * no fault.
     */
    async checkPatient(asked: AskedPatient): Promise<Result<null>> {
      if (guard.state().breaker === 'open') return fail(fault('ehr.paused'));
      const found = await lookUp(asked);
      deps.onLookUp(asked, found);
      return found.ok || (found.fault.code === 'patient.none' && deps.patientMode === 'create') ? ok(null) : found;
    },
    /** Who has this MRN, for a person who is about to say that it is the right one. Writes nothing. */
    async previewPatient(asked: AskedPatient): Promise<Result<PatientPreview>> {
      if (guard.state().breaker === 'open') return fail(fault('ehr.paused'));
      const found = await lookUp(asked);
      deps.onLookUp(asked, found);
      if (!found.ok) return found;
      const { reference, via } = found.value;
      const read = await readResource(ehr, 'Patient', reference.slice('Patient/'.length), {
        requestId: asked.requestId,
      });
      if (!read.ok) return read;
      const { body } = read.value;
      const patient = body.kind === 'json' ? (body.value as Resource | null) : null;
      if (patient?.resourceType !== 'Patient') return fail(fault('patient.unverified'));
      return ok(previewOf(patient, via.length > 0));
    },
    guard,
    plan,
    capability: watch.state,
    refresh: watch.refresh,
    probed: watch.settled,
    current(): Target | null {
      const chosen = plan();
      return chosen === null
        ? null
        : {
            ehr: guarded,
            plan: chosen,
            resolvePatient: patients.resolvePatient,
            rememberedPatient: patients.remembered,
            rememberedAs: isChecked() ? rememberedAs : null,
            send,
          };
    },
    /** The same for a caller that only finds out what would be written: it cannot write, and creates no patient. */
    forEvaluation(): Target | null {
      const chosen = plan();
      return chosen === null
        ? null
        : {
            ehr: readOnly,
            plan: chosen,
            resolvePatient: lookedUp.resolvePatient,
            rememberedPatient: lookedUp.remembered,
            rememberedAs: null,
            send: readOnly.send,
          };
    },
    start: watch.start,
    async stop(): Promise<void> {
      watch.stop();
      await ehr.close();
    },
  };
}
export type OpenTarget = ReturnType<typeof openTarget>;
