import { faultFields, safeError, type Clock, type Log } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { Due, SubscriptionReads, SubscriptionWrites } from './commands.ts';

/** How often it is looked what is due: retries, heartbeats, and what another process numbered. */
const LOOK_MS = 500;
/** Longer than a notification takes, with what is asked before it. */
const LEASE_MS = 60_000;
/** How many notifications are under way in this process, and of one app: a slow one must not hold up the others. */
const UNDER_WAY_MAX = 48;
const OF_ONE_APP_MAX = 16;
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
      .then(() => undefined)
      .catch((thrown: unknown) => log.error('subscription.failed', { error: safeError(thrown) }))
      .finally(() => {
        count(clientId, -1);
        underWay.delete(run);
        // There may be more of it, or of an app that had to wait.
        wake();
      });
    underWay.add(run);
  }

  async function claim(): Promise<void> {
    const room = UNDER_WAY_MAX - underWay.size;
    if (room <= 0) return;
    const without = [...ofApp].filter(([, n]) => n >= OF_ONE_APP_MAX).map(([clientId]) => clientId);
    const limit = Math.min(room, OF_ONE_APP_MAX);
    const due = await subscriptions.writeBehind('subscription.claim', {
      tenant,
      owner: deps.instance,
      at: clock.now(),
      leaseMs: LEASE_MS,
      limit,
      without,
    });
    if (!due.ok) {
      log.warn('subscription.failed', faultFields(due.fault));
      return;
    }
    for (const one of due.value) begin(one);
    if (due.value.length === limit) isWanted = true;
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
