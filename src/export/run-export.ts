import { setTimeout as pause } from 'node:timers/promises';
import { standingOfClient, type AskStanding, type Grant } from '../auth/index.ts';
import type { Pairs } from '../ehr/index.ts';
import {
  ok,
  faultFields,
  type Clock,
  type Fault,
  type FaultCode,
  type Log,
  type RequestId,
  type Result,
} from '../kernel/index.ts';
import type { Caller, FindPatients, ReadChart } from '../smart/index.ts';
import type { Operate } from '../store/index.ts';
import { chartAskOf } from './chart-ask.ts';
import type {
  ClaimedExport,
  ExportReads,
  ExportWrites,
  LeaseOutcome,
  ExportLease,
  Segment,
  WaitingPatient,
} from './commands.ts';
import { gatherPatients } from './gather-patients.ts';
import type { PatientGroups } from './groups.ts';
import { auditOfPatient, errorSegment, isPassing, readPatient } from './read-patient.ts';
import { systemOnly } from './scope.ts';
import { toSegment } from './segment-writer.ts';

export const LEASE_MS = 30_000;
/** A patient who cannot be read for so many tries is told of in the error file: five minutes, with the pauses between. */
const ATTEMPTS_MAX = 10;
const PAUSE_MAX_MS = 60_000;
const PAUSE_MS = 1_000;
const PATIENTS_PAGE = 100;
const SHARED_PAGE = 50;
/** An export that does not come to its end within a day is given up. */
const RUN_MAX_MS = 24 * 3_600_000;

export interface RunExportDeps {
  readonly tenant: string;
  readonly mrnSystem: string;
  readonly exports: Operate<ExportWrites, ExportReads>;
  readonly groups: PatientGroups;
  readonly chart: ReadChart;
  readonly patients: FindPatients;
  readonly parseFilter: (type: string, query: string) => Result<Pairs>;
  readonly askStanding: AskStanding;
  /** Whether an operator has paused the EHR: then it is asked nothing more, and the export waits. */
  readonly isPaused: () => Promise<boolean>;
  /** Patients at once. */
  readonly concurrency: number;
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** `over`: settled, ended by somebody, or another process has it. `later`: it is to be claimed again. */
export type Ran = 'over' | 'later';

/**
 * Carries out one export from where it stands: finds its patients, reads them one by one, then what is nobody's. Each
 * step is one commit that says how far it is, so that it goes on from there, here or in another process. What the client
 * may read is asked anew for each patient.
 */
export async function runExport(deps: RunExportDeps, job: ClaimedExport, signal: AbortSignal): Promise<Ran> {
  const { tenant, exports, clock, log } = deps;
  const { seq, epoch } = job;
  const ask = chartAskOf(job.asked, deps.parseFilter);
  const holding = (): ExportLease => ({ tenant, seq, epoch, at: clock.now(), leaseMs: LEASE_MS });
  let pauseMs = 0;

  async function rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
  }

  async function grantOf(): Promise<Result<Grant | null>> {
    const { issuer, client: clientId, tokenId, scope } = job;
    const now = await deps.askStanding(standingOfClient({ issuer, clientId, tokenId, scope }));
    if (!now.ok) return now;
    const grant = typeof now.value === 'string' ? null : systemOnly(now.value);
    return ok(grant === null || grant.scopes.length === 0 ? null : grant);
  }

  async function settle(to: 'complete' | 'failed', code: FaultCode | null): Promise<Ran> {
    const done = await exports.write('exports.settle', { ...holding(), to, fault: code, keepMs: deps.keepMs });
    if (!done.ok) return 'later';
    log.info('export.ended', { state: to, ...(code === null ? {} : { faultCode: code }) });
    return 'over';
  }

  /** Null where the client may no longer read anything; then the export has failed. */
  async function callerNow(): Promise<Result<Caller | null>> {
    const grant = await grantOf();
    if (!grant.ok) return grant;
    if (grant.value === null) return { ok: true, value: null };
    return { ok: true, value: { grant: grant.value, requestId: job.requestId as RequestId, log, signal } };
  }

  const after = (held: Result<LeaseOutcome>): 'go-on' | Ran =>
    held.ok ? (held.value === 'held' ? 'go-on' : 'over') : 'later';

  const mustWait = async (): Promise<boolean> => signal.aborted || (await deps.isPaused());
  const isTooLong = (): boolean => clock.now().getTime() - job.startedAt > RUN_MAX_MS;

  async function gather(): Promise<'go-on' | Ran> {
    let from = job.gatheredTo;
    for (;;) {
      if (await mustWait()) return 'later';
      if (isTooLong()) return settle('failed', 'export.given-up');
      const caller = await callerNow();
      if (!caller.ok) return 'later';
      if (caller.value === null) return settle('failed', 'export.client');
      const some = await gatherPatients(deps, job, from, caller.value);
      if (!some.ok) {
        if (some.fault.kind === 'not-found') return settle('failed', some.fault.code);
        log.warn('export.failed', faultFields(some.fault));
        await rest(PAUSE_MS);
        return 'later';
      }
      const held = after(await exports.writeBehind('exports.gather', { ...holding(), ...some.value }));
      if (held !== 'go-on') return held;
      from = some.value.next;
      if (from === null) return 'go-on';
    }
  }

