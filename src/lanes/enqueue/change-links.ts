import { faultFields, ok, safeError, type Clock, type Log, type Result } from '../../kernel/index.ts';
import type { Charted, LinkAct, SourceUser, WantedLink } from '../../identity/index.ts';
import type { Operate } from '../../store/index.ts';
import { sum } from './adjust.ts';
import { ADJUST_LIMIT, type Adjusted, type DeliverReads, type DeliverWrites, type LinkOutcome } from './commands.ts';

/** Who asks waits for this many transactions; the rest of a long release is carried out behind its back. */
const ASKED_MAX = 50;
const EVERY_MS = 5_000;
/** Every job that ends asks for a pass. Hardly ever is there anything to do, so they share one. */
const GAP_MS = 250;
const USERS_AT_ONCE = 20;

const add = (a: Adjusted, b: Adjusted): Adjusted => ({ ...sum(a, b), isSettled: b.isSettled });

/** Changes links, and sees to it that the deliveries of their users follow, also after a crash in the middle. */
export function makeLinkChanger(deps: {
  readonly tenant: string;
  readonly deliver: Operate<DeliverWrites, DeliverReads>;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when deliveries went into a lane because a link has changed. */
  readonly onChanged?: () => void;
  /** Told when a user is linked to a patient, or to another. */
  readonly onLinked?: () => void;
}) {
  const { tenant, deliver, log } = deps;
  let isStopped = false;
  let running: Promise<void> | null = null;

  const adjust = (act: LinkAct, user: SourceUser): Promise<Result<Adjusted>> =>
    deliver.writeBehind('deliver.adjust', { ...act, user, limit: ADJUST_LIMIT });

  /** Whether there is work now that was not there before. */
  function tell({ released, requeued, retracting }: Adjusted): void {
    if (released + requeued + retracting > 0) deps.onChanged?.();
  }

  /** A fault here is nobody's loss: what is left to do is marked in the store. */
  async function follow<T extends Adjusted>(act: LinkAct, user: SourceUser, first: T): Promise<T> {
    let all = first;
    tell(first);
    for (let times = 0; !all.isSettled && times < ASKED_MAX; times += 1) {
      const more = await adjust(act, user);
      if (!more.ok) break;
      all = { ...all, ...add(all, more.value) };
    }
    return all;
  }

  /** `behind`: one of many, which must not keep senders of webhooks waiting. */
  async function put(
    act: LinkAct,
    wanted: WantedLink,
    urgency: 'now' | 'behind' = 'now',
  ): Promise<Result<LinkOutcome>> {
    const args = { ...act, wanted, limit: ADJUST_LIMIT };
    const done = await (urgency === 'now'
      ? deliver.write('deliver.link', args)
      : deliver.writeBehind('deliver.link', args));
    if (done.ok && (done.value.change === 'confirmed' || done.value.change === 'changed')) deps.onLinked?.();
    return done.ok ? ok(await follow(act, wanted, done.value)) : done;
  }

  async function revoke(
    act: LinkAct,
    user: SourceUser,
    why: string,
    charted: Charted = 'keep',
  ): Promise<Result<LinkOutcome | 'not-found' | 'unsettled'>> {
    for (let times = 0; ; times += 1) {
      const done = await deliver.write('deliver.revoke', { ...act, user, why, charted, limit: ADJUST_LIMIT });
      if (!done.ok || done.value === 'not-found') return done;
      if (done.value !== 'unsettled') return ok(await follow(act, user, done.value));
      const more = await adjust(act, user);
      if (!more.ok) return more;
      if (times === ASKED_MAX) return ok('unsettled');
    }
  }

  async function pass(): Promise<void> {
    const users = await deliver.read('deliver.unsettled', { tenant, limit: USERS_AT_ONCE });
    if (!users.ok) return;
    for (const user of users.value) {
      let moved = 0;
      for (let isSettled = false; !isSettled && !isStopped;) {
        const done = await adjust({ tenant, at: deps.clock.now(), requestId: 'links', actor: 'gateway' }, user);
        if (!done.ok) {
          log.warn('links.followed', { count: moved, ...faultFields(done.fault) });
          return;
        }
        tell(done.value);
        moved += done.value.released + done.value.requeued + done.value.parked;
        ({ isSettled } = done.value);
      }
      log.info('links.followed', { count: moved });
    }
  }

  let timer: NodeJS.Timeout | undefined;
  let asked: NodeJS.Timeout | undefined;
  let lastMs = -Infinity;

  function resume(): void {
    if (timer === undefined || isStopped || asked !== undefined) return;
    const waitMs = lastMs + GAP_MS - deps.clock.monotonicMs();
    if (running !== null || waitMs > 0) {
      asked = setTimeout(() => {
        asked = undefined;
        resume();
      }, GAP_MS).unref();
      return;
    }
    lastMs = deps.clock.monotonicMs();
    running = pass()
      .catch((thrown: unknown) => log.error('links.followed', { error: safeError(thrown) }))
      .finally(() => void (running = null));
  }

  return {
    put,
    revoke,
    charting: (user: SourceUser) => deliver.read('deliver.charting', { tenant, user }),
    /** Goes on with what was cut off, from the start on. */
    resume,
    start(): void {
      timer = setInterval(resume, EVERY_MS).unref();
      resume();
    },
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(timer);
      clearTimeout(asked);
      await running;
    },
  };
}
export type Links = Pick<ReturnType<typeof makeLinkChanger>, 'put' | 'revoke' | 'charting'>;
