import { fault, type Clock, type Fault, type NewId, type Result } from '../../kernel/index.ts';
import type { TypePlan } from '../../ehr/index.ts';
import type { Operate } from '../../store/index.ts';
import { isRetractable } from '../../translate/index.ts';
import { holdsContent, versionOf, type Item } from '../lane/build-items.ts';
import type { Claimed, LaneReads, LaneWrites, LedgerRow, Outcome } from '../lane/commands.ts';
import { decideOutcome } from '../lane/decide-outcome.ts';
import { applyDecisions } from '../lane/foreign-changes.ts';
import { LEASE_MS } from '../lane/hold-leases.ts';
import { lookUp } from '../lane/look-up.ts';
import { planJob, type Planned } from '../lane/plan-job.ts';
import { NAME_SYSTEM } from '../lane/request-items.ts';
import type { JobDeps, Target } from '../lane/run-job.ts';
import { writeItems } from '../lane/write-items.ts';
import type { Reading } from '../read-document.ts';
import type { Evaluation, ShadowItem } from './commands.ts';

/** How many resources of one delivery are looked up at the EHR: enough to find out what stands there, and little load for it. */
export const LOOKS_MAX = 20;

export interface EvaluateDeps {
  readonly tenant: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly reading: Reading;
  /** Cannot write. */
  readonly target: Target;
  readonly patientMode: 'lookup' | 'create';
  readonly knownSince: number;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly signal: AbortSignal;
}

const ended = (kind: Evaluation['kind'], reason: string | null, faultCode: string | null, items: readonly ShadowItem[] = []) => ({
  kind,
  reason,
  faultCode,
  items,
});
const notYet = (why: Fault): Evaluation => ended('not-yet', null, why.code);

/** What a job would do that is parked `rejected` is what the EHR would refuse. */
const parked = (reason: string, faultCode: string | null): Evaluation =>
  ended(reason === 'rejected' ? 'refuse' : 'park', reason, faultCode);

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
  ahead: null,
  atOnce: null,
  learn: () => undefined,
});

/** Whether writing an item begins with looking for it. The others are not looked for, and cost the EHR nothing. */
function isLookedFor({ at, resourceType, mayBeForgotten }: Item, isUnknown: boolean, { plan }: Target): boolean {
  const type = plan.types[resourceType];
  if (type === undefined || type.identity === 'not-written') return false;
  return isUnknown || mayBeForgotten || (at === null ? type.identity === 'search-then-write' : type.ifMatch === 'none');
}

/** Everything that costs no look, and of the rest as many as may be looked up; measurements before what only supports them. */
function withinLooks(items: readonly Item[], isUnknown: boolean, target: Target): Item[] {
  const looked = items.filter((item) => isLookedFor(item, isUnknown, target));
  const first = [...looked].sort((a, b) => Number(a.wanted.group === 'support') - Number(b.wanted.group === 'support'));
  const left = new Set(first.slice(LOOKS_MAX));
  return items.filter((item) => !left.has(item));
}

type Named = Pick<LedgerRow, 'name' | 'resourceType' | 'id'>;

const look = ({ name, resourceType, id }: Named, plan: TypePlan, { target, newId, signal }: EvaluateDeps) =>
  lookUp(target.ehr, { resourceType, name, system: NAME_SYSTEM, id, plan, requestId: newId('req'), signal });

/** What stands in the way of withdrawing these, where something does. */
async function checkWithdrawal(
  rows: readonly LedgerRow[],
  mode: 'ours' | 'whoever',
  deps: EvaluateDeps,
): Promise<Evaluation | null> {
  for (const [n, row] of rows.entries()) {
    const plan = deps.target.plan.types[row.resourceType];
    if (plan?.change !== 'update' || !isRetractable(row.resourceType)) return REJECTED;
    if (n >= LOOKS_MAX) continue;
    const looked = await look(row, plan, deps);
    if (!looked.ok) return notYet(looked.fault);
    const found = looked.value.kind === 'there' ? versionOf(looked.value.resource) : null;
    if (mode === 'ours' && found !== null && row.versionId !== null && found !== row.versionId) return CONFLICT;
  }
  return null;
}

/**
 * Writing finds out by `If-Match` that somebody else has changed a resource. Here it is looked at instead. Gives the names of those that hold
 * what is wanted already.
 */
async function checkUpdates(items: readonly Item[], deps: EvaluateDeps): Promise<readonly string[] | Evaluation> {
  const present: string[] = [];
  for (const { at, name, resourceType, digest, isRetracted } of items.slice(0, LOOKS_MAX)) {
    const plan = deps.target.plan.types[resourceType];
    if (at === null || plan === undefined) continue;
    const looked = await look({ name, resourceType, id: at.id }, plan, deps);
    if (!looked.ok) return notYet(looked.fault);
    if (looked.value.kind !== 'there') {
      if (!isRetracted) return CONFLICT;
    } else if (versionOf(looked.value.resource) !== at.versionId) {
      if (!holdsContent(looked.value.resource, digest)) return CONFLICT;
      present.push(name);
    }
  }
  return present;
}

