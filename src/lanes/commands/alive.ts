import { FOR_UPDATE, get, rightNowMs, typed, type CommandContext, type Program } from '../../store/index.ts';
import { TARGET } from '../enqueue/commands.ts';
import type { LaneWrites } from '../commands.ts';
import { GAP_MS, JUMP_MS } from '../rows.ts';
import { setClockBack } from './rewind.ts';

type Alive = LaneWrites['lane.alive'];

export function* alive(context: CommandContext, { tenant, at, leaseMs }: Alive['args']): Program<Alive['out']> {
  // Held before the clock is read, so that a replica that waited for another does not take that for a clock that was
  // set back.
  const before = yield* get`SELECT seen_at FROM target WHERE tenant = ${tenant} AND target = ${TARGET} ${FOR_UPDATE}`;
  const row = yield* get`
    INSERT INTO target (tenant, target, seen_at) VALUES (${tenant}, ${TARGET}, ${rightNowMs(at)})
    ON CONFLICT (tenant, target) DO UPDATE SET seen_at = excluded.seen_at,
      known_since = CASE WHEN target.seen_at NOT BETWEEN excluded.seen_at - ${typed('bigint', GAP_MS)}
        AND excluded.seen_at + ${typed('bigint', JUMP_MS)} THEN excluded.seen_at ELSE target.known_since END
    RETURNING known_since, seen_at`;
  const backMs = Number(before?.['seen_at'] ?? 0) - Number(row?.['seen_at']);
  // The clock of a process is looked at by the process: `lane.rewind`.
  if (context.engine === 'postgres' && backMs > JUMP_MS) yield* setClockBack({ tenant, at, byMs: backMs, leaseMs });
  return Number(row?.['known_since']);
}
