import { fault, type Clock, type Fault, type NewId, type Result } from '../../kernel/index.ts';
import type { TypePlan, Target } from '../../ehr/index.ts';
import type { Operate } from '../../store/index.ts';
import { isRetractable, isWithdrawn } from '../../translate/index.ts';
import { versionOf, type Item } from '../build-items.ts';
import type { Claimed, LaneReads, LaneWrites, LedgerRow, Outcome } from '../../lanes/index.ts';
import { makeContentReader, type ContentReader } from '../content-reader.ts';
import { decideOutcome } from '../decide-outcome.ts';
import { applyDecisions } from '../foreign-changes.ts';
import type { LearntHabits } from '../learn-habits.ts';
import { LEASE_MS } from '../leases.ts';
import { judgeChart } from '../judge-chart.ts';
import { lookUp } from '../look-up.ts';
import { afterLook, mustLook, typePlanOf } from '../settle-item.ts';
import type { WriteDeps } from '../write-deps.ts';
import { factsOf, lookUpItem } from '../write-items.ts';
import { placesOf } from '../places-of.ts';
import { planJob, type Planned } from '../plan-job.ts';
import { NAME_SYSTEM } from '../request-items.ts';
import type { JobDeps } from '../job.ts';
import type { TranslationContext } from '../../judge/index.ts';
import type { Evaluation, ShadowItem } from './commands.ts';

/**
 * How many resources of one delivery are looked up at the EHR: enough to find out what stands there, and little load
 * for it.
 */
export const LOOKS_MAX = 20;

export interface EvaluateDeps {
  readonly tenant: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly translationContext: TranslationContext;
  /** Cannot write. */
  readonly target: Target;
  readonly patientMode: 'lookup' | 'create';
  readonly habits: LearntHabits;
  /** Of the fingerprints of what stands in charts. */
  readonly contentKey: string;
  readonly knownSince: number;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly signal: AbortSignal;
}

const ended = (
  kind: Evaluation['kind'],
  reason: string | null,
  faultCode: string | null,
  items: readonly ShadowItem[] = [],
) => ({
  kind,
  reason,
  faultCode,
  items,
});
const notYet = (why: Fault): Evaluation => ended('not-yet', null, why.code);

/** What a job would do that is parked `rejected` is what the EHR would refuse. */
const parked = (reason: string, faultCode: string | null): Evaluation =>
  ended(reason === 'rejected' ? 'refuse' : 'park', reason, faultCode);

/** Nothing more need be found out. */
interface Ended {
  readonly kind: 'ended';
  readonly evaluation: Evaluation;
}
const endedAs = (evaluation: Evaluation): Ended => ({ kind: 'ended', evaluation });

const REJECTED = parked('rejected', fault('ehr.rejected').code);
const CONFLICT = parked('conflict', fault('ehr.conflict').code);

function fromOutcome(outcome: Outcome): Evaluation {
  switch (outcome.kind) {
    case 'park':
      return parked(outcome.reason, outcome.faultCode);
    case 'delivered':
      return ended('nothing-to-write', null, null);
    case 'retry':
    case 'unknown':
      return ended('not-yet', null, outcome.faultCode);
    case 'put-back':
      return ended('not-yet', null, 'ehr.paused');
  }
}

const FIRST_TRY = { attempts: 0, fewInARow: 0, sinceFirstMs: 0, spread: 0 } as const;

/** What carrying out a job needs, without a lease and without a chart: nothing that would need them is called. */
const jobDepsOf = (deps: EvaluateDeps): JobDeps => ({
  ...deps,
  owner: 'shadow',
  spread: () => 0,
  leaseMs: LEASE_MS,
  enterChart: () => false,
  pretranslated: null,
  fastClaim: null,
  learn: () => undefined,
});

type Named = Pick<LedgerRow, 'name' | 'resourceType' | 'id'>;

const look = ({ name, resourceType, id }: Named, plan: TypePlan, { target, newId, signal }: EvaluateDeps) =>
  lookUp(target.ehr, { resourceType, name, system: NAME_SYSTEM, id, plan, requestId: newId('req'), signal });