const withdrawn = (rows: readonly LedgerRow[]): ShadowItem[] =>
  rows.map(({ name, resourceType }) => ({ name, resourceType, change: 'withdraw' }));

/** By reads alone: whom the MRN leads to, or that a patient would be created. */
async function findPatient(
  mrn: NonNullable<Claimed['mrn']>,
  { target, patientMode, newId, signal }: EvaluateDeps,
): Promise<{ readonly reference: string; readonly reason: 'new-patient' | null } | Evaluation> {
  const found = await target.resolvePatient({ ...mrn, requestId: newId('req'), signal });
  if (found.ok) return { reference: found.value.reference, reason: null };
  const { code } = found.fault;
  if (code === 'patient.none' && patientMode === 'create')
    return target.plan.createPatient === 'conditional'
      ? { reference: 'Patient/new', reason: 'new-patient' }
      : parked('patient', 'patient.not-created');
  return code.startsWith('patient.') ? parked('patient', code) : notYet(found.fault);
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

/** Where what is wanted stands already. */
function addressesOf({ ledger, translation }: Planned): ReadonlyMap<string, string> {
  const live = new Map(ledger.filter((row) => !row.isRetracted).map((row) => [row.name, `${row.resourceType}/${row.id}`]));
  return new Map(
    translation.wanted.flatMap(({ name, reference }) => {
      const address = live.get(name);
      return address === undefined ? [] : [[reference, address]];
    }),
  );
}

async function evaluateDelivery(claimed: Claimed, deps: EvaluateDeps): Promise<Evaluation> {
  const { mrn, isLinked, isUnknown } = claimed;
  // Whoever changed the link moves the delivery too.
  if (mrn === null || !isLinked) return notYet(fault('link.unsettled'));
  const jobDeps = jobDepsOf(deps);
  const made = await planJob(claimed, mrn, jobDeps);
  if ('outcome' in made) return fromOutcome(made.outcome);
  if ('ok' in made) return notYet(made.fault);
  if (made.items.length === 0 && made.gone.length === 0) return ended('nothing-to-write', null, null);

  const patient = await findPatient(mrn, deps);
  if ('kind' in patient) return patient;
  const decided: Result<Planned> = claimed.isDecided
    ? await applyDecisions(claimed.delivery.id, made, jobDeps)
    : { ok: true, value: made };
  if (!decided.ok) return notYet(decided.fault);
  const planned = decided.value;

  const { target } = deps;
  // The very code that writes, told only to look: it judges what stands at the EHR as it would before a write.
  const looked = await writeItems(withinLooks(planned.items, isUnknown, target), null, isUnknown, {
    ehr: target.ehr,
    plan: target.plan,
    patient: { urn: planned.translation.patient.reference, reference: patient.reference },
    saidAt: planned.saidAt,
    known: addressesOf(planned),
    requestId: deps.newId('req'),
    signal: deps.signal,
    isApproved: planned.isApproved,
    mode: 'look-only',
    now: deps.clock.now,
    send: target.send,
  });
  if (looked.stop !== null) return fromOutcome(decideOutcome(looked.stop, FIRST_TRY));
  const updates = planned.items.filter((item) => item.at !== null && !item.isDecided && !isLookedFor(item, isUnknown, target));
  const updated = await checkUpdates(updates, deps);
  if ('kind' in updated) return updated;
  const stopped = await checkWithdrawal(planned.gone, 'ours', deps);
  if (stopped !== null) return stopped;
  const items = itemsOf(planned, new Set([...looked.written.map(({ name }) => name), ...updated]), target);
  const isAnything = items.some(({ change }) => change === 'create' || change === 'update' || change === 'withdraw');
  return isAnything ? ended('write', patient.reason, null, items) : ended('nothing-to-write', null, null, items);
}

async function evaluateRetraction({ delivery, patient }: Claimed, deps: EvaluateDeps): Promise<Evaluation> {
  const { tenant, lanes } = deps;
  const rows = await lanes.read('lane.to-retract', { tenant, deliverySeq: delivery.seq, patient });
  if (!rows.ok) return notYet(rows.fault);
  const owed = rows.value.filter(({ group }) => group !== 'support');
  if (owed.length === 0) return ended('nothing-to-write', null, null);
  return (await checkWithdrawal(owed, 'whoever', deps)) ?? ended('write', 'relink', null, withdrawn(owed));
}

/**
 * What would become of a job if it were carried out now: planned as it would be, the patient resolved and the EHR looked at by reads alone.
 * Beside the ledger as it is, so of two waiting documents that speak of one resource both say that they would create it.
 */
export const evaluateJob = (claimed: Claimed, deps: EvaluateDeps): Promise<Evaluation> =>
  claimed.job.kind === 'deliver' ? evaluateDelivery(claimed, deps) : evaluateRetraction(claimed, deps);
