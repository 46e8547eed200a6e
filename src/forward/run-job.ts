import type {
  Target,
  Ehr,
  EhrRequest,
  ResolvedPatient,
  ResolvePatient,
  Sent,
  WritePlan,
  RememberedPatient,
} from '../ehr/index.ts';
import { hash } from 'node:crypto';
import { fault, ok, type Clock, type NewId, type Result } from '../kernel/index.ts';
import { LEFT_OUT } from '../inbox/index.ts';
import type { Operate } from '../store/index.ts';
import type { LinkedPatient } from '../translate/index.ts';
import type { Pretranslated, Pretranslations, TranslationContext } from '../judge/index.ts';
import { UNWRITTEN_DIGEST } from './decide-changes.ts';
import type { Claimed, Delivered, Fence, Finish, LaneReads, LaneWrites, LedgerRow, Outcome } from '../lanes/index.ts';
import { alertDaysOf } from './alert-days.ts';
import { doubtedRows } from './doubted-rows.ts';
import { afterFault, decideOutcome, type Past } from './decide-outcome.ts';
import { checkIdentity } from './check-identity.ts';
import { makeContentReader, type ContentReader } from './content-reader.ts';
import {
  applyDecisions,
  seeForeignChanges,
  withWithdrawals,
  type Decided,
  type InConflict,
} from './foreign-changes.ts';
import type { LearntHabits } from './learn-habits.ts';
import { packIntents, readIntents } from './intents.ts';
import { placesOf } from './places-of.ts';
import { digestOfItems, planJob, type Planned } from './plan-job.ts';
import { retractRows, type RetractedRows } from './retract-rows.ts';
import type { Stop } from './stop.ts';
import { writeItems } from './write-items.ts';

interface FoundByFastClaim {
  readonly ledger: readonly LedgerRow[];
  readonly attemptId: null;
  readonly planned: null;
}
interface BegunByFastClaim {
  readonly ledger: readonly LedgerRow[];
  readonly attemptId: string;
  readonly planned: Planned;
  readonly chart: string;
  readonly reader: ContentReader;
}

export interface JobDeps {
  readonly tenant: string;
  readonly owner: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly translationContext: TranslationContext;
  readonly target: Target;
  readonly clock: Clock;
  readonly newId: NewId;
  /** In [0, 1). */
  readonly spread: () => number;
  readonly leaseMs: number;
  /** Since when the ledger is known to miss nothing; 0: ever since there is one. */
  readonly knownSince: number;
  /** False where another lane of this process is at the chart of this patient. */
  readonly enterChart: (reference: string) => boolean;
  /** Ends what is under way when the lease is lost. */
  readonly signal: AbortSignal;
  /** What judging made of it, where that is still there. */
  readonly pretranslated: Pretranslated | null;
  /**
   * What was found in the commit that put it into its lane; with an attempt, also what it was begun for, and the chart
   * that it took.
   */
  readonly fastClaim: FoundByFastClaim | BegunByFastClaim | null;
  readonly learn: Pretranslations['learn'];
  readonly habits: LearntHabits;
  /** Of the fingerprints. */
  readonly contentKey: string;
}

/** What was done, to be committed; null where the lease was lost and nothing may be. */
export type Ended = Omit<Finish, 'fence' | 'jobSeq' | 'at'>;
const NOTHING_DONE = { attemptId: null, httpStatus: null, written: [], retracted: [], isResolved: false } as const;
const ended = (outcome: Outcome): Ended => ({ ...NOTHING_DONE, outcome });

const SOON_MS = 1_000;
const CHART_BUSY_MS = 150;

function pastOf({ job }: Claimed, { clock, spread }: JobDeps): Past {
  const first = job.firstAttemptAt;
  return {
    attempts: job.attempts,
    fewInARow: job.fewInARow,
    sinceFirstMs: first === null ? 0 : clock.now().getTime() - first,
    spread: spread(),
  };
}

