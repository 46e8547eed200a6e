import { createHash } from 'node:crypto';
import { fail, fault, ok, type Clock, type Fault, type NewId, type Result } from '../../kernel/index.ts';
import type { Ehr, EhrRequest, ResolvePatient, Sent, Verdict, WritePlan } from '../../ehr/index.ts';
import { parseLossless } from '../../r4/index.ts';
import type { Operate } from '../../store/index.ts';
import type { Dialect } from '../../mappings/index.ts';
import type { AnyResource } from '../../payloads/index.ts';
import { asRetracted, isRetractable, translate, type Translation } from '../../translate/index.ts';
import { decideChanges } from '../decide-changes.ts';
import { readDocument, saidAtOf, type Reading } from '../read-document.ts';
import { buildItems, versionOf, versionOfEtag, withoutMark, type Item } from './build-items.ts';
import type { Claimed, Fence, Finish, LaneReads, LaneWrites, LedgerRow, Outcome } from './commands.ts';
import { afterFault, decideOutcome, type Past } from './decide-outcome.ts';
import { lookUp } from './look-up.ts';
import { NAME_SYSTEM } from './request-items.ts';
import { writeItems, type Stop } from './write-items.ts';

/** The EHR as it is known now. */
export interface Target {
  readonly ehr: Ehr;
  readonly plan: WritePlan;
  readonly resolvePatient: ResolvePatient;
  readonly send: (request: EhrRequest) => Promise<Sent>;
}

export interface JobDeps {
  readonly tenant: string;
  readonly owner: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly reading: Reading;
  readonly target: Target;
  readonly clock: Clock;
  readonly newId: NewId;
  /** In [0, 1). */
  readonly spread: () => number;
  readonly leaseMs: number;
  /** Ends what is under way when the lease is lost. */
  readonly signal: AbortSignal;
}

/** What was done, to be committed; null where the lease was lost and nothing may be. */
type Ended = Omit<Finish, 'fence' | 'jobSeq' | 'at'>;
const NOTHING_DONE = { attemptId: null, httpStatus: null, written: [], retracted: [], isResolved: false } as const;
const ended = (outcome: Outcome): Ended => ({ ...NOTHING_DONE, outcome });

const SOON_MS = 1_000;

function pastOf({ job }: Claimed, { clock, spread }: JobDeps): Past {
  const first = job.firstAttemptAt;
  return { attempts: job.attempts, sinceFirstMs: first === null ? 0 : clock.now().getTime() - first, spread: spread() };
}

const digestOfItems = (items: readonly Item[]): string =>
  createHash('sha256')
    .update(items.map(({ name, digest }) => `${name} ${digest}`).join('\n'))
    .digest('hex');

interface Planned {
  readonly translation: Translation;
  readonly ledger: readonly LedgerRow[];
  readonly items: readonly Item[];
  readonly gone: readonly LedgerRow[];
  readonly saidAt: number;
}

async function plan(claimed: Claimed, mrn: NonNullable<Claimed['mrn']>, deps: JobDeps): Promise<Result<Planned> | Outcome> {
  const { reading, lanes, tenant } = deps;
  const { delivery, body } = claimed;
  if (body === 'gone' || body === 'unopenable') return { kind: 'park', reason: 'rejected', faultCode: null };
  const parsed = parseLossless(body);
  const read = parsed.ok ? await readDocument(parsed.value, reading) : fail(fault('payload.shape'));
  if (!read.ok) return { kind: 'park', reason: 'unmapped', faultCode: read.fault.code };
  const { payload, custom } = read.value;
  const receivedAt = new Date(delivery.receivedAt);
  const translation = translate({
    payload,
    custom,
    patient: mrn,
    delivery: { id: delivery.id, receivedAt },
    setting: reading.setting,
  });
  if (translation.trouble !== null) return { kind: 'park', reason: translation.trouble, faultCode: null };
  const names = translation.wanted.map(({ name }) => name);
  const ledger = await lanes.read('lane.ledger', { tenant, deliveryId: delivery.id, patient: mrn, names });
  if (!ledger.ok) return ledger;
  const saidAt = saidAtOf(payload, receivedAt);
  const { changes, isSuspicious } = decideChanges(translation, ledger.value, reading.setting.dialect, saidAt);
  if (isSuspicious && !claimed.wasApproved) return { kind: 'park', reason: 'suspicious', faultCode: null };
  const gone = changes.flatMap((change) =>
    change.kind === 'retract' ? ledger.value.filter(({ name }) => name === change.written.name) : [],
  );
  return ok({ translation, ledger: ledger.value, items: buildItems(changes, ledger.value), gone, saidAt });
}

interface Retracted {
  readonly retracted: Finish['retracted'];
  readonly stop: Stop | null;
  readonly httpStatus: number | null;
}

