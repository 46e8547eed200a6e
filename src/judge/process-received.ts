import {
  dropBytes,
  faultFields,
  MEMORY,
  ok,
  safeError,
  withRoom,
  type Budget,
  type Clock,
  type Log,
  type Result,
  type Trace,
} from '../kernel/index.ts';
import type { InboxReads, InboxWrites, Received, StoredDelivery } from '../inbox/index.ts';
import type { Operate } from '../store/index.ts';
import type { DeliverReads, DeliverWrites, FastClaimed, ClaimWish } from '../lanes/index.ts';
import type { FreshBodies } from './fresh-bodies.ts';
import { FAILED, type Judgement, type SourceEvent } from './judge.ts';
import { judgeInOrder } from './judge-in-order.ts';
import type { Judge } from './make-judge.ts';
import { makePace } from './pace.ts';
import { beginStep, endJudging, endSettling } from './watch-judging.ts';

const PAGE = 32;
/** So many are being settled at a time. */
const SETTLING_MAX = 64;
/** Of large bodies one is read at a time. */
const PAGE_BYTES = 1024 * 1024;
/** Whatever is smaller than this costs nothing worth waiting for. */
const SMALL_BYTES = 64 * 1024;
const EVERY_MS = 1_000;
/** So many are judged ahead while senders wait: one under way and one that waits for it. */
const BUSY_AHEAD = 2;
/** What another process received is left to it for this long: it may just be busy, or it may be dead. */
const OTHERS_AFTER_MS = 6_000;

const isLarge = ({ body }: Received): boolean => body !== 'unopenable' && body.byteLength > SMALL_BYTES;

/** What is judged, and who is told when its bytes are needed no more. */
interface Asked {
  readonly one: Received;
  readonly body: Uint8Array;
  readonly onJudged: () => void;
}

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