/** What stands in the way of withdrawing these, where something does. */
async function checkWithdrawal(
  rows: readonly LedgerRow[],
  reader: ContentReader | null,
  deps: EvaluateDeps,
): Promise<Evaluation | null> {
  for (const [n, row] of rows.entries()) {
    const plan = deps.target.plan.types[row.resourceType];
    if (plan?.change !== 'update' || !isRetractable(row.resourceType)) return REJECTED;
    if (n >= LOOKS_MAX) continue;
    const looked = await look(row, plan, deps);
    if (!looked.ok) return notYet(looked.fault);
    if (reader === null || looked.value.kind !== 'there') continue;
    const { resource } = looked.value;
    const verdict = judgeChart({
      standing: {
        versionId: versionOf(resource),
        fingerprint: reader.fingerprintOf(resource),
        isWithdrawn: isWithdrawn(resource),
      },
      known: row,
      wanted: 'withdraw',
      intents: [],
      habits: deps.habits.current().types[row.resourceType] ?? null,
    });
    if (verdict === 'foreign' || (row.isKept && verdict !== 'says-it')) return CONFLICT;
  }
  return null;
}

/**
 * Looks at what stands at the EHR as writing would, before a write or after `If-Match` has found another version. Gives
 * the names of those that hold what is wanted already.
 */
async function checkItems(
  items: readonly Item[],
  writing: WriteDeps,
): Promise<{ readonly kind: 'checked'; readonly present: ReadonlySet<string> } | Ended> {
  const planOf = ({ resourceType }: Item): TypePlan => typePlanOf(writing.plan, resourceType);
  const present = new Set<string>();
  const taken = items.filter((item) => planOf(item).identity !== 'not-written');
  if (taken.some((item) => item.at !== null && planOf(item).change === 'none')) return endedAs(REJECTED);
  if (
    !taken.some(({ wanted }) => wanted.group !== 'support') &&
    taken.length < items.length &&
    writing.known.size === 0
  )
    return endedAs(REJECTED);
  // Measurements before what only supports them.
  const first = taken
    .filter((item) => item.at !== null || item.isKept || mustLook(item, writing))
    .sort((a, b) => Number(a.wanted.group === 'support') - Number(b.wanted.group === 'support'));
  for (const item of first.slice(0, LOOKS_MAX)) {
    const looked = await lookUpItem(item, writing);
    if (!looked.ok) return endedAs(notYet(looked.fault));
    const next = afterLook(item, looked.value, factsOf(items, null, writing));
    if (next.kind === 'stop') return endedAs(fromOutcome(decideOutcome(next.stop, FIRST_TRY)));
    if (next.kind === 'conflict' || (next.kind === 'again' && item.isKept)) return endedAs(CONFLICT);
    if (next.kind === 'done') present.add(item.name);
  }
  return { kind: 'checked', present };
}

const withdrawn = (rows: readonly LedgerRow[]): ShadowItem[] =>
  rows.map(({ name, resourceType }) => ({ name, resourceType, change: 'withdraw' }));

/** By reads alone: whom the MRN leads to, or that a patient would be created. */
async function findPatient(
  mrn: NonNullable<Claimed['mrn']>,
  { target, patientMode, newId, signal }: EvaluateDeps,
): Promise<{ readonly kind: 'found'; readonly reference: string; readonly reason: 'new-patient' | null } | Ended> {
  const found = await target.resolvePatient({ ...mrn, requestId: newId('req'), signal });
  if (found.ok) return { kind: 'found', reference: found.value.reference, reason: null };
  const { code } = found.fault;
  if (code === 'patient.none' && patientMode === 'create')
    return target.plan.createPatient === 'conditional'
      ? { kind: 'found', reference: 'Patient/new', reason: 'new-patient' }
      : endedAs(parked('patient', 'patient.not-created'));
  return endedAs(code.startsWith('patient.') ? parked('patient', code) : notYet(found.fault));
}