const RETRACTED_TAG = { system: 'urn:chartgate:retracted', code: 'retracted' };
const isTakenBack = (resource: AnyResource): boolean => {
  const { tag } = (resource['meta'] ?? {}) as { tag?: { system?: unknown }[] };
  return resource['status'] === 'entered-in-error' || (tag ?? []).some(({ system }) => system === RETRACTED_TAG.system);
};
function takenBack(resource: AnyResource, dialect: Dialect, why: string): AnyResource {
  const unmarked = withoutMark(asRetracted(resource, dialect, why));
  const meta = (unmarked['meta'] ?? {}) as { tag?: unknown[] };
  return { ...unmarked, meta: { ...meta, tag: [...(meta.tag ?? []), RETRACTED_TAG] } };
}

/**
 * Takes resources back, one by one: each is read, so that what a person added to it stays, and changed in its status alone. In the wrong
 * chart (`whoever`) it is taken back whoever was at it since; else somebody else's change is a conflict.
 */
async function retract(rows: readonly LedgerRow[], why: string, mode: 'ours' | 'whoever', deps: JobDeps): Promise<Retracted> {
  const { target, reading, signal } = deps;
  const retracted: { name: string; versionId: string | null }[] = [];
  let httpStatus: number | null = null;
  const stopped = (stop: Stop): Retracted => ({ retracted, stop, httpStatus });
  for (const row of rows) {
    const typePlan = target.plan.types[row.resourceType];
    if (typePlan === undefined || typePlan.change === 'none' || !isRetractable(row.resourceType))
      return stopped({ kind: 'verdict', verdict: { kind: 'rejected', fault: fault('ehr.rejected') } });
    const requestId = deps.newId('req');
    const asked = {
      resourceType: row.resourceType,
      name: row.name,
      system: NAME_SYSTEM,
      id: row.id,
      plan: typePlan,
      requestId,
      signal,
    };
    const looked = await lookUp(target.ehr, asked);
    if (!looked.ok) return stopped({ kind: 'verdict', verdict: notNow(looked.fault) });
    if (looked.value.kind !== 'there' || isTakenBack(looked.value.resource)) {
      retracted.push({ name: row.name, versionId: looked.value.kind === 'there' ? versionOf(looked.value.resource) : null });
      continue;
    }
    const { resource } = looked.value;
    const version = versionOf(resource);
    if (mode === 'ours' && row.versionId !== null && version !== null && row.versionId !== version)
      return stopped({ kind: 'conflict', fault: fault('ehr.conflict') });
    const { exchange, verdict } = await deps.target.send({
      method: 'PUT',
      path: `${row.resourceType}/${row.id}`,
      body: JSON.stringify(takenBack(resource, reading.setting.dialect, why)),
      ...(version === null || typePlan.ifMatch === 'none' ? {} : { ifMatch: `W/"${version}"` }),
      prefer: 'return=minimal',
      requestId,
      signal,
    });
    if (exchange?.kind === 'answered') httpStatus = exchange.status;
    if (verdict.kind !== 'ok') {
      const isForeign = verdict.kind === 'conflict' && verdict.because === 'version' && mode === 'ours';
      return stopped(isForeign ? { kind: 'conflict', fault: verdict.fault } : { kind: 'verdict', verdict: again(verdict) });
    }
    const etag = exchange?.kind === 'answered' ? exchange.headers.etag : undefined;
    retracted.push({ name: row.name, versionId: versionOfEtag(etag) });
  }
  return { retracted, stop: null, httpStatus };
}

const notNow = (because: Fault): Exclude<Verdict, { kind: 'ok' }> => ({
  kind: 'retry-later',
  afterMs: null,
  patience: 'long',
  effect: 'none',
  fault: because,
});
/** In the wrong chart a version that went on meanwhile is read once more. */
const again = (verdict: Exclude<Verdict, { kind: 'ok' }>): Exclude<Verdict, { kind: 'ok' }> =>
  verdict.kind === 'conflict' ? { ...verdict, because: 'concurrency' } : verdict;

/** Commits that something is about to be sent; null where it must not be. */
async function begin(
  claimed: Claimed,
  fence: Fence,
  requestDigest: string,
  mode: 'write' | 'look-only',
  deps: JobDeps,
): Promise<Result<string | null>> {
  const attemptId = deps.newId('att');
  const begun = await deps.lanes.write('lane.begin', {
    fence,
    jobSeq: claimed.job.seq,
    attemptId,
    requestDigest,
    mode,
    leaseMs: deps.leaseMs,
    at: deps.clock.now(),
  });
  if (!begun.ok) return begun;
  return ok(begun.value === 'begun' ? attemptId : null);
}

/** What is in doubt stays so until all of it was looked up. */
const unlessResolved = (outcome: Outcome, isInDoubt: boolean): Outcome =>
  isInDoubt && outcome.kind === 'retry' ? { ...outcome, kind: 'unknown' } : outcome;

