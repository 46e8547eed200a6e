import type { ResolvedPatient } from '../ehr/index.ts';
import { ok } from '../kernel/index.ts';
import type { Claimed, Delivered, Fence, Outcome } from '../lanes/index.ts';
import { LEFT_OUT, NOT_TAKEN } from '../inbox/index.ts';
import { beginAttempt, notBegun, type Begun } from './begin-attempt.ts';
import { checkIdentity, type Identity } from './check-identity.ts';
import { makeContentReader, type ContentReader } from './content-reader.ts';
import { afterFault, type Past } from './decide-outcome.ts';
import { doubtedRows } from './doubted-rows.ts';
import { applyDecisions, withWithdrawals, type Decided } from './foreign-changes.ts';
import { intentsOf } from './intents.ts';
import { chartBusy, endedWith, putBackSoon, type JobDeps, type JobEnd } from './job.ts';
import type { Intent } from './judge-chart.ts';
import { digestOfItems, planJob, type Planned } from './plan-job.ts';
import { readDoubt } from './read-doubt.ts';

/** Everything that is known before the first byte of a delivery goes out. */
export interface Prepared {
  readonly attemptId: string;
  readonly requestId: string;
  readonly mrn: NonNullable<Claimed['mrn']>;
  /** As it was planned, and as a person decided on it. */
  readonly planned: Planned;
  readonly decided: Planned & Partial<Decided>;
  readonly patient: ResolvedPatient;
  readonly chart: { readonly urn: string; readonly reference: string };
  readonly mode: 'write' | 'look-only';
  readonly reader: ContentReader;
  readonly intentsOf: (name: string) => readonly Intent[];
  /** What is to be told of whose it is, where it goes on. */
  readonly noted: Extract<Identity, { kind: 'goes-on' }>['noted'];
}

export type Preparation = { readonly kind: 'prepared'; readonly prepared: Prepared } | JobEnd;

const OTHER_PERSON: Outcome = { kind: 'park', reason: 'identity', faultCode: 'patient.other' };

export function deliveredOf({ leftOut, wanted, findings }: Planned['translation']): Delivered {
  if (leftOut.length > 0) return { kind: 'delivered', reason: LEFT_OUT };
  const isNotTaken = wanted.length === 0 && findings.some(({ code }) => code === 'resource.left-out');
  return isNotTaken ? { kind: 'delivered', reason: NOT_TAKEN } : { kind: 'delivered' };
}

/** What stands already and is said by the document too. */
export const adoptedOf = ({ adopted, saidAt }: Planned) =>
  adopted.length === 0 ? {} : { adopted: { names: adopted, saidAt } };

/** Plans a delivery, finds its patient and its chart, and commits that it is about to be sent. */
export async function prepareDelivery(claimed: Claimed, fence: Fence, past: Past, deps: JobDeps): Promise<Preparation> {
  const { mrn, isLinked, doubtAt } = claimed;
  // The link went elsewhere while nothing was under way: whoever changed it moves the delivery too.
  if (mrn === null || (!isLinked && doubtAt === null)) return putBackSoon();
  const before = deps.fastClaim?.kind === 'begun' ? deps.fastClaim : null;
  const plan =
    before === null ? await planJob(claimed, mrn, deps) : { kind: 'planned' as const, planned: before.planned };
  if (plan.kind === 'not-sent') {
    const { outcome, ...told } = await withWithdrawals(plan, past, deps);
    return endedWith(outcome, told);
  }
  if (plan.kind === 'ledger-away') return putBackSoon();
  const { planned } = plan;
  const { translation, ledger, items, gone } = planned;
  if (items.length === 0 && gone.length === 0 && isLinked)
    return endedWith(deliveredOf(translation), { ...adoptedOf(planned), isResolved: true });

  const { target, signal } = deps;
  const requestId = deps.newId('req');
  const patient = await target.resolvePatient({ ...mrn, requestId, signal });
  const attemptId = before?.attemptId ?? null;
  if (!patient.ok)
    return endedWith(afterFault(patient.fault, past), {
      attemptId,
      written: doubtAt === null ? [] : doubtedRows(planned),
    });
  const { reference } = patient.value;
  const identity = await checkIdentity(planned, reference, requestId, deps);
  if (!identity.ok) return endedWith(afterFault(identity.fault, past));
  if (identity.value.kind === 'other-person')
    return endedWith(OTHER_PERSON, { planDigest: planned.digest('identity') });
  const chart = { urn: translation.patient.reference, reference };
  const reader = before?.reader ?? makeContentReader({ guard: target.ehr.guard, key: deps.contentKey, patient: chart });
  const mode = isLinked ? 'write' : 'look-only';
  const doubt = await readDoubt(claimed, ledger, deps);
  if (!doubt.ok) return putBackSoon();
  const asDecided = claimed.isDecided ? await applyDecisions(claimed.delivery.id, planned, reader, deps) : ok(planned);
  if (!asDecided.ok) return endedWith(afterFault(asDecided.fault, past));
  const decided: Prepared['decided'] = asDecided.value;
  // What was begun as it was settled has taken the chart of the patient as remembered then.
  const isElsewhere = before !== null && before.chart !== reference;
  if (isElsewhere || !deps.enterChart(reference)) return endedWith(chartBusy(deps), { attemptId });
  const begin = (): Promise<Begun> => {
    const what = {
      requestDigest: digestOfItems(items),
      intents: intentsOf(decided, reader),
      chart: reference,
      mode,
    } as const;
    return beginAttempt(claimed, fence, what, deps);
  };
  const begun: Begun = before === null ? await begin() : { kind: 'begun', attemptId: before.attemptId };
  if (begun.kind !== 'begun') return notBegun(begun, deps);
  return {
    kind: 'prepared',
    prepared: {
      attemptId: begun.attemptId,
      requestId,
      mrn,
      planned,
      decided,
      patient: patient.value,
      chart,
      mode,
      reader,
      intentsOf: doubt.value,
      noted: identity.value.noted,
    },
  };
}
