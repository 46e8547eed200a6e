import type { Target } from '../ehr/index.ts';
import type { HeldTranslation, TranslationContext } from '../judge/index.ts';
import { faultFields, safeError, type Span } from '../kernel/index.ts';
import { packDone, type Claimed, type Fence, type Outcome } from '../lanes/index.ts';
import type { JobRoom } from './job-room.ts';
import { NOTHING_DONE, type Done, type FastClaim, type JobEnd } from './job.ts';
import type { LanesDeps } from './lanes-deps.ts';
import { LEASE_MS, type Leases } from './leases.ts';
import { runJob } from './run-job.ts';
import { traceIdOf, traceTarget } from './trace-target.ts';
import { beginAttemptSpan, endAttemptSpan, finishFields, tellWait } from './watch-attempt.ts';

const FAILURES_MAX = 10;
const FAILED_WAIT_MS = 60_000;

/** Its job was taken away, or the lease is: what is still ours is given back. */
const NOT_BEGUN: Done = { ...NOTHING_DONE, outcome: { kind: 'put-back', afterMs: 0 } };
/** There was no memory to work on it. */
const NO_ROOM: Done = { ...NOTHING_DONE, outcome: { kind: 'put-back', afterMs: 1_000 } };

/** A claim with what is known of it already. */
export interface Start {
  readonly claimed: Claimed;
  readonly target: Target;
  readonly claimedAt: number;
  readonly translationContext: TranslationContext;
  readonly pretranslated: HeldTranslation | null;
  readonly fastClaim: FastClaim | null;
}

/** How long a job waits that goes back into its lane; null where it does not. */
function waitOf(outcome: Outcome): number | null {
  switch (outcome.kind) {
    case 'retry':
    case 'unknown':
    case 'put-back':
      return outcome.afterMs;
    case 'delivered':
    case 'park':
      return null;
  }
}

/** What is committed: what a job did, or that it did nothing. */
const doneOf = (end: JobEnd): Done => (end.kind === 'ended' ? end.done : NOT_BEGUN);

/** Carries out claims under their leases, and commits what came of each. */
export function makeCarryOut(
  deps: LanesDeps & {
    readonly leases: Leases;
    readonly jobRoom: JobRoom;
    readonly knownSince: () => number | null;
    /** Some lane may be due. */
    readonly onMore: () => void;
    /** A lane comes round again after so long. */
    readonly onWait: (afterMs: number) => void;
  },
) {
  const { tenant, owner, lanes, clock, log, leases, trace = null } = deps;

  const fenceOf = ({ patient, epoch }: Claimed): Fence => ({ tenant, owner, patient, epoch });
  const finish = (claimed: Claimed, done: Done) =>
    lanes.write('lane.finish', {
      ...done,
      ...packDone(done, clock.now(), claimed.delivery.seq),
      fence: fenceOf(claimed),
      jobSeq: claimed.job.seq,
    });

  async function finishWatched(claimed: Claimed, done: Done, span: Span) {
    const step = span.begin();
    const finished = await finish(claimed, done);
    step.end('delivery.finish', finishFields(claimed, done, finished));
    return finished;
  }

  function logSent({ delivery }: Claimed, outcome: Outcome): void {
    if (outcome.kind !== 'delivered' && outcome.kind !== 'park') return;
    log.info('delivery.sent', {
      deliveryId: delivery.id,
      requestId: delivery.requestId,
      traceId: traceIdOf(delivery),
      state: outcome.kind === 'park' ? 'parked' : 'delivered',
      ...(outcome.reason === undefined ? {} : { reason: outcome.reason }),
      ...(outcome.kind === 'park' && outcome.faultCode !== null ? { faultCode: outcome.faultCode } : {}),
    });
  }

  /** Over a bug of ours: tried again some times, in case it was the state of things, then given to a person. */
  async function giveUp(claimed: Claimed): Promise<void> {
    const outcome: Outcome =
      claimed.job.attempts >= FAILURES_MAX
        ? { kind: 'park', reason: 'exhausted', faultCode: 'internal.bug' }
        : { kind: 'retry', afterMs: FAILED_WAIT_MS, faultCode: 'internal.bug', patience: 'long' };
    // Should that fail too, the lease runs out, and whoever is next reads back first.
    await finish(claimed, { ...NOT_BEGUN, outcome }).catch(() => undefined);
  }

  /** What was not kept from judging is translated where it does not hold up the event loop. */
  async function pretranslate({ job, body, mrn, delivery }: Claimed): Promise<HeldTranslation | null> {
    if (job.kind !== 'deliver' || !(body instanceof Uint8Array) || mrn === null) return null;
    return deps.pretranslate(body, { id: delivery.id, receivedAt: new Date(delivery.receivedAt) }, mrn);
  }

  return {
    async carryOut({ claimed, target, claimedAt, pretranslated, fastClaim, ...one }: Start): Promise<void> {
      const lease = leases.take(claimed, claimedAt, fastClaim?.kind === 'begun' ? fastClaim.chart : null);
      const since = clock.monotonicMs();
      if (trace !== null && fastClaim === null) tellWait(trace, claimed);
      const span = trace === null ? null : beginAttemptSpan(trace, claimed);
      const { id: deliveryId } = claimed.delivery;
      let held = pretranslated ?? deps.pretranslated.take(deliveryId);
      const room = held?.room ?? (await deps.jobRoom.take(claimed));
      const work = async () => {
        held ??= await pretranslate(claimed);
        return runJob(claimed, fenceOf(claimed), {
          tenant,
          owner,
          lanes,
          translationContext: one.translationContext,
          target: traceTarget(leases.guard(target, lease), claimed.delivery, span),
          clock,
          newId: deps.newId,
          spread: deps.spread,
          leaseMs: LEASE_MS,
          knownSince: deps.knownSince() ?? Infinity,
          enterChart: (reference) => leases.enterChart(lease, reference),
          signal: lease.abort.signal,
          pretranslated: held,
          fastClaim,
          learn: deps.pretranslated.learn,
          habits: deps.habits,
          contentKey: deps.contentKey,
        });
      };
      try {
        const done = room === null ? NO_ROOM : doneOf(await work());
        const finished = await (span === null ? finish(claimed, done) : finishWatched(claimed, done, span));
        if (span !== null) endAttemptSpan(span, claimed, done);
        if (!finished.ok || finished.value !== 'done') deps.onMore();
        if (!finished.ok || finished.value === 'lost') {
          log.warn('lane.lost', { deliveryId, ...(finished.ok ? {} : faultFields(finished.fault)) });
          return;
        }
        logSent(claimed, done.outcome);
        const waitMs = waitOf(done.outcome);
        if (waitMs !== null) deps.onWait(waitMs);
        deps.onFinished(done.outcome, (clock.monotonicMs() - since) / 1_000, claimed.delivery.receivedAt);
      } catch (thrown) {
        if (span !== null) endAttemptSpan(span, claimed, null);
        log.error('lane.failed', { deliveryId, error: safeError(thrown) });
        deps.onMore();
        await giveUp(claimed);
      } finally {
        room?.release();
        if (held?.room !== room) held?.room.release();
        leases.drop(lease);
      }
    },

    /** Claimed when it was already time to stop. */
    async giveBack({ claimed, pretranslated, fastClaim }: Start): Promise<void> {
      pretranslated?.room.release();
      await finish(claimed, { ...NOT_BEGUN, attemptId: fastClaim?.kind === 'begun' ? fastClaim.attemptId : null });
    },
  };
}