/** Every resource of a plan with what would become of it. `present`: what looking has found, by name. */
function itemsOf(planned: Planned, present: ReadonlySet<string>, { plan }: Target): ShadowItem[] {
  const items = planned.items.map(({ name, resourceType, at }): ShadowItem => {
    const isTaken = (plan.types[resourceType]?.identity ?? 'not-written') !== 'not-written';
    const change = present.has(name) ? 'present' : at === null ? 'create' : 'update';
    return { name, resourceType, change: isTaken ? change : 'left-out' };
  });
  const { provenance } = planned.translation;
  const isWritten = items.some(({ change }) => change === 'create' || change === 'update');
  return [
    ...items,
    ...(provenance !== null && plan.provenance === 'yes' && isWritten
      ? [{ name: provenance.name, resourceType: 'Provenance', change: 'create' } as const]
      : []),
    ...withdrawn(planned.gone),
  ];
}

async function evaluateDelivery(claimed: Claimed, deps: EvaluateDeps): Promise<Evaluation> {
  const { mrn, isLinked, doubtAt } = claimed;
  // Whoever changed the link moves the delivery too.
  if (mrn === null || !isLinked) return notYet(fault('link.unsettled'));
  const jobDeps = jobDepsOf(deps);
  const plan = await planJob(claimed, mrn, jobDeps);
  if (plan.kind === 'not-sent') return fromOutcome(plan.outcome);
  if (plan.kind === 'ledger-away') return notYet(plan.fault);
  const made = plan.planned;
  if (made.items.length === 0 && made.gone.length === 0) return ended('nothing-to-write', null, null);

  const patient = await findPatient(mrn, deps);
  if (patient.kind === 'ended') return patient.evaluation;
  const { target } = deps;
  const chart = { urn: made.translation.patient.reference, reference: patient.reference };
  const reader = makeContentReader({ guard: target.ehr.guard, key: deps.contentKey, patient: chart });
  const decided: Result<Planned> = claimed.isDecided
    ? await applyDecisions(claimed.delivery.id, made, reader, jobDeps)
    : { ok: true, value: made };
  if (!decided.ok) return notYet(decided.fault);
  const planned = decided.value;

  const checked = await checkItems(planned.items, {
    ehr: target.ehr,
    plan: target.plan,
    patient: { ...chart, via: [], remembered: null },
    saidAt: planned.saidAt,
    ...placesOf(planned.translation, planned.ledger),
    requestId: deps.newId('req'),
    signal: deps.signal,
    isApproved: planned.isApproved('ambiguous'),
    mode: 'write',
    doubtAt,
    intentsOf: () => [],
    reader,
    habits: deps.habits,
    now: deps.clock.now,
    send: target.send,
  });
  if (checked.kind === 'ended') return checked.evaluation;
  const stopped = await checkWithdrawal(planned.gone, reader, deps);
  if (stopped !== null) return stopped;
  const items = itemsOf(planned, checked.present, target);
  const isAnything = items.some(({ change }) => change === 'create' || change === 'update' || change === 'withdraw');
  return isAnything ? ended('write', patient.reason, null, items) : ended('nothing-to-write', null, null, items);
}

async function evaluateRetraction({ delivery, patient }: Claimed, deps: EvaluateDeps): Promise<Evaluation> {
  const { tenant, lanes } = deps;
  const rows = await lanes.read('lane.to-retract', { tenant, deliverySeq: delivery.seq, patient });
  if (!rows.ok) return notYet(rows.fault);
  const owed = rows.value.filter(({ group }) => group !== 'support');
  if (owed.length === 0) return ended('nothing-to-write', null, null);
  return (await checkWithdrawal(owed, null, deps)) ?? ended('write', 'relink', null, withdrawn(owed));
}

/**
 * What would become of a job if it were carried out now: planned as it would be, the patient resolved and the EHR
 * looked at by reads alone. Beside the ledger as it is, so of two waiting documents that speak of one resource both say
 * that they would create it.
 */
export const evaluateJob = (claimed: Claimed, deps: EvaluateDeps): Promise<Evaluation> =>
  claimed.job.kind === 'deliver' ? evaluateDelivery(claimed, deps) : evaluateRetraction(claimed, deps);
