import { append } from '../../../audit/index.ts';
import { FOR_UPDATE, get, run, type CommandContext, type Program } from '../../../store/index.ts';
import { TARGET } from '../../../lanes/index.ts';
import type { ShadowWrites } from '../commands.ts';
import { auditOfEnter, auditOfLeave, isConfirmed, numberOrNull } from '../rows.ts';
import { countWaiting } from './waiting.ts';

type Enter = ShadowWrites['shadow.enter'];
type Leave = ShadowWrites['shadow.leave'];

export function* enter(context: CommandContext, args: Enter['args']): Program<Enter['out']> {
  const { tenant, at } = args;
  // The row is made first, so that replicas that start together take turns at it.
  yield* run`INSERT INTO target (tenant, target) VALUES (${tenant}, ${TARGET}) ON CONFLICT DO NOTHING`;
  const row = yield* get`SELECT shadow_since FROM target WHERE tenant = ${tenant} AND target = ${TARGET} ${FOR_UPDATE}`;
  const before = numberOrNull(row?.['shadow_since']);
  if (before !== null) return { since: before, change: 'already' };
  yield* run`
    UPDATE target SET shadow_since = ${at.getTime()}, reported_waiting = NULL, reported_at = NULL
    WHERE tenant = ${tenant} AND target = ${TARGET}`;
  yield* append(context, [auditOfEnter(args)]);
  return { since: at.getTime(), change: 'entered' };
}

export function* report(tenant: string, waiting: number, at: Date): Program<null> {
  yield* run`
    UPDATE target SET reported_waiting = ${waiting}, reported_at = ${at.getTime()}
    WHERE tenant = ${tenant} AND target = ${TARGET} AND shadow_since IS NOT NULL`;
  return null;
}

export function* leave(context: CommandContext, args: Leave['args']): Program<Leave['out']> {
  const { tenant, at, confirm } = args;
  const target = yield* get`
    SELECT shadow_since, reported_waiting, reported_at FROM target
    WHERE tenant = ${tenant} AND target = ${TARGET} ${FOR_UPDATE}`;
  const { total: waiting } = yield* countWaiting(tenant);
  if (numberOrNull(target?.['shadow_since']) === null) return { outcome: 'not-held', waiting };
  const outcome = isConfirmed(confirm, waiting, target, at) ? 'left' : 'unconfirmed';
  if (outcome === 'left')
    yield* run`UPDATE target SET shadow_since = NULL WHERE tenant = ${tenant} AND target = ${TARGET}`;
  else yield* report(tenant, waiting, at);
  yield* append(context, [auditOfLeave(args, waiting, outcome)]);
  return { outcome, waiting };
}