/** Commits that something is about to be sent. Gives the id of the attempt; null where the lease was lost. */
async function begin(
  claimed: Claimed,
  fence: Fence,
  what: Pick<LaneWrites['lane.begin']['args'], 'requestDigest' | 'intents' | 'chart' | 'mode'>,
  deps: JobDeps,
): Promise<Result<{ readonly attemptId: string } | null | 'busy'>> {
  const attemptId = deps.newId('att');
  const begun = await deps.lanes.write('lane.begin', {
    fence,
    jobSeq: claimed.job.seq,
    attemptId,
    ...what,
    leaseMs: deps.leaseMs,
    at: deps.clock.now(),
  });
  if (!begun.ok) return begun;
  if (begun.value === 'busy') return ok('busy');
  return ok(begun.value === 'begun' ? { attemptId } : null);
}

/** What is in doubt stays so until all of it was looked up. */
const unlessResolved = (outcome: Outcome, isInDoubt: boolean): Outcome =>
  isInDoubt && outcome.kind === 'retry' ? { ...outcome, kind: 'unknown' } : outcome;

/** What an attempt is about to make of each resource. */
export const intentsOf = ({ items, gone }: Pick<Planned, 'items' | 'gone'>, reader: ContentReader): Uint8Array =>
  packIntents(
    items.map(({ name, resource }) => ({ name, fingerprint: reader.fingerprintOf(resource) })),
    gone,
  );

/**
 * What attempts of unknown outcome, of this document or of others about the same measurements, meant to make of its
 * resources.
 */
async function inDoubt(
  { doubtAt, delivery, patient }: Claimed,
  ledger: readonly LedgerRow[],
  { lanes, tenant }: JobDeps,
) {
  const doubters = ledger
    .filter(({ contentDigest }) => contentDigest === UNWRITTEN_DIGEST)
    .map(({ deliverySeq }) => deliverySeq);
  const deliverySeqs = [...new Set([...(doubtAt === null ? [] : [delivery.seq]), ...doubters])];
  if (deliverySeqs.length === 0) return ok(readIntents([]));
  const packed = await lanes.read('lane.intents', { tenant, deliverySeqs, patient });
  return packed.ok ? ok(readIntents(packed.value)) : packed;
}

const OTHER_PERSON: Outcome = { kind: 'park', reason: 'identity', faultCode: 'patient.other' };

const deliveredOf = ({ leftOut }: Planned['translation']): Delivered =>
  leftOut.length === 0 ? { kind: 'delivered' } : { kind: 'delivered', reason: LEFT_OUT };

