import { faultFields, safeError, type Clock, type Log } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { ClaimWish, Due, SubscriptionReads, SubscriptionWrites } from './commands.ts';

/** How often it is looked what is due: retries, heartbeats, and what another process numbered. */
const LOOK_MS = 500;
/** Longer than a notification takes, with what is asked before it. */
const LEASE_MS = 60_000;
/** How many notifications are under way in this process, and of one app: a slow one must not hold up the others. */
const UNDER_WAY_MAX = 64;
const OF_ONE_APP_MAX = 32;
/** How long events are kept for `$events`. */
const KEPT_MS = 30 * 86_400_000;
const FORGET_EVERY_MS = 3_600_000;
const FORGET_AT_ONCE = 2_000;

/**
 * Sends notifications: one at a time for each subscription, so that its events come in their order; several
 * subscriptions at once. A lease keeps other processes away; whose process is gone is taken over when it runs out.
 */
export function runSender(deps: {
  readonly tenant: string;
  readonly instance: string;
  readonly subscriptions: Operate<SubscriptionWrites, SubscriptionReads>;
  readonly send: (due: Due) => Promise<'more' | 'done'>;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { tenant, subscriptions, clock, log } = deps;
  let isStopped = false;
  let isWanted = false;
  let claiming: Promise<void> | null = null;
  let timers: NodeJS.Timeout[] = [];
  const underWay = new Set<Promise<void>>();
  const ofApp = new Map<string, number>();

  const count = (clientId: string, by: 1 | -1): void => {
    const now = (ofApp.get(clientId) ?? 0) + by;
    if (now === 0) ofApp.delete(clientId);
    else ofApp.set(clientId, now);
  };

  function begin(due: Due): void {
    const { clientId } = due.subscription;
    count(clientId, 1);
    const run = deps
      .send(due)
      .catch((thrown: unknown) => {
        log.error('subscription.failed', { error: safeError(thrown) });
        return 'done' as const;
      })
      .then((left) => {
        const wasFull = (ofApp.get(clientId) ?? 0) >= OF_ONE_APP_MAX || underWay.size >= UNDER_WAY_MAX;
        count(clientId, -1);
        underWay.delete(run);
        // There is more of it, or of somebody who had to wait.
        if (left === 'more' || wasFull) wake();
      });
    underWay.add(run);
  }

  function room(): ClaimWish | null {
    const limit = Math.min(UNDER_WAY_MAX - underWay.size, OF_ONE_APP_MAX);
    if (limit <= 0 || isStopped) return null;
    const without = [...ofApp].filter(([, n]) => n >= OF_ONE_APP_MAX).map(([clientId]) => clientId);
    const ofOneApp = { most: OF_ONE_APP_MAX, underWay: [...ofApp] };
    return { owner: deps.instance, leaseMs: LEASE_MS, limit, without, ofOneApp };
  }

  function take(due: readonly Due[]): void {
    for (const one of due) begin(one);
  }

  async function claim(): Promise<void> {
    const wish = room();
    if (wish === null) return;
    const due = await subscriptions.write('subscription.claim', { ...wish, tenant, at: clock.now() });
    if (!due.ok) {
      log.warn('subscription.failed', faultFields(due.fault));
      return;
    }
    take(due.value);
    // Those of an app that has become full may have stood before others.
    const isFull = due.value.some(({ subscription }) => (ofApp.get(subscription.clientId) ?? 0) >= OF_ONE_APP_MAX);
    if (due.value.length === wish.limit || isFull) isWanted = true;
  }

  function wake(): void {
    isWanted = true;
    if (isStopped || claiming !== null) return;
    isWanted = false;
    claiming = claim()
      .catch((thrown: unknown) => log.error('subscription.failed', { error: safeError(thrown) }))
      .finally(() => {
        claiming = null;
        if (isWanted && !isStopped && underWay.size < UNDER_WAY_MAX) wake();
      });
  }

  async function forget(): Promise<void> {
    for (let gone = FORGET_AT_ONCE; gone === FORGET_AT_ONCE && !isStopped;) {
      const at = clock.now();
      const before = new Date(at.getTime() - KEPT_MS);
      const done = await subscriptions.writeBehind('subscription.forget', {
        tenant,
        at,
        before,
        limit: FORGET_AT_ONCE,
      });
      if (!done.ok) return;
      gone = done.value;
    }
  }

  /** A read, which is in nobody's way. */
  async function look(): Promise<void> {
    const looked = await subscriptions.read('subscription.look', { tenant, at: clock.now() });
    if (looked.ok && looked.value.isDue) wake();
  }

  return {
    wake,
    room,
    take,
    forget,
    async start(): Promise<void> {
      await subscriptions.write('subscription.free', { tenant, at: clock.now() });
      const forgetting = (): void =>
        void forget().catch((thrown: unknown) => log.error('subscription.failed', { error: safeError(thrown) }));
      timers = [
        setInterval(() => void look().catch(() => undefined), LOOK_MS).unref(),
        setInterval(forgetting, FORGET_EVERY_MS).unref(),
      ];
      wake();
    },
    /** Nothing more is claimed; what is under way may come to its end. */
    async stop(): Promise<void> {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
      await claiming;
      await Promise.all(underWay);
    },
  };
}
