import { fault } from '../kernel/index.ts';
import type { Claimed, Fence, Finish, Outcome } from '../lanes/index.ts';
import { alertDaysOf } from './alert-days.ts';
import { afterFault, decideOutcome, type Past } from './decide-outcome.ts';
import { doubtedRows } from './doubted-rows.ts';
import { seeForeignChanges, type InConflict } from './foreign-changes.ts';
import { NOTHING_DONE, pastOf, SOON_MS, type Done, type JobDeps, type JobEnd } from './job.ts';
import { placesOf } from './places-of.ts';
import { adoptedOf, deliveredOf, prepareDelivery, type Prepared } from './prepare-delivery.ts';
import { retractRows, type RetractedRows } from './retract-rows.ts';
import type { Stop } from './stop.ts';
import { writeItems, type WroteItems } from './write-items.ts';

const NOTHING_TAKEN: RetractedRows = { retracted: [], conflicts: [], stop: null, httpStatus: null };

/** Everything else was written: a person decides on what is left. */
const conflictOf = ({ items, rows }: InConflict): Stop | null =>
  items.length + rows.length === 0 ? null : { kind: 'conflict', fault: fault('ehr.conflict') };

/** What is in doubt stays so until all of it was looked up. */
const unlessResolved = (outcome: Outcome, isInDoubt: boolean): Outcome =>
  isInDoubt && outcome.kind === 'retry' ? { ...outcome, kind: 'unknown' } : outcome;

function write(prepared: Prepared, { doubtAt }: Claimed, deps: JobDeps): Promise<WroteItems> {
  const { planned, decided, patient, chart, mrn } = prepared;
  const { target } = deps;
  return writeItems(decided.items, planned.translation.provenance, {
    ehr: target.ehr,
    plan: target.plan,
    patient: {
      ...chart,
      via: patient.via,
      remembered: patient.isRemembered === true ? (target.rememberedAs?.(patient, mrn) ?? null) : null,
    },
    saidAt: planned.saidAt,
    ...placesOf(planned.translation, planned.ledger),
    requestId: prepared.requestId,
    signal: deps.signal,
    isApproved: planned.isApproved('ambiguous'),
    mode: prepared.mode,
    doubtAt,
    intentsOf: prepared.intentsOf,
    reader: prepared.reader,
    habits: deps.habits,
    now: deps.clock.now,
    send: target.send,
  });
}

/** What a person needs who is to decide on it; where that cannot be found out now, it is tried again. */
async function forAPerson(
  outcome: Outcome,
  claimed: Claimed,
  { planned, reader }: Prepared,
  inConflict: InConflict,
  deps: JobDeps,
): Promise<Pick<Finish, 'planDigest' | 'foreign'> & Partial<Pick<Finish, 'outcome'>>> {
  if (outcome.kind === 'delivered')
    return claimed.isDecided || planned.isApproved('suspicious') ? { foreign: 'settled' } : {};
  if (outcome.kind !== 'park') return {};
  if (outcome.reason === 'ambiguous') return { planDigest: planned.digest('ambiguous') };
  if (outcome.reason !== 'conflict') return {};
  const seen = await seeForeignChanges(inConflict, reader, deps);
  return seen.ok ? { foreign: seen.value } : { outcome: afterFault(seen.fault, pastOf(claimed, deps)) };
}

/** What was written and taken back, as it is committed. */
async function doneOf(
  claimed: Claimed,
  prepared: Prepared,
  wrote: WroteItems,
  past: Past,
  deps: JobDeps,
): Promise<Done> {
  const { planned, decided, reader } = prepared;
  const { translation, saidAt } = planned;
  const { doubtAt } = claimed;
  const written = [
    ...(decided.kept ?? []),
    ...wrote.written.filter(({ resourceType }) => resourceType !== 'Provenance'),
  ];
  const { attemptId } = prepared;
  // Now it is known what stands in the chart that is no longer the right one; the delivery follows its link.
  if (prepared.mode === 'look-only' && wrote.stop === null)
    return {
      ...NOTHING_DONE,
      attemptId,
      written,
      isResolved: wrote.isLookedUp,
      httpStatus: wrote.httpStatus,
      outcome: { kind: 'retry', afterMs: SOON_MS, faultCode: 'link.unsettled', patience: 'long' },
    };
  const retraction = { because: 'dropped', mode: 'ours', reader, intentsOf: prepared.intentsOf } as const;
  const taken = wrote.stop === null ? await retractRows(decided.gone, retraction, deps) : NOTHING_TAKEN;
  const inConflict = { items: wrote.conflicts, rows: taken.conflicts };
  const stop = wrote.stop ?? taken.stop ?? conflictOf(inConflict);
  const { noted } = prepared;
  const delivered = deliveredOf(translation);
  const outcome: Outcome =
    stop === null ? { ...delivered, ...(noted === undefined ? {} : { faultCode: noted }) } : decideOutcome(stop, past);
  // Withdrawals are looked up as they are carried out: what was not come to is still in doubt.
  const isResolved = wrote.isLookedUp && (decided.gone.length === 0 || (wrote.stop ?? taken.stop) === null);
  // What was found out is kept also where nothing could be written then.
  const isInDoubt = outcome.kind === 'unknown' || (doubtAt !== null && outcome.kind !== 'delivered');
  const settled = new Set([...taken.retracted, ...taken.conflicts].map(({ name }) => name));
  const unsettled = { items: wrote.unsettled, gone: decided.gone.filter(({ name }) => !settled.has(name)), saidAt };
  return {
    attemptId,
    ...adoptedOf(planned),
    ...alertDaysOf(translation, written, taken.retracted, decided.gone),
    written: isInDoubt ? [...written, ...doubtedRows(unsettled)] : written,
    isResolved,
    httpStatus: taken.httpStatus ?? wrote.httpStatus,
    retracted: taken.retracted,
    outcome: unlessResolved(outcome, doubtAt !== null && !isResolved),
    ...(await forAPerson(outcome, claimed, prepared, inConflict, deps)),
  };
}

/** Brings a document into the chart: planned, written, and what it no longer says taken back. */
export async function deliverJob(claimed: Claimed, fence: Fence, deps: JobDeps): Promise<JobEnd> {
  const past = pastOf(claimed, deps);
  const preparation = await prepareDelivery(claimed, fence, past, deps);
  if (preparation.kind !== 'prepared') return preparation;
  const { prepared } = preparation;
  const wrote = await write(prepared, claimed, deps);
  return { kind: 'ended', done: await doneOf(claimed, prepared, wrote, past, deps) };
}