async function deliverJob(claimed: Claimed, fence: Fence, deps: JobDeps): Promise<Ended | null> {
  const past = pastOf(claimed, deps);
  const { mrn, isLinked, doubtAt } = claimed;
  // The link went elsewhere while nothing was under way: whoever changed it moves the delivery too.
  if (mrn === null || (!isLinked && doubtAt === null)) return ended({ kind: 'put-back', afterMs: SOON_MS });
  const planned = deps.fastClaim?.planned ?? (await planJob(claimed, mrn, deps));
  if ('outcome' in planned) return { ...NOTHING_DONE, ...(await withWithdrawals(planned, past, deps)) };
  if ('ok' in planned) return ended({ kind: 'put-back', afterMs: SOON_MS });
  const { translation, ledger, items, gone, saidAt } = planned;
  const adopted = planned.adopted.length === 0 ? {} : { adopted: { names: planned.adopted, saidAt } };
  const delivered = deliveredOf(translation);
  if (items.length === 0 && gone.length === 0 && isLinked) return { ...ended(delivered), ...adopted, isResolved: true };

  const { target, signal } = deps;
  const requestId = deps.newId('req');
  const patient = await target.resolvePatient({ ...mrn, requestId, signal });
  const before = deps.fastClaim?.attemptId === null ? null : deps.fastClaim;
  if (!patient.ok)
    return {
      ...ended(afterFault(patient.fault, past)),
      attemptId: before?.attemptId ?? null,
      written: doubtAt === null ? [] : doubtedRows(planned),
    };
  const { reference, via } = patient.value;
  const identity = await checkIdentity(planned, reference, requestId, deps);
  if (!identity.ok) return ended(afterFault(identity.fault, past));
  if (identity.value.kind === 'other-person') return { ...ended(OTHER_PERSON), planDigest: planned.digest('identity') };
  const chart = { urn: translation.patient.reference, reference };
  const reader = before?.reader ?? makeContentReader({ guard: target.ehr.guard, key: deps.contentKey, patient: chart });
  const mode = isLinked ? 'write' : 'look-only';
  const intents = await inDoubt(claimed, ledger, deps);
  if (!intents.ok) return ended({ kind: 'put-back', afterMs: SOON_MS });
  const asDecided = claimed.isDecided ? await applyDecisions(claimed.delivery.id, planned, reader, deps) : ok(planned);
  if (!asDecided.ok) return ended(afterFault(asDecided.fault, past));
  const decided: Planned & Partial<Decided> = asDecided.value;
  // What was begun as it was settled has taken the chart of the patient as remembered then.
  const isElsewhere = before !== null && before.chart !== reference;
  if (isElsewhere || !deps.enterChart(reference))
    return { ...ended(chartBusy(deps)), attemptId: before?.attemptId ?? null };
  const what = { requestDigest: digestOfItems(items), chart: reference, mode } as const;
  const begun =
    before === null ? await begin(claimed, fence, { ...what, intents: intentsOf(decided, reader) }, deps) : ok(before);
  if (!begun.ok) return ended({ kind: 'put-back', afterMs: SOON_MS });
  if (begun.value === 'busy') return ended(chartBusy(deps));
  if (begun.value === null) return null;

  const wrote = await writeItems(decided.items, translation.provenance, {
    ehr: target.ehr,
    plan: target.plan,
    patient: {
      ...chart,
      via,
      remembered: patient.value.isRemembered === true ? (target.rememberedAs?.(patient.value, mrn) ?? null) : null,
    },
    saidAt,
    ...placesOf(translation, ledger),
    requestId,
    signal,
    isApproved: planned.isApproved('ambiguous'),
    mode,
    doubtAt,
    intentsOf: intents.value,
    reader,
    habits: deps.habits,
    now: deps.clock.now,
    send: target.send,
  });
  const written = [
    ...(decided.kept ?? []),
    ...wrote.written.filter(({ resourceType }) => resourceType !== 'Provenance'),
  ];
  const done = { attemptId: begun.value.attemptId, written };
  // Now it is known what stands in the chart that is no longer the right one; the delivery follows its link.
  if (mode === 'look-only' && wrote.stop === null)
    return {
      ...done,
      isResolved: wrote.isLookedUp,
      httpStatus: wrote.httpStatus,
      retracted: [],
      outcome: { kind: 'retry', afterMs: SOON_MS, faultCode: 'link.unsettled', patience: 'long' },
    };
  const retraction = {
    because: 'dropped',
    mode: 'ours',
    reader,
    intentsOf: intents.value,
  } as const;
  const taken = wrote.stop === null ? await retractRows(decided.gone, retraction, deps) : NOTHING_TAKEN;
  const inConflict = { items: wrote.conflicts, rows: taken.conflicts };
  const stop = wrote.stop ?? taken.stop ?? conflictOf(inConflict);
  const { noted } = identity.value;
  const outcome: Outcome =
    stop === null ? { ...delivered, ...(noted === undefined ? {} : { faultCode: noted }) } : decideOutcome(stop, past);
  // Withdrawals are looked up as they are carried out: what was not come to is still in doubt.
  const isResolved = wrote.isLookedUp && (decided.gone.length === 0 || (wrote.stop ?? taken.stop) === null);
  // What was found out is kept also where nothing could be written then.
  const isInDoubt = outcome.kind === 'unknown' || (doubtAt !== null && outcome.kind !== 'delivered');
  const settled = new Set([...taken.retracted, ...taken.conflicts].map(({ name }) => name));
  const unsettled = { items: wrote.unsettled, gone: decided.gone.filter(({ name }) => !settled.has(name)), saidAt };
  return {
    ...done,
    ...adopted,
    ...alertDaysOf(translation, written, taken.retracted, decided.gone),
    written: isInDoubt ? [...written, ...doubtedRows(unsettled)] : written,
    isResolved,
    httpStatus: taken.httpStatus ?? wrote.httpStatus,
    retracted: taken.retracted,
    outcome: unlessResolved(outcome, doubtAt !== null && !isResolved),
    ...(await forAPerson(outcome, claimed, planned, inConflict, reader, deps)),
  };
}

