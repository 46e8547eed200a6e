import { faultFields, safeError, type Clock, type Log } from '../kernel/index.ts';
import type { InboxReads, InboxWrites } from '../inbox/index.ts';
import type { Operate } from '../store/index.ts';
import type { LaneReads, LaneWrites } from './commands.ts';

const EVERY_MS = 3_600_000;
/** Soon after the start: a process that is restarted every day must get round to it. */
const FIRST_MS = 60_000;
const AT_ONCE = 500;
const DAY_MS = 86_400_000;

/**
 * Shreds bodies that have been kept long enough, a few at a time so that nobody waits for it, what both sides of
 * settled conflicts said, and what the EHR said in attempts as old. Rows and digests stay.
 */
export function enforceRetention(deps: {
  readonly tenant: string;
  readonly inbox: Operate<InboxWrites, InboxReads>;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly bodyDays: number;
  readonly clock: Clock;
  readonly log: Log;
}) {
  let isStopped = false;

  async function shred(): Promise<number> {
    let count = 0;
    const { tenant } = deps;
    const cutOff = (at: Date): Date => new Date(at.getTime() - deps.bodyDays * DAY_MS);
    await deps.lanes.write('lane.forget-sides', { tenant });
    await deps.lanes.write('lane.forget-issues', { tenant, before: cutOff(deps.clock.now()) });
    while (!isStopped) {
      const at = deps.clock.now();
      const some = await deps.inbox.write('inbox.shred', { tenant, before: cutOff(at), at, limit: AT_ONCE });
      if (!some.ok) {
        deps.log.warn('bodies.shredded', { count, ...faultFields(some.fault) });
        return count;
      }
      count += some.value.count;
      if (some.value.count < AT_ONCE) break;
    }
    if (count > 0) deps.log.info('bodies.shredded', { count });
    return count;
  }

  const run = (): void =>
    void shred().catch((thrown: unknown) => deps.log.error('bodies.shredded', { error: safeError(thrown) }));
  let first: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    shred,
    start(): void {
      first = setTimeout(run, FIRST_MS).unref();
      timer = setInterval(run, EVERY_MS).unref();
    },
    stop: (): void => {
      isStopped = true;
      clearTimeout(first);
      clearInterval(timer);
    },
  };
}