async function deliverJob(claimed: Claimed, fence: Fence, deps: JobDeps): Promise<Ended | null> {
  const past = pastOf(claimed, deps);
  const { mrn, isLinked, isUnknown } = claimed;
  // The link went elsewhere while nothing was under way: whoever changed it moves the delivery too.
  if (mrn === null || (!isLinked && !isUnknown)) return ended({ kind: 'put-back', afterMs: SOON_MS });
  const planned = await plan(claimed, mrn, deps);
  if ('kind' in planned) return ended(planned);
  if (!planned.ok) return ended({ kind: 'put-back', afterMs: SOON_MS });
  const { translation, ledger, items, gone, saidAt } = planned.value;
  if (items.length === 0 && gone.length === 0 && isLinked) return { ...ended({ kind: 'delivered' }), isResolved: true };

  const { target, signal } = deps;
  const requestId = deps.newId('req');
  const patient = await target.resolvePatient({ ...mrn, requestId, signal });
  if (!patient.ok) return ended(afterFault(patient.fault, past));
  const mode = isLinked ? 'write' : 'look-only';
  const begun = await begin(claimed, fence, digestOfItems(items), mode, deps);
  if (!begun.ok) return ended({ kind: 'put-back', afterMs: SOON_MS });
  if (begun.value === null) return null;

  const wrote = await writeItems(items, translation.provenance, isUnknown, {
    ehr: target.ehr,
    plan: target.plan,
    patient: { urn: translation.patient.reference, reference: patient.value.reference },
    saidAt,
    known: addressesOf(translation, ledger),
    requestId,
    signal,
    isApproved: claimed.wasApproved,
    mode,
    now: deps.clock.now,
    send: target.send,
  });
  const done = {
    attemptId: begun.value,
    written: wrote.written.filter(({ resourceType }) => resourceType !== 'Provenance'),
    isResolved: wrote.isLookedUp,
  };
  // Now it is known what stands in the chart that is no longer the right one; the delivery follows its link.
  if (mode === 'look-only' && wrote.stop === null)
    return {
      ...done,
      httpStatus: wrote.httpStatus,
      retracted: [],
      outcome: { kind: 'retry', afterMs: SOON_MS, faultCode: 'link.unsettled' },
    };
  const taken =
    wrote.stop === null ? await retract(gone, 'Superseded by a newer version of its document.', 'ours', deps) : NOTHING_TAKEN;
  const stop = wrote.stop ?? taken.stop;
  const outcome: Outcome = stop === null ? { kind: 'delivered' } : decideOutcome(stop, past);
  return {
    ...done,
    httpStatus: taken.httpStatus ?? wrote.httpStatus,
    retracted: taken.retracted,
    outcome: unlessResolved(outcome, isUnknown && !wrote.isLookedUp),
  };
}

const NOTHING_TAKEN: Retracted = { retracted: [], stop: null, httpStatus: null };

/** Where what is wanted stands already. */
function addressesOf({ wanted }: Translation, ledger: readonly LedgerRow[]): ReadonlyMap<string, string> {
  const live = new Map(
    ledger.filter(({ isRetracted }) => !isRetracted).map((row) => [row.name, `${row.resourceType}/${row.id}`]),
  );
  const known = new Map<string, string>();
  for (const { name, reference } of wanted) {
    const address = live.get(name);
    if (address !== undefined) known.set(reference, address);
  }
  return known;
}

async function retractJob(claimed: Claimed, fence: Fence, deps: JobDeps): Promise<Ended | null> {
  const past = pastOf(claimed, deps);
  const { seq } = claimed.delivery;
  const rows = await deps.lanes.read('lane.to-retract', { tenant: deps.tenant, deliverySeq: seq, patient: claimed.patient });
  if (!rows.ok) return ended({ kind: 'put-back', afterMs: SOON_MS });
  const owed = rows.value.filter(({ group }) => group !== 'support');
  if (owed.length === 0) return ended({ kind: 'delivered' });
  const digest = createHash('sha256')
    .update(owed.map(({ name }) => name).join())
    .digest('hex');
  const begun = await begin(claimed, fence, digest, 'look-only', deps);
  if (!begun.ok) return ended({ kind: 'put-back', afterMs: SOON_MS });
  if (begun.value === null) return null;
  // What refers to others goes first, so that nothing refers to what is withdrawn.
  const why = 'Entered in the chart of another patient by mistake.';
  const { retracted, stop, httpStatus } = await retract([...owed].reverse(), why, 'whoever', deps);
  const outcome: Outcome = stop === null ? { kind: 'delivered' } : decideOutcome(stop, past);
  return { attemptId: begun.value, httpStatus, written: [], retracted, outcome, isResolved: false };
}

/** Carries out the head of a lane. What it did is told also where it came only half way; null where the lease was lost. */
export const runJob = (claimed: Claimed, fence: Fence, deps: JobDeps): Promise<Ended | null> =>
  claimed.job.kind === 'deliver' ? deliverJob(claimed, fence, deps) : retractJob(claimed, fence, deps);
