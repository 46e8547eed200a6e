import { faultFields, ok, safeError, type Clock, type Log, type Result, type Trace } from '../kernel/index.ts';
import type { Received } from '../inbox/index.ts';
import type { ClaimWish, DeliverReads, DeliverWrites, FastClaimed } from '../lanes/index.ts';
import type { Operate } from '../store/index.ts';
import { FAILED, type Judgement, type SourceEvent } from './judge.ts';
import { beginStep, endSettling } from './watch-judging.ts';

/** What others may want to know of a delivery. */
export interface Followed {
  readonly id: string;
  readonly seq: number;
  readonly hook: Received['hook'];
  readonly user: { readonly client: string; readonly user: string } | null;
  readonly told: SourceEvent | null;
}

/** How a delivery goes from its verdict to the EHR without waiting in its lane. */
export interface FastClaims {
  /** How many more could be sent now; waits a moment for the first. Zero: nothing to wait for. */
  room(): Promise<number>;
  /** A place for a delivery that was translated, or null where there is none. It must be used, if with null. */
  reserve(deliveryId: string): { readonly claim: ClaimWish; use(claimed: FastClaimed | null): void } | null;
}

export interface SettleDeps {
  readonly tenant: string;
  readonly deliver: Operate<DeliverWrites, DeliverReads>;
  readonly clock: Clock;
  readonly log: Log;
  /** `goes`: it is on its way to the EHR already. */
  readonly onSettled: (state: string, reason: string | null, then: 'waits' | 'goes') => void;
  readonly onFinding: (code: string) => void;
  /**
   * Told of a delivery before it is settled, and again should the settling be cut off. Answers what to add to its
   * findings; a fault leaves the delivery for the next pass.
   */
  readonly follow: (delivery: Followed) => Promise<Result<readonly string[]>>;
  readonly lanes?: FastClaims;
  /** Null where nobody watches. */
  readonly trace?: Trace | null;
}

/** Settles what was judged: others are told of it first, and its verdict is stored. */
export function makeSettleJudged(deps: SettleDeps) {
  const { tenant, log, trace = null } = deps;

  const write = (one: Received, { facts, verdict }: Judgement, claim?: ClaimWish) =>
    deps.deliver.writeBehind('deliver.settle', {
      tenant,
      seq: one.seq,
      at: deps.clock.now(),
      requestId: one.requestId,
      facts,
      verdict,
      ...(claim === undefined ? {} : { claim }),
    });

  /** An unauthenticated sender learns nothing. */
  async function follow(one: Received, judgement: Judgement): Promise<Result<Judgement>> {
    const { facts, verdict, told = null } = judgement;
    const { client, user } = facts;
    if (verdict.kind === 'quarantine' || client === null || user === null) return ok(judgement);
    const more = await deps
      .follow({ id: one.id, seq: one.seq, hook: one.hook, user: { client, user }, told })
      .catch((thrown: unknown) => {
        // A bug of whoever follows must not keep the delivery from its chart.
        log.error('delivery.failed', { deliveryId: one.id, error: safeError(thrown) });
        return ok([]);
      });
    if (!more.ok || more.value.length === 0) return more.ok ? ok(judgement) : more;
    return ok({ ...judgement, facts: { ...facts, findings: [...more.value, ...facts.findings] } });
  }

  async function writeVerdict(one: Received, judgement: Judgement) {
    const place = deps.lanes?.reserve(one.id) ?? null;
    let fastClaim: FastClaimed | null = null;
    try {
      const settled = await write(one, judgement, place?.claim);
      fastClaim = (settled.ok ? settled.value?.fastClaim : null) ?? null;
      return settled;
    } finally {
      place?.use(fastClaim);
    }
  }

  /** A verdict that the store cannot take is a bug of ours too, and ends in the same place. */
  return async function settle(one: Received, judged: Judgement): Promise<void> {
    const followed = await follow(one, judged);
    if (!followed.ok) {
      log.warn('delivery.waiting', { deliveryId: one.id, ...faultFields(followed.fault) });
      return;
    }
    const judgement = followed.value;
    const step = trace === null ? null : beginStep(trace, one);
    const settled = await writeVerdict(one, judgement).catch((thrown: unknown) => {
      log.error('delivery.failed', { deliveryId: one.id, error: safeError(thrown) });
      return write(one, FAILED);
    });
    if (step !== null) endSettling(step, one, settled.ok ? settled.value : settled.fault.code);
    if (!settled.ok) {
      // Still received: the next pass comes by again.
      log.warn('delivery.waiting', { deliveryId: one.id, ...faultFields(settled.fault) });
      return;
    }
    if (settled.value === null) return;
    const { state, reason, fastClaim } = settled.value;
    deps.onSettled(state, reason, fastClaim === undefined ? 'waits' : 'goes');
    // The code alone: what comes after it is a place.
    for (const finding of judgement.facts.findings) deps.onFinding(finding.split(' ')[0] ?? '');
    log.info('delivery.settled', {
      deliveryId: one.id,
      requestId: one.requestId,
      state,
      ...(reason === null ? {} : { reason }),
    });
  };
}
