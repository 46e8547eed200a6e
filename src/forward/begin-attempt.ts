import type { Claimed, Fence, LaneWrites } from '../lanes/index.ts';
import { chartBusy, endedWith, putBackSoon, type JobDeps, type JobEnd } from './job.ts';

/** Whether something may be sent now. */
export type Begun =
  | { readonly kind: 'begun'; readonly attemptId: string }
  /** Somebody is at the chart. */
  | { readonly kind: 'chart-busy' }
  | { readonly kind: 'lease-lost' }
  | { readonly kind: 'store-away' };

type What = Pick<LaneWrites['lane.begin']['args'], 'requestDigest' | 'intents' | 'chart' | 'mode'>;

/** Commits that something is about to be sent, fenced by the lease. */
export async function beginAttempt(claimed: Claimed, fence: Fence, what: What, deps: JobDeps): Promise<Begun> {
  const attemptId = deps.newId('att');
  const begun = await deps.lanes.write('lane.begin', {
    fence,
    jobSeq: claimed.job.seq,
    attemptId,
    ...what,
    leaseMs: deps.leaseMs,
    at: deps.clock.now(),
  });
  if (!begun.ok) return { kind: 'store-away' };
  switch (begun.value) {
    case 'begun':
      return { kind: 'begun', attemptId };
    case 'busy':
      return { kind: 'chart-busy' };
    case 'lost':
      return { kind: 'lease-lost' };
  }
}

/** How a job ends that was not begun. */
export function notBegun({ kind }: Exclude<Begun, { kind: 'begun' }>, deps: JobDeps): JobEnd {
  switch (kind) {
    case 'store-away':
      return putBackSoon();
    case 'chart-busy':
      return endedWith(chartBusy(deps));
    case 'lease-lost':
      return { kind: 'lease-lost' };
  }
}
