import type { Actor } from '../audit/index.ts';
import { faultFields, ok, type Clock, type Log, type NewId, type Result } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { LaneReads, LaneWrites } from './commands.ts';

const AT_ONCE = 500;

/**
 * What was delivered goes through its lane again, by the mapping data as they are now; only what differs is sent. Gives
 * how many.
 */
export async function forwardAgain(deps: {
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly clock: Clock;
  readonly act: Actor & { readonly tenant: string; readonly requestId: string };
  readonly which: LaneWrites['lane.reforward']['args']['which'];
}): Promise<Result<number>> {
  const { lanes, clock, act, which } = deps;
  let count = 0;
  for (let after = 0; ;) {
    const some = await lanes.write('lane.reforward', { ...act, at: clock.now(), which, after, limit: AT_ONCE });
    if (!some.ok) return some;
    count += some.value.count;
    if (some.value.last === after) return ok(count);
    after = some.value.last;
  }
}

/** New mapping data may know what was left out: every delivery of which a part waits goes through its lane again. */
export async function forwardLeftOut(deps: {
  readonly tenant: string;
  readonly lanes: Operate<LaneWrites, LaneReads>;
  readonly newId: NewId;
  readonly clock: Clock;
  readonly log: Log;
  readonly onReforward: () => void;
}): Promise<void> {
  const { tenant, lanes, clock, log } = deps;
  const requestId = deps.newId('req');
  const count = await forwardAgain({ lanes, clock, act: { tenant, actor: 'gateway', requestId }, which: 'left-out' });
  if (!count.ok) log.warn('mappings.left-out', { requestId, ...faultFields(count.fault) });
  if (!count.ok || count.value === 0) return;
  log.info('mappings.left-out', { count: count.value, requestId });
  deps.onReforward();
}
