import {
  EARLIER,
  LATER,
  MILLISECONDS,
  now,
  rightNow,
  run,
  typed,
  type CommandContext,
  type Program,
} from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { LaneWrites } from '../commands.ts';

type Rewind = LaneWrites['lane.rewind'];

/**
 * The clock by which lanes wait went back so far. What was due before is due now; what was to wait waits no longer than
 * was decided, and a lease no longer than a lease lasts.
 */
export function* setClockBack({ tenant, at, byMs, leaseMs }: Rewind['args']): Program<void> {
  yield* run`
    UPDATE lane SET
      lease_until = ${EARLIER}(lease_until, ${rightNow(at)} + ${typed('bigint', leaseMs)}${MILLISECONDS}),
      next_at = CASE WHEN next_at > ${now(at)}
        THEN ${LATER}(${now(at)}, next_at - ${typed('bigint', byMs)}${MILLISECONDS}) ELSE next_at END
    WHERE tenant = ${tenant} AND target = ${TARGET} AND (next_at > ${now(at)} OR lease_until > ${now(at)})`;
}

/** A database with a clock of its own notices by itself: `lane.alive`. */
export function* rewind(context: CommandContext, args: Rewind['args']): Program<Rewind['out']> {
  if (context.engine === 'sqlite') yield* setClockBack(args);
  return null;
}
