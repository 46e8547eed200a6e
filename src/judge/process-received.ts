import { dropBytes, MEMORY, safeError, withRoom, type Budget, type Result, type Trace } from '../kernel/index.ts';
import type { InboxReads, InboxWrites, Received, StoredDelivery } from '../inbox/index.ts';
import type { Operate } from '../store/index.ts';
import type { FreshBodies } from './fresh-bodies.ts';
import { FAILED, type Judgement } from './judge.ts';
import { judgeInOrder } from './judge-in-order.ts';
import type { Judge } from './make-judge.ts';
import { makePace } from './pace.ts';
import { makeSettleJudged, type SettleDeps } from './settle-judged.ts';
import { beginStep, endJudging } from './watch-judging.ts';

const PAGE = 32;
/** So many are being settled at a time. */
const SETTLING_MAX = 128;
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

/** Looks at what was received, in the order of arrival, until nothing is left; then again when it is told of more. */
export function processReceived(
  deps: SettleDeps & {
    readonly instance: string;
    readonly inbox: Operate<InboxWrites, InboxReads>;
    readonly judge: Judge;
    /** How many are judged at the same time; they are settled in the order of their arrival. */
    readonly judgesAtOnce?: number;
    /** What was just stored here. */
    readonly fresh: FreshBodies;
    readonly budget: Budget;
    /** Whether senders are waiting for their acknowledgement at the moment. */
    readonly isBusy: () => boolean;
  },
) {
  const { tenant, inbox, fresh, log, judgesAtOnce = 1, trace = null } = deps;
  const pace = makePace({ ...deps, isElsewhere: judgesAtOnce > 1 });
  const settle = makeSettleJudged(deps);
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