  async function finish(
    patient: WaitingPatient,
    outcome: 'done' | 'failed',
    of: {
      readonly chart: string | null;
      readonly segments: readonly Segment[];
      readonly refers: readonly string[];
      readonly counts: Readonly<Record<string, number>>;
      readonly fault: Fault | null;
    },
  ): Promise<'go-on' | Ran> {
    const { chart, counts, segments, refers } = of;
    const why = of.fault === null ? null : of.fault.code;
    const audit = auditOfPatient(deps, job, patient, { chart, counts, why });
    const args = { patient: patient.n, chart, outcome, segments, refers, fault: why, audit };
    return after(await exports.writeBehind('exports.finish-patient', { ...holding(), ...args }));
  }

  async function failPatient(patient: WaitingPatient, why: Fault, chart: string | null): Promise<'go-on' | Ran> {
    log.warn('export.patient-failed', faultFields(why));
    const segments = [await errorSegment(why, chart, job.requestId)];
    return finish(patient, 'failed', { chart, segments, refers: [], counts: {}, fault: why });
  }

  /** A fault that passes holds up the whole export: the others would meet the same. */
  async function putOff(patient: WaitingPatient, why: Fault, chart: string | null): Promise<'go-on' | Ran> {
    const put = await exports.writeBehind('exports.put-off', { ...holding(), patient: patient.n, fault: why.code });
    if (!put.ok) return 'later';
    if (put.value.held === 'lost') return 'over';
    // An EHR that is left alone says nothing about this patient.
    if (put.value.attempts >= ATTEMPTS_MAX && why.code !== 'ehr.paused') return failPatient(patient, why, chart);
    pauseMs = Math.min(PAUSE_MAX_MS, why.retryAfterMs ?? PAUSE_MS * 2 ** Math.min(put.value.attempts - 1, 6));
    return 'go-on';
  }

  async function one(patient: WaitingPatient): Promise<'go-on' | Ran> {
    const caller = await callerNow();
    if (!caller.ok) return 'later';
    if (caller.value === null) return settle('failed', 'export.client');
    const put = (segments: readonly Segment[]): Promise<Result<LeaseOutcome>> =>
      exports.writeBehind('exports.put-segments', { ...holding(), patient: patient.n, segments });
    const read = await readPatient(deps, patient, ask, caller.value, put);
    if (signal.aborted) return 'later';
    switch (read.kind) {
      case 'lost':
        return 'over';
      case 'read':
        return finish(patient, 'done', { ...read, fault: null });
      case 'fault':
        if (read.fault.kind.startsWith('store-')) return 'later';
        return isPassing(read.fault)
          ? putOff(patient, read.fault, read.chart)
          : failPatient(patient, read.fault, read.chart);
    }
  }

  /** Several at once, until none is left or the run ends. Who was put off comes again. */
  async function patients(): Promise<'go-on' | Ran> {
    for (let last = 0; ;) {
      if (isTooLong()) return settle('failed', 'export.given-up');
      const page = await exports.read('exports.waiting', { tenant, seq, after: last, limit: PATIENTS_PAGE });
      if (!page.ok) return 'later';
      if (page.value.length === 0 && last === 0) return 'go-on';
      last = page.value.at(-1)?.n ?? 0;
      const queue = [...page.value];
      const ends: Ran[] = [];
      const work = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined && ends.length === 0; next = queue.shift()) {
          if (pauseMs > 0) await rest(pauseMs);
          if (await mustWait()) ends.push('later');
          else {
            const then = await one(next);
            if (then !== 'go-on') ends.push(then);
          }
        }
      };
      await Promise.all(Array.from({ length: deps.concurrency }, work));
      const [ended] = ends;
      if (ended !== undefined) return ended;
      if (pauseMs > 0) await rest(pauseMs);
      pauseMs = 0;
    }
  }

  async function shared(): Promise<'go-on' | Ran> {
    for (let tries = 0; ;) {
      if (await mustWait()) return 'later';
      if (isTooLong()) return settle('failed', 'export.given-up');
      const names = await exports.read('exports.waiting-shared', { tenant, seq, limit: SHARED_PAGE });
      if (!names.ok) return 'later';
      if (names.value.length === 0) return 'go-on';
      const caller = await callerNow();
      if (!caller.ok) return 'later';
      if (caller.value === null) return settle('failed', 'export.client');
      const found = await deps.chart.shared(names.value, ask, caller.value);
      if (!found.ok && isPassing(found.fault) && tries < ATTEMPTS_MAX) {
        tries += 1;
        await rest(Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** tries));
        continue;
      }
      const lines = found.ok ? found.value.filter(({ count }) => count > 0) : [];
      const segments: Segment[] = [];
      for (const { type, count, bytes } of lines)
        segments.push(await toSegment({ n: 0, type, resources: count, before: 0, lines: [bytes] }));
      if (!found.ok) segments.push(await errorSegment(found.fault, null, job.requestId));
      const put = { ...holding(), names: names.value, segments };
      const held = after(await exports.writeBehind('exports.put-shared', put));
      if (held !== 'go-on') return held;
    }
  }

  const beat = setInterval(() => void exports.write('exports.renew', holding()), LEASE_MS / 3).unref();
  try {
    if (job.phase === 'gather') {
      const gathered = await gather();
      if (gathered !== 'go-on') return gathered;
    }
    if (job.phase !== 'shared') {
      const read = await patients();
      if (read !== 'go-on') return read;
      const held = after(await exports.writeBehind('exports.to-shared', holding()));
      if (held !== 'go-on') return held;
    }
    const read = await shared();
    return read === 'go-on' ? await settle('complete', null) : read;
  } finally {
    clearInterval(beat);
  }
}
