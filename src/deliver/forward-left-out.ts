import { faultFields, type Clock, type Log, type NewId } from '../kernel/index.ts';
import type { Operate } from '../store/index.ts';
import type { LaneReads, LaneWrites } from './lane/commands.ts';

const AT_ONCE = 500;

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
  let count = 0;
  for (let after = 0; ;) {
    const who = { tenant, actor: 'gateway', requestId, at: clock.now() };
    const some = await lanes.write('lane.reforward', { ...who, which: 'left-out', after, limit: AT_ONCE });
    if (!some.ok) {
      log.warn('mappings.left-out', { count, ...faultFields(some.fault) });
      return;
    }
    count += some.value.count;
    if (some.value.last === after) break;
    after = some.value.last;
  }
  if (count === 0) return;
  log.info('mappings.left-out', { count, requestId });
  deps.onReforward();
}
