import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { faultFields, safeError, type Clock, type Log } from '../kernel/index.ts';
import type { InboxReads, InboxWrites, Received } from '../inbox/index.ts';
import type { Operate } from '../store/index.ts';
import type { DeliverReads, DeliverWrites } from './commands.ts';
import { FAILED, type Judgement } from './judge.ts';
import type { Judge } from './make-judge.ts';

/** While deliveries are coming in, looking at them gives way to taking them. */
const PAGE = { idle: 32, busy: 4 } as const;
const BUSY_PAUSE_MS = 25;
const EVERY_MS = 1_000;
/** What another process received is left to it for this long: it may just be busy, or it may be dead. */
const OTHERS_AFTER_MS = 10_000;

/** Looks at what was received, in the order of arrival, until nothing is left; then again when it is told of more. */
export function processReceived(deps: {
  readonly tenant: string;
  readonly instance: string;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly deliver: Operate<DeliverWrites, DeliverReads>;
  readonly judge: Judge;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether senders are waiting for their acknowledgement at the moment. */
  readonly isBusy: () => boolean;
  readonly onSettled: (state: string, reason: string | null) => void;
  readonly onFinding: (code: string) => void;
}) {
  const { tenant, inbox, log } = deps;
  let running: Promise<void> | null = null;
  let isAsked = false;
  let isStopped = false;

  /** A delivery that makes us throw is set aside, so that it neither stops the ones behind it nor comes back every second. */
  async function judgeSafely(hook: Received['hook'], id: string, body: Uint8Array): Promise<Judgement> {
    try {
      return await deps.judge(hook, body);
    } catch (thrown) {
      log.error('delivery.failed', { deliveryId: id, error: safeError(thrown) });
      return FAILED;
    }
  }

  const write = (one: Received, judgement: Judgement) =>
    deps.deliver.writeBehind('deliver.settle', {
      tenant,
      seq: one.seq,
      at: deps.clock.now(),
      requestId: one.requestId,
      ...judgement,
    });

  /** A verdict that the store cannot take is a bug of ours too, and ends in the same place. */
  async function settle(one: Received, judgement: Judgement): Promise<void> {
    const settled = await write(one, judgement).catch((thrown: unknown) => {
      log.error('delivery.failed', { deliveryId: one.id, error: safeError(thrown) });
      return write(one, FAILED);
    });
    if (!settled.ok) {
      // Still received: the next pass comes by again.
      log.warn('delivery.waiting', { deliveryId: one.id, ...faultFields(settled.fault) });
      return;
    }
    if (settled.value === null) return;
    const { state, reason } = settled.value;
    deps.onSettled(state, reason);
    // The code alone: what comes after it is a place.
    for (const finding of judgement.facts.findings) deps.onFinding(finding.split(' ')[0] ?? '');
    log.info('delivery.settled', { deliveryId: one.id, requestId: one.requestId, state, ...(reason === null ? {} : { reason }) });
  }

  /** One after the other, with a turn for everybody else between them; then all of their verdicts together. */
  async function settleAll(page: readonly Received[]): Promise<void> {
    const settling: Promise<void>[] = [];
    for (const one of page) {
      // Sealed with a key that this process does not have: another one has it.
      if (one.body === 'unopenable') continue;
      await turn();
      settling.push(settle(one, await judgeSafely(one.hook, one.id, one.body)));
    }
    for (const { status } of await Promise.allSettled(settling)) if (status === 'rejected') log.error('delivery.failed');
  }

  async function pass(): Promise<void> {
    for (let after = 0; !isStopped;) {
      const page = await inbox.read('inbox.received', {
        tenant,
        receiver: deps.instance,
        othersBefore: deps.clock.now().getTime() - OTHERS_AFTER_MS,
        after,
        limit: deps.isBusy() ? PAGE.busy : PAGE.idle,
      });
      if (!page.ok || page.value.length === 0) return;
      await settleAll(page.value);
      after = page.value.at(-1)?.seq ?? after;
      if (deps.isBusy()) await pause(BUSY_PAUSE_MS, undefined, { ref: false });
    }
  }

  function poke(): void {
    if (isStopped) return;
    if (running !== null) {
      isAsked = true;
      return;
    }
    isAsked = false;
    running = pass()
      .catch((thrown: unknown) => log.error('delivery.failed', { error: safeError(thrown) }))
      .finally(() => {
        running = null;
        if (isAsked) poke();
      });
  }

  const timer = setInterval(poke, EVERY_MS).unref();
  return {
    poke,
    /** Finishes the page under way. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