/** Looks at what was received, in the order of arrival, until nothing is left; then again when it is told of more. */
export function processReceived(deps: {
  readonly tenant: string;
  readonly instance: string;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly deliver: Operate<DeliverWrites, DeliverReads>;
  readonly judge: Judge;
  /** How many are judged at the same time; they are settled in the order of their arrival. */
  readonly judgesAtOnce?: number;
  /** What was just stored here. */
  readonly fresh: FreshBodies;
  readonly budget: Budget;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether senders are waiting for their acknowledgement at the moment. */
  readonly isBusy: () => boolean;
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
}) {
  const { tenant, inbox, fresh, log, judgesAtOnce = 1, trace = null } = deps;
  const pace = makePace(deps);
  let running: Promise<void> | null = null;
  let isAsked = false;
  let isStopped = false;

  /**
   * A delivery that makes us throw is set aside, so that it neither stops the ones behind it nor comes back every
   * second.
   */
  async function judgeSafely({ hook, id, receivedAt }: Received, body: Uint8Array): Promise<Judgement> {
    const judged = async (): Promise<Judgement> => deps.judge(hook, body, { id, receivedAt: new Date(receivedAt) });
    const { byteLength } = body;
    try {
      if (byteLength <= SMALL_BYTES) return await judged();
      return (await withRoom(deps.budget, byteLength * MEMORY.cost.document, Infinity, judged)) ?? FAILED;
    } catch (thrown) {
      log.error('delivery.failed', { deliveryId: id, error: safeError(thrown) });
      return FAILED;
    }
  }

  async function judgeWatched(one: Received, body: Uint8Array, by: Trace): Promise<Judgement> {
    const step = beginStep(by, one);
    const judgement = await judgeSafely(one, body);
    if (step !== null) endJudging(step, one, judgement);
    return judgement;
  }

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
  async function settle(one: Received, judged: Judgement): Promise<void> {
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
  }

  const inOrder = judgeInOrder<Asked, Judgement>({
    async judge({ one, body, onJudged }) {
      try {
        return await (trace === null ? judgeSafely(one, body) : judgeWatched(one, body, trace));
      } finally {
        dropBytes(body);
        onJudged();
      }
    },
    settle: ({ one }, judgement) => settle(one, judgement),
    onFailed: (thrown) => log.error('delivery.failed', { error: safeError(thrown) }),
    settlingMax: SETTLING_MAX,
  });

  /**
   * Judged in the order of arrival, with a turn for everybody else between two. Judging does not run away from what is on
   * its way to the EHR: what can be sent as it is settled need not be claimed. It waits for an EHR once a page, so that
   * a slow one holds nothing up. Some of a page may be under way when this ends.
   */
  async function judgeAll(page: readonly { readonly one: Received; readonly onJudged: () => void }[]): Promise<void> {
    const left = [...page];
    let isPatient = true;
    try {
      for (let next = left[0]; next !== undefined; next = left[0]) {
        const { one, onJudged } = next;
        const { body } = one;
        // Sealed with a key that this process does not have: another one has it.
        if (body === 'unopenable') {
          left.shift();
          onJudged();
          continue;
        }
        await pace.rest();
        if (isPatient && deps.lanes !== undefined && !deps.isBusy()) isPatient = (await deps.lanes.room()) > 0;
        pace.begin();
        const aheadMax = deps.isBusy() ? Math.min(BUSY_AHEAD, judgesAtOnce) : judgesAtOnce;
        left.shift();
        await inOrder.judge({ one, body, onJudged }, aheadMax);
      }
    } finally {
      // After a bug: the store has them.
      for (const { onJudged } of left) onJudged();
    }
  }

  async function readPage(after: number, before: number | null): Promise<Result<readonly Received[]>> {
    const now = deps.clock.now().getTime();
    const asked = {
      tenant,
      receiver: deps.instance,
      othersBefore: now - OTHERS_AFTER_MS,
      othersAfter: now + OTHERS_AFTER_MS,
      between: [after, before],
      limit: PAGE,
      bytes: PAGE_BYTES,
    } as const;
    const page = await inbox.read('inbox.received', asked);
    return page.ok && page.value.length === 0 ? inbox.read('inbox.received', { ...asked, journaled: 'too' }) : page;
  }

  async function judgeStored(): Promise<void> {
    for (let after = 0; !isStopped;) {
      const page = await readPage(after, fresh.oldestSeq());
      if (!page.ok || page.value.length === 0) break;
      await judgeAll(page.value.map((one) => ({ one, onJudged: () => undefined })));
      after = page.value.at(-1)?.seq ?? after;
      if (page.value.some(isLarge)) await inOrder.judged();
    }
    // Whoever asks the store again must not find what is still under way.
    await inOrder.drain();
  }

  /** A page at least, and more until something is to be asked for in the store. */
  async function judgeFresh(): Promise<void> {
    for (let n = 0; !isStopped && fresh.oldestSeq() !== null && (n === 0 || !fresh.isMissing()); n += 1) {
      await judgeAll(fresh.take(PAGE));
    }
    await inOrder.drain();
  }

  /** What was stored before, by others or when memory was short comes first: it is older. */
  async function pass(): Promise<void> {
    do {
      if (fresh.takeMissing()) await judgeStored();
      await judgeFresh();
    } while (!isStopped && fresh.isMissing());
  }

  let timer: NodeJS.Timeout | undefined;

  function goOn(): void {
    if (timer === undefined || isStopped) return;
    if (running !== null) {
      isAsked = true;
      return;
    }
    isAsked = false;
    running = pass()
      .catch((thrown: unknown) => log.error('delivery.failed', { error: safeError(thrown) }))
      .finally(() => {
        running = null;
        if (isAsked) goOn();
      });
  }

  /** Something may be in the store that is to be judged. Heard from the start on. */
  function wake(): void {
    fresh.miss('below');
    goOn();
  }

  return {
    wake,
    /** This was just stored. */
    take(delivery: StoredDelivery): void {
      if (delivery.kind === 'duplicate') return;
      if (delivery.kind === 'fresh') fresh.keep(delivery.received);
      else fresh.miss('anywhere');
      goOn();
    },
    start(): void {
      timer = setInterval(wake, EVERY_MS).unref();
      wake();
    },
    /** Finishes the page under way. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