/** Everything else was written: a person decides on what is left. */
const conflictOf = ({ items, rows }: InConflict): Stop | null =>
  items.length + rows.length === 0 ? null : { kind: 'conflict', fault: fault('ehr.conflict') };

/** What a person needs who is to decide on it; where that cannot be found out now, it is tried again. */
async function forAPerson(
  outcome: Outcome,
  claimed: Claimed,
  planned: Planned,
  inConflict: InConflict,
  reader: ContentReader,
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

/** Somebody is at the same chart under another MRN, which is soon over. */
const chartBusy = ({ spread }: JobDeps): Outcome => ({
  kind: 'put-back',
  afterMs: Math.round(CHART_BUSY_MS * (1 + spread())),
});

const NOTHING_TAKEN: RetractedRows = { retracted: [], conflicts: [], stop: null, httpStatus: null };

async function retractJob(claimed: Claimed, fence: Fence, deps: JobDeps): Promise<Ended | null> {
  const past = pastOf(claimed, deps);
  const { seq } = claimed.delivery;
  const rows = await deps.lanes.read('lane.to-retract', {
    tenant: deps.tenant,
    deliverySeq: seq,
    patient: claimed.patient,
  });
  if (!rows.ok) return ended({ kind: 'put-back', afterMs: SOON_MS });
  const owed = rows.value.filter(({ group }) => group !== 'support');
  if (owed.length === 0) return ended({ kind: 'delivered' });
  const requestDigest = hash('sha256', owed.map(({ name }) => name).join());
  const what = { requestDigest, intents: packIntents([], owed), chart: null, mode: 'look-only' } as const;
  const begun = await begin(claimed, fence, what, deps);
  if (!begun.ok) return ended({ kind: 'put-back', afterMs: SOON_MS });
  if (begun.value === 'busy') return ended(chartBusy(deps));
  if (begun.value === null) return null;
  // What refers to others goes first, so that nothing refers to what is withdrawn.
  const reader = makeContentReader({ guard: deps.target.ehr.guard, key: deps.contentKey, patient: null });
  const intents = await inDoubt(claimed, owed, deps);
  if (!intents.ok) return ended({ kind: 'put-back', afterMs: SOON_MS });
  const retraction = { because: claimed.job.because, mode: 'whoever', reader, intentsOf: intents.value } as const;
  const { retracted, stop, httpStatus } = await retractRows([...owed].reverse(), retraction, deps);
  const outcome: Outcome = stop === null ? { kind: 'delivered' } : decideOutcome(stop, past);
  return { attemptId: begun.value.attemptId, httpStatus, written: [], retracted, outcome, isResolved: stop === null };
}

/**
 * Carries out the head of a lane. What it did is told also where it came only half way; null where the lease was lost.
 */
export const runJob = (claimed: Claimed, fence: Fence, deps: JobDeps): Promise<Ended | null> =>
  claimed.job.kind === 'deliver' ? deliverJob(claimed, fence, deps) : retractJob(claimed, fence, deps);
