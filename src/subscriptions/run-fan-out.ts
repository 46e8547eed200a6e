import { faultFields, safeError, type Clock, type Log } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import { FAN_OUT_MAX, type ClaimWish, type Due, type SubscriptionReads, type SubscriptionWrites } from './commands.ts';

/** How often it is looked whether something has happened of which nobody told: another process did it. */
const LOOK_MS = 500;
/** What happens within it goes into one commit, and into few notifications: who delivers hardly notices. */
const GATHER_MS = 100;

/**
 * Hands events to the subscriptions that want them, a few hundred deliveries a commit. It
 * does not matter which process does it: one at a time can, and what is left stands in the store.
 */
export function runFanOut(deps: {
  readonly tenant: string;
  readonly subscriptions: Operate<SubscriptionWrites, SubscriptionReads>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whoever sends: how much it can take, and what it is given. */
  readonly sender: {
    room(): ClaimWish | null;
    take(due: readonly Due[]): void;
    wake(): void;
  };
}) {
  const { tenant, subscriptions, sender, clock, log } = deps;
  let isStopped = false;
  let isWanted = false;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let gathering: NodeJS.Timeout | undefined;

  async function step(): Promise<void> {
    for (let isMore = true; isMore && !isStopped;) {
      const done = await subscriptions.write('subscription.fan-out', {
        tenant,
        at: clock.now(),
        limit: FAN_OUT_MAX,
        claim: sender.room(),
      });
      if (!done.ok) {
        log.warn('subscription.failed', faultFields(done.fault));
        return;
      }
      if (done.value.kind === 'busy') return;
      sender.take(done.value.due);
      if (done.value.touched > done.value.due.length) sender.wake();
      isMore = done.value.isMore;
    }
  }

  /** Soon: what happens until then, and while one step runs, is for the next one. */
  function wake(): void {
    isWanted = true;
    if (isStopped || running !== null || gathering !== undefined) return;
    gathering = setTimeout(() => {
      gathering = undefined;
      isWanted = false;
      running = step()
        .catch((thrown: unknown) => log.error('subscription.failed', { error: safeError(thrown) }))
        .finally(() => {
          running = null;
          if (isWanted) wake();
        });
    }, GATHER_MS).unref();
  }

  /** A read, which is in nobody's way. */
  async function look(): Promise<void> {
    const looked = await subscriptions.read('subscription.look', { tenant, at: clock.now() });
    if (looked.ok && looked.value.isQueued) wake();
  }

  return {
    wake,
    start(): void {
      timer = setInterval(() => void look().catch(() => undefined), LOOK_MS).unref();
      wake();
    },
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      clearTimeout(gathering);
      await running;
    },
  };
}
