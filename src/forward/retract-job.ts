import { hash } from 'node:crypto';
import type { Claimed, Fence, Outcome } from '../lanes/index.ts';
import { beginAttempt, notBegun } from './begin-attempt.ts';
import { makeContentReader } from './content-reader.ts';
import { decideOutcome } from './decide-outcome.ts';
import { packIntents } from './intents.ts';
import { endedWith, pastOf, putBackSoon, type JobDeps, type JobEnd } from './job.ts';
import { readDoubt } from './read-doubt.ts';
import { retractRows } from './retract-rows.ts';

/** Takes everything that a document brought out of a chart that is no longer the right one. */
export async function retractJob(claimed: Claimed, fence: Fence, deps: JobDeps): Promise<JobEnd> {
  const past = pastOf(claimed, deps);
  const { tenant } = deps;
  const { patient, delivery } = claimed;
  const rows = await deps.lanes.read('lane.to-retract', { tenant, deliverySeq: delivery.seq, patient });
  if (!rows.ok) return putBackSoon();
  const owed = rows.value.filter(({ group }) => group !== 'support');
  if (owed.length === 0) return endedWith({ kind: 'delivered' });
  const requestDigest = hash('sha256', owed.map(({ name }) => name).join());
  const what = { requestDigest, intents: packIntents([], owed), chart: null, mode: 'look-only' } as const;
  const begun = await beginAttempt(claimed, fence, what, deps);
  if (begun.kind !== 'begun') return notBegun(begun, deps);
  const reader = makeContentReader({ guard: deps.target.ehr.guard, key: deps.contentKey, patient: null });
  const doubt = await readDoubt(claimed, owed, deps);
  if (!doubt.ok) return putBackSoon();
  const retraction = { because: claimed.job.because, mode: 'whoever', reader, intentsOf: doubt.value } as const;
  // What refers to others goes first, so that nothing refers to what is withdrawn.
  const { retracted, stop, httpStatus } = await retractRows([...owed].reverse(), retraction, deps);
  const outcome: Outcome = stop === null ? { kind: 'delivered' } : decideOutcome(stop, past);
  return endedWith(outcome, { attemptId: begun.attemptId, httpStatus, retracted, isResolved: stop === null });
}
